"""Errors in formulas, with messages for learners and authors in both languages."""

from __future__ import annotations

from grader.core.marks import plain
from grader.core.model import Message, Text


class FormulaError(Exception):
    """A formula that cannot be read or has no value. ``text`` is the message for its author."""

    def __init__(self, text: Text) -> None:
        super().__init__(plain(text.en))
        self.text = text


class ParseError(FormulaError):
    """The formula is not in the notation of docs/formulas.md."""


class ShapeError(FormulaError):
    """The shapes of its parts do not match, or a product is ambiguous."""


class UndefinedError(FormulaError):
    """It has no value at these numbers, such as a division by 0; it may have one at others."""


class TooExpensiveError(FormulaError):
    """Computing it would take more time or memory than one answer may use."""


TOO_EXPENSIVE = Message("This is too expensive to compute; use smaller powers, or write it shorter.")
