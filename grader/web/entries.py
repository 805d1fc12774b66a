"""What learners enter on pages: the fields of forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from grader.course.items import Prompt
from grader.learning.entries import Entry, partner_field

#: A field cannot have more values than there are choices; what goes beyond was not sent by a form of ours.
_MOST_VALUES = 50


class Fields(Protocol):
    """The fields of a form: names with any number of values."""

    def getlist(self, key: str) -> Sequence[object]:
        """All values of ``key``."""


def entry_from_form(asked: Prompt, fields: Fields) -> Entry:
    """What ``fields`` hold of an answer to ``asked``, complete or not. Values that are not text are ignored."""
    names = [partner_field(choice.id) for choice in asked.choices] if asked.form == "pairs" else ["answer"]
    return {name: read_field(fields, name) for name in names}


def read_field(fields: Fields, name: str) -> tuple[str, ...]:
    """The texts of a field, with line ends as in files."""
    texts = [value.replace("\r\n", "\n") for value in fields.getlist(name) if isinstance(value, str)]
    return tuple(texts[:_MOST_VALUES])
