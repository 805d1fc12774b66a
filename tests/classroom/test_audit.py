"""Who changed what: every entry stays, until a learner is to be forgotten."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from grader.classroom import audit
from grader.classroom.audit import AuditEntry

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_entries(tmp_path: Path) -> None:
    """In their order, with what they are about; those about a learner go with them."""
    one = AuditEntry(AT, "prof", "instructor", "gave points", (("learner", "ada"), ("part", "Q5.output")))
    two = AuditEntry(AT, "tutor", "assistant", "downloaded", (("format", "csv"),))
    for each in (one, two):
        audit.note(tmp_path, each)
    assert audit.entries(tmp_path) == (one, two)
    assert audit.forget(tmp_path, "ada") == 1
    assert audit.entries(tmp_path) == (two,)
    assert b"ada" not in (tmp_path / audit.FILE).read_bytes()
