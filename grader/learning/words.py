"""Sentences that several views of the learner share, in both languages."""

from __future__ import annotations

from grader.core.model import Text

HINT = Text("{name}, hint {rung} of {rungs}:", "{name}，提示 {rung}/{rungs}：")
