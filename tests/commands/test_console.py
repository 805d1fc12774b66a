"""The progress bar of long work."""

from __future__ import annotations

import sys

import pytest

from grader.commands._console import grading_bar, step_bar


@pytest.mark.parametrize(
    ("terminal", "shown", "drawn"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_steps_are_shown_on_a_terminal_only(
    terminal: bool, shown: bool, drawn: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The name of the step, on stderr; nothing elsewhere, and nothing with --json. Brackets are no markup."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setenv("TERM", "xterm")
    with step_bar(2, shown=shown) as show:
        show("first")
        show("[second]")
    out, err = capsys.readouterr()
    assert (out, "[second]" in err) == ("", drawn)
    assert drawn or not err


@pytest.mark.parametrize(("terminal", "steps", "drawn"), [(True, 40, True), (True, 4, False), (False, 40, False)])
def test_grading_of_many_exercises_is_shown_on_a_terminal_only(
    terminal: bool, steps: int, drawn: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The name of the exercise, on stderr; nothing elsewhere, and nothing for a few steps."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setenv("TERM", "xterm")
    with grading_bar() as show:
        show("softmax", 0, steps)
        show("attend", 1, steps)
    out, err = capsys.readouterr()
    assert (out, "attend" in err) == ("", drawn)
    assert drawn or not err
