"""``attncheck watch``, as from a shell."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.commands import run
from grader.learning import log, watching
from tests.commands.test_bank import course  # noqa: F401  (the fixture: commands find the course they are told)
from tests.samples import sample


def saved(folder: Path, name: str) -> str:
    """The path of a file with a sample solution of attention."""
    path = folder / "q05.py"
    path.write_text(sample(f"scaled_dot_product_attention/{name}").text, "utf-8")
    return str(path)


def test_watch(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], progress_file: Path, tmp_path: Path
) -> None:
    """Each event gives a page: points, the first thing to mend, the hints asked for. What is new is kept."""

    def events(path: Path, keys: bool) -> Iterator[watching.Event]:
        yield from ("saved", "hint", "saved")

    monkeypatch.setattr(watching, "events", events)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    assert run(["watch", saved(tmp_path, "wrong/no_scale")]) == 0
    out = capsys.readouterr().out
    assert out.count("Fix this first") == 3 and "1. " in out.split("Fix this first")[2]
    coded, hinted = log.read(progress_file, "attncheck")
    assert isinstance(coded, log.Coded) and coded.misconception == "no-scaling"
    assert isinstance(hinted, log.Hinted) and hinted.rung == 1


@pytest.mark.parametrize(
    ("command", "lang", "said"),
    [pytest.param("grade", "en", "Next: Q5, “", marks=pytest.mark.prove), ("watch", "zh", "接下来：Q5“")],
)
def test_after_well_done_something_comes_next(
    command: str,
    lang: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """Whoever has everything right is told what to do next, and with which command; not while something is wrong."""
    monkeypatch.setattr(watching, "events", lambda path, keys: iter(["saved"]))
    for name, passed in (("wrong/no_scale", False), ("right/torch_plain", True)):
        run([command, saved(tmp_path, name), "--lang", lang])
        out = capsys.readouterr().out
        assert (said in out and "\n  attncheck quiz Q5\n" in out) is passed
