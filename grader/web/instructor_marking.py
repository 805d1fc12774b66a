"""The instructor pages for changes by hand: mark free text, override points, answer requests; undo; the audit log.

Changes are saved with the functions of ``attncheck override``, with the name of the author. Each save of points has a
button that undoes it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from grader.classroom import audit
from grader.classroom.gradebook import SavedChanges
from grader.classroom.marks import Mark
from grader.classroom.results import parts
from grader.core.errors import UsageError
from grader.core.jsonl import Place
from grader.core.model import ExerciseResult, ItemResult, Message
from grader.core.tables import texts
from grader.course import items
from grader.instructor import learner_requests, rubric
from grader.instructor.analysis.answers import answer_text
from grader.instructor.overrides import OverrideRequest, Signed, give_points, remove_override, undo_save
from grader.instructor.rubric import AnswerGroup, Decision, PendingAnswers
from grader.web.class_data import FORM, LOCK_TIMEOUT, ClassData, StaffVisit, whole_number
from grader.web.visit import existing

#: The number of saves on a page.
_PER_PAGE = 20
#: What may have been done besides saving points.
_DONE = ("replied", "ended")


def find_done(visit: StaffVisit) -> SavedChanges | str | None:
    """What the address says was done last: a save of points, or one of ``_DONE``; None if it says nothing."""
    if visit.asked("done") in _DONE:
        return visit.asked("done")
    number = visit.asked_number("done")
    if number is None:
        return None
    with visit.class_data.book() as book:
        return book.gradebook.find_save(number)


def latest_saves(visit: StaffVisit, part: str, author: str | None) -> Sequence[SavedChanges]:
    """The latest saves of points for ``part``, the last one first; those of ``author``, if given."""
    with visit.class_data.book() as book:
        return book.gradebook.saves(_PER_PAGE, part=part, author=author)


def undo(visit: StaffVisit) -> Response:
    """Undo a save of points, and return to the page with the button."""
    class_data = visit.class_data
    number = visit.number()
    by = Signed(visit.author, class_data.now())
    undone = undo_save(class_data.folder, number, by, class_data.course_folder, visit.lang, LOCK_TIMEOUT)
    parts, learners = ({getattr(change, what): None for change in undone.changes} for what in ("part", "learner"))
    about = {"learner": next(iter(learners))} if len(learners) == 1 else {"answers": str(len(learners))}
    visit.note("undid", change=str(number), part=", ".join(parts), **about)
    back = visit.typed("back").partition("?")[0]
    if not back.startswith(class_data.base + "/") or re.search(r"[\\\s]|//", back):
        back = class_data.at("changes")
    return RedirectResponse(f"{back}?done={undone.number}", 303)


def changes_page(visit: StaffVisit) -> Response:
    """The saves of points, all points given by hand, and the log of what was done, the latest first."""
    class_data = visit.class_data
    visit.note_reading("read changes")
    log = visit.asked("log") if visit.asked("log") in audit.LOGS else "changes"
    page = audit.read_page(class_data.folder, log, _place(visit.asked("before")))
    with class_data.book() as book:
        saves = book.gradebook.saves(_PER_PAGE + 1, before=visit.asked_number("saves"))
        overrides = sorted(book.gradebook.overrides(), key=lambda override: override.at, reverse=True)
    return visit.page(
        "instructor_changes.html",
        saves=saves[:_PER_PAGE],
        more_saves=class_data.at("changes", saves=str(saves[_PER_PAGE - 1].number)) if saves[_PER_PAGE:] else None,
        overrides=overrides,
        DID=texts(__file__, "actions.yaml"),
        log=log,
        page=page,
        may_end=visit.may_end_sessions(),
        done=find_done(visit),
    )


def _place(asked: str) -> Place | None:
    """The place in a log that an address names, as ``segment.offset``; None if it names none."""
    numbers = asked.split(".")
    if len(numbers) != 2 or not all(number.isdecimal() and len(number) < 13 for number in numbers):
        return None
    return Place(int(numbers[0]), int(numbers[1]))


#: The most answers on a page that could not be read.
_UNREAD = 100
_NOT_A_NUMBER = Message("“{typed}” is not a number of points.")
_CHANGED = Message("These answers have been marked in the meantime, or none was selected. Nothing was saved.")
_NO_CHOICE = Message("Tick the key points, or “none of these: 0 points”. Nothing was saved.")
_BOTH = Message("Tick either key points or “none of these: 0 points”. Nothing was saved.")
#: The value of the box for 0 points.
_NONE = "0"


# ------------------------------------------------------------------------------------ points by hand


def points_by_hand(visit: StaffVisit) -> Response:
    """Give points for a part, or remove an override."""
    class_data = visit.class_data
    learner = class_data.learner(visit.named("learner"))
    part = visit.typed("part")
    if visit.typed("do") == "remove":
        where, by = (class_data.course_folder, visit.lang, LOCK_TIMEOUT), Signed(visit.author, class_data.now())
        _, number = remove_override(class_data.folder, (learner.id, part), by, *where)
        visit.note("removed override", learner=learner.id, part=part)
    else:
        if not part:
            raise UsageError(Message("Choose an item or an exercise."), field="part")
        number = _give(visit, learner.id, part, visit.typed("reason"))
    return RedirectResponse(class_data.at("learners", learner.id, done=str(number)), 303)


def _give(visit: StaffVisit, learner: str, part: str, reason: str, answers: int | None = None) -> int:
    """Save the points that were typed, and return the number of the save."""
    class_data, typed = visit.class_data, visit.typed("points")
    beyond = bool(visit.typed("beyond"))
    request = OverrideRequest(learner, part, _number(typed), reason, visit.author, beyond, answers)
    where = class_data.course_folder, visit.lang, LOCK_TIMEOUT
    done, number = give_points(class_data.folder, request, class_data.now(), *where)
    visit.note("gave points", learner=learner, part=done.part.name, points=typed.strip(), reason=reason.strip())
    return number


def _number(typed: str) -> float:
    """Parse points typed with a decimal point or comma. Raises UsageError."""
    if not typed.strip():
        raise UsageError(Message("Enter the points."), field="points")
    try:
        return float(typed.strip().replace(",", ".").replace("，", "."))
    except ValueError:
        raise UsageError(_NOT_A_NUMBER.fill(typed=typed[:40]), field="points") from None


# ------------------------------------------------------------------------------------ free text


def pending_answers(class_data: ClassData) -> PendingAnswers:
    """The answers to mark, in groups."""
    return class_data.once("waiting", rubric.pending_answers)


def count_waiting(class_data: ClassData) -> Counter[str]:
    """The number of answers to each item that wait for a person, with those that could not be read."""
    waiting = pending_answers(class_data)
    counts = Counter(answer.item for answer in waiting.unread)
    for group in waiting.groups:
        counts[group.item.id] += len(group.learners)
    return counts


def pending_page(visit: StaffVisit) -> Response:
    """The items with answers to mark."""
    by_item: dict[str, list[AnswerGroup]] = {}
    waiting = pending_answers(visit.class_data)
    if waiting.unread:
        visit.note_reading("read answers")
    for group in waiting.groups:
        by_item.setdefault(group.item.id, []).append(group)
    counted = [
        (groups[0].item, len(groups), sum(len(group.learners) for group in groups)) for groups in by_item.values()
    ]
    return visit.page(
        "instructor_waiting.html",
        items=counted,
        unread=waiting.unread[:_UNREAD],
        more_unread=max(0, len(waiting.unread) - _UNREAD),
        done=find_done(visit),
    )


def mark_page(visit: StaffVisit) -> Response:
    """One group of answers to an item with all groups beside it, or what was marked."""
    class_data = visit.class_data
    _, item = class_data.item(visit.named("item"))
    if not items.key_points(item):
        raise HTTPException(404)
    visit.note_reading("read answers", part=item.id)
    pending = pending_answers(class_data)
    groups = _groups(pending, item.id)
    wanted = _group_number(visit)
    group = next((each for each in groups if each.number == wanted), groups[0] if groups else None)
    onward = _onward(groups, group.number + 1) if group is not None and len(groups) > 1 else None
    given = class_data.once(
        "given", lambda book: Counter((each.part, each.author) for each in book.gradebook.overrides())
    )
    show = visit.asked("show") if visit.asked("show") in ("marked", "mine") else ""
    return visit.page(
        "instructor_marking.html",
        item=item,
        group=group,
        groups=groups,
        onward=class_data.at("marking", item.id, group=str(onward)) if onward else None,
        waiting=sum(len(each.learners) for each in groups),
        given=sum(count for (part, _), count in given.items() if part == item.id),
        mine=given[item.id, visit.author],
        show=show,
        points_of=items.key_points(item),
        sample=items.key(item, items.Context("", "", item.id)),
        comments=pending.comments.get(item.id, ()),
        wording_id=rubric.wording_id,
        done=find_done(visit),
        saves=latest_saves(visit, item.id, visit.author if show == "mine" else None) if show else [],
    )


def _groups(pending: PendingAnswers, item: str) -> list[AnswerGroup]:
    return [group for group in pending.groups if group.item.id == item]


def _group_number(visit: StaffVisit) -> int:
    """The group that was sent or else asked for; 0 if there is none."""
    return whole_number(visit.typed(FORM).removeprefix("group-") or visit.asked("group")) or 0


def _onward(groups: Sequence[AnswerGroup], start: int) -> int | None:
    """The next group from number ``start`` on, after the last one the first; None if there is none."""
    numbers = [group.number for group in groups]
    return next((number for number in numbers if number >= start), numbers[0] if numbers else None)


def save_marks(visit: StaffVisit) -> Response:
    """Save the key points and the comment for the selected wordings of a group."""
    class_data = visit.class_data
    _, item = class_data.item(visit.named("item"))
    chosen, points = set(visit.all_typed("wording")), visit.all_typed("point")
    if not points or (_NONE in points and len(points) > 1):
        raise UsageError(_BOTH if points else _NO_CHOICE, field="point")
    decision = Decision("".join(points), visit.typed("comment").strip())
    with rubric.marking(class_data.folder, class_data.course_folder, visit.author, visit.lang, LOCK_TIMEOUT) as (
        pending,
        decide,
    ):
        waiting = (wording for group in _groups(pending, item.id) for wording in group.wordings)
        wordings = tuple(wording for wording in waiting if rubric.wording_id(wording.text) in chosen)
        if not wordings:
            raise UsageError(_CHANGED, field="wording")
        group = AnswerGroup(item, wordings)
        number = decide(group, decision, class_data.now())
    count = str(len(group.learners))
    visit.note("marked answers", part=item.id, answers=count, key_points=decision.points, comment=decision.comment)
    onward = _onward(_groups(pending_answers(class_data), item.id), _group_number(visit))
    place = {"group": str(onward)} if onward else {}
    return RedirectResponse(class_data.at("marking", *([item.id] if onward else []), **place, done=str(number)), 303)


# ------------------------------------------------------------------------------------ requests


def requests_page(visit: StaffVisit) -> Response:
    """The requests for regrading: open ones with the answer and a form, and answered ones."""
    class_data = visit.class_data
    visit.note_reading("read requests")
    requests = learner_requests.list_requests(class_data.folder)
    return visit.page(
        "instructor_requests.html",
        open=[(request, _graded(class_data, request)) for request in requests if request.answer is None],
        answered=[request for request in reversed(requests) if request.answer is not None],
        parts=parts(class_data.course),
        items=items,
        answer_text=answer_text,
        done=find_done(visit),
    )


def _graded(
    class_data: ClassData, request: learner_requests.LearnerRequest
) -> tuple[Mark, ItemResult | ExerciseResult, object] | None:
    """The latest mark with a result for the part that a request is about, this result, and the answer to an item."""
    for mark, answers in reversed(class_data.counting()):
        for result, _ in mark.work.results if mark.work is not None and mark.learner.id == request.learner else ():
            for part in result.parts:
                if part.name == request.part:
                    return mark, part, answers.get(part.name)
    return None


def reply(visit: StaffVisit) -> Response:
    """Answer a request, and save new points if there are any. Points are saved first: a request has one answer."""
    class_data = visit.class_data
    number = visit.number()
    done = "replied"
    with class_data.turn:
        requests = learner_requests.list_requests(class_data.folder)
        request = existing(next((candidate for candidate in requests if candidate.number == number), None))
        text = visit.typed("answer")
        learner_requests.check_reply(request, text)
        if visit.typed("points").strip():
            done = str(_give(visit, request.learner, request.part, text, answers=number))
        learner_requests.answer_request(class_data.folder, number, text, visit.author, class_data.now())
    visit.note("answered request", learner=request.learner, part=request.part, request=str(number))
    return RedirectResponse(class_data.at("requests", done=done), 303)
