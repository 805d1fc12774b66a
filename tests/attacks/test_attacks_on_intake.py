"""What a learner adds to a collection does not affect others, and is reported."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from grader.classroom import collect as collecting
from grader.classroom import inbox
from grader.classroom.collect import collect
from grader.classroom.enrolment import enrol
from grader.classroom.gradebook import SubmissionRow
from grader.core.errors import UsageError
from tests import tiny
from tests.attacks import intake
from tests.attacks.intake import CASES, Case

TRIALS = [
    pytest.param(case, kind, as_zip, id=f"{kind}-{'zip' if as_zip else 'folder'}-{case.name}")
    for case in CASES
    for kind in case.kinds
    for as_zip in ((True,) if case.pack else (False,) if case.reported or case.accounts else (False, True))
]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that are reached quickly."""
    monkeypatch.setattr(collecting, "MAX_ENTRIES", 60)
    monkeypatch.setattr(collecting, "MAX_LEARNER", 3 << 20)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder that is removed afterwards, however deep it is."""
    yield tmp_path
    subprocess.run(["rm", "-rf", str(tmp_path / "class")], check=True)


@functools.cache
def undisturbed(kind: str, as_zip: bool) -> dict[str, SubmissionRow]:
    """The class without an attacker."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "class")
        intake.laid_out(folder, kind)
        place = intake.packed(folder, Path(name, "class.zip"), None, kind) if as_zip else folder
        return entered(place, Path(name, "scratch"))


def entered(collection: Path, scratch: Path) -> dict[str, SubmissionRow]:
    """What a batch would grade of a collection, and for whom; equal entries get equal points."""
    found = collect(collection, scratch)
    return {one.key: replace(one, path="") for one in enrol(found, None).submissions}


def owned(monkeypatch: pytest.MonkeyPatch, folder: Path, accounts: Mapping[str, int] | None) -> None:
    """Pretends that folders of an inbox belong to accounts, by prefixes of their names."""
    if accounts is None:
        return
    real: Callable[..., os.stat_result] = Path.lstat

    def lstat(path: Path) -> os.stat_result:
        status = real(path)
        name = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else ""
        wild = accounts.get(f"{name.partition('/')[0]}/*") if "/" in name else None
        account = wild or accounts.get(name.partition("/")[0])
        return status if account is None else os.stat_result((*status[:4], account, *status[5:]))

    monkeypatch.setattr(Path, "lstat", lstat)


@pytest.mark.parametrize(("case", "kind", "as_zip"), TRIALS)
def test_attack(case: Case, kind: str, as_zip: bool, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others get the same as without the attacker, and the attacker's files are graded as theirs or reported."""
    folder = place / "class"
    intake.laid_out(folder, kind)
    before = undisturbed(kind, as_zip)
    if case.add is not None:
        case.add(folder, kind)
    owned(monkeypatch, folder, case.accounts)
    after = entered(intake.packed(folder, place / "class.zip", case, kind) if as_zip else folder, place / "scratch")
    assert {key: after.get(key) for key in before} == before
    others = [row for key, row in after.items() if key not in before]
    assert others
    assert not {name for row in others for name in row.learners} & {*intake.WORK}
    for row in others:
        assert case.reported in (row.error.en if row.error else "")
        assert bool(row.error) == bool(case.reported)
        assert not row.error or tiny.bilingual(row.error)


@pytest.mark.parametrize("as_zip", [False, True])
@pytest.mark.parametrize("kind", sorted(intake.KINDS))
def test_an_honest_class(kind: str, as_zip: bool) -> None:
    """It is collected completely, and no intake mistakes it for another kind."""
    found = undisturbed(kind, as_zip)
    assert {name for row in found.values() for name in row.learners} == {*intake.WORK}
    assert [row.error for row in found.values()] == [None] * 3


def test_names_that_cannot_be_written(tmp_path: Path) -> None:
    """A name that matches another's printable form, or a very long one, takes nobody's place."""
    folder = tmp_path / "class"
    for name in (b"ada\xff", rb"ada\udcff", b"\xff" * 220 + b"1", b"\xff" * 220 + b"2"):
        place = Path(os.fsdecode(os.fsencode(folder) + b"/" + name))
        intake.put(place / "q05.py", f"{intake.EVIL}# {name!r}\n")
    found = entered(folder, tmp_path / "scratch")
    assert len({row.digest for row in found.values()}) == len(found) == 4
    assert all(row.error is None and row.key.encode() for row in found.values())


def test_every_case_does_something() -> None:
    """Every case is tried on some kind of class, with something in it."""
    assert all(case.kinds and (case.add or case.pack) for case in CASES)


def test_a_signed_inbox_believes_signatures_only(tmp_path: Path) -> None:
    """If the inbox has a key that only its owner can write, a receipt without a signature counts for nobody."""
    folder = tmp_path / "inbox"
    inbox.create_inbox(folder)
    key = inbox.parse_key((folder / inbox.KEY).read_bytes())
    intake.handed_in(folder, "ada", "ada", {"q05.py": intake.EVIL}, key=key)
    intake.handed_in(folder, "bob", "bob", {"q05.py": intake.EVIL})
    ada, bob = sorted(entered(folder, tmp_path / "out").values(), key=lambda row: row.error is not None)
    assert (ada.learners, ada.error) == (("ada",), None)
    assert bob.learners == () and bob.error is not None and "signature" in bob.error.en


def test_a_key_that_others_can_read(tmp_path: Path) -> None:
    """A key that others can read is not used for signing."""
    folder = tmp_path / "inbox"
    inbox.create_inbox(folder)
    intake.handed_in(folder, "ada", "ada", {"q05.py": intake.EVIL})
    (folder / inbox.KEY).chmod(0o644)
    with pytest.raises(UsageError, match="others can read"):
        entered(folder, tmp_path / "out")
