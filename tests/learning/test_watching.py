"""Watching: events in, pages out."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from grader.core.errors import SubmissionError
from grader.core.model import ExerciseResult, QuestionResult, Report, Status, Text, WatchState
from grader.core.text import same
from grader.learning import watching
from grader.learning.watching import Event, WatchSession, events

WORDS = Text("words", "文字")


def result(name: str, status: Status) -> ExerciseResult:
    """An exercise that came out like this."""
    return ExerciseResult(name, status, 0, 1, ())


def report(*results: ExerciseResult) -> Report:
    """A report on these exercises."""
    return Report("ada", WORDS, "", "public", (QuestionResult("Q5", WORDS, (), results),), (), False, (), 0.1)


MISSING, WRONG, RIGHT = result("a", Status.MISSING), result("b", Status.FAILED), result("c", Status.PASSED)
RAISED = result("d", Status.RAISED)


def page(session: WatchSession, event: Event) -> WatchState:
    """The page after ``event``."""
    found = session.handle(event)
    assert isinstance(found, WatchState)
    return found


def said(session: WatchSession, event: Event) -> str:
    """What is said about a key, without another page."""
    found = session.handle(event)
    assert isinstance(found, Text)
    return found.en


def test_what_is_begun_comes_first() -> None:
    """The first thing to mend is code that is there; what is missing comes after it; what is right never."""
    session = WatchSession(lambda: report(MISSING, WRONG, RIGHT, RAISED), lambda name: 2)
    pages = [page(session, event) for event in ("saved", "next", "next", "next")]
    assert [each.current.name if each.current else None for each in pages] == ["b", "d", "a", "b"]
    assert pages[0].left == 3


def test_hints() -> None:
    """Each press shows one more, from the first on; another exercise or failure begins with none again."""
    failures = [WRONG, WRONG, replace(WRONG, misconception="no-scaling")]
    session = WatchSession(lambda: report(failures.pop(0), RAISED), lambda name: 2)
    session.handle("saved")
    assert [page(session, "hint").hints for _ in range(2)] == [(1,), (1, 2)]
    assert "no more hints" in said(session, "hint")
    assert page(session, "saved").hints == (1, 2)  # the same failure, saved again
    assert page(session, "saved").hints == ()
    assert page(session, "hint").hints == (1,)
    assert page(session, "next").hints == ()


def test_every_key_says_something() -> None:
    """Also one that has nothing to do: with everything right, with one exercise left, and one without a meaning."""
    session = WatchSession(lambda: report(RIGHT), lambda name: 2)
    shown = page(session, "saved")
    assert shown.current is None and shown.left == 0
    assert session.handle("next") is None, "it opens what is next"
    assert said(session, "hint") == said(session, "other") != said(session, "help")
    session = WatchSession(lambda: report(WRONG), lambda name: 2)
    session.handle("saved")
    assert "the only exercise" in said(session, "next")


def test_a_file_that_is_half_written() -> None:
    """A submission that cannot be read is said; the last report stays, and the next save clears it."""
    answers: list[Report | SubmissionError] = [report(WRONG), SubmissionError(same("line 3")), report(RIGHT)]

    def grade() -> Report:
        answer = answers.pop(0)
        if isinstance(answer, SubmissionError):
            raise answer
        return answer

    session = WatchSession(grade, lambda name: 0)
    pages = [page(session, "saved") for _ in range(3)]
    assert [each.error for each in pages] == [None, Text("line 3", "line 3"), None]
    assert pages[1].current is not None and pages[2].current is None


def test_saves_are_seen(tmp_path: Path) -> None:
    """A first grading at once; then one for each save, also when an editor puts a new file in the old one's place."""
    path = tmp_path / "q05.py"
    path.write_text("x = 1")
    (tmp_path / "other.py").write_text("")
    stream = events(path, keys=False)
    assert next(stream) == "saved"

    def save() -> None:
        for _ in range(200):  # until the watcher has begun, nothing is seen
            (tmp_path / "other.py").write_text("not watched")
            (tmp_path / "new").write_text("x = 2")
            (tmp_path / "new").replace(path)
            if done.wait(0.05):
                return

    done = threading.Event()
    thread = threading.Thread(target=save)
    thread.start()
    try:
        assert next(stream) == "saved"
    finally:
        done.set()
        thread.join()
    stream.close()  # type: ignore[attr-defined]


def test_keys(tmp_path: Path, monkeypatch: object) -> None:
    """Keys become events; the end of input quits; the terminal is set back."""
    import os
    import pty
    import sys
    import termios

    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "r") as stdin:
        before = termios.tcgetattr(stdin)
        monkeypatch.setattr(sys, "stdin", stdin)  # type: ignore[attr-defined]
        stream = watching.events(tmp_path, keys=True)
        assert next(stream) == "saved"
        os.write(ours, b"xnH?\x1b[Bq")
        assert [event for event in stream if event != "saved"] == ["other", "next", "hint", "help", "other"]
        assert termios.tcgetattr(stdin)[3] == before[3]
    os.close(ours)
