"""What kinds without options have in their place."""

from __future__ import annotations

from typing import Any


def options(spec: Any) -> tuple[()]:
    """No options."""
    return ()


def counted(answer: object) -> tuple[()]:
    """Nothing: answers of such a kind are too different to be counted."""
    return ()
