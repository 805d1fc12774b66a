from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.core.errors import UsageError
from grader.core.files import create, write


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    """Text or bytes, new or over an old one."""
    path = tmp_path / "out.json"
    for data, stored in (("文字\n", "文字\n".encode()), (b"\0\xff", b"\0\xff")):
        write(path, data)
        assert path.read_bytes() == stored
    assert [each.name for each in tmp_path.iterdir()] == ["out.json"]


@pytest.fixture
def umask() -> Iterator[None]:
    """Of a group that shows nothing to others."""
    before = os.umask(0o007)
    yield
    os.umask(before)


@pytest.mark.parametrize(("shared", "mode"), [(False, 0o660), (True, 0o644)])
def test_who_may_read_it(shared: bool, mode: int, tmp_path: Path, umask: None) -> None:
    """The umask says it, also where an older file could be read by all; what is for everybody is readable."""
    path = tmp_path / "out.json"
    path.write_text("old")
    path.chmod(0o666)
    write(path, "new", shared=shared)
    assert path.stat().st_mode & 0o777 == mode


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing beside it."""

    def fail(*_: object) -> None:
        raise OSError("disk full")

    path = tmp_path / "out.json"
    write(path, "old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write(path, "new")
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["out.json"]


def test_a_new_file_that_does_not_fit_is_none(tmp_path: Path) -> None:
    """So that the next try does not find it in its way."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(UsageError, match="cannot be written: File too large"):
            create(tmp_path / "q05.py", "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []
    create(tmp_path / "q05.py", "x")


def test_what_interrupts_the_last_step_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not that the temporary file is gone by then."""
    replace = os.replace

    def interrupted(*names: str) -> None:
        replace(*names)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "out.json", "new")
    assert (tmp_path / "out.json").read_text() == "new"
