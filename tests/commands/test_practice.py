"""hint and watch, as from a shell."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.commands import run
from grader.learning import log
from tests.commands.test_bank import course  # noqa: F401  (the fixture: commands find the course they are told)

SOLUTIONS = Path(__file__).parent.parent / "solutions"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Q5"], "scaled_dot_product_attention, hint 1 of 3:"),
        (["q11", "--rung", "3"], "MultiHeadAttention, hint 3 of 3:"),
        (["Q5", "-e", "scaled_dot_product_attention", "--lang", "zh"], "提示 1/3"),
    ],
)
def test_hint(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A rung of the ladder, in either language."""
    assert run(["hint", *arguments]) == 0
    out = capsys.readouterr().out
    assert said in out and len(out.splitlines()) > 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["Q5", "--rung", "9"], "goes from 1 to 3"), (["Q5", "-e", "atention"], "has no exercise"), (["Q99"], "Q99")],
)
def test_hint_refuses(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Rungs, exercises and questions that do not exist are refused with what there is."""
    assert run(["hint", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_watch(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], progress_file: Path) -> None:
    """Each event gives a page: points, the first thing to mend, the hints asked for. What is new is kept."""
    from grader.learning import watch

    def events(path: Path, keys: bool) -> Iterator[watch.Event]:
        yield from ("saved", "hint", "saved")

    monkeypatch.setattr(watch, "events", events)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    assert run(["watch", str(SOLUTIONS / "scaled_dot_product_attention/wrong/no_scale.py")]) == 0
    out = capsys.readouterr().out
    assert out.count("Fix this first") == 3 and "1. " in out.split("Fix this first")[2]
    coded, hinted = log.read(progress_file, "attncheck")
    assert isinstance(coded, log.Coded) and coded.misconception == "no-scaling"
    assert isinstance(hinted, log.Hinted) and hinted.rung == 1
