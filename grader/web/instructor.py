"""The instructor's pages: the class, one learner, and the routes of all other pages.

The application that uses ``routes`` sets ``request.state.person``. The pages show and change the same things as the
commands, with the same functions.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import math
import secrets
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from grader.classroom import inbox
from grader.classroom.ended_sessions import Purpose
from grader.classroom.marks import Mark
from grader.classroom.results import Book, parts
from grader.core.files import portable
from grader.core.model import Message, Text
from grader.instructor import class_table, learner_requests
from grader.instructor import export as exports
from grader.instructor.analysis import answers, similarity_view
from grader.instructor.analysis.answers import borrowed_by_learner
from grader.instructor.analysis.class_similarity import ClassSimilarity, Cluster, compare_class, find_clusters
from grader.instructor.analysis.statistics import Spread, spread_of
from grader.instructor.analysis.statistics_view import mean
from grader.instructor.class_table import FLAGS, ClassRow, TableFilter
from grader.instructor.export import html as pages
from grader.instructor.export.html import LearnerPages
from grader.instructor.mark_reports import mark_of, report_with_overrides
from grader.report.html import PageLearner, render_body
from grader.web import instructor_items, instructor_marking
from grader.web.class_data import LANGUAGE, RARELY, ClassData, Download, StaffVisit, staff_route, style_sheet
from grader.web.instructor_items import borrowed_answers
from grader.web.instructor_marking import find_done
from grader.web.people import ClassMember, Role
from grader.web.security import App, Receive, Scope, Send
from grader.web.sessions import Sessions
from grader.web.visit import TEMPLATES, existing

#: What the buttons end.
_ENDS: Mapping[str, tuple[Purpose, ...]] = {"sessions": ("session",), "links": ("session", "link")}
#: The number of learners on a page of the table.
_PER_PAGE = 50


def routes(class_data: ClassData) -> list[Route]:
    """All pages for ``class_data``. The application serves ``/static`` and controls access."""

    page = partial(staff_route, class_data)
    one, mark = ("/learners/{learner}", learner_page), ("/marking/{item}", instructor_marking.mark_page)
    requests, changes = ("/requests", instructor_marking.requests_page), ("/changes", instructor_marking.changes_page)
    return [
        page("", class_page),
        page("/style.css", send_style_sheet),
        page("/language", language, "POST"),
        page(*one),
        page("/learners/{learner}/page", learner_file),
        page("/learners/{learner}/points", instructor_marking.points_by_hand, "POST", form_on=one),
        page("/questions", instructor_items.questions_page),
        page("/items/{item}", instructor_items.item_page),
        page("/exercises/{exercise}", instructor_items.exercise_page),
        page("/misconceptions", instructor_items.misconceptions_page),
        page("/marking", instructor_marking.pending_page),
        page(*mark),
        page("/marking/{item}", instructor_marking.save_marks, "POST", form_on=mark),
        page(*requests),
        page("/requests/{number}", instructor_marking.reply, "POST", form_on=requests),
        page("/similar", similar_page),
        page("/downloads", downloads_page),
        page("/downloads/{form}", make_download, "POST", form_on=("/downloads", downloads_page)),
        page(*changes),
        page("/changes/{number}/undo", instructor_marking.undo, "POST", form_on=changes),
        page("/sessions", sessions_page),
        page("/sessions", end_sessions, "POST", form_on=("/sessions", sessions_page)),
    ]


def make_app(class_data: ClassData, person: ClassMember | None) -> App:
    """All pages for ``class_data`` as an application, where every request is by ``person``.

    It controls no access: wrap it in ``security.Guard``.
    """
    static = Mount("/static", StaticFiles(directory=TEMPLATES.parent / "static"))
    app = Starlette(routes=[*routes(class_data), Route("/", lambda request: RedirectResponse(class_data.at())), static])

    async def signed_in(scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {})["person"] = person
        await app(scope, receive, send)

    return signed_in


def send_style_sheet(visit: StaffVisit) -> Response:
    """The style sheet of all pages."""
    return Response(style_sheet(), media_type="text/css", headers={"Cache-Control": "no-cache"})


def language(visit: StaffVisit) -> Response:
    """Change the language, and return to the page."""
    back = visit.typed("back") if visit.typed("back").startswith(visit.class_data.base) else visit.class_data.at()
    answer = RedirectResponse("/" + back.lstrip("/\\"), 303)
    chosen = "zh" if visit.typed("lang") == "zh" else "en"
    answer.set_cookie(LANGUAGE, chosen, httponly=True, samesite="strict", path="/", max_age=31_536_000)
    return answer


# ------------------------------------------------------------------------------------------ the class


def class_page(visit: StaffVisit) -> Response:
    """The class as a table, in pages."""
    class_data = visit.class_data
    visit.note_reading("read class table")
    choice = TableFilter(
        visit.asked("q")[:200],
        visit.asked("show"),
        visit.asked("section"),
        visit.asked("sort", "learner"),
        bool(visit.asked("down")),
    )
    everybody = class_data.rows()
    matching = class_table.filter_rows(everybody, choice)
    last = max(1, math.ceil(len(matching) / _PER_PAGE))
    page = min(max(1, visit.asked_number("page") or 1), last)
    return visit.page(
        "instructor_class.html",
        rows=matching[(page - 1) * _PER_PAGE : page * _PER_PAGE],
        questions=class_data.graded_questions(),
        titles=class_table.titles(),
        flags={name: sum(map(test, everybody)) for name, test in FLAGS.items()},
        sections=sorted({row.section for row in everybody if row.section}),
        choice=choice,
        found=len(matching),
        all=len(everybody),
        page=page,
        pages=last,
        summary=class_data.once("summary", lambda book: pages.summary(book, class_data.rows())),
        waiting=instructor_marking.count_waiting(class_data).total(),
        spread=_spread(everybody),
        mean=mean,
        unmatched=class_data.once("unmatched", lambda book: tuple(mark.learner.id for mark in book.unmatched())),
        open_requests=sum(request.answer is None for request in learner_requests.list_requests(class_data.folder)),
    )


def _spread(everybody: Sequence[ClassRow]) -> Spread:
    """The distribution of points among those who submitted."""
    shares = [row.earned / row.possible for row in everybody if row.submitted and row.possible]
    return spread_of(shares, len(shares))


# ------------------------------------------------------------------------------------------ a learner


def learner_page(visit: StaffVisit) -> Response:
    """One learner: points, history, points by hand, requests, answers, and the report of one submission."""
    class_data = visit.class_data
    learner = class_data.learner(visit.named("learner"))
    marks = [mark for mark, _ in class_data.answered() if mark.learner.id == learner.id]
    counting = [mark for mark in marks if mark.counts]
    mark = _mark_of(marks, visit.asked("submission")) or (counting[-1] if counting else None)
    key = mark.work.row.key if mark is not None and mark.work is not None else ""
    submission = {"submission": key} if key else {}
    visit.note_reading("read report", learner=learner.id, **submission)
    with class_data.book() as book:
        report = _report(visit, book, mark) if mark is not None else None
        rows = book.gradebook.everything_of(learner.id)
        history = [(row, _mark_of(marks, row.key), receipt_digest(book.gradebook.place(row))) for row in rows]
        given = book.gradebook.answers(mark.work.row) if mark is not None and mark.work is not None else {}
    history.sort(key=lambda each: (each[0].attempt, each[0].at.timestamp() if each[0].at else 0.0), reverse=True)
    return visit.page(
        "instructor_learner.html",
        learner=learner,
        marks=counting,
        class_row=class_table.class_row,
        report=report,
        history=history,
        chosen=key,
        overrides=mark.overridden if mark is not None else (),
        questions=class_data.graded_questions(),
        parts=parts(class_data.course).values(),
        requests=learner_requests.list_requests(class_data.folder, learner.id),
        answers=given,
        answer_text=answers.answer_text,
        done=find_done(visit),
        to_mark=_to_mark(class_data, learner.id),
        may_end=visit.may_end_sessions(learner.id),
    )


def _to_mark(class_data: ClassData, learner: str) -> str | None:
    """The first item with an answer of ``learner`` that waits for a person."""
    groups = instructor_marking.pending_answers(class_data).groups
    return next((group.item.id for group in groups if learner in group.learners), None)


def _report(visit: StaffVisit, book: Book, mark: Mark) -> Markup | None:
    report = report_with_overrides(book, mark)
    if report is None or mark.work is None:
        return None
    whose = PageLearner(mark.learner.name, mark.work.row.seed_name)
    return Markup(render_body(report, visit.class_data.course, visit.lang, whose))


def _mark_of(marks: Sequence[Mark], key: str) -> Mark | None:
    """The mark of the submission with this key."""
    return next((mark for mark in marks if mark.work is not None and mark.work.row.key == key), None)


def receipt_digest(place: Path) -> str:
    """The digest on the receipt of a submission to an inbox; empty if there is none."""
    file = place.parent / inbox.RECEIPT
    with contextlib.suppress(OSError, ValueError, inbox.NoReceipt):
        if file.stat().st_size <= inbox.MAX_RECEIPT:
            return inbox.parse_receipt(file.read_text("utf-8"), inbox.RECEIPT).digest
    return ""


# ------------------------------------------------------------------------------------------ sessions


def _sessions(visit: StaffVisit) -> Sessions:
    """The sessions of the class. Raises HTTPException (403) unless the visitor may end them."""
    sessions = visit.class_data.sessions
    if sessions is None or not visit.may_end_sessions():
        raise HTTPException(403)
    return sessions


def sessions_page(visit: StaffVisit) -> Response:
    """A page to end the sessions of staff and of everybody."""
    staff = [member for member in _sessions(visit).people if member.role is not Role.LEARNER]
    return visit.page("instructor_sessions.html", staff=staff, done=find_done(visit))


def end_sessions(visit: StaffVisit) -> Response:
    """End the sessions, and the links if so asked, of one person; without a person, of everybody."""
    sessions, class_data = _sessions(visit), visit.class_data
    name, ends = visit.form.get("person"), _ENDS.get(visit.typed("do"))
    if ends is None or not isinstance(name, str):
        raise HTTPException(404)
    person = existing(sessions.people.find(name)) if name else None
    sessions.end_all(name or None, ends)
    learner = person is not None and person.role is Role.LEARNER
    about = {"learner" if learner else "person": name} if name else {}
    visit.note("ended sessions and links" if "link" in ends else "ended sessions", **about)
    page = class_data.at("learners", name, done="ended") if learner else class_data.at("sessions", done="ended")
    return RedirectResponse(page, 303)


# ------------------------------------------------ similar solutions, downloads, and the log of changes

#: The most clusters on the list, and the most couples on the page of a cluster.
_MOST_CLUSTERS, _MOST_COUPLES = 100, 30
#: The formats with which grades and feedback reach people.
_GRADES = {"canvas", "canvas-feedback", "csv", "gradescope", "html", "moodle"}
_GONE = Message("This file is no longer available; create it again.")

# ------------------------------------------------------------------------------------------ similar solutions


def similar_page(visit: StaffVisit) -> Response:
    """The clusters of similar submissions, or one of them side by side; and answers that fit others' numbers."""
    class_data = visit.class_data
    alike, made = _alike(class_data)
    people = {key: tuple(map(class_data.called, names)) for key, names in alike.people.items()}
    given: dict[str, Any] = {"alike": replace(alike, people=people), "view": similarity_view}
    if visit.asked("cluster"):
        number = visit.asked_number("cluster") or 0
        if not 1 <= number <= len(made):
            raise HTTPException(404)
        ids = [name for key in made[number - 1].keys for name in alike.people[key]]
        visit.note_reading("read comparison", learners=", ".join(sorted({*ids})))
        (shown,) = similarity_view.compare_clusters(given["alike"], [made[number - 1]], _MOST_COUPLES)
        return visit.page("instructor_cluster.html", each=shown, number=number, people=ids, **given)
    visit.note_reading("read similar solutions")
    return visit.page(
        "instructor_similar.html",
        clusters=made[:_MOST_CLUSTERS],
        more=max(0, len(made) - _MOST_CLUSTERS),
        borrowers=borrowed_by_learner(borrowed_answers(class_data)),
        **given,
    )


