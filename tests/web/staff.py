"""The instructor's pages as an application: ``Guard`` around them, and somebody who is signed in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from grader import web
from grader.web.class_data import ClassData
from grader.web.instructor import routes
from grader.web.people import ClassMember, Role
from grader.web.security import Guard

PROF = ClassMember("prof", "Prof. Invented", Role.INSTRUCTOR)


class SignedIn:
    """Stands for the sessions of the class server: every request is by ``person``."""

    def __init__(self, app: Any, person: ClassMember | None) -> None:
        self.app, self.person = app, person

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Says who asks."""
        if scope["type"] == "http" and self.person is not None:
            scope.setdefault("state", {})["person"] = self.person
        await self.app(scope, receive, send)


def make_app(class_data: ClassData, token: str, host: str, person: ClassMember | None = PROF) -> Guard:
    """The pages of ``class_data``, guarded as those of a learner."""
    static = StaticFiles(directory=Path(web.__file__).parent / "static")
    app = Starlette(routes=[*routes(class_data), Mount("/static", static)])
    return Guard(SignedIn(app, person), token, frozenset({host}))
