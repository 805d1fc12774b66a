"""Files that the program wrote and that disks or people changed: receipts, logs, gradebooks, records, cache entries."""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from grader.classroom import inbox
from grader.classroom.gradebook import FILE, open_gradebook
from grader.classroom.results import Book
from grader.core import cache, serialize
from grader.core.errors import GradebookError, StateError, UsageError
from grader.core.files import portable_folder
from grader.core.model import Array, NotRun, Observed, QuestionResult, Raised, Returned, Status
from grader.learning import log as state
from grader.learning import progress, review
from grader.sandbox.observation_cache import memoized
from tests.fuzz import bending
from tests.fuzz.reading import Reader, fuzzing, read
from tests.fuzz.test_classes import BO, JSON, RECEIPT
from tests.fuzz.test_wire import JOB, LIMITS
from tests.instructor.export.conftest import COURSE, Made
from tests.instructor.export.conftest import results as graded

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)

# -------------------------------------------------------------------------------------------- receipts


def receipt(text: str, scratch: Path) -> None:
    """Whatever is accepted as a receipt survives writing and reading."""
    found = read(lambda: inbox.parse_receipt(text, "receipt.json"), UsageError)
    if found is not None:
        assert inbox.parse_receipt(found.to_json(), "again") == found
        assert found.at.tzinfo is UTC
        name = portable_folder(found.learner)
        assert name.encode() and "/" not in name and len(name.encode()) < 256 and name.strip(".")


RECEIPTS = bending.texts([RECEIPT], JSON) | bending.data([json.loads(RECEIPT)]).map(json.dumps)

# ------------------------------------------------------------------------------------------------- log

EVENTS: tuple[state.Event, ...] = (
    state.Named(NOW, "test", "Ada"),
    state.Answered(NOW, "test", "Q5.output", "a", 0.0, Status.FAILED, "no-scaling", 1, False),
    state.Answered(NOW, "test", "Q5.output", ["b", 1.5, None], 1.0, Status.PASSED, None, 2, True),
    state.Skipped(NOW, "test", "Q5.size"),
    state.Hinted(NOW, "test", "attention", 2),
    state.Coded(NOW, "test", "attention", Status.FAILED, "no-scaling"),
    state.Reviewed(NOW, "test", "Q5.output", "good"),
    state.Reviewed(NOW, "test", "Q5.output", "again"),
    state.Spoke(NOW, "other", "zh"),
)


def _log() -> list[dict[str, Any]]:
    return [json.loads(state._text(event)) for event in EVENTS]


_LOG_TEXT = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in _log())
_TIMES = (
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00Z",
    "1970-01-01",
    "2026-11-21T12:00:00+23:59",
    "20261121",
    "2026-W47-6",
)
_WORDS = (
    "again",
    "hard",
    "passed",
    "pending",
    "answered",
    "reviewed",
    "coded",
    "test",
    "Q5.output",
    "no-scaling",
    "zh",
)
_ENTRIES = bending.data([_log()], (*bending.VALUES, *_TIMES, *_TIMES, *_WORDS)).map(
    lambda entries: "".join(json.dumps(entry) + "\n" for entry in (entries if isinstance(entries, list) else [entries]))
)
LOGS = bending.encoded(bending.texts([_LOG_TEXT], (*JSON, " #torn\n", "\n", *_TIMES)) | _ENTRIES)


def log(data: bytes, scratch: Path) -> None:
    """A log is read or left alone; appended lines follow the old ones, and all can be used."""
    path = scratch / "progress.jsonl"
    path.write_bytes(data)
    before = read(lambda: state.read(path, "test"), StateError)
    new = (state.Skipped(NOW, "test", "Q5.why"), replace(EVENTS[1], value="\ud800"))
    if before is None:
        assert read(lambda: state.append(path, *new) or True, StateError) is None or path.read_bytes().startswith(data)
        if state_is_left_alone(data):
            assert path.read_bytes() == data
        return
    state.append(path, *new)
    assert path.read_bytes().startswith(data)
    after = state.read(path, "test")
    assert repr(after) == repr((*before, *new))
    known = progress.progress_of(COURSE, after)
    for belief in known.beliefs:
        assert belief.times >= 1
    found = review.cards(COURSE, after)
    review.queue(found, NOW)
    assert 0 <= review.waiting(found, NOW) <= len(found)


