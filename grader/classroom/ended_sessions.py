"""The sessions and links of a class that no longer work although they have not expired: ``.attncheck-ended``.

Tokens are signed and not stored, so this file lists only the exceptions: for each person the sessions that were ended
one by one, and the moments up to which all their sessions or links are void. It has no secrets.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

from grader.core.errors import UsageError
from grader.core.files import readable_json, write
from grader.core.model import Message

Purpose: TypeAlias = Literal["link", "session"]

FILE = ".attncheck-ended"
#: The id under which the entries for the whole class are kept; nobody has it.
_EVERYBODY = ""
#: The most sessions of a person that are listed. Beyond that, all that are as old as the oldest of them are void.
_MOST_LISTED = 50

_DAMAGED = Message(
    "{path} is not a list of ended sessions; restore it from a backup. If there is none, remove it together with "
    ".attncheck-links, so that no ended session works again, and send new links."
)
_NOT_WRITABLE = Message(
    "{path} cannot be written ({reason}); ended sessions work again after a restart. Free some space or make the "
    "folder writable."
)


@dataclass(slots=True)
class _Void:
    """What is void of a person: tokens by purpose up to a moment, and sessions by id. Times are in milliseconds."""

    until: dict[str, int] = field(default_factory=dict)
    sessions: dict[str, int] = field(default_factory=dict)


_NOTHING = _Void()


class EndedSessions:
    """The ended sessions of the class in ``folder``. Several threads may use it."""

    def __init__(self, folder: Path) -> None:
        """Read the file, if there is one. Raises UsageError if it is damaged."""
        self._path = folder / FILE
        self._lock = threading.Lock()
        self._people: dict[str, _Void] = self._read() or {}
        self._unsaved = False

    def _read(self) -> dict[str, _Void] | None:
        """What is in the file; None if there is none. Raises UsageError if it is damaged."""
        try:
            data = json.loads(self._path.read_bytes())
            return {str(name): _void(entry) for name, entry in data["people"].items()}
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise UsageError(_DAMAGED.fill(path=self._path)) from error

    def _catch_up(self) -> None:
        """Take over what `attncheck forget` has changed meanwhile, unless something here could not be saved."""
        with contextlib.suppress(UsageError):
            if not self._unsaved and (people := self._read()) is not None:
                self._people = people

    def is_void(self, purpose: Purpose, person: str, issued: datetime, session: str) -> bool:
        """Whether a token of ``person``, issued then, was ended. Links have no ``session``."""
        for name in (person, _EVERYBODY):
            void = self._people.get(name, _NOTHING)
            if session in void.sessions or _milliseconds(issued) <= void.until.get(purpose, -1):
                return True
        return False

    def end(self, person: str, issued: datetime, session: str) -> None:
        """End one session. Raises UsageError if that cannot be saved; it is ended until a restart nevertheless."""
        with self._lock:
            self._catch_up()
            void = self._people.setdefault(person, _Void())
            void.sessions[session] = _milliseconds(issued)
            while len(void.sessions) > _MOST_LISTED:
                oldest = min(void.sessions, key=lambda name: void.sessions[name])
                void.until["session"] = max(void.until.get("session", -1), void.sessions.pop(oldest))
            self._save()

    def end_all(self, person: str | None, purposes: Iterable[Purpose], now: datetime) -> None:
        """End all tokens that ``person``, or with None anybody, has had until ``now``. Raises as ``end`` does."""
        with self._lock:
            self._catch_up()
            void = self._people.setdefault(_EVERYBODY if person is None else person, _Void())
            for purpose in purposes:
                void.until[purpose] = max(void.until.get(purpose, -1), _milliseconds(now))
            if (until := void.until.get("session")) is not None:
                void.sessions = {name: issued for name, issued in void.sessions.items() if issued > until}
            self._save()

    def forget(self, person: str) -> None:
        """Delete the entries about a person who is no longer in the class."""
        with self._lock:
            self._catch_up()
            if self._people.pop(person, None) is not None:
                self._save()

    def _save(self) -> None:
        people = {name: {"until": void.until, "sessions": void.sessions} for name, void in self._people.items()}
        self._unsaved = True
        try:
            write(self._path, readable_json({"format": 1, "people": people}))
            self._unsaved = False
        except OSError as error:
            raise UsageError(_NOT_WRITABLE.fill(path=self._path, reason=error.strerror)) from error


def _void(value: Any) -> _Void:
    """An entry of the file. Raises TypeError, ValueError or LookupError if it is something else."""
    return _Void(*({str(name): int(at) for name, at in value[key].items()} for key in ("until", "sessions")))


def _milliseconds(at: datetime) -> int:
    return int(at.astimezone(UTC).timestamp() * 1000)
