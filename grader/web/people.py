"""The members of a class: learners, assistants and instructors."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.class_folder import FILE, ClassSettings, read_settings
from grader.classroom.roster import Roster, read_roster
from grader.core import files
from grader.core.errors import AttncheckError, UsageError
from grader.core.model import Message, Text

#: The kinds of ids by which a proxy may name a learner. Nobody signs in with the number of a course system.
_SIGNED_IN_BY = ("learner", "sid", "login", "email")
_BOTH = Message(
    "class.yaml names {id} as staff, but a learner on the roster has this id; give the member of the staff another id."
)
_KEPT = Message("{error} Until this is corrected, everybody who could sign in still can.")


class Role(enum.Enum):
    """The role of a person in a class. Assistants and instructors are *staff*."""

    LEARNER = "learner"
    ASSISTANT = "assistant"
    INSTRUCTOR = "instructor"


@dataclass(frozen=True, slots=True)
class ClassMember:
    """A person who signed in. Learners have the ``id`` of the roster, staff that of class.yaml."""

    id: str
    name: str
    role: Role


class ClassMembers:
    """All members of a class: the learners on its roster, and the staff in its class.yaml."""

    def __init__(self, roster: Roster, settings: ClassSettings) -> None:
        """Raises UsageError if a learner and a member of the staff share an id."""
        self.learners = {learner.id: learner for learner in roster.learners}
        self._people: dict[str, ClassMember] = {}
        self._known_as: dict[str, set[str]] = {}
        self.update(roster, settings)

    def update(self, roster: Roster, settings: ClassSettings) -> None:
        """Take over changes: other staff, and learners who left. New learners count from the next start on.

        Raises UsageError, and changes nothing, if a learner and a member of the staff share an id.
        """
        listed = {learner.id for learner in roster.learners}
        learners = [learner for learner in self.learners.values() if learner.id in listed]
        people = {learner.id: ClassMember(learner.id, learner.name, Role.LEARNER) for learner in learners}
        for role, named in ((Role.ASSISTANT, settings.assistants), (Role.INSTRUCTOR, settings.instructors)):
            for name, shown in named.items():
                if name in listed:
                    raise UsageError(_BOTH.fill(id=name))
                people[name] = ClassMember(name, shown, role)
        known_as: dict[str, set[str]] = {}
        for learner in learners:
            for kind, value in learner.ids:
                if kind in _SIGNED_IN_BY:
                    known_as.setdefault(value.casefold(), set()).add(learner.id)
        self._people, self._known_as = people, known_as

    def __iter__(self) -> Iterator[ClassMember]:
        """All members, learners first."""
        return iter(self._people.values())

    def find(self, name: str) -> ClassMember | None:
        """The member with this id; None if there is none."""
        return self._people.get(name)

    def named_by_proxy(self, login: str) -> ClassMember | None:
        """The member whom a proxy calls ``login``: by id, else by an address or number that only they have.

        Names are ignored, because two people may share one.
        """
        if login in self._people:
            return self._people[login]
        ids = self._known_as.get(login.casefold(), set())
        return self._people.get(next(iter(ids))) if len(ids) == 1 else None


class MemberFiles:
    """The files that say who is in a class, ``class.yaml`` and the roster, watched while the server runs."""

    def __init__(self, folder: Path, roster: Path, people: ClassMembers, report: Callable[[Text], None]) -> None:
        """``report`` is called with what is wrong with a file; ``people`` then stay as they are."""
        self._folder, self._roster, self._people, self._report = folder, roster, people, report
        self._lock = threading.Lock()
        self._read: list[tuple[int, ...] | None] = []

    def changed(self) -> bool:
        """Whether a file differs from what was read last, by its time, size and number; at first, always."""
        return self._state() != self._read

    def reread(self) -> None:
        """Read the files again if they have changed, and update the people."""
        with self._lock:
            state = self._state()
            if state == self._read:
                return
            self._read = state
            try:
                self._people.update(read_roster(self._roster), read_settings(self._folder))
            except AttncheckError as error:
                self._report(_KEPT.fill(error=error.message))

    def _state(self) -> list[tuple[int, ...] | None]:
        return [files.state(path) for path in (self._folder / FILE, self._roster)]
