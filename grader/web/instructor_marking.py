"""The instructor's pages for changes by hand: mark free text, override points, answer requests.

Changes are saved with the functions of ``attncheck override``, with the name of the author.
"""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from grader.classroom import learner_requests, rubric
from grader.classroom.overrides import OverrideRequest, give_points, remove_override
from grader.classroom.results import parts
from grader.classroom.rubric import AnswerGroup, Decision, PendingAnswers
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.course import items
from grader.web.class_data import LOCK_TIMEOUT, ClassData, Visit, moment
from grader.web.instructor_words import WORDS

#: The most groups of answers on a page.
_GROUPS = 8
#: The most answers on a page that could not be read.
_UNREAD = 100
_NOT_A_NUMBER = Text("“{typed}” is not a number of points.", "“{typed}”不是分数。")
_CHANGED = Text(
    "These answers have been marked in the meantime, or none was selected. Nothing was saved.",
    "这些回答已经有人批改过，或者没有勾选任何一份。没有保存任何内容。",
)


def done_message(visit: Visit) -> str:
    """A message about the last change, after a redirect."""
    done = visit.asked("done")
    if done.isdecimal():
        return WORDS["marked"].fill(count=int(done[:6])).of(visit.lang)
    return WORDS[done].of(visit.lang) if done in ("saved", "removed") else ""


# ------------------------------------------------------------------------------------ points by hand


def points_by_hand(visit: Visit) -> Response:
    """Give points for a part, or remove an override."""
    class_data = visit.class_data
    learner = class_data.learner(visit.request.path_params["learner"])
    part = visit.typed("part")
    if visit.typed("do") == "remove":
        remove_override(class_data.folder, learner.id, part, class_data.course_folder, visit.lang, LOCK_TIMEOUT)
        visit.note("removed override", learner=learner.id, part=part)
        return RedirectResponse(class_data.at("learners", learner.id, done="removed"), 303)
    _give(visit, learner.id, part, visit.typed("points"), visit.typed("reason"))
    return RedirectResponse(class_data.at("learners", learner.id, done="saved"), 303)


def _give(visit: Visit, learner: str, part: str, typed: str, reason: str) -> None:
    class_data = visit.class_data
    request = OverrideRequest(learner, part, _number(typed), reason, visit.author, beyond=bool(visit.typed("beyond")))
    done = give_points(class_data.folder, request, class_data.now(), class_data.course_folder, visit.lang, LOCK_TIMEOUT)
    visit.note("gave points", learner=learner, part=done.part.name, points=typed.strip(), reason=reason.strip())


def _number(typed: str) -> float:
    """Parse points typed with a decimal point or comma. Raises UsageError."""
    try:
        return float(typed.strip().replace(",", ".").replace("，", "."))
    except ValueError:
        raise UsageError(_NOT_A_NUMBER.fill(typed=typed[:40])) from None


# ------------------------------------------------------------------------------------ free text


def pending_answers(class_data: ClassData) -> PendingAnswers:
    """The answers to mark, in groups."""
    return class_data.once("waiting", rubric.pending_answers)


def pending_page(visit: Visit) -> Response:
    """The items with answers to mark."""
    found: dict[str, list[AnswerGroup]] = {}
    waiting = pending_answers(visit.class_data)
    for group in waiting.groups:
        found.setdefault(group.item.id, []).append(group)
    counted = [(groups[0].item, len(groups), sum(len(group.learners) for group in groups)) for groups in found.values()]
    return visit.page(
        "instructor_waiting.html",
        items=counted,
        unread=waiting.unread[:_UNREAD],
        more_unread=max(0, len(waiting.unread) - _UNREAD),
        done=done_message(visit),
    )


def mark_page(visit: Visit) -> Response:
    """The groups of answers to one item, the largest first."""
    class_data = visit.class_data
    _, item = class_data.item(visit.request.path_params["item"])
    if not items.key_points(item):
        raise HTTPException(404)
    known = pending_answers(class_data)
    groups = [group for group in known.groups if group.item.id == item.id]
    return visit.page(
        "instructor_marking.html",
        item=item,
        groups=groups[:_GROUPS],
        more=max(0, len(groups) - _GROUPS),
        all=len(groups),
        points_of=items.key_points(item),
        sample=items.key(item, items.Context("", "", item.id)),
        comments=known.comments.get(item.id, ()),
        wording_id=rubric.wording_id,
        done=done_message(visit),
    )


def save_marks(visit: Visit) -> Response:
    """Save the key points and the comment for the selected wordings of a group."""
    class_data = visit.class_data
    _, item = class_data.item(visit.request.path_params["item"])
    chosen = set(visit.all_typed("wording"))
    decision = Decision("".join(visit.all_typed("point")) or "0", visit.typed("comment").strip())
    with rubric.marking(class_data.folder, class_data.course_folder, visit.author, visit.lang, LOCK_TIMEOUT) as (
        found,
        decide,
    ):
        wordings = tuple(
            wording
            for group in found.groups
            if group.item.id == item.id
            for wording in group.wordings
            if rubric.wording_id(wording.text) in chosen
        )
        if not wordings:
            raise UsageError(_CHANGED)
        group = AnswerGroup(item, wordings)
        decide(group, decision, class_data.now())
    count = str(len(group.learners))
    visit.note("marked answers", part=item.id, answers=count, key_points=decision.points, comment=decision.comment)
    left = any(each.item.id == item.id for each in pending_answers(class_data).groups)
    return RedirectResponse(class_data.at("marking", *([item.id] if left else []), done=count), 303)


# ------------------------------------------------------------------------------------ requests


def requests_page(visit: Visit) -> Response:
    """The requests for regrading: open ones with a form, and answered ones."""
    class_data = visit.class_data
    found = learner_requests.list_requests(class_data.folder)
    return visit.page(
        "instructor_requests.html",
        open=[(each, _standing(class_data, each)) for each in found if each.answer is None],
        answered=[each for each in reversed(found) if each.answer is not None],
        moment=moment,
        done=done_message(visit),
    )


def _standing(class_data: ClassData, request: learner_requests.LearnerRequest) -> tuple[float, float] | None:
    """The points of the part that a request is about, as (earned, possible); None if it has none."""
    for mark, _ in class_data.counting():
        if mark.learner.id != request.learner or mark.work is None:
            continue
        given = next((change.points for change in mark.overridden if change.part == request.part), None)
        for result, _ in mark.work.results:
            for item in result.items:
                if item.id == request.part:
                    return item.earned if given is None else given, item.possible
            for exercise in result.exercises:
                if exercise.name == request.part:
                    return exercise.earned if given is None else given, exercise.possible
    part = parts(class_data.course).get(request.part)
    return None if part is None else (0.0, part.possible)


def reply(visit: Visit) -> Response:
    """Answer a request, and save new points if there are any. Points are saved first: a request has one answer."""
    class_data = visit.class_data
    number = visit.request.path_params["number"]
    with class_data.turn:
        found = learner_requests.list_requests(class_data.folder)
        request = next((each for each in found if each.number == number), None)
        if request is None:
            raise HTTPException(404)
        text = visit.typed("answer")
        learner_requests.check_reply(request, text)
        if visit.typed("points").strip():
            _give(visit, request.learner, request.part, visit.typed("points"), text)
        learner_requests.answer_request(class_data.folder, number, text, visit.author, class_data.now())
    visit.note("answered request", learner=request.learner, part=request.part, request=str(number))
    return RedirectResponse(class_data.at("requests", done="saved"), 303)
