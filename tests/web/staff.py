"""The instructor's pages as an application: ``Guard`` around them, and somebody who is signed in."""

from __future__ import annotations

from grader.web import instructor
from grader.web.class_data import ClassData
from grader.web.people import ClassMember, Role
from grader.web.security import Guard

PROF = ClassMember("prof", "Prof. Invented", Role.INSTRUCTOR)


def make_app(class_data: ClassData, token: str, host: str, person: ClassMember | None = PROF) -> Guard:
    """The pages of ``class_data``, guarded as those of a learner."""
    return Guard(instructor.make_app(class_data, person), token, frozenset({host}))