def _alike(class_data: ClassData) -> tuple[ClassSimilarity, tuple[Cluster, ...]]:
    """The similarities and clusters. Cached until there are new submissions, because comparing takes seconds."""

    def version(book: Book) -> bytes:
        rows = [(row.key, row.digest, row.learners, row.attempt) for row in book.gradebook.submissions()]
        return hashlib.sha256(repr([*rows, *book.points]).encode()).digest()

    def make(book: Book) -> tuple[ClassSimilarity, tuple[Cluster, ...]]:
        alike = compare_class(book.gradebook, class_data.course)
        return alike, find_clusters(alike.found)

    submitted = class_data.once("submitted", version)
    return class_data.once("similar", make, submitted, rest=RARELY)


# ------------------------------------------------------------------------------------------ downloads


def export_formats() -> dict[str, ModuleType]:
    """The modules of all export formats for a gradebook, by name."""
    modules = {name: exports.format_module(name) for name in exports.format_names()}
    return {name: module for name, module in modules.items() if module.SOURCE == "gradebook"}


def downloads_page(visit: StaffVisit) -> Response:
    """The list of formats, or a finished file whose remarks were shown."""
    token = visit.asked("file")
    if token:
        ready = visit.class_data.shelf.get(token)
        if ready is None:
            return visit.failed(_GONE.of(visit.lang), 404)
        return attachment(ready.name, ready.data)
    return visit.page("instructor_downloads.html", formats=export_formats(), grades=_GRADES)


