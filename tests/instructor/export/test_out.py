"""Where exports go: whole files, and nothing of anybody else's is replaced."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.core.errors import UsageError
from grader.instructor.export import ExportTarget


def out(to: Path, *, force: bool = False) -> ExportTarget:
    """A place for an export that says nothing."""
    return ExportTarget(to, lambda text: None, force=force)


def whole(to: Path, data: bytes, *, force: bool = False) -> None:
    """An export of one file."""
    with out(to, force=force) as place:
        place.write_file([data])


def parts(to: Path, files: dict[str, bytes], *, force: bool = False) -> None:
    """An export of several."""
    with out(to, force=force) as place:
        for name, data in files.items():
            place.add_file(name, data)


def test_a_file_that_an_export_wrote_is_replaced(tmp_path: Path) -> None:
    """As long as nobody has changed it."""
    to = tmp_path / "x.csv"
    whole(to, b"1")
    whole(to, b"2")
    assert to.read_bytes() == b"2"
    to.write_bytes(b"2, and a remark")
    with pytest.raises(UsageError, match="was not written by an export or has changed"):
        whole(to, b"3")
    assert to.read_bytes() == b"2, and a remark"
    whole(to, b"3", force=True)
    assert to.read_bytes() == b"3"


def test_who_may_read_an_export(tmp_path: Path) -> None:
    """The umask says it: there are names and points in it."""
    before = os.umask(0o027)
    try:
        whole(tmp_path / "x.csv", b"1")
    finally:
        os.umask(before)
    assert (tmp_path / "x.csv").stat().st_mode & 0o777 == 0o640


def test_somebody_elses_file_stays(tmp_path: Path) -> None:
    """Even if it says the same as one that an export wrote elsewhere."""
    whole(tmp_path / "a", b"1")
    (tmp_path / "b").write_bytes(b"1")
    with pytest.raises(UsageError, match="--force"):
        whole(tmp_path / "b", b"1")


def test_what_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    """Neither half of the new one nor a file of its own."""
    to = tmp_path / "x"
    whole(to, b"old")

    def chunks() -> Iterator[bytes]:
        yield b"half"
        raise RuntimeError("pulled the plug")

    with pytest.raises(RuntimeError), out(to) as place:
        place.write_file(chunks())
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert to.read_bytes() == b"old"
    whole(to, b"new")


def test_a_folder_follows_the_class(tmp_path: Path) -> None:
    """What an earlier export wrote and this one does not is gone, if nobody has worked on it."""
    to = tmp_path / "deep" / "er"
    parts(to, {"ada": b"1", "bo": b"2"})
    parts(to, {"ada": b"3", "cy": b"4"})
    assert {path.name: path.read_bytes() for path in to.iterdir()} == {"ada": b"3", "cy": b"4"}


def test_a_folder_with_other_things(tmp_path: Path) -> None:
    """Is left as it is; with force, only files of the same names are replaced."""
    to = tmp_path / "home"
    to.mkdir()
    (to / "ada").write_bytes(b"mine")
    (to / "thesis").write_bytes(b"mine")
    with pytest.raises(UsageError, match=r"contains files that were not written by an export \(ada, thesis\)"):
        parts(to, {"ada": b"1"})
    parts(to, {"ada": b"1"}, force=True)
    assert {path.name: path.read_bytes() for path in to.iterdir()} == {"ada": b"1", "thesis": b"mine"}


def test_a_folder_where_an_export_broke_off(tmp_path: Path) -> None:
    """Is still known: what was written then is replaced now."""
    to = tmp_path / "out"
    with pytest.raises(RuntimeError), out(to) as place:
        place.add_file("ada", b"1")
        raise RuntimeError
    parts(to, {"ada": b"2", "bo": b"2"})
    assert sorted(path.name for path in to.iterdir()) == ["ada", "bo"]


def test_the_wrong_sort_of_place(tmp_path: Path) -> None:
    """A folder for a file, a file for a folder, a folder that is not there, or nothing at all to write."""
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="is a folder"):
        whole(tmp_path, b"")
    with pytest.raises(UsageError, match="is a file"):
        parts(tmp_path / "file", {"a": b""})
    with pytest.raises(UsageError, match="cannot be written: No such file"):
        whole(tmp_path / "none" / "x", b"")
    with pytest.raises(UsageError, match="cannot be written"):
        parts(tmp_path / "file" / "x", {"a": b""})
    with pytest.raises(UsageError, match="nothing to export"):
        parts(tmp_path / "new", {})


def test_a_record_that_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is none: nothing is replaced on its word."""
    to = tmp_path / "x"
    whole(to, b"1")
    for raw in (b"{", b"[]", b'{"": 3}'):
        monkeypatch.setattr("grader.core.cache.get", lambda kind, key, raw=raw: raw)
        with pytest.raises(UsageError, match="--force"):
            whole(to, b"2")