def state_is_left_alone(data: bytes) -> bool:
    """Whether the first line belongs to another program."""
    first, more, _ = data.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
    return bool(more and first.strip()) and not first.lstrip().startswith(b"{")


# --------------------------------------------------------------------------------------------- records

RESULTS = [json.loads(json.dumps(serialize.dump(one))) for right in (True, False) for one in graded(right, "why 不")]
_STATUS = tuple(str(status) for status in Status)


def record(data: Any, scratch: Path) -> None:
    """Whatever is accepted as a result survives writing and reading."""
    try:
        made = serialize.load(QuestionResult, data)
    except ValueError:
        return
    text = json.dumps(serialize.dump(made))
    assert repr(serialize.load(QuestionResult, json.loads(text))) == repr(made)


# ------------------------------------------------------------------------------------------- gradebook

_PEOPLE = ((BO, "canvas-12", False, 2.0), (replace(BO, id="ada", name="Ada"), "canvas-11", True, -1.0))
_CELLS = (
    "value", "name", "extra_hours", "at", "attempt", "answers", "notices", "result", "versions", "layers", "seconds",
    "learner", "digest", "draws", "error", "late", "key", "path", "question", "points",
)  # fmt: skip
_TABLES = ("meta", "learner", "submission", "member", "run", "unit", "override")
STATEMENTS = st.lists(
    st.one_of(
        st.builds(
            lambda table, cell, value: (f"UPDATE {table} SET {cell} = ?", (value,)),
            st.sampled_from(_TABLES),
            st.sampled_from(_CELLS),
            st.sampled_from([None, 0, -1, 2**62, 1.5, float("inf"), b"", b"\xff", *bending.SPICE])
            | bending.data(RESULTS, (*bending.VALUES, *_STATUS)).map(json.dumps)
            | bending.data([{"Q5": "v"}, [["torch", "2"]], {"Q5": 7.0}]).map(json.dumps),
        ),
        st.builds(
            lambda name, value: ("UPDATE meta SET value = ? WHERE name = ?", (value, name)),
            st.sampled_from(["versions", "questions", "format"]),
            bending.data([{"Q5": "v", "Q6": "v"}, {"Q5": 7.0, "Q6": 3.0}, 1]).map(json.dumps),
        ),
        st.sampled_from(_TABLES).map(lambda table: (f"DROP TABLE {table}", ())),
        st.sampled_from(_TABLES).map(lambda table: (f"DELETE FROM {table}", ())),
        st.sampled_from(_TABLES).map(lambda table: (f"CREATE TABLE more_{table} AS SELECT * FROM {table}", ())),
        st.sampled_from(_TABLES).map(lambda table: (f"ALTER TABLE {table} ADD COLUMN more", ())),
        st.tuples(st.sampled_from(_TABLES), st.sampled_from(_CELLS)).map(
            lambda names: (f"ALTER TABLE {names[0]} RENAME COLUMN {names[1]} TO other", ())
        ),
        st.sampled_from(["PRAGMA user_version = 7", "PRAGMA application_id = 7", "PRAGMA journal_mode = WAL"]).map(
            lambda said: (said, ())
        ),
    ),
    max_size=3,
)


def _book(scratch: Path) -> Path:
    """A folder with a new gradebook."""
    whole = scratch / "whole"
    if not whole.exists():
        whole.mkdir()
        made = Made(whole, COURSE)
        made.fill(*_PEOPLE)
    folder = scratch / "results"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(whole / FILE, folder / FILE)
    return folder


