"""Who is asking: a learner, an assistant or an instructor of the class."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Role(enum.Enum):
    """What somebody may do in a class. Assistants and instructors are *staff*."""

    LEARNER = "learner"
    ASSISTANT = "assistant"
    INSTRUCTOR = "instructor"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who signed in. ``id`` is that of the roster for a learner; staff are named by the class's file."""

    id: str
    name: str
    role: Role
