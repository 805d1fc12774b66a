"""Attacks that are not code of a learner: what all of them have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest


@dataclass(frozen=True, slots=True)
class AttackCase:
    """An attack of a family. ``tries`` says, for the scoreboard, what it tries."""

    family: ClassVar[str]
    stem: str
    tries: str

    @property
    def name(self) -> str:
        """As tests are called."""
        return f"{self.family}/{self.stem}"


def parameters(cases: Iterable[AttackCase]) -> list[Any]:
    """The attacks as parameters of a test."""
    return [pytest.param(case, id=case.name) for case in cases]
