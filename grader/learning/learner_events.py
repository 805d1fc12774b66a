"""The events that grading, and ``attncheck watch``, add to the learner's log."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from grader.core.model import Course, Report, Status, WatchState
from grader.learning.log import Coded, Event, Hinted
from grader.learning.progress import hints_shown

#: Statuses that say nothing about the code.
_NOTHING = (Status.MISSING, Status.SKIPPED, Status.UNMARKED)


def code_events(course: Course, report: Report, at: datetime) -> tuple[Coded, ...]:
    """An event for every exercise of ``report`` that was attempted."""
    return tuple(
        Coded(at, course.public_id, result.name, result.status, result.misconception)
        for question in report.questions
        for result in question.exercises
        if result.status not in _NOTHING
    )


def new_events(events: Sequence[Coded], log: Sequence[Event]) -> tuple[Coded, ...]:
    """Those of ``events`` that differ from the last event of ``log`` about the same exercise."""
    last = {event.exercise: (event.status, event.misconception) for event in log if isinstance(event, Coded)}
    return tuple(event for event in events if last.get(event.exercise) != (event.status, event.misconception))


def watch_events(page: WatchState, course: Course, log: Sequence[Event], at: datetime) -> tuple[Event, ...]:
    """What a page of ``attncheck watch`` adds to ``log``: changed results, and hints not shown before."""
    events: list[Event] = [] if page.report is None else [*new_events(code_events(course, page.report, at), log)]
    if page.current is not None:
        shown = hints_shown(log, page.current.name)
        new = [number for number in page.hints if number not in shown]
        events += [Hinted(at, course.public_id, page.current.name, number) for number in new]
    return tuple(events)
