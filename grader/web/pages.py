"""The application of one learner: its routes, and the pages on the course, progress, pictures and files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from grader.core import files
from grader.core.errors import CourseError, SubmissionError, UsageError
from grader.core.model import Lang, Message, Question, Text
from grader.core.text import name_list
from grader.learning import log, next_step, review
from grader.learning.progress import QuestionProgress
from grader.report.figures import kinds, run, svg
from grader.report.html import sheet
from grader.submission.files import MAX_TOTAL
from grader.submission.messages import size
from grader.web import code_pages, item_pages
from grader.web.learner import LearnerWorkspace
from grader.web.visit import TEMPLATES, LearnerVisit, error_handlers, existing, route

#: The path for uploads, and the most bytes of a request there: those of a submission, and some for the form.
UPLOADS, MOST_UPLOADED = "/work", MAX_TOTAL + (1 << 20)
#: The most fields and files in an upload.
_MOST_SENT = (1000, 100)


def make_app(learner: LearnerWorkspace, lang: Lang) -> Starlette:
    """The pages of ``learner``, in ``lang`` until they choose another language. Wrap it in ``security.Guard``."""

    visit = partial(LearnerVisit, learner=learner, default=lang)
    return learner_app(visit, route("/progress", rename, "POST", visit=visit))


def learner_app(
    visit: Callable[[Request], LearnerVisit], *others: Route, failing: Callable[[Request], LearnerVisit] | None = None
) -> Starlette:
    """The pages of learners, and ``others``; ``visit`` says whose request it is, ``failing`` if that may fail."""
    page = partial(route, visit=visit)
    return Starlette(
        routes=[
            *others,
            page("/", map_page),
            page("/language", choose_language, "POST"),
            page("/progress", progress_page),
            page("/questions/{question}", question_page),
            page("/questions/{question}/code", code_pages.code_page),
            page("/questions/{question}/code", code_pages.check_code, "POST"),
            page("/questions/{question}/file", code_pages.download_code),
            page("/questions/{question}/reference", code_pages.reference_page),
            page("/items/{item}", item_pages.item_page),
            page("/items/{item}", item_pages.answer_item, "POST"),
            page("/items/{item}/reading", item_pages.reading, "GET", "POST"),
            page("/exercises/{exercise}/hint", code_pages.next_hint, "POST"),
            page("/drafts/{kind}/{name}", item_pages.save_draft, "POST"),
            page("/review", item_pages.review_page),
            page("/review/next", item_pages.review_next),
            page("/review/items/{item}", item_pages.review_item),
            page("/review/items/{item}", item_pages.review_answer, "POST"),
            page("/review/exercises/{exercise}", code_pages.memory_page),
            page("/review/exercises/{exercise}", code_pages.check_memory, "POST"),
            page("/pictures", pictures_page),
            page("/pictures/{picture}", picture_page),
            page(UPLOADS, work_page),
            page(UPLOADS, upload, "POST", most=_MOST_SENT),
            page("/work.zip", download_everything),
            page("/style.css", style_sheet),
            Mount("/static", StaticFiles(directory=TEMPLATES.parent / "static")),
        ],
        exception_handlers=error_handlers(failing or visit),
    )


def author_app(opened: Callable[[], LearnerWorkspace], folder: Path, lang: Lang) -> Starlette:
    """The pages of a learner of the course in ``folder``; what is wrong in its files, if anything is.

    ``opened`` reads the course, and is called again once a file was saved. Pages ask every second whether one was.
    """
    learner = opened()
    wrong: CourseError | None = None
    learner.watched = state_of(folder)

    def visit(request: Request) -> LearnerVisit:
        return LearnerVisit(request, learner, lang)

    def fresh(request: Request) -> LearnerVisit:
        nonlocal learner, wrong
        now = state_of(folder)
        if now != learner.watched:
            learner.watched, wrong = now, None
            try:
                read = opened()
            except CourseError as error:
                wrong = error
            else:
                learner.close()
                learner, learner.watched = read, now
        if wrong is not None:
            raise wrong
        return visit(request)

    def changed(visit: LearnerVisit) -> Response:
        """Nothing, or what makes htmx load the page again."""
        is_new = visit.asked("since") != state_of(folder)
        return Response(headers={"HX-Refresh": "true"}) if is_new else Response(status_code=204)

    return learner_app(fresh, route("/changed", changed, visit=visit), failing=visit)


def state_of(folder: Path) -> str:
    """Changes whenever a file of the course is saved."""
    paths = [*folder.glob("*.yaml"), *folder.glob("questions/*.yaml"), *folder.glob("reference/*.py")]
    return str(hash(tuple((path, files.state(path)) for path in sorted(paths))))


def choose_language(visit: LearnerVisit) -> Response:
    """Change the language, and return to the page."""
    visit.learner.speak("zh" if visit.typed("lang") == "zh" else "en")
    return RedirectResponse("/" + visit.typed("back").lstrip("/\\"), 303)


def style_sheet(visit: LearnerVisit) -> Response:
    """The style sheet: that of reports, and that of these pages."""
    text = sheet(TEMPLATES / "tokens.css", TEMPLATES / "web.css") + svg.RULES
    return Response(text, media_type="text/css", headers={"Cache-Control": "no-cache"})


# ------------------------------------------------------------------------------------------ the course


def map_page(visit: LearnerVisit) -> Response:
    """All questions with the progress in each, and the next step."""
    progress = visit.learner.progress()
    due = visit.learner.due(log.now())
    step = next_step.next_step(progress, due)
    groups = [
        (title, [standing for standing in progress.questions if standing.question.group == name])
        for name, title in visit.learner.course.groups
    ]
    opening = _opening(step.question.question, visit.lang) if step.question is not None else ""
    return visit.show(
        "map.html",
        groups=groups,
        known=progress,
        step=step,
        step_link=_onward(step.question) if step.question is not None else None,
        due=due,
        opening=opening,
        work=visit.class_work(),
    )


def _opening(question: Question, lang: Lang) -> str:
    """The first paragraph of a prompt, without a last sentence that leads to what follows."""
    return re.sub(r"[^.?!。？！]*[:：,，]$", "", question.prompt.of(lang).strip().split("\n")[0]).strip()


def _onward(progress: QuestionProgress) -> str | None:
    """The page of the first open item of a question, else of its code; None if nothing is open."""
    for item in next_step.open_items(progress):
        return f"/items/{item.item.id}"
    return f"/questions/{progress.question.id}/code" if next_step.open_exercises(progress) else None


def question_page(visit: LearnerVisit) -> Response:
    """One question: its prompt with its pictures, its items and exercises."""
    question = visit.question
    known = visit.learner.progress().question(question.id)
    pictures = run.pictures(visit.learner.course, question)
    return visit.show("question.html", question=question, known=known, onward=_onward(known), pictures=pictures)


def progress_page(
    visit: LearnerVisit, said: Sequence[Text] = (), problem: Text | None = None, status: int = 200
) -> Response:
    """The learner's progress, open misconceptions and name; after a change of the name, what is said of it."""
    learner = visit.learner
    known, due = learner.progress(), len(review.queue(learner.cards(), log.now()))
    return visit.show("progress.html", status=status, known=known, due=due, said=said, problem=problem)


