"""Who is asking: a learner, an assistant or an instructor of the class."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from grader.classroom.class_folder import ClassSettings
from grader.classroom.roster import Roster
from grader.core.errors import UsageError
from grader.core.model import Text

#: What a proxy may call a learner. Numbers of a course system are not what anybody signs in with.
_SIGNED_IN_BY = ("learner", "sid", "login", "email")
_BOTH = Text(
    "class.yaml names {id} as staff, but the roster has a learner with this id; give the member of the staff another.",
    "class.yaml 把 {id} 列为教师或助教，而名单里有同一学号的学习者；请给前者换一个账号。",
)


class Role(enum.Enum):
    """What somebody may do in a class. Assistants and instructors are *staff*."""

    LEARNER = "learner"
    ASSISTANT = "assistant"
    INSTRUCTOR = "instructor"


@dataclass(frozen=True, slots=True)
class ClassMember:
    """Somebody who signed in. ``id`` is that of the roster for a learner; staff are named by the class's file."""

    id: str
    name: str
    role: Role


class ClassMembers:
    """Everybody in a class: the learners of its roster, and the staff that its file names."""

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
        """Everybody, learners first."""
        return iter(self._people.values())

    def find(self, name: str) -> ClassMember | None:
        """The person with this id."""
        return self._people.get(name)

    def named_by_proxy(self, login: str) -> ClassMember | None:
        """The person whom a proxy calls ``login``: by id, else by the one address or number that only they have.

        Names do not count: two people may share one.
        """
        if login in self._people:
            return self._people[login]
        known = self._known_as.get(login.casefold(), set())
        return self._people[next(iter(known))] if len(known) == 1 else None
