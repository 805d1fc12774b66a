"""Exceptions of our own code in the child: why a result cannot be sent to the grader."""

from __future__ import annotations


class InvalidResult(Exception):
    """A result or an object that the contract does not allow. ``reason`` is a keyword of the protocol."""

    def __init__(self, reason: str, *detail: str) -> None:
        super().__init__(reason, *detail)
        self.reason = reason
        self.detail = [entry[:200] for entry in detail[:40]]


class ResultTooBig(Exception):
    """A result larger than the grader accepts."""
