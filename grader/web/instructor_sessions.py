"""Ending sessions and links: of a learner, of a member of the staff, of the whole class. For instructors only."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from grader.classroom.ended_sessions import Purpose
from grader.web.class_data import StaffVisit
from grader.web.instructor_changes import find_done
from grader.web.people import Role
from grader.web.sessions import Sessions

#: What the buttons end.
_ENDS: Mapping[str, tuple[Purpose, ...]] = {"sessions": ("session",), "links": ("session", "link")}


def _sessions(visit: StaffVisit) -> Sessions:
    """The sessions of the class. Raises HTTPException (403) unless the visitor may end them."""
    found = visit.class_data.sessions
    if found is None or not visit.may_end_sessions():
        raise HTTPException(403)
    return found


def sessions_page(visit: StaffVisit) -> Response:
    """A page to end the sessions of staff and of everybody."""
    staff = [each for each in _sessions(visit).people if each.role is not Role.LEARNER]
    return visit.page("instructor_sessions.html", staff=staff, done=find_done(visit))


def end_sessions(visit: StaffVisit) -> Response:
    """End the sessions, and the links if so asked, of one person; without a person, of everybody."""
    sessions, class_data = _sessions(visit), visit.class_data
    name, ends = visit.form.get("person"), _ENDS.get(visit.typed("do"))
    if ends is None or not isinstance(name, str):
        raise HTTPException(404)
    person = sessions.people.find(name)
    if name and person is None:
        raise HTTPException(404)
    sessions.end_all(name or None, ends)
    learner = person is not None and person.role is Role.LEARNER
    about = {"learner" if learner else "person": name} if name else {}
    visit.note("ended sessions and links" if "link" in ends else "ended sessions", **about)
    page = class_data.at("learners", name, done="ended") if learner else class_data.at("sessions", done="ended")
    return RedirectResponse(page, 303)
