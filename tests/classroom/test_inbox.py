from __future__ import annotations

import errno
import hmac
import json
import os
import shutil
import stat
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import collect as collecting
from grader.classroom import inbox
from grader.classroom.collect import collect
from grader.classroom.inbox import Receipt, ReceiptFile, differences, parse_receipt
from grader.core.errors import SubmissionError, UsageError
from grader.core.model import Course
from grader.submission import read
from tests import helpers

NOW = datetime(2026, 11, 21, 12, 30, 5, tzinfo=timezone(timedelta(hours=8)))
CODE = "def scaled_scores(q, k):\n    return q\n"
submit = partial(inbox.submit, course=helpers.course())


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A learner's folder, and an inbox beside it."""
    (tmp_path / "inbox").mkdir()
    folder = tmp_path / "work"
    (folder / "more").mkdir(parents=True)
    (folder / "q03.py").write_text(CODE)
    (folder / "more" / "q05.py").write_text(CODE)
    (folder / "notes.txt").write_text("not handed in")
    return folder


def test_what_is_handed_in_lies_there_whole(work: Path, tmp_path: Path) -> None:
    """The files as they were, a receipt with the time in UTC, and nothing half."""
    receipt, new = submit(work, tmp_path / "inbox", "Ada Invented", NOW)
    assert new
    (place,) = (tmp_path / "inbox" / "Ada Invented").iterdir()
    assert place.name == f"20261121T043005Z-{receipt.digest[:12]}"
    assert (place / "files" / "more" / "q05.py").read_text() == CODE
    assert parse_receipt((place / "receipt.json").read_text("utf-8"), "") == receipt
    assert [(file.name, file.size) for file in receipt.files] == [("more/q05.py", len(CODE)), ("q03.py", len(CODE))]
    assert receipt.at == NOW
    assert os.listdir(tmp_path / "inbox") == ["Ada Invented"]


def test_the_receipt_lists_answers(work: Path, tmp_path: Path, course: Course) -> None:
    """Those that were stored, those that cannot be read with line and reason; the signature covers both."""
    inbox.create_inbox(tmp_path / "signed")
    text = "format: 1\nlearner: ada\nanswers:\n  Q5.output: b\n\tQ5.width: a\n  Q5.order:\n"
    (work / "answers.yml").write_text(text)
    receipt, _ = submit(work, tmp_path / "signed", "ada", NOW, course=course)
    assert receipt.answers == ("Q5.output",)
    (unread,) = receipt.unread
    assert (unread.item, unread.line) == ("Q5.width", 5) and "not tabs" in unread.why.en and "制表符" in unread.why.zh
    assert parse_receipt(receipt.to_json(), "") == receipt
    key = inbox.parse_key((tmp_path / "signed" / inbox.KEY).read_bytes())
    assert inbox.has_valid_signature(receipt, key)
    for forged in (replace(receipt, answers=()), replace(receipt, unread=()), replace(receipt, answers=("Q5.width",))):
        assert not inbox.has_valid_signature(forged, key)


def test_receipts_of_older_versions_stay_valid() -> None:
    """They list no answers; their text and their signature are what they were."""
    old = Receipt("ada", NOW.astimezone(UTC), "d", (ReceiptFile("q05.py", 1, "s"),), attncheck="0.1", number=1)
    signed = {
        "learner": "ada", "at": old.at.isoformat(), "digest": "d", "attncheck": "0.1", "number": 1, "mac": "",
        "files": [{"name": "q05.py", "size": 1, "sha256": "s"}],
    }  # fmt: skip
    key = bytes(32)
    expected = hmac.new(key, json.dumps(signed, sort_keys=True).encode(), "sha256").hexdigest()
    assert inbox.receipt_signature(old, key) == expected
    assert "answers" not in old.to_json() and "unread" not in old.to_json()


