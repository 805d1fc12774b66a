from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.files import write


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    """Text or bytes, new or over an old one; others may read it."""
    path = tmp_path / "out.json"
    for data, stored in (("文字\n", "文字\n".encode()), (b"\0\xff", b"\0\xff")):
        write(path, data)
        assert path.read_bytes() == stored
    assert path.stat().st_mode & 0o777 == 0o644
    assert [each.name for each in tmp_path.iterdir()] == ["out.json"]


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