def make_download(visit: StaffVisit) -> Response:
    """Export a file, and send it; if there are remarks, show them first."""
    name = visit.named("form")
    ready = _made(visit, name, existing(export_formats().get(name)).OPTIONS)
    visit.note("downloaded", format=name)
    if not ready.remarks:
        return attachment(ready.name, ready.data)
    remarks, token = [remark.on_page for remark in ready.remarks], secrets.token_urlsafe(16)
    visit.class_data.shelf.put(token, ready, 1)
    return visit.page("instructor_ready.html", ready=ready, remarks=remarks, token=token)


def _made(visit: StaffVisit, form: str, accepted: frozenset[str]) -> Download:
    class_data = visit.class_data
    remarks: list[Text] = []
    with tempfile.TemporaryDirectory(prefix="attncheck-") as scratch:
        folder = Path(scratch)
        given: dict[str, Any] = {name: bool(visit.typed(name)) for name in ("pseudonyms", "checks", "bom")}
        given |= {name: _uploaded(visit, name, folder) for name in accepted & {"template", "roster"}}
        given["column"] = visit.typed("column").strip() or None
        fitting = {name: value for name, value in given.items() if name in accepted}
        options = exports.ExportOptions(lang=visit.lang, now=class_data.now(), **fitting)
        to = folder / "out"
        # The key of the pseudonyms may have to be saved.
        opened = class_data.changing() if options.pseudonyms else class_data.book()
        with opened as book:
            exports.export(form, book, options, exports.ExportTarget(to, remarks.append, temporary=True))
        if to.is_dir():
            return Download(f"{form}.zip", _zipped(to), tuple(remarks))
        return Download(_called(form, options.template), to.read_bytes(), tuple(remarks))


