"""Changes by hand: free text marked by key points, points given with a reason, requests answered.

Each is saved by the functions behind ``attncheck override``, under the name of who did it.
"""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from grader.classroom import requests, rubric
from grader.classroom.overrides import OverrideRequest, give_points, remove_override
from grader.classroom.results import parts
from grader.classroom.rubric import AnswerGroup, Decision, PendingAnswers
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.course import items
from grader.web.desk import PATIENCE, Desk, Visit, moment
from grader.web.instructor_words import WORDS

#: Groups of answers on one page.
_GROUPS = 8
_NOT_A_NUMBER = Text("“{typed}” is not a number of points.", "“{typed}”不是分数。")
_CHANGED = Text(
    "These answers were marked meanwhile, or none was chosen. Nothing was saved.",
    "这些回答已经有人批改过，或者没有勾选任何一份。没有保存任何内容。",
)


def said(visit: Visit) -> str:
    """What was just done, after a redirect."""
    done = visit.asked("done")
    if done.isdecimal():
        return WORDS["marked"].fill(count=int(done[:6])).of(visit.lang)
    return WORDS[done].of(visit.lang) if done in ("saved", "removed") else ""


# ------------------------------------------------------------------------------------ points by hand


def points_by_hand(visit: Visit) -> Response:
    """Gives points for a part, or takes them back."""
    desk = visit.desk
    learner = desk.learner(visit.request.path_params["learner"])
    part = visit.typed("part")
    if visit.typed("do") == "remove":
        remove_override(desk.folder, learner.id, part, desk.course_folder, visit.lang, PATIENCE)
        visit.note("removed override", learner=learner.id, part=part)
        return RedirectResponse(desk.at("learners", learner.id, done="removed"), 303)
    _give(visit, learner.id, part, visit.typed("points"), visit.typed("reason"))
    return RedirectResponse(desk.at("learners", learner.id, done="saved"), 303)


def _give(visit: Visit, learner: str, part: str, typed: str, reason: str) -> None:
    desk = visit.desk
    wish = OverrideRequest(learner, part, _number(typed), reason, visit.author, beyond=bool(visit.typed("beyond")))
    done = give_points(desk.folder, wish, desk.now(), desk.course_folder, visit.lang, PATIENCE)
    visit.note("gave points", learner=learner, part=done.part.name, points=typed.strip(), reason=reason.strip())


def _number(typed: str) -> float:
    """The points that somebody typed, with a point or a comma. Raises UsageError for anything else."""
    try:
        return float(typed.strip().replace(",", ".").replace("，", "."))
    except ValueError:
        raise UsageError(_NOT_A_NUMBER.fill(typed=typed[:40])) from None


# ------------------------------------------------------------------------------------ free text


def waiting(desk: Desk) -> PendingAnswers:
    """The answers that wait, grouped."""
    return desk.once("waiting", rubric.pending_answers)


def waiting_page(visit: Visit) -> Response:
    """The items with answers that wait for a person."""
    found: dict[str, list[AnswerGroup]] = {}
    for group in waiting(visit.desk).groups:
        found.setdefault(group.item.id, []).append(group)
    counted = [(groups[0].item, len(groups), sum(len(group.learners) for group in groups)) for groups in found.values()]
    return visit.page("desk_waiting.html", items=counted, done=said(visit))


def mark_page(visit: Visit) -> Response:
    """The groups of answers to one item, the largest first."""
    desk = visit.desk
    _, item = desk.item(visit.request.path_params["item"])
    if not items.key_points(item):
        raise HTTPException(404)
    known = waiting(desk)
    groups = [group for group in known.groups if group.item.id == item.id]
    return visit.page(
        "desk_marking.html",
        item=item,
        groups=groups[:_GROUPS],
        more=max(0, len(groups) - _GROUPS),
        all=len(groups),
        points_of=items.key_points(item),
        sample=items.key(item, items.Context("", "", item.id)),
        comments=known.comments.get(item.id, ()),
        wording_id=rubric.wording_id,
        done=said(visit),
    )


def mark(visit: Visit) -> Response:
    """Marks the chosen wordings of a group: the points of its key points, and a comment."""
    desk = visit.desk
    _, item = desk.item(visit.request.path_params["item"])
    chosen = set(visit.all_typed("wording"))
    decision = Decision("".join(visit.all_typed("point")) or "0", visit.typed("comment").strip())
    with rubric.marking(desk.folder, desk.course_folder, visit.author, visit.lang, PATIENCE) as (found, decide):
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
        decide(group, decision, desk.now())
    count = str(len(group.learners))
    visit.note("marked answers", part=item.id, answers=count, key_points=decision.points, comment=decision.comment)
    left = any(each.item.id == item.id for each in waiting(desk).groups)
    return RedirectResponse(desk.at("marking", *([item.id] if left else []), done=count), 303)


# ------------------------------------------------------------------------------------ requests


def requests_page(visit: Visit) -> Response:
    """The requests for regrading: the open ones with a form, and those that were answered."""
    desk = visit.desk
    found = requests.list_requests(desk.folder)
    return visit.page(
        "desk_requests.html",
        open=[(each, _standing(desk, each)) for each in found if each.answer is None],
        answered=[each for each in reversed(found) if each.answer is not None],
        moment=moment,
        done=said(visit),
    )


def _standing(desk: Desk, request: requests.LearnerRequest) -> tuple[float, float] | None:
    """The points of the part that a request is about, as (earned, possible); None if it has none."""
    for mark, _ in desk.counting():
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
    part = parts(desk.course).get(request.part)
    return None if part is None else (0.0, part.possible)


def reply(visit: Visit) -> Response:
    """Answers a request, with new points if some were typed. Points come first: an answer is only given once."""
    desk = visit.desk
    number = visit.request.path_params["number"]
    with desk.turn:
        request = next((each for each in requests.list_requests(desk.folder) if each.number == number), None)
        if request is None:
            raise HTTPException(404)
        text = visit.typed("answer")
        requests.check_reply(request, text)
        if visit.typed("points").strip():
            _give(visit, request.learner, request.part, visit.typed("points"), text)
        requests.answer_request(desk.folder, number, text, visit.author, desk.now())
    visit.note("answered request", learner=request.learner, part=request.part, request=str(number))
    return RedirectResponse(desk.at("requests", done="saved"), 303)
