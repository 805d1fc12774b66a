"""Texts about a class that several modules share, in both languages."""

from __future__ import annotations

from collections.abc import Iterable

from grader.core.model import Message, Text
from grader.core.text import SEMICOLON

NONE = Message("none")
GRADED = Message("graded")
WHOLE = Message("all correct")
PARTLY = Message("partly graded (internal error)")
NOTHING_THERE = Message("no submission")
CHECK_BROKE = Message("the check itself failed: a bug in attncheck")
NOT_ALL_READ = Message("not read in full")
SAID_LATE = Message("late according to the LMS")
OTHER_NAME = Message("answers.yaml has a name that is not the id in the roster")
AND_MORE = Message(" and {more} more")

# ------------------------------------------------------------- why a submission could not be graded

INTERNAL_ERROR = Message("an internal error of attncheck, not a mistake in the submission: {error}")
FILES_CHANGED = Message("the files changed after the batch started; run the same command again")
WORKER_DIED_TWICE = Message(
    "a worker process died twice while grading it; usually the machine is short of memory. Run it again"
)


def join_clauses(clauses: Iterable[Text]) -> Text:
    """The clauses as one text, separated by semicolons."""
    parts = tuple(clauses)
    return Text(SEMICOLON.en.join(each.en for each in parts), SEMICOLON.zh.join(each.zh for each in parts))