def _uploaded(visit: StaffVisit, name: str, folder: Path) -> Path | None:
    """Save an uploaded file in ``folder`` under a safe name that messages can show; None if there is none."""
    uploads = visit.uploads(name)
    if not uploads:
        return None
    given, data = uploads[0]
    place = folder / name / portable(Path(given).name, {})
    place.parent.mkdir()
    place.write_bytes(data)
    return place


def _called(form: str, template: Path | None) -> str:
    if form == "canvas-feedback":
        return "canvas-feedback.zip"
    return template.name if template is not None else f"class.{form}"


def _zipped(folder: Path) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for path in sorted(folder.iterdir()):
            made.write(path, path.name)
    return data.getvalue()


def attachment(name: str, data: bytes) -> Response:
    """A file for the browser to save, not to show."""
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(data, media_type="application/octet-stream", headers=headers)


def learner_file(visit: StaffVisit) -> Response:
    """The page for a learner, as ``export html`` writes it."""
    class_data = visit.class_data
    learner = class_data.learner(visit.named("learner"))
    with class_data.book() as book:
        page = existing(LearnerPages(book, visit.lang, class_data.now()).of(mark_of(book, learner.id)))
    visit.note("downloaded", learner=learner.id, format="html")
    return attachment(f"{portable(learner.id, {})}.html", page.encode())
