"""What tells that files have not changed, and when it does not say so."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom import enrolment
from grader.classroom.collect import collect
from grader.classroom.enrolment import change_signature

LATER = 10**18 * 9


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A submission of three files."""
    (tmp_path / "in/ada/more").mkdir(parents=True)
    for name in ("q05.py", "more/q06.py", ".hidden"):
        (tmp_path / "in/ada" / name).write_text("def f(x):\n    return x\n")
    return tmp_path / "in/ada"


def rewritten(path: Path) -> None:
    """Other content of the same length, with the times of the old file."""
    then = path.stat()
    path.write_text(path.read_text().replace("x", "y"))
    os.utime(path, ns=(then.st_atime_ns, then.st_mtime_ns))


def swapped(path: Path) -> None:
    """Another file of the same size in its place."""
    other = path.with_suffix(".new")
    other.write_text(path.read_text())
    os.replace(other, path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "another text": lambda at: (at / "q05.py").write_text("def f(x):\n    return 2 * x\n"),
    "the same size and time": lambda at: rewritten(at / "more/q06.py"),
    "another file": lambda at: swapped(at / "q05.py"),
    "a new file": lambda at: (at / "more/q07.py").touch(),
    "one file less": lambda at: (at / "q05.py").unlink(),
    "another name": lambda at: (at / "q05.py").rename(at / "q06.py"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_is_noticed(place: Path, change: Callable[[Path], object]) -> None:
    """Also one that keeps size and time; without a change, nothing is noticed."""
    before = change_signature(place, LATER)
    assert before and change_signature(place, LATER) == before
    change(place)
    assert change_signature(place, LATER) != before


def test_what_could_change_unnoticed_has_none(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too fresh, a link, too many files, and what is not there."""
    newest = max(found.st_ctime_ns for _, found in enrolment._entries(place))
    assert change_signature(place, newest + enrolment._CLOCK)
    assert not change_signature(place, newest + enrolment._CLOCK - 1)
    assert not change_signature(place / "none", LATER)
    monkeypatch.setattr(enrolment, "_MOST", 2)
    assert not change_signature(place, LATER)
    monkeypatch.undo()
    (place / "link.py").symlink_to("q05.py")
    assert not change_signature(place, LATER)


def test_unchanged_files_are_not_read_again(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest and the name in the answers are those from before; what changed is read."""
    (place / "answers.yaml").write_text("learner: Ada\nanswers: {}\n")
    monkeypatch.setattr(enrolment, "change_signature", lambda path: change_signature(path, LATER))
    first = enrolment.enrol(collect(place.parent, tmp_path / "scratch"), None)
    (row,) = first.submissions
    assert (row.signed, bool(row.digest), bool(row.signature)) == ("Ada", True, True)
    read: list[Path] = []
    identity = enrolment.fingerprint_and_learner
    monkeypatch.setattr(enrolment, "fingerprint_and_learner", lambda path: read.append(path) or identity(path))
    assert enrolment.enrol(collect(place.parent, tmp_path / "scratch"), None, first.submissions) == first
    assert not read
    (place / "q05.py").write_text("def f(x):\n    return 3\n")
    (again,) = enrolment.enrol(collect(place.parent, tmp_path / "scratch"), None, first.submissions).submissions
    assert read and again.digest != row.digest
