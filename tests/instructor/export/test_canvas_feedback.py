"""``export canvas-feedback``: each learner's report under the name of a file that Canvas knows."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.core.errors import UsageError

if TYPE_CHECKING:
    from conftest import Made


def downloaded(folder: Path, *names: str) -> Path:
    """A zip of submissions with these files."""
    path = folder / "submissions.zip"
    with zipfile.ZipFile(path, "w") as made:
        for name in names:
            made.writestr(name, "x")
    return path


def test_each_report_has_a_name_that_canvas_knows(small: Made, tmp_path: Path) -> None:
    """That of one of the learner's files, code if there is some; every line is a comment; the rest is listed."""
    template = downloaded(
        tmp_path,
        "lovelaceada_LATE_11_900_notes.ipynb",
        "lovelaceada_LATE_11_901_q05.py",
        "bobo_12_902_answers.yaml",
        "nobodyzoe_77_903_q05.py",
        "deedee_14_904_q05.py",
        "anon_x9_905_q05.py",
        "readme.txt",
        "folder/bobo_12_999_q05.py",
    )
    to = small.export("canvas-feedback", tmp_path / "feedback.zip", template=template)
    with zipfile.ZipFile(to) as found:
        texts = {name: found.read(name).decode() for name in found.namelist()}
    assert set(texts) == {"lovelaceada_LATE_11_901_q05.py", "bobo_12_902_answers.yaml"}
    assert all(line.startswith("#") for text in texts.values() for line in text.splitlines())
    compile(texts["lovelaceada_LATE_11_901_q05.py"], "feedback", "exec")
    assert "raised ValueError" in texts["bobo_12_902_answers.yaml"]
    assert "In the zip, but not found in the gradebook: nobodyzoe" in small.told
    assert "Left out, because nothing was graded: dee" in small.told
    again = small.export("canvas-feedback", tmp_path / "again.zip", template=template)
    assert again.read_bytes() == to.read_bytes()


def test_hidden_cases_stay_hidden(small: Made, tmp_path: Path) -> None:
    """As on every other page for the learner."""
    from datetime import UTC, datetime

    template = downloaded(tmp_path, "bobo_12_902_q05.py")
    before = datetime(2026, 11, 1, tzinfo=UTC)
    shown, hidden = (
        zipfile.ZipFile(io.BytesIO(small.export("canvas-feedback", tmp_path / name, **more).read_bytes()))  # type: ignore[arg-type]
        for name, more in (("a", {"template": template}), ("b", {"template": template, "now": before}))
    )
    texts = [found.read("bobo_12_902_q05.py").decode() for found in (shown, hidden)]
    assert [
        "Only public cases and their points are shown here" in re.sub(r"\s*\n# *", " ", text) for text in texts
    ] == [False, True]


@pytest.mark.parametrize("kind", ["zip", "folder"])
def test_what_was_graded_has_the_names(small: Made, tmp_path: Path, kind: str) -> None:
    """No template is needed as long as it is there."""
    place = downloaded(tmp_path, "bobo_12_902_q05.py")
    if kind == "folder":
        place = tmp_path / "submissions"
        place.mkdir()
        (place / "bobo_12_902_q05.py").write_text("x")
    small.change(lambda book: book.gradebook.remember("collection", str(place)))
    with zipfile.ZipFile(small.export("canvas-feedback", tmp_path / "out.zip")) as found:
        assert found.namelist() == ["bobo_12_902_q05.py"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (None, "The graded submissions are no longer there"),
        ((), "no file in it has a name like those of Canvas"),
        (("q05.py",), "has a name like those of Canvas"),
    ],
)
def test_what_is_refused(small: Made, tmp_path: Path, names: tuple[str, ...] | None, said: str) -> None:
    """No zip, and one that is not from Canvas."""
    template = None if names is None else downloaded(tmp_path, *names)
    with pytest.raises(UsageError, match=said):
        small.export("canvas-feedback", tmp_path / "out.zip", template=template)
    (tmp_path / "text.zip").write_text("no zip")
    with pytest.raises(UsageError, match="is not a zip of submissions from Canvas"):
        small.export("canvas-feedback", tmp_path / "out.zip", template=tmp_path / "text.zip")
