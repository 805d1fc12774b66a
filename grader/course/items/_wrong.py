"""A wrong answer that the bank knows, in the kinds whose answers are single values."""

from __future__ import annotations

from dataclasses import dataclass

from grader.core.arithmetic import Number
from grader.core.constraints import MisconceptionId


@dataclass(frozen=True, slots=True)
class KnownWrongAnswer:
    """A wrong answer that reveals a misconception."""

    answer: Number | str
    misconception: MisconceptionId
