"""Texts that several of the learner's views share, in both languages."""

from __future__ import annotations

from grader.core.model import Text

HINT = Text("{name}, hint {rung} of {rungs}:", "{name}，提示 {rung}/{rungs}：")
