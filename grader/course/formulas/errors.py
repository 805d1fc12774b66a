"""What can be wrong with a formula: said in both languages, with the place and the way out."""

from __future__ import annotations

from grader.core.model import Text


class FormulaError(Exception):
    """A formula that cannot be read, or has no value. ``text`` is for whoever wrote it."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


class ParseError(FormulaError):
    """It is not written in the language that docs/formulas.md describes."""


class ShapeError(FormulaError):
    """The sizes of its parts do not fit, or a kind of product is not said."""


class UndefinedError(FormulaError):
    """It has no value at these numbers (a division by 0, say); others may do."""


class TooExpensiveError(FormulaError):
    """To compute it would take more time or memory than an answer may."""


TOO_EXPENSIVE = Text(
    "This is too expensive to compute; use smaller powers, or write it shorter.",
    "这个式子的计算量太大；请用较小的幂次，或者写得更短。",
)
