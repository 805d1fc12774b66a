from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.core import cache
from grader.core.errors import CacheError

KEY = "0123456789abcdef" * 4


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that does not exist yet."""
    folder = tmp_path / "deep" / "cache"
    monkeypatch.setenv("ATTNCHECK_CACHE", str(folder))
    return folder


def test_what_is_put_can_be_got(place: Path) -> None:
    """An entry comes back whole, under its kind and key only; a second one replaces it."""
    assert cache.get("course", KEY) is None
    cache.put("course", KEY, b"one")
    cache.put("course", KEY, b"two")
    assert cache.get("course", KEY) == b"two"
    assert cache.get("reference", KEY) is None
    assert [path.name for path in (place / "course").iterdir()] == [KEY]


@pytest.mark.parametrize("damage", [lambda d: d[:-1], lambda d: d[:2], lambda d: d + b"x", lambda d: b"x" + d[1:]])
def test_what_is_not_as_it_was_written_is_gone(place: Path, damage: Callable[[bytes], bytes]) -> None:
    """A disk that forgets costs time, never a wrong answer."""
    cache.put("course", KEY, b"data")
    entry = place / "course" / KEY
    entry.write_bytes(damage(entry.read_bytes()))
    assert cache.get("course", KEY) is None


def test_nobody_else_can_read_it(place: Path) -> None:
    """Folders and entries are for their owner alone."""
    cache.put("course", KEY, b"data")
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (place, place / "course", place / "course" / KEY)}
    assert list(modes.values()) == [0o700, 0o700, 0o600]


def test_without_the_variable_it_is_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The default is the system's place for caches."""
    monkeypatch.delenv("ATTNCHECK_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    found = cache.folder()
    assert found.is_relative_to(tmp_path)
    assert found.name == "attncheck"


def test_a_file_in_the_way_is_no_cache(place: Path) -> None:
    """Where no folder can be made, the reason is told when asked for, and nothing is cached."""
    place.parent.mkdir()
    place.write_text("in the way")
    with pytest.raises(CacheError, match="ATTNCHECK_CACHE"):
        cache.folder()
    cache.put("course", KEY, b"data")
    assert cache.get("course", KEY) is None


def test_a_folder_of_somebody_else_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another user could have prepared is neither read nor written."""
    cache.put("course", KEY, b"data")
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    with pytest.raises(CacheError, match=f"belongs to user {own}; expected {own + 1}"):
        cache.folder()
    assert cache.get("course", KEY) is None
    cache.put("course", "f" * 64, b"data")
    assert len(list((place / "course").iterdir())) == 1


def test_a_folder_that_others_may_write_to_is_refused(place: Path) -> None:
    """Everybody's folder is not made private behind the user's back; the remedy is named instead."""
    place.mkdir(parents=True)
    place.chmod(0o777)
    with pytest.raises(CacheError, match=r"mode 777.*chmod 700"):
        cache.folder()


def test_a_failing_disk_costs_nothing_but_time(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry that cannot be finished leaves nothing behind."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    cache.put("course", KEY, b"data")
    assert list((place / "course").iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "key"), [("../up", KEY), ("course", "../../etc/passwd"), ("course", "ABC"), ("", KEY)]
)
def test_keys_are_digests(place: Path, kind: str, key: str) -> None:
    """No key leads out of the folder."""
    with pytest.raises(ValueError, match="hex digest"):
        cache.get(kind, key)


def test_nobody_without_a_home_gets_a_folder_of_that_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where HOME is missing and the system does not know the user: no cache, and nothing called ~ is made."""
    monkeypatch.chdir(tmp_path)
    for name in ("ATTNCHECK_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(CacheError, match=r"no home folder.*ATTNCHECK_CACHE"):
        cache.folder()
    cache.put("course", KEY, b"data")
    assert cache.get("course", KEY) is None
    assert list(tmp_path.iterdir()) == []


def test_the_oldest_results_make_room() -> None:
    """What is kept is bounded by its size, and what was asked for last stays."""
    kept = cache.SizedCache[bytes, bytes](most=10)
    for name in (b"a", b"b"):
        kept.put(name, name, 4)
    assert kept.get(b"a") == b"a"
    kept.put(b"c", b"c", 4)
    assert [kept.get(name) is not None for name in (b"a", b"b", b"c")] == [True, False, True]
    kept.put(b"d", b"d", 11)
    assert kept.get(b"d") is None


def test_once_for_each_object() -> None:
    """Equal objects are different objects; what is too much to remember is computed again."""
    asked: list[list[int]] = []

    @cache.cached_by_identity(2)
    def total(values: list[int]) -> int:
        asked.append(values)
        return sum(values)

    one, twin, more = [1], [1], [2]
    assert [total(one), total(one), total(twin), total(twin)] == [1] * 4
    assert [each is wanted for each, wanted in zip(asked, (one, twin), strict=True)] == [True, True]
    assert [total(more), total(more), total(one)] == [2, 2, 1]
    assert len(asked) == 4


def test_another_object_with_the_same_id_is_another() -> None:
    """What is remembered is kept, so that its id cannot be used again."""
    total = cache.cached_by_identity(1000)(sum)
    assert [total([number]) for number in range(100)] == list(range(100))
