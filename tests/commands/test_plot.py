"""``attncheck plot``: what is listed, what is refused, what is written where."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from grader.course import loader
from grader.grading import courses
from grader.report.figures.kinds import kinds
from grader.sandbox import Sandbox

Attncheck = Callable[..., object]
#: As they are, before the tests of commands put a small course in their place.
FIND, LOAD = loader.find, courses.load
RIGHT = Path(__file__).parents[1] / "solutions" / "scaled_scores" / "right"


@pytest.fixture
def wall(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session's sandbox in the place of the verb's own, and the bundled course."""
    monkeypatch.setattr(loader, "find", FIND)
    monkeypatch.setattr(courses, "load", LOAD)

    @contextlib.contextmanager
    def opened(mode: str) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(start=lambda: None, observe=sandbox.observe, allow_packages=sandbox.allow_packages)

    monkeypatch.setattr("grader.sandbox.open_sandbox", opened)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_list(lang: str, attncheck: Attncheck) -> None:
    """Every picture with its sentence, on 80 columns."""
    ran = attncheck("plot", "--lang", lang)
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines() if line[0] != " "] == sorted(kinds())
    assert attncheck("plot", "masks", "--list", "--lang", lang).out == ran.out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["maskz"], "Did you mean masks?"),
        (["masks", "--to", "picture.png"], "ends in .svg"),
        (["masks", "--to", "nowhere/picture.svg"], "there is no folder"),
    ],
)
def test_what_is_refused(args: list[str], said: str, attncheck: Attncheck) -> None:
    """Before anything is run."""
    ran = attncheck("plot", *args)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


@pytest.mark.usefixtures("wall")
def test_in_the_terminal_and_as_a_file(attncheck: Attncheck, tmp_path: Path) -> None:
    """The same picture; a file is written whole, and named."""
    shown = attncheck("plot", "variance", "--lang", "en")
    assert shown.code == 0
    assert "Variance of the scores" in shown.out
    ran = attncheck("plot", "Variance", "--to", str(tmp_path / "v.svg"), "--lang", "zh")
    assert (ran.code, ran.out) == (0, f"已写入：{tmp_path / 'v.svg'}\n")
    root = ElementTree.parse(tmp_path / "v.svg").getroot()
    assert root.tag.endswith("svg") and "方差" in "".join(root.itertext())


@pytest.mark.usefixtures("wall")
def test_ones_own_code(attncheck: Attncheck, tmp_path: Path) -> None:
    """Beside the reference; what could not be drawn is said, and the exit code is 1."""
    ran = attncheck("plot", "variance", "--from", str(next(RIGHT.glob("torch*.py"))), "--lang", "en")
    assert ran.code == 0
    assert "yours" in ran.out
    (tmp_path / "q03.py").write_text("def scaled_scores(q, k): return q\n")
    ran = attncheck("plot", "variance", "--from", str(tmp_path / "q03.py"), "--lang", "zh")
    assert (ran.code, ran.out) == (1, "")
    assert "scaled_scores" in ran.err
    assert "形状" in ran.err


@pytest.mark.usefixtures("wall")
def test_names_that_are_not_there(attncheck: Attncheck, tmp_path: Path) -> None:
    """Are named, and drawn from the reference alone."""
    (tmp_path / "q20.py").write_text(
        "import numpy as np\ndef causal_mask(n_q, n_k=None):\n    n_k = n_k or n_q\n"
        "    return np.tri(n_q, n_k, n_k - n_q, dtype=bool)\n"
    )
    ran = attncheck("plot", "masks", "--from", str(tmp_path / "q20.py"), "--lang", "en")
    assert ran.code == 0
    assert "does not define padding_mask, causal_attention" in ran.err


@pytest.mark.usefixtures("wall")
def test_a_place_that_cannot_be_written(attncheck: Attncheck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is named."""

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("grader.core.files.write", full)
    ran = attncheck("plot", "variance", "--to", str(tmp_path / "v.svg"), "--lang", "en")
    assert ran.code == 2
    assert "cannot be written: No space left on device" in ran.err
