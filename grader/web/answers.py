"""Convert the fields of an answer form to the text that a learner would type, which the quiz judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from grader.course.items import Prompt


class Fields(Protocol):
    """The fields of a form: names with any number of values."""

    def getlist(self, key: str) -> Sequence[object]:
        """All values of ``key``."""


def answer_from_form(asked: Prompt, fields: Fields) -> str:
    """The answer in ``fields``, empty if nothing was chosen or typed. Values that are not text are ignored."""
    values = [value for value in fields.getlist("answer") if isinstance(value, str)]
    match asked.form:
        case "many":
            return ", ".join(values)
        case "order":
            return " ".join(values) if len(set(values)) == len(asked.choices) else ""
        case "pairs":
            partners = {choice.id: fields.getlist(f"partner-{choice.id}") for choice in asked.choices}
            return ", ".join(f"{name}-{given[0]}" for name, given in partners.items() if given and given[0])
    return values[0].replace("\r\n", "\n").strip() if values else ""
