"""Who changed what: every entry stays, until a learner is to be forgotten."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from grader.classroom import audit
from grader.classroom.audit import AuditEntry
from grader.core import jsonl
from grader.core.jsonl import Place

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_entries(tmp_path: Path) -> None:
    """In their order, with what they are about; those about a learner go with them."""
    one = AuditEntry(AT, "prof", "instructor", "gave points", (("learner", "ada"), ("part", "Q5.output")))
    two = AuditEntry(AT.replace(hour=13), "tutor", "assistant", "downloaded", (("format", "csv"),))
    for each in (one, two):
        audit.note(tmp_path, each)
    assert audit.entries(tmp_path) == (one, two)
    assert audit.forget(tmp_path, "ada") == 1
    assert audit.entries(tmp_path) == (two,)
    assert b"ada" not in (tmp_path / audit.FILE).read_bytes()


def paged(folder: Path, log: str = "changes") -> list[AuditEntry]:
    """All entries of a log, page by page, the latest first."""
    page = audit.read_page(folder, log)
    found = list(page.entries)
    while page.earlier is not None:
        page = audit.read_page(folder, log, page.earlier)
        found += page.entries
    return found


def test_kinds_are_kept_apart(tmp_path: Path) -> None:
    """What was changed, what was read, and what learners did, each by page; a learner is forgotten in all."""
    prof = AuditEntry(AT, "prof", "instructor", "gave points", (("learner", "ada"),))
    ada = AuditEntry(AT, "ada", "learner", "signed in")
    read = replace(prof, did="read report")
    for each in (ada, prof, read):
        audit.note(tmp_path, each)
    assert set(audit.entries(tmp_path)) == {ada, prof, read}
    assert [paged(tmp_path, log) for log in audit.LOGS] == [[prof], [read], [ada]]
    assert audit.forget(tmp_path, "ada") == 3
    assert audit.entries(tmp_path) == ()


def test_a_full_file_is_kept_and_read(tmp_path: Path) -> None:
    """The log goes on in a new file; pages show every entry once; forgetting reaches the earlier files."""
    made = [AuditEntry(AT, "prof", "instructor", f"{n} " + "x" * 300, (("learner", f"l{n % 7}"),)) for n in range(400)]
    for each in made:
        audit.note(tmp_path, each, full=40_000)
    files = jsonl.segments(tmp_path / audit.FILE)
    assert len(files) > 3 and all(file.stat().st_size < 41_000 for file in files)
    assert all(audit.is_log(file) for file in files) and not audit.is_log(tmp_path / "audit.x.jsonl")
    assert paged(tmp_path) == made[::-1]
    assert audit.forget(tmp_path, "l3") == len([each for each in made if each.about == (("learner", "l3"),)])
    assert not any(b'"l3"' in file.read_bytes() for file in files)
    assert audit.read_page(tmp_path, "changes", Place(99, 5)).entries == ()


def test_a_place_stays_when_the_file_is_rotated(tmp_path: Path) -> None:
    """Somebody reads the second page after the log went on in a new file: nothing is missing."""
    made = [AuditEntry(AT, "prof", "instructor", f"{n} " + "x" * 300) for n in range(200)]
    for each in made:
        audit.note(tmp_path, each)
    first = audit.read_page(tmp_path)
    audit.note(tmp_path, made[0], full=1)
    second = audit.read_page(tmp_path, "changes", first.earlier)
    shown = len(first.entries) + len(second.entries)
    assert (*first.entries, *second.entries) == tuple(made[::-1][:shown])


def test_a_page_of_a_large_log_reads_what_it_shows(tmp_path: Path) -> None:
    """Of 150 MB written by an earlier version, at most the bytes of a page are read; longer lines are read whole."""
    line = json.dumps({"at": AT.isoformat(), "who": "ada", "role": "learner", "did": "signed in", "about": {}}) + "\n"
    count = 150_000_000 // len(line)
    with open(tmp_path / audit.FILE, "w", encoding="utf-8") as file:
        for _ in range(100):
            file.write(line * (count // 100))
        file.write(line.replace("learner", "instructor").replace("ada", "prof"))
    read = 0

    def counting(file: IO[bytes], size: int, start: int) -> bytes:
        nonlocal read
        read += size
        file.seek(start)
        return file.read(size)

    records, earlier = jsonl.read_back(tmp_path / audit.FILE, None, audit.PAGE_BYTES, counting)
    assert records[-1]["who"] == "prof" and earlier is not None
    assert read <= audit.PAGE_BYTES
    shown = sum(len(json.dumps(one)) + 1 for one in records)
    assert read - shown < 2 * len(line)
    audit.note(tmp_path, AuditEntry(AT, "x" * 2 * audit.PAGE_BYTES, "instructor", "y"))
    assert len(audit.read_page(tmp_path).entries[0].who) == 2 * audit.PAGE_BYTES


WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from grader.classroom import audit
for n in range(60):
    entry = audit.AuditEntry(datetime.now(UTC), sys.argv[2], "instructor", str(n) + "x" * 200)
    audit.note(Path(sys.argv[1]), entry, full=3000)
"""


def test_several_processes_append(tmp_path: Path) -> None:
    """While the log is rotated again and again, no entry is lost or torn."""
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen([*command, name]) for name in ("a", "b", "c")]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0]
    found = audit.entries(tmp_path)
    assert len(jsonl.segments(tmp_path / audit.FILE)) > 5
    assert sorted((one.who, int(one.did.rstrip("x"))) for one in found) == [
        (name, n) for name in "abc" for n in range(60)
    ]


def test_a_line_that_was_edited(tmp_path: Path) -> None:
    """Costs itself."""
    good = AuditEntry(AT, "prof", "instructor", "downloaded")
    audit.note(tmp_path, good)
    with open(tmp_path / audit.FILE, "a", encoding="utf-8") as file:
        file.write('{"at": "soon", "who": "", "role": "", "did": "", "about": {}}\n[]\n{\n')
    audit.note(tmp_path, replace(good, who="tutor"))
    assert [one.who for one in paged(tmp_path)] == ["tutor", "prof"]
