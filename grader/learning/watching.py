"""Grades again on every save: events in, pages out. Threads watch the files and read the keys."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader.core.errors import SubmissionError
from grader.core.model import ExerciseResult, Message, Report, Status, Text, WatchState
from grader.core.tables import table

Event = Literal["saved", "next", "hint", "help", "other", "quit"]


_KEYS_ARE = Message(
    "n shows the next exercise that does not pass or, once all pass, what is next; h shows a hint, q quits. Saving a "
    "file grades again."
)


@dataclass(slots=True)
class WatchSession:
    """The state of one ``attncheck watch``.

    ``grade`` grades the submission and ``count_hints`` says how many hints the exercise of a name has. ``report`` is
    the last report; ``position`` counts through its failures, of which ``seen`` was shown last with ``hints``, which go
    when it changes.
    """

    grade: Callable[[], Report]
    count_hints: Callable[[str], int]
    report: Report | None = None
    error: Text | None = None
    position: int = 0
    hints: tuple[int, ...] = ()
    seen: str = ""

    def handle(self, event: Event) -> WatchState | Text | None:
        """The page after ``event``; for a key that changes nothing, what to say about it.

        None once all code is correct, and the learner wants what is next.
        """
        if event == "help":
            return _KEYS_ARE
        failures = len(self._failures())
        if event == "next" and self.report is not None and self.report.code_passed and self.error is None:
            return None
        if event == "other" or (event in ("next", "hint") and not failures):
            return Message("This key does nothing here; ? shows the keys.")
        if event == "next" and failures == 1:
            return Message("This is the only exercise that does not pass.")
        current = self._current()
        if event == "hint" and (current is None or len(self.hints) >= self.count_hints(current.name)):
            return Message("There are no more hints.")
        if event == "saved":
            self._grade()
        elif event == "next":
            self.position, self.hints = self.position + 1, ()
        elif event == "hint":
            self.hints += (len(self.hints) + 1,)
        current = self._current()
        failure = "" if current is None else _failure(current)
        if failure != self.seen:
            self.seen, self.hints = failure, ()
        return WatchState(self.report, self.error, current, len(self._failures()), self.hints)

    def _grade(self) -> None:
        try:
            self.report, self.error = self.grade(), None
        except SubmissionError as error:  # for example a half-written file: keep the last report
            self.error = Text(error.of("en"), error.of("zh"))

    def _failures(self) -> list[ExerciseResult]:
        every = [e for q in self.report.questions for e in q.exercises] if self.report else []
        unsolved = [e for e in every if e.status not in (Status.PASSED, Status.PENDING)]
        # What others use comes before them, and attempted exercises before missing ones.
        return sorted(unsolved, key=lambda e: (e.status is Status.MISSING, _waits(e)))

    def _current(self) -> ExerciseResult | None:
        failures = self._failures()
        return failures[self.position % len(failures)] if failures else None


def _failure(exercise: ExerciseResult) -> str:
    """What tells apart two failures: a save that leaves the same one keeps the hints."""
    first = exercise.first_failure
    where = None if first is None else (first.check, first.case, first.verdict.message)
    return repr((exercise.name, exercise.status, exercise.misconception, where))


def _waits(exercise: ExerciseResult) -> bool:
    """Whether it uses another exercise that has to be fixed first."""
    return any(diagnosis.voice == "dependency" for diagnosis in exercise.diagnosis)


def events(path: Path, keys: bool) -> Iterator[Event]:
    """Yields "saved" at once and after every save of ``path``, and key events if ``keys``; ends at "quit"."""
    arrived: queue.SimpleQueue[Event] = queue.SimpleQueue()
    stop = threading.Event()
    threading.Thread(target=_watch, args=(path.resolve(), arrived, stop), daemon=True).start()
    arrived.put("saved")
    with _keyboard(arrived, stop) if keys else contextlib.nullcontext():
        try:
            while (event := arrived.get()) != "quit":
                yield event
        finally:
            stop.set()


def _watch(path: Path, arrived: queue.SimpleQueue[Event], stop: threading.Event) -> None:
    import watchfiles  # slow to import, and only needed by this thread

    # Watch a file's folder: editors save by replacing the file with a new one.
    folder = path if path.is_dir() else path.parent
    default = watchfiles.DefaultFilter()

    def ours(change: watchfiles.Change, name: str) -> bool:
        return default(change, name) and (folder == path or Path(name) == path)

    # The defaults are 1.6 s and 50 ms.
    for _ in watchfiles.watch(folder, watch_filter=ours, debounce=60, step=10, stop_event=stop, raise_interrupt=False):
        arrived.put("saved")


@contextlib.contextmanager
def _keyboard(arrived: queue.SimpleQueue[Event], stop: threading.Event) -> Iterator[None]:
    """Reads single keys, without Enter; restores the terminal afterwards, whatever happens."""
    import termios  # not on Windows
    import tty

    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    modes = termios.tcgetattr(sys.stdin)
    modes[0] &= ~termios.IXON  # ^Q is a key
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)
    reader = threading.Thread(target=_read_keys, args=(sys.stdin.fileno(), arrived, stop), daemon=True)
    reader.start()
    try:
        yield
    finally:
        stop.set()
        reader.join()
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _read_keys(terminal: int, arrived: queue.SimpleQueue[Event], stop: threading.Event) -> None:
    while not stop.is_set():
        if select.select([terminal], [], [], 0.1)[0]:
            key = os.read(terminal, 1).decode("ascii", "replace").lower()
            if key == "\x1b":
                _skip_sequence(terminal)
            known = table(__file__, "keys.yaml")["watch"]
            arrived.put(known.get(key, "other") if key else "quit")  # the end of the input quits, too


def _skip_sequence(terminal: int) -> None:
    """Reads the rest of what an arrow or function key sends after Escape: up to a letter or ``~`` (ECMA-48, 5.4)."""

    def following() -> bytes:
        return os.read(terminal, 1) if select.select([terminal], [], [], 0.05)[0] else b""

    if following() in (b"[", b"O"):
        while (byte := following()) and not b"@" <= byte <= b"~":
            pass
