"""The gradebook with a full disk, no rights, power loss, no locks, or another format: nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock

from grader.classroom import gradebook
from grader.classroom.class_folder import locked
from grader.classroom.gradebook import FILE, Gradebook, open_gradebook
from grader.core.errors import GradebookError, UsageError
from tests.classroom.test_gradebook import ADA, CY, book
from tests.faults.conftest import confined

__all__ = ["book"]  # a fixture


def content(path: Path) -> list[str]:
    """Everything in a gradebook, as SQL."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_another_format_is_left_alone(book: Gradebook) -> None:
    """An unknown format is left unchanged, byte for byte."""
    book._connection.execute("UPDATE meta SET value = '0' WHERE name = 'format'")
    book.close()
    before = book.path.read_bytes()
    with pytest.raises(GradebookError, match=r"has format 0.*new folder"):
        open_gradebook(book.path.parent)
    assert book.path.read_bytes() == before


# ---------------------------------------------------------------------------------------- power and locks


@pytest.mark.parametrize("tear", [0, 100, 4096])
def test_pages_torn_by_a_power_failure(book: Gradebook, tmp_path: Path, tear: int) -> None:
    """After a power failure in a transaction, the journal restores the previous state."""
    before = content(book.path)
    book._connection.execute("PRAGMA cache_size = 2")  # pages go to the file before the transaction ends
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    with pytest.raises(RuntimeError), book._writing() as writing:
        for number in range(400):
            writing.execute("INSERT INTO meta VALUES (?, ?)", (f"n{number}", "x" * 500))
        writing.execute("UPDATE submission SET answers = 'gone'")
        for path in (book.path, Path(f"{book.path}-journal")):
            shutil.copy(path, crashed / path.name)
        raise RuntimeError
    copy = crashed / FILE
    assert copy.stat().st_size > book.path.stat().st_size or copy.read_bytes() != book.path.read_bytes()
    with copy.open("r+b") as file:
        file.seek(-tear, os.SEEK_END)
        file.write(b"\xff" * tear)
    with closing(open_gradebook(crashed)) as found:
        assert found.submissions() == (ADA, CY)
        assert found.answers(ADA) == {"Q3.a": "b", "Q3.b": [1, 2]}
    assert content(copy) == before


def test_no_write_ahead_log(book: Gradebook) -> None:
    """No WAL is used, since it needs shared memory; each change is on disk before the next begins."""
    assert book._connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert book._connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert sorted(path.name for path in book.path.parent.iterdir()) == [FILE]


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("disk I/O error", "a network folder is unavailable or cannot lock files"),
        ("locking protocol", "grade into a folder on this machine"),
        ("database is locked", "wait until it finishes"),
        ("database or disk is full", "free some space"),
        ("attempt to write a readonly database", "make its folder writable"),
        ("unable to open database file", "make its folder writable"),
        ("database disk image is malformed", "restore it from a backup"),
    ],
)
def test_what_goes_wrong_beneath_the_book(said: str, remedy: str, tmp_path: Path) -> None:
    """Each fault of a disk, network or lock comes with a remedy."""
    assert remedy in str(gradebook._cannot(tmp_path, sqlite3.OperationalError(said)))


def test_a_folder_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where locks do not work, the batch refuses to run and says what to do."""

    def refuse(self: FileLock) -> None:
        raise NotImplementedError("FileSystem does not appear to support flock; use SoftFileLock instead")

    monkeypatch.setattr(FileLock, "_acquire", refuse)
    with pytest.raises(UsageError, match=r"cannot be locked.*a folder on this machine"), locked(tmp_path):
        raise AssertionError("unreachable")


# ------------------------------------------------------------------------------------- two at a time


Here = Callable[[str], tuple[int, str]]
GIVE = "override out ada Q1.a --points 1 --reason r --course course"
CHANGES = (
    "batch in --out out --course course",
    "regrade out --yes --course course",
    "forget out ada --yes --course course",
    GIVE,
)


@pytest.mark.parametrize("line", CHANGES)
def test_one_at_a_time(line: str, graded: Path, here: Here) -> None:
    """While a batch grades into a folder, no other command changes anything in it."""
    before = content(graded / FILE)
    with FileLock(graded / ".lock"):
        code, said = here(line)
    assert code == 2
    assert "Another attncheck is grading into" in said
    assert content(graded / FILE) == before


@pytest.mark.parametrize(
    "line", ["stats out --json", "export json --from out --to all.json", "regrade out --dry-run", "similar out"]
)
def test_reading_goes_on_meanwhile(line: str, graded: Path, here: Here) -> None:
    """Results saved so far can be read while a batch is running."""
    with FileLock(graded / ".lock"), closing(open_gradebook(graded)) as held:
        held.remember("written", "meanwhile")
        assert here(f"{line} --course course")[0] == 0


# ----------------------------------------------------------------------- no room and no right to write

READ_ONLY = "mount --bind out out && mount -o remount,bind,ro out"


def test_a_folder_that_is_read_only(graded: Path, tmp_path: Path, here: Here) -> None:
    """Nothing changes and the reason is given; reading still works. Once writable again, everything works."""
    before = content(graded / FILE)
    writing = [
        *CHANGES,
        "export json --from out --to out/all.json --course course",
        "stats out --html out/stats.html --course course",
    ]
    *refused, read = confined(tmp_path, READ_ONLY, *writing, "stats out --json --course course")
    assert [code for code, _ in refused] == [2] * len(writing)
    assert [said for _, said in refused if "cannot be written" not in said] == []
    assert read[0] == 0
    assert content(graded / FILE) == before
    assert here(GIVE)[0] == 0
    assert json.loads((graded / "ada.json").read_text("utf-8"))["overrides"][0]["reason"] == "r"


def test_a_disk_that_is_full(graded: Path, tmp_path: Path) -> None:
    """Nothing is half written, and earlier results are intact."""
    mounts = (
        "mkdir full && mount -t tmpfs -o size=300k tmpfs full && cp out/gradebook.sqlite full && "
        "(dd if=/dev/zero of=full/rest bs=512 2>/dev/null || true)"
    )
    lines = [
        GIVE.replace("out", "full", 1),
        "forget full ada --yes --course course",
        "export json --from out --to full/all.json --course course",
        "export html --from out --to full/pages --course course",
        "stats out --html full/stats.html --course course",
        "start Q1 --to full/q01.py --course course",
        "batch in --out full --course course",
    ]
    after = "find full -type f > after.txt; umount -l full; true"
    keep = "cp full/gradebook.sqlite after.sqlite"
    told = confined(tmp_path, mounts, *lines, after=f"{keep}; {after}")
    for line, (code, said) in zip(lines, told, strict=True):
        assert code in (2, 4), (line, said)
        assert "Traceback" not in said, (line, said)
        assert "fault of attncheck" not in said, (line, said)
    left = {Path(name).name for name in (tmp_path / "after.txt").read_text().split()}
    assert left <= {FILE, "rest", ".lock"}
    assert content(tmp_path / "after.sqlite") == content(graded / FILE)


@pytest.mark.prove
def test_a_log_that_does_not_fit(graded: Path, tmp_path: Path) -> None:
    """The quiz continues without saving, and says so."""
    mounts = "mkdir full && mount -t tmpfs -o size=4k tmpfs full && (dd if=/dev/zero of=full/rest bs=512 2>&- || true)"
    ((code, said),) = confined(tmp_path, mounts, "quiz --course course --state full/log --learner A")
    assert code == 0
    assert "No space left" in said and "Earlier entries are still there" in said
