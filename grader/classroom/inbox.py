"""Submit to an inbox: a folder in which every submission is complete.

``INBOX/LEARNER/TIME-DIGEST/`` holds ``files/`` as they were submitted, and ``receipt.json``. A submission is written
to a temporary folder and then renamed, so that neither a crash nor a full disk leaves an incomplete one. An inbox is
shared: everyone who can list it can read its files, whatever the umask is.

The owner of an inbox may give it a key (``create_inbox``). Every process that can read the key signs receipts with it.
This is meant for a service of the owner that writes to the inbox for learners who cannot write there. Learners who
write to a shared inbox themselves cannot read the key, so their receipts have no signature.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from grader import __version__
from grader.core.errors import SubmissionError, UsageError
from grader.core.files import portable_folder, readable_json
from grader.core.model import Answer, Course, Item, Message, Submission, Text
from grader.core.text import duration
from grader.course import answer_ids, items
from grader.grading.missing import unassigned
from grader.submission import parse_files, read_files
from grader.submission.files import RawFile
from grader.submission.messages import printable
from grader.submission.messages import size as file_size
from grader.submission.opening import FileLocation, open_file


@dataclass(frozen=True, slots=True)
class UnreadEntry:
    """An answer that cannot be read, with its line in the answers file, and why."""

    item: str
    line: int
    why: Text


@dataclass(frozen=True, slots=True)
class StoredAnswers:
    """The items whose answers were stored, and the answers that cannot be read, or that no item of the course gets."""

    items: tuple[str, ...] = ()
    unread: tuple[UnreadEntry, ...] = ()


def stored_answers(course: Course, submission: Submission) -> StoredAnswers:
    """The answers of ``submission`` to items of ``course``."""
    submission = answer_ids.matched(course, submission)
    known = {item.id: item for item in course.items}
    read, unread = [], []
    for answer in submission.answers or ():
        if answer.value is None or answer.item not in known:
            continue
        context = items.Context(course.public_id, submission.learner, answer.item)
        why = _why_unread(answer, known[answer.item], context)
        if why is None:
            read.append(answer.item)
        else:
            unread.append(UnreadEntry(answer.item, answer.line, why))
    for answer, why in unassigned(submission.answers or (), list(known)) if known else ():
        unread.append(UnreadEntry(answer.item, answer.line, why))
    return StoredAnswers(tuple(read), tuple(unread))


def _why_unread(answer: Answer, item: Item, context: items.Context) -> Text | None:
    """Why an answer cannot be read; None if it can be, as far as can be told without much computing time."""
    if answer.problem is not None:
        return answer.problem
    if not items.is_heavy(item):
        judged = items.judge(item, answer.value, context)
        return None if judged.readable else judged.message
    lines = items.read_lines(item, answer.value) if isinstance(answer.value, str) else ()
    return next((line.why for line in lines if line.why is not None), None)


RECEIPT = "receipt.json"
#: The prefix of temporary folders, whose submissions are not complete yet.
INCOMING = ".incoming-"
FORMAT = 1
#: The file with the key, which only the owner of the inbox can read.
KEY = ".attncheck-key"
_KEY_BYTES = 32
#: The most bytes of a receipt, which learners may be able to write and which is read without a limiting process.
MAX_RECEIPT = 4 << 20
#: The most brackets in a receipt: each may become an object, but file names may contain some, too.
_MAX_BRACKETS = 100_000
#: The most characters of the learner's name in a receipt.
MAX_NAME = 500
#: Seconds after which a temporary folder is abandoned, where folders cannot be locked.
_ABANDONED = 86_400.0
_DAY = timedelta(days=1)
#: A folder that changed within this many seconds may change again without a difference in its time.
_FRESH = 2.0


@dataclass(frozen=True, slots=True)
class ReceiptFile:
    """A file of a submission: path, size in bytes, and SHA-256 (hexadecimal)."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was submitted, by whom, and when (UTC). ``digest`` covers all names and contents.

    ``number`` counts the submissions of a learner, so that their order does not depend on clocks. ``mac`` is the
    signature of the inbox (HMAC-SHA256, hexadecimal), empty if there is none. ``answers`` are the items whose answers
    were stored and can be read, ``unread`` those that cannot; receipts of older versions have neither.
    """

    learner: str
    at: datetime
    digest: str
    files: tuple[ReceiptFile, ...]
    attncheck: str = __version__
    number: int = 0
    mac: str = ""
    answers: tuple[str, ...] = ()
    unread: tuple[UnreadEntry, ...] = ()

    def to_json(self) -> str:
        """The receipt as stored beside the files."""
        return readable_json({"format": FORMAT, **_data(self)}) + "\n"


def _data(receipt: Receipt) -> dict[str, Any]:
    """A receipt as JSON values, without empty fields that receipts of older versions do not have."""
    data = {**asdict(receipt), "at": receipt.at.isoformat()}
    for name in ("mac", "answers", "unread"):
        if not data[name]:
            del data[name]
    return data


class NoReceipt(UsageError):
    """A file is not a receipt, or is incomplete after a power failure."""


class NewerReceipt(NoReceipt):
    """A receipt that claims to be written by a newer attncheck."""


#: ``where`` is the path of the file.
TOO_LARGE = Message("{where} is too large for an attncheck receipt.")
_NEWER = Message("{where} was written by a newer attncheck ({version}); update this one.")
_NOT_A_RECEIPT = Message("{where} is not an attncheck receipt ({reason}).")


def parse_receipt(text: str, where: str) -> Receipt:
    """The receipt in ``text``. Raises NoReceipt for anything else, NewerReceipt for a newer format."""
    if len(text) > MAX_RECEIPT or text.count("{") + text.count("[") > _MAX_BRACKETS:
        raise NoReceipt(TOO_LARGE.fill(where=where))
    try:
        data: dict[str, Any] = json.loads(text)
        if data["format"] > FORMAT:
            said = printable(str(data.get("attncheck")), 40)
            raise NewerReceipt(_NEWER.fill(where=where, version=said))
        files = tuple(ReceiptFile(_text(f["name"]), int(f["size"]), _text(f["sha256"])) for f in data["files"])
        submitted = datetime.fromisoformat(data["at"]).astimezone(UTC)
        number = int(data.get("number", 0))
        if not (learner := _text(data["learner"])).strip():
            raise ValueError("no learner")
        if len(learner) > MAX_NAME:
            raise ValueError(f"a name of more than {MAX_NAME} characters")
        mac = _text(data.get("mac", ""))
        answers = tuple(map(_text, data.get("answers", ())))
        unread = tuple(
            UnreadEntry(
                _text(entry["item"]), int(entry["line"]), Text(_text(entry["why"]["en"]), _text(entry["why"]["zh"]))
            )
            for entry in data.get("unread", ())
        )
        version, digest = _text(data["attncheck"]), _text(data["digest"])
        return Receipt(learner, submitted, digest, files, version, number, mac, answers, unread)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        said = printable(f"{type(error).__name__}: {error}")
        raise NoReceipt(_NOT_A_RECEIPT.fill(where=where, reason=said)) from error


def _text(value: object) -> str:
    """A string that can be encoded as UTF-8 (surrogates cannot). Raises TypeError or ValueError."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    value.encode()
    return value