def rename(visit: LearnerVisit) -> Response:
    """Change the name of the only learner. In a class, the roster has the names."""
    try:
        return progress_page(visit, visit.learner.rename(visit.typed("name")))
    except UsageError as error:
        return progress_page(visit, problem=visit.learner.told(error), status=400)


# ------------------------------------------------------------------------------------------ pictures


def pictures_page(visit: LearnerVisit) -> Response:
    """The pictures that this course can draw, with the questions that each belongs to."""
    return visit.show("pictures.html", pictures=run.pictures(visit.learner.course))


def picture_page(visit: LearnerVisit) -> Response:
    """One picture: what the reference computes, and the learner's code beside it."""
    name = visit.named("picture")
    kind = existing(kinds.kinds().get(name))
    figure, mine = visit.learner.figure(kind)
    return visit.show(
        "picture.html",
        name=name,
        questions=run.questions(visit.learner.course, kind),
        figure=figure,
        rows=svg.draw(figure, visit.lang),
        remarks=[] if mine is None else [(remark.name, remark.text) for remark in mine.remarks],
        mine=mine is not None and mine.seen is not None,
    )


# ------------------------------------------------------------------------------------------ all files


def upload(visit: LearnerVisit) -> Response:
    """Save uploaded files, all or none, if they can be read as a submission."""
    uploads = visit.uploads("files")
    if not uploads:
        return work_page(visit, problem=Message("Choose a file first."))
    try:
        saved = visit.learner.receive(uploads, replacing=visit.typed("replace") == "1")
    except (UsageError, SubmissionError) as problem:
        return work_page(visit, problem=visit.learner.told(problem), status=400)
    return work_page(visit, saved)


def work_page(
    visit: LearnerVisit, saved: list[str] | None = None, problem: Text | None = None, status: int = 200
) -> Response:
    """All files of the learner, with a form to upload more; after an upload, what was ``saved``, or the ``problem``."""
    try:
        files = visit.learner.files()
    except SubmissionError as error:
        files, problem, status = None, problem or visit.learner.told(error), 400
    return visit.show(
        "work.html",
        status=status,
        found=() if files is None else [(raw.path, size(len(raw.data))) for raw in files.raws],
        saved=name_list(saved).of(visit.lang) if saved else "",
        problem="" if problem is None else problem.of(visit.lang),
    )


def download_everything(visit: LearnerVisit) -> Response:
    """All files, the answers and the progress log as a zip."""
    headers = {"Content-Disposition": 'attachment; filename="attncheck-work.zip"'}
    return Response(visit.learner.everything(), media_type="application/zip", headers=headers)
