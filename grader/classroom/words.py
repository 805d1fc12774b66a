"""Texts about a class that several modules share, in both languages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.core.model import Message, Rules, Text
from grader.core.tables import texts
from grader.core.text import EMPTY, clean, join, name_list, points, timestamp

NONE = Message("none")
GRADED = Message("graded")
WHOLE = Message("all correct")
PARTLY = Message("partly graded (internal error)")
NOTHING_THERE = Message("no submission")
CHECK_BROKE = Message("the check itself failed: a bug in attncheck")
NOT_ALL_READ = Message("not read in full")
SAID_LATE = Message("late according to the LMS")
OTHER_NAME = Message("answers.yaml has a name that is not the id in the roster")

# ------------------------------------------------------------- why a submission could not be graded

INTERNAL_ERROR = Message("an internal error of attncheck, not a mistake in the submission: {error}")
FILES_CHANGED = Message("the files changed after the batch started; run the same command again")
WORKER_DIED_TWICE = Message(
    "a worker process died twice while grading it; usually the machine is short of memory. Run it again"
)


def first_names(names: Sequence[str], most: int = 20, longest: int = 400) -> Text:
    """The first ``most`` names, each of at most ``longest`` characters, and how many more there are."""
    listed = name_list(clean(name, longest) for name in names[:most])
    more = Message(" and {more} more").fill(more=len(names) - most) if len(names) > most else EMPTY
    return join((listed, more), EMPTY)


# ---------------------------------------------------------------------------------------------------------------- rules


def policy_sentences(rules: Rules) -> Iterator[Text]:
    """The due date, the cost of late work, and which attempt counts; nothing if there is no due date."""
    if rules.due is None:
        return
    yield Message("Due {due} (plus a learner’s extra time).").fill(due=timestamp(rules.due))
    if rules.late_percent:
        yield Message("Each day late, or part of a day, costs {percent} %.").fill(percent=points(rules.late_percent))
    if rules.grace_hours and rules.late_percent:
        yield Message("The first {hours} h are free.").fill(hours=points(rules.grace_hours))
    if rules.cut_off_days is not None:
        yield Message("Work more than {days} days late does not count.").fill(days=points(rules.cut_off_days))
    if not rules.late_percent and rules.cut_off_days is None:
        yield Message("There is no penalty for late work.")
    yield texts(__file__, "words.yaml")[rules.attempts]
    if rules.attempt_percent:
        yield Message("Each further attempt costs {percent} %.").fill(percent=points(rules.attempt_percent))
