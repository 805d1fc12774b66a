"""Texts that several of the learner's views share, in both languages."""

from __future__ import annotations

from grader.core.model import Message

HINT = Message("{name}, hint {rung} of {rungs}:")
