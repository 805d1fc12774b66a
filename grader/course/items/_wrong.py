"""A wrong answer that the bank knows, in the kinds whose answers are single values."""

from __future__ import annotations

from dataclasses import dataclass

from grader.core.arithmetic import Number


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """A wrong answer that reveals a misconception."""

    answer: Number | str
    misconception: str
