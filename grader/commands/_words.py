"""Texts that several commands share, in both languages."""

from __future__ import annotations

from grader.core.model import Message

READING = Message("Reading the course (slow the first time only).")
WRITTEN = Message("written: {file}")
UNCONFINED = Message(
    "This code ran unconfined, because this machine has no working sandbox: run only code that you trust. "
    "`attncheck doctor` says why."
)
