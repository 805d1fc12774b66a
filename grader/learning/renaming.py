"""A learner's new name, given in a terminal or on a page: what is saved, and what is said about it."""

from __future__ import annotations

from collections.abc import Sequence

from grader.core.errors import UsageError
from grader.core.model import Message, Text
from grader.core.text import clean_name
from grader.learning import log
from grader.learning.log import Event, Named

_NUMBERS = Message(
    "Your progress stays. Items with personal numbers now have different numbers; earlier answers keep their points."
).with_advice(Message("For someone else to start from the beginning here, use `attncheck quiz --learner NAME`."))
_RETURNED = Message("From now on you continue with the progress of {name}.").with_advice(
    Message("`attncheck name {before}` goes back.")
)


def rename(events: Sequence[Event], course_id: str, before: str | None, typed: str) -> tuple[Named, tuple[Text, ...]]:
    """What to append to the ``events`` of all learners, and what to tell the one who was called ``before``.

    A name that another learner here has continues with their progress. Raises UsageError if nothing was typed.
    """
    name = clean_name(typed)
    if not name:
        raise UsageError(Message("The name is empty; give one with at least one letter or number."))
    returns = name in log.by_learner(events)
    said: list[Text] = [Message("Your name is now {name}.").fill(name=name)]
    if before not in (None, name):
        said.append(_RETURNED.fill(name=name, before=before) if returns else _NUMBERS)
    return Named(log.now(), course_id, name, separate=returns), tuple(said)
