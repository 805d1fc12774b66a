"""Signed tokens: the personal links of a class, and the sessions that start with them.

A token names a person and a role, says when it was issued, and expires. Its signature is an HMAC with the secret of the
class, a file beside the gradebook that only its owner can read. Anyone who has a link can sign in as that person, so
each link is sent to one address. A new secret invalidates all earlier links and sessions; ``ended_sessions`` lists
those that were ended one by one.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import hmac
import io
import json
import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from grader.classroom.class_folder import SECRET
from grader.classroom.ended_sessions import EndedSessions, Purpose
from grader.classroom.results import csv_cell
from grader.classroom.roster import Learner
from grader.core.errors import UsageError, reported
from grader.core.model import Message
from grader.web.people import ClassMember, ClassMembers, Role

_BYTES = 32
#: Longer tokens are rejected.
LONGEST_TOKEN = 2000
#: When tokens were issued that do not say so: before anything was ended.
_UNKNOWN = datetime.fromtimestamp(0, UTC)

_NOT_WRITABLE = Message("{path} cannot be written ({reason}); make its folder writable.")
_OPEN = Message("Others can read {path} (mode {mode}), and so sign in as anyone. Remove it, and send new links.")
_DAMAGED = Message("{path} is not an attncheck secret; restore it from a backup, or remove it and send new links.")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a token certifies: a person's id and role, until a time. Sessions also have an id."""

    id: str
    role: Role
    until: datetime
    issued: datetime = _UNKNOWN
    session: str = ""


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs and reads claims with the secret of one class."""

    secret: bytes

    @property
    def mark(self) -> str:
        """A short id of the secret that does not reveal it, to give classes on the same host different cookies."""
        return hashlib.sha256(b"mark\0" + self.secret).hexdigest()[:8]

    def sign(self, purpose: Purpose, claim: Claim) -> str:
        """Sign ``claim`` as a token for an address or a cookie."""
        until, issued = int(claim.until.timestamp()), int(claim.issued.timestamp() * 1000)
        data = [purpose, claim.id, claim.role.value, until, issued, claim.session]
        body = _encoded(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode())
        return f"{body}.{self._mac(body)}"

    def read(self, purpose: Purpose, text: str, now: datetime) -> Claim | None:
        """The claim in a token; None unless it was signed for ``purpose`` and is valid at ``now``.

        The content is validated even if the signature is right, because other programs may have the secret.
        """
        body, _, mac = text.partition(".")
        if len(text) > LONGEST_TOKEN:
            return None
        if not hmac.compare_digest(self._mac(body).encode(), mac.encode("utf-8", "replace")):
            return None
        try:
            claim = _claim(purpose, json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))))
        except (ValueError, OverflowError, OSError, RecursionError):
            return None
        return claim if claim is not None and now < claim.until else None

    def _mac(self, body: str) -> str:
        return _encoded(hmac.digest(self.secret, body.encode("utf-8", "replace"), "sha256"))


def _claim(purpose: Purpose, data: object) -> Claim | None:
    """The claim that was signed for ``purpose``; None if it is none. Raises ValueError and others for odd values."""
    match data:
        case [what, str(name), str(role), int(until), int(issued), str(session)] if what == purpose:
            issued_at = datetime.fromtimestamp(issued / 1000, UTC)
            return Claim(name, Role(role), datetime.fromtimestamp(until, UTC), issued_at, session)
        case ["link", str(name), str(role), int(until)] if purpose == "link":  # issued by earlier versions
            return Claim(name, Role(role), datetime.fromtimestamp(until, UTC))
    return None


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def read_signer(path: Path) -> Signer:
    """The signer with the secret in ``path``, which is created if needed. Raises UsageError if others can read it."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    except OSError as error:
        raise UsageError(_NOT_WRITABLE.fill(path=path, reason=error.strerror)) from error
    else:
        with open(descriptor, "wb") as file:
            file.write(secrets.token_hex(_BYTES).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    try:
        with reported(_NOT_WRITABLE, path=path), path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode & 0o777
            secret = bytes.fromhex(file.read(LONGEST_TOKEN).decode("ascii").strip())
    except ValueError:
        raise UsageError(_DAMAGED.fill(path=path)) from None
    if os.name == "posix" and mode & 0o077:
        raise UsageError(_OPEN.fill(path=path, mode=f"{mode:o}"))
    if len(secret) != _BYTES:
        raise UsageError(_DAMAGED.fill(path=path))
    return Signer(secret)


def links_csv(rows: Iterable[tuple[ClassMember, str]], learners: Mapping[str, Learner], until: datetime) -> str:
    """A CSV table for mail merge: people with their links, which end at ``until``. ``learners`` has the addresses."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", "name", "email", "role", "link", "until"])
    for member, link in rows:
        ids = dict(learners[member.id].ids) if member.id in learners else {}
        words = (member.id, member.name, ids.get("email", ""))
        writer.writerow([*map(csv_cell, words), member.role.value, link, until.isoformat(timespec="minutes")])
    return text.getvalue()


#: A session ends after this, or with the link that it began with.
_LASTS = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person with the link or session that they showed; None if a proxy signed them in."""

    person: ClassMember
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class Sessions:
    """The links and sessions of a class."""

    people: ClassMembers
    signer: Signer
    ended: EndedSessions = field(compare=False)

    @classmethod
    def of(cls, folder: Path, people: ClassMembers) -> Sessions:
        """Those of the class in ``folder``. Raises UsageError if one of its two files is damaged."""
        return cls(people, read_signer(folder / SECRET), EndedSessions(folder))

    def visitor(self, purpose: Purpose, token: str, now: datetime) -> Visitor | None:
        """Whose valid token this is; None if it is void or the person has left the class or has another role."""
        claim = self.signer.read(purpose, token, now)
        person = None if claim is None else self.people.find(claim.id)
        if claim is None or person is None or person.role is not claim.role:
            return None
        void = self.ended.is_void(purpose, claim.id, claim.issued, claim.session)
        return None if void else Visitor(person, claim)

    def begin(self, link: Claim, now: datetime) -> tuple[str, int]:
        """A new session for the owner of a link, as a token, and for how many seconds it lasts."""
        until = session_end(link, now)
        claim = Claim(link.id, link.role, until, now, secrets.token_urlsafe(12))
        return self.signer.sign("session", claim), max(0, int((until - now).total_seconds()))

    def end(self, claim: Claim) -> None:
        """End one session. Raises UsageError if that cannot be saved."""
        self.ended.end(claim.id, claim.issued, claim.session)

    def end_all(self, person: str | None, purposes: Iterable[Purpose]) -> None:
        """End everything of a person, or with None of the class. Raises UsageError if that cannot be saved."""
        self.ended.end_all(person, purposes, datetime.now(UTC))


def session_end(link: Claim, now: datetime) -> datetime:
    """When a session that begins now with ``link`` ends."""
    return min(link.until, now + _LASTS)