def create_inbox(inbox: Path) -> None:
    """Create an inbox with a key, or add a key to one that has none. Raises UsageError if that is impossible."""
    place = inbox / KEY
    try:
        inbox.mkdir(parents=True, exist_ok=True)
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(_KEY_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        said = Message(
            "{inbox} is a file, or already has a key, which is needed to verify the receipts that it signed."
        )
        raise UsageError(said.fill(inbox=inbox)) from None
    except OSError as error:
        said = Message("The inbox {inbox} cannot be created: {reason}; choose another folder.")
        raise UsageError(said.fill(inbox=inbox, reason=error.strerror)) from error


def parse_key(raw: bytes) -> bytes:
    """The key in the content of a key file. Raises UsageError if it is not a key."""
    with contextlib.suppress(ValueError):
        key = bytes.fromhex(raw.decode("ascii").strip())
        if len(key) == _KEY_BYTES:
            return key
    raise UsageError(Message("{key} in the inbox is not an attncheck key; restore it from a backup.").fill(key=KEY))


def _key(inbox: Path) -> bytes | None:
    """The key of an inbox; None if there is none or this user cannot read it."""
    try:
        return parse_key((inbox / KEY).read_bytes())
    except (FileNotFoundError, PermissionError):
        return None


def receipt_signature(receipt: Receipt, key: bytes) -> str:
    """The signature of a receipt with this key: HMAC-SHA256, hexadecimal."""
    data = {**_data(replace(receipt, mac="")), "mac": ""}
    return hmac.new(key, json.dumps(data, sort_keys=True).encode(), "sha256").hexdigest()


def has_valid_signature(receipt: Receipt, key: bytes) -> bool:
    """Whether the receipt has a valid signature with this key."""
    return hmac.compare_digest(receipt_signature(receipt, key).encode(), receipt.mac.encode())


def submit(
    path: Path, inbox: Path, learner: str, now: datetime, course: Course, most: int | None = None
) -> tuple[Receipt, bool]:
    """Submit the files at ``path``. Returns the receipt, and whether it is new.

    The receipt also lists answers that are not of the kind that their item of the ``course`` asks for. The same files
    as in the latest submission are not stored again. ``most`` limits the bytes of a learner's submissions in 24 hours.
    Raises SubmissionError if nothing in them can be graded, and UsageError if the inbox cannot be written or the limit
    is exceeded.
    """
    if len(learner) > MAX_NAME:
        said = Message("The learner's name has {learner} characters; give one of {max_name} or fewer.")
        raise UsageError(said.fill(learner=len(learner), max_name=MAX_NAME))
    files = read_files(path)
    raws = files.raws
    receipt = receipt_of(raws, parse_files(files, learner, os.fspath(path)), now, course)
    home = inbox / portable_folder(learner)
    try:
        earlier = [receipt for _, receipt in read_receipts(home)]
        latest = max(earlier, key=receipt_order, default=None)
        receipt = replace(receipt, learner=learner, number=1 if latest is None else latest.number + 1)
        if (key := _key(inbox)) is not None:
            receipt = replace(receipt, mac=receipt_signature(receipt, key))
        if latest is not None and latest.digest == receipt.digest:
            return latest, False
        if most is not None:
            _refuse_above(most, receipt, earlier)
        _store(receipt, raws, inbox, home)
    except OSError as error:
        said = Message("The inbox {inbox} cannot be written: {reason}. Nothing was submitted.")
        raise UsageError(said.fill(inbox=inbox, reason=error.strerror)) from error
    return receipt, True


def receipt_of(raws: Sequence[RawFile], submission: Submission, now: datetime, course: Course) -> Receipt:
    """A receipt for the files ``raws`` of ``submission``, which nobody has stored yet."""
    stored, files = stored_answers(course, submission), tuple(map(_file, raws))
    lines = sorted(f"{file.sha256}  {file.name}\n" for file in files)
    at, digest = now.astimezone(UTC), sha256("".join(lines).encode()).hexdigest()
    return Receipt(submission.learner, at, digest, files, number=1, answers=stored.items, unread=stored.unread)


_TOO_LARGE_FOR_DAY = Message(
    "These files have {size}, and you may submit {most} in 24 hours. Submit only code and answers. Nothing was "
    "submitted."
)
_TOO_MUCH_TODAY = Message(
    "These files have {size}. Together with what you submitted in the last 24 hours, that is more than the limit of "
    "{most}. You can submit them in {time}. Nothing was submitted now."
)


def _refuse_above(most: int, receipt: Receipt, earlier: Sequence[Receipt]) -> None:
    """Raises UsageError if ``receipt`` and the ``earlier`` ones of 24 hours have more than ``most`` bytes."""
    recent = sorted((other for other in earlier if other.at > receipt.at - _DAY), key=lambda other: other.at)
    size = _bytes_of(receipt)
    sizes = {"size": file_size(size), "most": file_size(most)}
    if size > most:
        raise UsageError(_TOO_LARGE_FOR_DAY.fill(**sizes))
    total, free = size + sum(map(_bytes_of, recent)), receipt.at
    for other in recent:
        if total <= most:
            break
        total -= _bytes_of(other)
        free = other.at + _DAY
    if free > receipt.at:
        raise UsageError(_TOO_MUCH_TODAY.fill(**sizes, time=duration((free - receipt.at).total_seconds())))


def _bytes_of(receipt: Receipt) -> int:
    return sum(file.size for file in receipt.files)


class Watch:
    """Notices submissions in an inbox that were not there before. ``seconds`` is how long the last look took.

    A look costs one call of the system for each learner. Only folders of learners that have changed are listed.
    """

    def __init__(self, inbox: Path) -> None:
        self._inbox = inbox
        self._seen: dict[str, tuple[int, set[str]]] = {}
        self.seconds = 0.0

    def changed(self, now: float) -> list[str]:
        """The submissions since the last look, as ``LEARNER/ATTEMPT``. ``now`` is the time in seconds since 1970.

        Raises OSError.
        """
        began = time.monotonic()
        new = list[str]()
        with os.scandir(self._inbox) as homes:
            for home in homes:
                with contextlib.suppress(OSError):  # a folder that has just gone, or that its owner has closed
                    new += self._came(home, now)
        self.seconds = time.monotonic() - began
        return sorted(new)

    def _came(self, home: os.DirEntry[str], now: float) -> list[str]:
        """The new submissions of one learner. Raises OSError if the folder cannot be listed."""
        if home.name.startswith(".") or not home.is_dir(follow_symlinks=False):
            return []
        changed = home.stat(follow_symlinks=False).st_mtime_ns
        before, known = self._seen.get(home.name, (-1, set[str]()))
        if before == changed:
            return []
        attempts = {entry for entry in os.listdir(home.path) if not entry.startswith(".")}
        # Another submission may come within the resolution of these times, so a recent one is listed again.
        self._seen[home.name] = (changed if changed < (now - _FRESH) * 1e9 else -1), attempts
        return [f"{home.name}/{name}" for name in attempts - known]


def receipt_order(receipt: Receipt) -> tuple[int, datetime]:
    """The key that sorts the receipts of a learner in the order in which they were written."""
    return receipt.number, receipt.at


def read_receipts(home: Path) -> Iterator[tuple[str, Receipt]]:
    """The readable receipts in a learner's folder, each with the name of its submission's folder."""
    for place in home.glob(f"*-*/{RECEIPT}"):
        with contextlib.suppress(UsageError, SubmissionError):
            yield place.parent.name, parse_receipt(_small(place).decode("utf-8", "replace"), str(place))


def _small(place: Path) -> bytes:
    """The content of a receipt file. Raises NoReceipt if it is too large, SubmissionError if it is no regular file."""
    with open_file(FileLocation(os.fspath(place)), RECEIPT) as file:
        raw = file.read(MAX_RECEIPT + 1)
    if len(raw) > MAX_RECEIPT:
        raise NoReceipt(TOO_LARGE.fill(where=place))
    return raw


def differences(path: Path, receipt: Receipt) -> tuple[str, ...]:
    """The names of files at ``path`` that were changed, added or removed since ``receipt`` was written."""
    then = {file.name: file for file in receipt.files}
    now = {raw.path: _file(raw) for raw in read_files(path).raws}
    return tuple(sorted(name for name in then.keys() | now.keys() if then.get(name) != now.get(name)))


def attempt_name(receipt: Receipt) -> str:
    """The name of a submission's folder in its learner's folder.

    The number tells submissions of the same files within a second apart.
    """
    again = f"-{receipt.number}" if receipt.number > 1 else ""
    return f"{receipt.at:%Y%m%dT%H%M%SZ}-{receipt.digest[:12]}{again}"


def _file(raw: RawFile) -> ReceiptFile:
    return ReceiptFile(raw.path, len(raw.data), sha256(raw.data).hexdigest())


def _store(receipt: Receipt, raws: Sequence[RawFile], inbox: Path, home: Path) -> None:
    """Write a submission to the folder ``home`` of its learner. Raises UsageError if there is no inbox."""
    if not inbox.is_dir():
        said = Message("The inbox {inbox} does not exist; ask your instructor for its path.")
        raise UsageError(said.fill(inbox=inbox))
    home.mkdir(exist_ok=True)
    with contextlib.suppress(PermissionError):  # the folder belongs to somebody else
        home.chmod(0o755)
    with _incoming(inbox) as beside:
        for raw in raws:
            _write(beside / "files" / raw.path, raw.data)
        _write(beside / RECEIPT, receipt.to_json().encode())
        for folder, _, _ in os.walk(beside):
            os.chmod(folder, 0o755)
            _flush(folder)
        beside.rename(home / attempt_name(receipt))
        _flush(home)
        _flush(inbox)


@contextlib.contextmanager
def _incoming(inbox: Path) -> Iterator[Path]:
    """A temporary folder, locked while this process uses it, and removed unless it was renamed."""
    while True:
        beside = Path(tempfile.mkdtemp(dir=inbox, prefix=INCOMING))
        with _locked(beside, wait=True):
            if not beside.exists():  # taken for an abandoned one before it was locked
                continue
            try:
                yield beside
            finally:
                shutil.rmtree(beside, ignore_errors=True)
            return


def abandoned(inbox: Path) -> Iterator[Path]:
    """The temporary folders of submissions that were interrupted; never those that a process is writing."""
    for place in inbox.glob(f"{INCOMING}*"):
        with contextlib.suppress(OSError), _locked(place) as free:
            if free if free is not None else time.time() - place.stat().st_mtime > _ABANDONED:
                yield place


@contextlib.contextmanager
def _locked(folder: Path, *, wait: bool = False) -> Iterator[bool | None]:
    """Hold the lock on a folder. Yields whether it is held; None where folders cannot be locked."""
    if sys.platform == "win32":
        yield None
        return
    import fcntl  # not on Windows

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        held: bool | None = True
    except BlockingIOError:
        held = False
    except OSError:  # some network folders cannot be locked
        held = None
    try:
        yield held
    finally:
        os.close(handle)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        path.chmod(0o644)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _flush(folder: str | Path) -> None:
    """Flush a folder to disk: a receipt is only issued for files that survive a power failure."""
    with contextlib.suppress(OSError):  # some systems and network folders do not support this
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