def test_everybody_can_read_what_is_handed_in(work: Path, tmp_path: Path) -> None:
    """Whatever the learner's umask is: a receipt is for something that the instructor can see."""
    before = os.umask(0o077)
    try:
        submit(work, tmp_path / "inbox", "ada", NOW)
    finally:
        os.umask(before)
    found = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in (tmp_path / "inbox").rglob("*")}
    assert found == {(True, 0o755), (False, 0o644)}


def test_somebody_elses_folder_stays_as_it_is(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an instructor has made a learner's folder, it is not the learner who says who may look into it."""
    home = tmp_path / "inbox" / "ada"
    home.mkdir()
    change = os.chmod

    def chmod(path: Path, mode: int, **more: Any) -> None:
        if Path(path) == home:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        change(path, mode, **more)

    monkeypatch.setattr(os, "chmod", chmod)
    assert submit(work, tmp_path / "inbox", "ada", NOW)[1]


def change(files: Path) -> None:
    """Another text."""
    (files / "q03.py").write_text(CODE + "\n")


def remove(files: Path) -> None:
    """One file less."""
    (files / "q03.py").unlink()


def add(files: Path) -> None:
    """One file more."""
    (files / "more" / "q03.py").write_text(CODE)


@pytest.mark.parametrize("forge", [change, remove, add])
def test_what_is_not_as_the_receipt_says_is_not_graded(
    forge: Callable[[Path], None], work: Path, tmp_path: Path
) -> None:
    """The error of that submission names the file and what to do; others are collected, and put back, so is this."""
    inbox = tmp_path / "inbox"
    for learner in ("ada", "bo"):
        submit(work, inbox, learner, NOW)
    (files,) = (inbox / "ada").glob("*/files")
    (files / "notes.txt").write_text("of no harm")
    forge(files)
    ada, bo = collect(inbox, tmp_path / "scratch").submissions
    assert bo.error is None
    assert ada.error is not None
    assert "q03.py" in ada.error.en and "more/q05.py" not in ada.error.en and "--verify" in ada.error.en
    (files / "more" / "q03.py").unlink(missing_ok=True)
    (files / "q03.py").write_text(CODE)
    assert [handed.error for handed in collect(inbox, tmp_path / "scratch").submissions] == [None, None]


def test_answers_alone_can_be_graded(tmp_path: Path) -> None:
    """Whatever their file is called: what got a receipt can be read."""
    (tmp_path / "inbox").mkdir()
    (tmp_path / "mine.yaml").write_text("format: 1\nanswers: {Q3.purpose: c}\n")
    submit(tmp_path / "mine.yaml", tmp_path / "inbox", "ada", NOW)
    (ada,) = collect(tmp_path / "inbox", tmp_path / "scratch").submissions
    assert ada.error is None and read(ada.path).answers


def test_names_that_differ_in_case_alone(work: Path, tmp_path: Path) -> None:
    """They are files of their own, as the receipt says."""
    (work / "Q03.py").write_text(CODE + "\n")
    submit(work, tmp_path / "inbox", "ada", NOW)
    assert [one.error for one in collect(tmp_path / "inbox", tmp_path / "scratch").submissions] == [None]


def test_what_is_on_its_way_is_not_there(work: Path, tmp_path: Path) -> None:
    """While somebody hands in, and where a crash has left half of it, the others are collected."""
    inbox = tmp_path / "inbox"
    submit(work, inbox, "ada", NOW)
    (inbox / ".incoming-x" / "files").mkdir(parents=True)
    (inbox / ".incoming-x" / "files" / "q03.py").write_text(CODE)
    found = collect(inbox, tmp_path / "scratch")
    assert (len(found.submissions), found.leftovers) == (1, ())


def test_a_receipt_that_cannot_be_read(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps nobody else's from being graded, and is named."""
    inbox = tmp_path / "inbox"
    submit(work, inbox, "ada", NOW)
    submit(work, inbox, "bo", NOW)
    (huge,) = (inbox / "ada").glob("*/receipt.json")
    huge.write_text(" " * 5000)
    monkeypatch.setattr(collecting, "_MAX_METADATA", 4000)
    found = collect(inbox, tmp_path / "scratch")
    assert [handed.found.people[0].name for handed in found.submissions] == ["bo"]
    assert huge.relative_to(inbox).as_posix() in found.leftovers


def test_handing_in_twice_is_once(work: Path, tmp_path: Path) -> None:
    """The same files give the receipt of the first time; changed ones are another submission."""
    first, _ = submit(work, tmp_path / "inbox", "ada", NOW)
    assert submit(work, tmp_path / "inbox", "ada", NOW + timedelta(hours=1)) == (first, False)
    (work / "q03.py").write_text(CODE + "\n")
    later, new = submit(work, tmp_path / "inbox", "ada", NOW + timedelta(hours=2))
    assert new
    assert later.digest != first.digest
    assert len(list((tmp_path / "inbox" / "ada").iterdir())) == 2


def test_going_back_is_another_submission(work: Path, tmp_path: Path) -> None:
    """What was handed in first, and again after something else, is the last attempt."""
    submit(work, tmp_path / "inbox", "ada", NOW)
    (work / "q03.py").write_text(CODE + "\n")
    submit(work, tmp_path / "inbox", "ada", NOW + timedelta(hours=1))
    (work / "q03.py").write_text(CODE)
    _, new = submit(work, tmp_path / "inbox", "ada", NOW + timedelta(hours=2))
    assert new
    last = max(collect(tmp_path / "inbox", tmp_path / "scratch").submissions, key=lambda handed: handed.found.attempt)
    assert (last.found.attempt, last.found.at) == (3, NOW + timedelta(hours=2))


def test_a_receipt_can_be_verified(work: Path, tmp_path: Path) -> None:
    """Who kept the files can show that they are what was handed in."""
    receipt, _ = submit(work, tmp_path / "inbox", "ada", NOW)
    assert differences(work, receipt) == ()
    (work / "q03.py").write_text(CODE + "\n")
    (work / "more" / "q05.py").unlink()
    (work / "q06.py").write_text(CODE)
    assert differences(work, receipt) == ("more/q05.py", "q03.py", "q06.py")


def test_an_inbox_can_be_collected(work: Path, tmp_path: Path) -> None:
    """With the times and the order of each learner's attempts."""
    submit(work, tmp_path / "inbox", "ada", NOW)
    submit(work, tmp_path / "inbox", "b/o", NOW)
    (work / "q03.py").write_text(CODE + "\n")
    submit(work, tmp_path / "inbox", "ada", NOW + timedelta(minutes=1))
    found = collect(tmp_path / "inbox", tmp_path / "scratch")
    assert found.kind == "inbox"
    assert found.leftovers == ()
    seen = [(h.found.people[0].name, h.found.attempt, h.found.at) for h in found.submissions]
    assert sorted(seen) == [("ada", 1, NOW), ("ada", 2, NOW + timedelta(minutes=1)), ("b/o", 1, NOW)]
    assert {file.path for h in found.submissions for file in read(h.path).files} == {"q03.py", "more/q05.py"}


@pytest.mark.parametrize("at", range(3))
def test_a_full_disk_leaves_nothing(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """Wherever it happens; the message says that nothing was handed in, and another try goes through."""
    written: list[int] = []

    def full(handle: int) -> None:
        if len(written) == at:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(handle)

    monkeypatch.setattr(inbox.os, "fsync", full)
    with pytest.raises(UsageError, match=r"No space left on device\. Nothing was submitted"):
        submit(work, tmp_path / "inbox", "ada", NOW)
    assert [path for path in (tmp_path / "inbox").rglob("*") if path.is_file()] == []
    monkeypatch.undo()
    assert submit(work, tmp_path / "inbox", "ada", NOW)[1]


def test_no_inbox(work: Path, tmp_path: Path) -> None:
    """A name that was mistyped makes no folder."""
    with pytest.raises(UsageError, match="does not exist"):
        submit(work, tmp_path / "inbocks", "ada", NOW)
    assert not (tmp_path / "inbocks").exists()


def test_nothing_to_grade(tmp_path: Path) -> None:
    """What could not be graded is not handed in."""
    (tmp_path / "inbox").mkdir()
    (tmp_path / "q03.py").write_text("def broken(:\n")
    with pytest.raises(SubmissionError):
        submit(tmp_path / "q03.py", tmp_path / "inbox", "ada", NOW)
    assert not list((tmp_path / "inbox").iterdir())


RECEIPT = Receipt("ada", NOW.astimezone(UTC), "0" * 64, (ReceiptFile("q.py", 1, "0" * 64),)).to_json()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not an attncheck receipt"),
        ("[]", "not an attncheck receipt"),
        ('{"format": 1}', "not an attncheck receipt"),
        ('{"format": 2, "attncheck": "9.9"}', "newer attncheck .9.9"),
        (
            '{"format": 1, "learner": 1, "at": "soon", "digest": "", "files": [], "attncheck": ""}',
            "not an attncheck receipt",
        ),
        ("[" * 100_000, "not an attncheck receipt"),
        (RECEIPT.replace("2026-11-21", "0001-01-01").replace("+00:00", "+14:00"), "not an attncheck receipt"),
        (RECEIPT.replace('"size": 1', '"size": 1e999'), "not an attncheck receipt"),
        (RECEIPT.replace('"ada"', '"\\ud800"'), "not an attncheck receipt"),
        (RECEIPT.replace('"ada"', "1"), "not an attncheck receipt"),
        (RECEIPT.replace('"ada"', '" "'), "not an attncheck receipt"),
    ],
    ids=lambda value: value[-30:],
)
def test_other_files_are_no_receipts(text: str, said: str) -> None:
    """They are named, and nothing is made of them."""
    with pytest.raises(UsageError, match=f"here.json .*{said}"):
        parse_receipt(text, "here.json")


def test_times_are_utc() -> None:
    """Wherever a receipt is read."""
    receipt = Receipt("ada", NOW.astimezone(UTC), "0" * 64, ())
    assert parse_receipt(receipt.to_json(), "").at.utcoffset() == timedelta(0)


def test_a_clock_that_is_set_back_changes_no_order(work: Path, tmp_path: Path) -> None:
    """What was handed in last is the last attempt, whatever the time was said to be."""
    inbox = tmp_path / "inbox"
    seen = []
    for text, hours in ((CODE, 0), (CODE + "\n", -5), (CODE + "\n\n", -9), (CODE + "\n\n", -8), (CODE, -7)):
        (work / "q03.py").write_text(text)
        receipt, new = submit(work, inbox, "ada", NOW + timedelta(hours=hours))
        seen.append((receipt.number, new))
    assert seen == [(1, True), (2, True), (3, True), (3, False), (4, True)]
    found = {handed.found.attempt: handed for handed in collect(inbox, tmp_path / "scratch").submissions}
    assert [found[number].found.at for number in (1, 2, 3, 4)] == [NOW + timedelta(hours=h) for h in (0, -5, -9, -7)]


def test_receipts_without_a_number_come_first(work: Path, tmp_path: Path) -> None:
    """Those of an earlier version, in the order of their times."""
    inbox = tmp_path / "inbox"
    for text, hours in ((CODE, 2), (CODE + "\n", 1), (CODE + "\n\n", 0)):
        (work / "q03.py").write_text(text)
        receipt, _ = submit(work, inbox, "ada", NOW + timedelta(hours=hours))
        if hours:
            place = inbox / "ada" / f"{receipt.at:%Y%m%dT%H%M%SZ}-{receipt.digest[:12]}" / "receipt.json"
            place.write_text(place.read_text().replace(f'"number": {receipt.number}', '"other": 0'))
    found = {handed.found.attempt: handed for handed in collect(inbox, tmp_path / "scratch").submissions}
    assert [found[number].found.at for number in (1, 2, 3)] == [NOW + timedelta(hours=h) for h in (1, 2, 0)]


@pytest.mark.parametrize("left", ["", "{", '{"format": 1, "learner": "ada"', "\0" * 200])
def test_half_a_receipt(work: Path, tmp_path: Path, left: str) -> None:
    """What a power failure has left of one learner's keeps nobody else's from being graded; it is named."""
    inbox = tmp_path / "inbox"
    submit(work, inbox, "ada", NOW)
    submit(work, inbox, "bo", NOW)
    (torn,) = (inbox / "ada").glob("*/receipt.json")
    torn.write_text(left)
    found = collect(inbox, tmp_path / "scratch")
    assert [handed.found.people[0].name for handed in found.submissions] == ["bo"]
    assert torn.relative_to(inbox).as_posix() in found.leftovers
    assert sum("/files/" in name for name in found.leftovers) == 2
    receipt, new = submit(work, inbox, "ada", NOW + timedelta(hours=1))
    assert new
    assert len(collect(inbox, tmp_path / "scratch").submissions) == 2
    assert receipt.number == 1


def test_an_inbox_with_a_key_signs(work: Path, tmp_path: Path) -> None:
    """Who may read the key signs receipts; any change of one is found, and the learner's copy has the signature."""
    place = tmp_path / "signed"
    inbox.create_inbox(place)
    assert stat.S_IMODE((place / inbox.KEY).stat().st_mode) == 0o600
    key = inbox.parse_key((place / inbox.KEY).read_bytes())
    receipt, _ = submit(work, place, "ada", NOW)
    assert inbox.has_valid_signature(receipt, key) and parse_receipt(receipt.to_json(), "") == receipt
    for changed in (
        replace(receipt, learner="bo"),
        replace(receipt, at=receipt.at - timedelta(hours=1)),
        replace(receipt, number=9),
        replace(receipt, files=()),
        replace(receipt, mac=""),
        replace(receipt, mac="ü"),
    ):
        assert not inbox.has_valid_signature(changed, key)
    assert not inbox.has_valid_signature(receipt, bytes(32))
    (ada,) = collect(place, tmp_path / "scratch").submissions
    assert ada.error is None


def test_an_inbox_gets_one_key(work: Path, tmp_path: Path) -> None:
    """A second would make all receipts worthless; one that is none is said to be, by those who hand in, too."""
    inbox.create_inbox(tmp_path / "inbox")
    with pytest.raises(UsageError, match="already has a key"):
        inbox.create_inbox(tmp_path / "inbox")
    with pytest.raises(UsageError, match="cannot be created"):
        inbox.create_inbox(work / "q03.py" / "inbox")
    (tmp_path / "inbox" / inbox.KEY).write_text("short")
    with pytest.raises(UsageError, match="is not an attncheck key"):
        submit(work, tmp_path / "inbox", "ada", NOW)


def test_who_cannot_read_the_key_hands_in_without(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Learners who write to a shared inbox themselves get a receipt, without a signature."""
    inbox.create_inbox(tmp_path / "inbox")

    def refused(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refused)
    assert submit(work, tmp_path / "inbox", "ada", NOW)[0].mac == ""
    monkeypatch.undo()
    found = collect(tmp_path / "inbox", tmp_path / "scratch")
    assert (found.submissions, [stray.why.en for stray in found.strays]) == ((), ["its receipt has no signature"])
    (tmp_path / "inbox").chmod(0o1777)
    assert len(collect(tmp_path / "inbox", tmp_path / "scratch").submissions) == 1


def test_a_receipt_without_files(work: Path, tmp_path: Path) -> None:
    """Whose files are all gone has an error, and stays in the list."""
    submit(work, tmp_path / "inbox", "ada", NOW)
    (files,) = (tmp_path / "inbox" / "ada").glob("*/files")
    shutil.rmtree(files)
    (ada,) = collect(tmp_path / "inbox", tmp_path / "scratch").submissions
    assert ada.error is not None and "receipt" in ada.error.en


@pytest.mark.parametrize(
    "padding", [" " * (4 << 20), "[" * 60_000 + "]" * 60_000 + "[" * 60_000], ids=["bytes", "brackets"]
)
def test_a_receipt_larger_than_any_is_not_parsed(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, padding: str
) -> None:
    """Learners may write to an inbox, and receipts are read by the grader itself: their size is bounded first."""
    where = tmp_path / "inbox"
    submit(work, where, "ada", NOW)
    submit(work, where, "bo", NOW)
    (large,) = (where / "ada").glob("*/receipt.json")
    large.write_text(large.read_text().rstrip().removesuffix("}") + f', "more": "{padding}"}}')
    parsed = []
    loads = inbox.json.loads
    monkeypatch.setattr(inbox.json, "loads", lambda text: parsed.append(len(text)) or loads(text))
    found = collect(where, tmp_path / "scratch")
    assert [handed.found.people[0].name for handed in found.submissions] == ["bo"]
    assert large.relative_to(where).as_posix() in found.leftovers
    assert max(parsed) < 4096


def test_the_same_files_again_within_a_second(work: Path, tmp_path: Path) -> None:
    """A, B, A is three submissions, in this order, and all of them are collected."""
    for text in (CODE, CODE + "\n", CODE):
        (work / "q03.py").write_text(text)
        assert submit(work, tmp_path / "inbox", "ada", NOW)[1]
    found = collect(tmp_path / "inbox", tmp_path / "scratch").submissions
    assert [one.error for one in found] == [None] * 3
    assert sorted(one.found.attempt for one in found) == [1, 2, 3]


def test_a_day_has_a_limit_of_bytes(work: Path, tmp_path: Path) -> None:
    """What is too much is refused before there is a receipt, with the time; the same files are never refused."""
    inbox, large = tmp_path / "inbox", "#" * 40_000
    for number in range(2):
        (work / "q03.py").write_text(f"{CODE}{large}{number}\n")
        submit(work, inbox, "ada", NOW + timedelta(hours=number), most=100_000)
    assert submit(work, inbox, "ada", NOW + timedelta(hours=2), most=100_000)[1] is False
    (work / "q03.py").write_text(f"{CODE}{large}2\n")
    with pytest.raises(UsageError, match=r"last 24 hours.*You can submit them in 22 h"):
        submit(work, inbox, "ada", NOW + timedelta(hours=2), most=100_000)
    assert len(list((inbox / "ada").iterdir())) == 2
    assert submit(work, inbox, "bo", NOW, most=100_000)[1]
    with pytest.raises(UsageError, match=r"you may submit 1.*in 24 hours"):
        submit(work, inbox, "cy", NOW, most=1000)
    assert submit(work, inbox, "ada", NOW + timedelta(hours=24), most=100_000)[1]


def test_interrupted_submissions_are_found_and_those_in_progress_are_not(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder belongs to its process as long as that lives; afterwards it is abandoned."""
    place = tmp_path / "inbox"
    (place / ".incoming-left" / "files").mkdir(parents=True)
    seen: list[list[str]] = []
    rename = Path.rename

    def renamed(self: Path, target: Path) -> Path:
        seen.append([found.name for found in inbox.abandoned(place)])
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", renamed)
    submit(work, place, "ada", NOW)
    assert seen == [[".incoming-left"]]
    assert [found.name for found in inbox.abandoned(place)] == [".incoming-left"]
    assert sorted(os.listdir(place)) == [".incoming-left", "ada"]


def test_a_watch_sees_each_submission_once(work: Path, tmp_path: Path) -> None:
    """Of new learners and of old ones, also within the same moment; old folders are not listed again."""
    place = tmp_path / "inbox"
    submit(work, place, "ada", NOW)
    watch = inbox.Watch(place)
    moment = (place / "ada").stat().st_mtime
    assert [name.partition("/")[0] for name in watch.changed(moment)] == ["ada"]
    (work / "q03.py").write_text(CODE + "\n")
    submit(work, place, "ada", NOW)
    submit(work, place, "bo", NOW)
    os.utime(place / "ada", (moment, moment))
    assert [name.partition("/")[0] for name in watch.changed(moment)] == ["ada", "bo"]
    assert watch.changed(moment + 60) == []
