"""The members of a class: learners, assistants and instructors."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from grader.classroom.class_folder import ClassSettings
from grader.classroom.roster import Roster
from grader.core.errors import UsageError
from grader.core.model import Text

#: The kinds of ids by which a proxy may name a learner. Nobody signs in with the number of a course system.
_SIGNED_IN_BY = ("learner", "sid", "login", "email")
_BOTH = Text(
    "class.yaml names {id} as staff, but a learner on the roster has this id; give the member of the staff another id.",
    "class.yaml 把 {id} 列为教师或助教，而名单里有同一学号的学习者；请给前者换一个账号。",
)


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
        staff = [(Role.ASSISTANT, settings.assistants), (Role.INSTRUCTOR, settings.instructors)]
        self.learners = {one.id: one for one in roster.learners}
        self._people = {one.id: ClassMember(one.id, one.name, Role.LEARNER) for one in roster.learners}
        for role, named in staff:
            for name, shown in named.items():
                if name in self._people:
                    raise UsageError(_BOTH.fill(id=name))
                self._people[name] = ClassMember(name, shown, role)
        self._known_as: dict[str, set[str]] = {}
        for one in roster.learners:
            for kind, value in one.ids:
                if kind not in _SIGNED_IN_BY:
                    continue
                self._known_as.setdefault(value.casefold(), set()).add(one.id)

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
        known = self._known_as.get(login.casefold(), set())
        return self._people[next(iter(known))] if len(known) == 1 else None