def _whole_book(folder: Path) -> None:
    """Everything in a gradebook is read and valid, or the gradebook is refused."""

    def everything() -> bool:
        with contextlib.closing(open_gradebook(folder)) as opened:
            for row in opened.submissions():
                opened.answers(row)
                assert all(name.encode() for name in row.learners)
            book = Book.of(opened, COURSE)
            for mark in (*book.marks(), *book.unmatched()):
                assert not math.isnan(mark.possible)
                book.report(mark)
        return True

    read(everything, GradebookError)


def changed_book(statements: list[tuple[str, tuple[Any, ...]]], scratch: Path) -> None:
    """A gradebook in which somebody changed values, tables or columns."""
    folder = _book(scratch)
    with contextlib.closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for statement, values in statements:
            with contextlib.suppress(sqlite3.Error, UnicodeEncodeError, OverflowError):
                connection.execute(statement, values)
    _whole_book(folder)


_BYTES = st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255), st.integers(1, 600)), min_size=1, max_size=4)


def damaged_book(edits: list[tuple[int, int, int]], scratch: Path) -> None:
    """A gradebook with a part lost by the disk; a backup of it is made, too."""
    folder = _book(scratch)
    data = bytearray((folder / FILE).read_bytes())
    for at, value, much in edits:
        at %= len(data) + 1
        data[at : at + much % 40 + 1] = bytes([value]) * (much % 40 + 1) if much % 3 else b""
        if much % 50 == 0:
            del data[at:]
    (folder / FILE).write_bytes(data)
    _whole_book(folder)


# ----------------------------------------------------------------------------------------------- cache


def entry(edits: list[tuple[int, int, int]], scratch: Path) -> None:
    """A damaged cache entry is ignored."""
    key = "0123456789abcdef"
    cache.put("fuzz", key, b"what was remembered" * 50)
    path = cache.folder() / "fuzz" / key
    whole = path.read_bytes()
    data = bytearray(whole)
    for at, value, much in edits:
        data[at % len(data) : at % len(data) + much % 3] = bytes([value]) * (much % 2)
    path.write_bytes(data)
    found = cache.get("fuzz", key)
    assert found == (b"what was remembered" * 50 if data == whole else None)


SEEN = (
    Returned((Array(np.ones((2, 2), "f4"), "torch", dtype="float32"), 1, "a")),
    Returned(([None, (1.5,), {"a": True}],)),
    Raised("ValueError", "no", "q.py", 2, "call", ("ValueError", "Exception")),
)


def _remembered() -> bytes:
    """The stored reference results."""
    kept: list[bytes] = []
    observed = Observed(SEEN, (), unsafe=False)
    memoized(lambda job, limits: observed, lambda key: None, lambda key, data: kept.append(data))(JOB, LIMITS)
    return kept[0]


def remembered(data: bytes, scratch: Path) -> None:
    """Whatever is accepted as reference results can be judged; anything else is recomputed."""
    fresh = Observed((NotRun("budget"),) * 3, (), unsafe=False)
    seen = memoized(lambda job, limits: fresh, lambda key: data, lambda key, data: None)(JOB, LIMITS)
    for one, program in zip(seen.observations, JOB.programs, strict=True):
        match one:
            case Returned(values):
                assert type(values) is tuple
            case Raised():
                assert type(one.type) is str and type(one.text) is str and type(one.bases) is tuple
                assert all(type(base) is str for base in one.bases)
            case _:
                assert program is not None


test_sample, test_long = fuzzing(
    Reader("receipts", RECEIPTS, receipt),
    Reader("logs", LOGS, log),
    Reader("records", bending.data(RESULTS, (*bending.VALUES, *_STATUS)), record),
    Reader("changed gradebooks", STATEMENTS, changed_book, sample=12),
    Reader("damaged gradebooks", _BYTES, damaged_book, sample=12),
    Reader("cache entries", _BYTES, entry),
    Reader("remembered results", bending.byte_strings([_remembered()]), remembered),
)
