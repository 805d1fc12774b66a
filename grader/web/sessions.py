"""Whose a link or a session is, and whether it still works."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from grader.classroom.class_folder import SECRET
from grader.classroom.ended_sessions import EndedSessions, Purpose
from grader.web.links import Claim, Signer, read_signer
from grader.web.people import ClassMember, ClassMembers

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
