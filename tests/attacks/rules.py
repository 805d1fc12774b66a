"""Attacks on the rules of a course: ways to try answers out, or to choose the numbers that they are for.

Each is what a learner may do as often as they like; nothing of it is executed. An attempt returns how much it gained:
nothing. ``tests/attacks/test_attacks_on_rules.py`` tries them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import permutations, product
from pathlib import Path

from grader.authoring import edition
from grader.classroom.enrolment import seed_name
from grader.classroom.gradebook import GradingRun, LearnerRow, SubmissionRow
from grader.classroom.marks import GradedSubmission, Mark, Marking, marks
from grader.classroom.roster import Learner, Roster
from grader.core.marks import plain
from grader.core.model import Course, Item, ItemResult, QuestionResult, Report, Rules, Status, Text
from grader.course import items, misconceptions
from grader.instructor import mark_reports
from grader.instructor.analysis.answers import borrowed_answers
from grader.instructor.export._pseudonyms import pseudonym
from grader.learning import progress, quiz_session
from grader.learning.log import Answered
from tests.attacks.cases import AttackCase

DUE = datetime(2026, 11, 20, 12, tzinfo=UTC)
NOTHING = Text("", "")
RUN = GradingRun(DUE, 0.1, "public", "c", (), (), False)
MALLORY = Learner(
    "mlory", "Mal Lory", ids=(("learner", "mlory"), ("sid", "4711"), ("email", "mal@x.edu"), ("login", "ml"))
)


@dataclass(frozen=True, slots=True)
class Case(AttackCase):
    """``attempt`` is given a folder and the course, and returns how much it gained."""

    family = "rules"
    attempt: Callable[[Path, Course], int]


# ------------------------------------------------------------------------------------------ results too early


def _submitted(points: float, at: datetime, attempt: int) -> GradedSubmission:
    """A submission with one answer worth ten points."""
    item = ItemResult("Q1.a", "choice", Status.PASSED if points == 10 else Status.FAILED, points, 10.0, NOTHING)
    row = SubmissionRow(str(attempt), "", ("mlory",), str(attempt), "mlory", at, False, attempt)
    return GradedSubmission(row, ((QuestionResult("Q1", NOTHING, (item,), ()), RUN),))


def _told(mark: Mark, rules: Rules, now: datetime) -> bool:
    """Whether any surface says that the answer is wrong: pages, reports in files, or comments with points."""
    assert mark.work is not None
    report = Report("mlory", NOTHING, "d", "s", tuple(q for q, _ in mark.work.results), (), False, (), 1.0)
    seen = mark_reports.visible_report(report, mark, rules, now)
    said = mark_reports.summary(mark, "en", rules, now)
    in_report = any(question.items for question in seen.questions)
    on_pages = not mark_reports.withholds_results(rules, mark.learner, now)
    return on_pages or in_report or any("of 10" in line for line in said)


def _tried_out(rules: Rules, extra: float = 0.0) -> int:
    """The points gained by submitting every half hour, with what was told before, from an hour before the due date."""
    who = LearnerRow("mlory", "Mal Lory", "", extra)
    now, known, works = DUE - timedelta(hours=1), False, list[GradedSubmission]()
    honest = marks(who, [_submitted(0.0, now, 1)], Marking({"Q1": 10.0}, rules))[0].earned
    for attempt in range(1, 24 * 2 * 12):
        works.append(_submitted(10.0 if known else 0.0, now, attempt))
        found = marks(who, works[-1:], Marking({"Q1": 10.0}, rules))[0]
        if known and found.earned > honest:
            return round(found.earned)
        known = known or _told(found, rules, now + timedelta(minutes=29, seconds=59))
        now += timedelta(minutes=30)
    return 0


def _waiting(extra: float = 0.0, **rules: float) -> Callable[[Path, Course], int]:
    every: Iterator[Rules] = (
        Rules(DUE.isoformat(), hidden_results="after-due", attempts=count, **rules)  # type: ignore[arg-type]
        for count in ("best", "last", "each")
    )
    return lambda folder, course, every=tuple(every): sum(_tried_out(each, extra) for each in every)  # type: ignore[misc]


def _just_in_time(folder: Path, course: Course) -> int:
    """Results that are shown while a submission of the last second is still being read."""
    rules = Rules(DUE.isoformat(), cut_off_days=1, hidden_results="after-due")
    last = DUE + timedelta(days=1)
    (mark,) = marks(LearnerRow("mlory", ""), [_submitted(0.0, last, 1)], Marking({"Q1": 10.0}, rules))
    return sum(_told(mark, rules, last + timedelta(seconds=second)) for second in range(0, 240, 10))


# ------------------------------------------------------------------------------------------------ numbers


def _spellings() -> Iterator[str]:
    """Names that may be taken for a learner: rotations, punctuation, widths, invisible signs, ids, addresses."""
    written = ["mlory", "MLORY", "4711", "ml", "mal@x.edu", "mal", "Mal Lory", "Lory, Mal", "Ｍａｌ Lory", "mal-lory"]
    written += ["ml\u200bory", "\u202eml", "mlory\u200d", "４７１１", "٤٧١１", "m\u0308lory", "a\u0308da", "\u200bada"]
    for marks_between in product("-.*(!' ", repeat=3):
        written += ["Mal{}{}Lory{}".format(*marks_between), "Lory{} {}Mal{}".format(*marks_between)]
    return iter(written)


def _drawn(course: Course) -> list[Item]:
    return [
        item
        for question in course.questions
        for item in question.items
        if items.draw_choices(item.spec) and item.kind == "number"
    ]


def _other_numbers(folder: Path, course: Course) -> int:
    """The spellings that draw other numbers than the learner's id."""
    roster = Roster((MALLORY, Learner("ada", "Ada", ids=(("learner", "ada"),))))
    return sum(seed_name(written, ("mlory",), roster) != "mlory" for written in _spellings())


def _copied(folder: Path, course: Course) -> int:
    """Answers of somebody else, under each spelling that draws their numbers: those that count and are not noticed."""
    roster = Roster((MALLORY, Learner("ada", "Ada", ids=(("learner", "ada"),))))
    gained = 0
    for item in _drawn(course)[:12]:
        question = next(q for q in course.questions if item in q.items)
        ada, own = (items.Context(course.public_id, name, item.id) for name in ("ada", "mlory"))
        theirs = items.draw(item.spec, ada)
        answer = plain(items.key(item, ada).en)
        if theirs == items.draw(item.spec, own) or items.judge(item, answer, own).status is Status.PASSED:
            continue
        for written in _spellings():
            if items.draw(item.spec, items.Context(course.public_id, written, item.id)) == theirs:
                gained += not _noticed(course, question.id, item, answer, (written, roster))
                break
    return gained


def _noticed(course: Course, question: str, item: Item, answer: str, as_whom: tuple[str, Roster]) -> bool:
    """Whether a copied answer earns nothing and stands in the list of answers with somebody else's numbers."""

    def mark(name: str, signed: str) -> tuple[Mark, dict[str, object]]:
        draws = seed_name(signed, (name,), as_whom[1])
        status = items.judge(item, answer, items.Context(course.public_id, draws, item.id)).status
        found = QuestionResult(question, NOTHING, (ItemResult(item.id, item.kind, status, 0, 1),), ())
        row = SubmissionRow(name, "", (name,), name, draws, signed=signed)
        return Mark(LearnerRow(name, name), GradedSubmission(row, ((found, RUN),)), ()), {item.id: answer}

    class_ = [mark("ada", "ada"), mark("mlory", as_whom[0])]
    found = borrowed_answers(course, class_)
    return [(each.learner, each.sources) for each in found] == [("mlory", ("ada",))]


# ----------------------------------------------------------------------------------------- what is left over


def _stopped(folder: Path, course: Course) -> int:
    """The misconceptions whose truth the end of a quiz and the progress tell while attempts are left."""
    told = 0
    for question in course.questions:
        wrong = [
            Answered(DUE, course.public_id, item.id, "x", 0.0, Status.FAILED, belief, 1, False)
            for item in question.items
            for belief in sorted(misconceptions.misconceptions_of(item))
        ]
        found = quiz_session.summary(quiz_session.begin(course, "mlory", "en", question.items, wrong)).met
        told += sum(known.told or advice is not None for known, advice in found)
        told += sum(belief.told for belief in progress.progress_of(course, wrong, {}).beliefs)
    return told


def _guessed(folder: Path, course: Course) -> int:
    """Guesses at the digest in an edition from everything that a learner has: the course, its id, public keys."""
    course = replace(course, folder=str(folder))
    said = edition.keyed_digest(course)
    known = [course.digest, course.public_id, "", "edition of ", pseudonym(b"", "learner", "x")]
    guesses = [hashlib.sha256(text.encode()).hexdigest() for text in known] + known
    guesses += [
        hmac.new(key.encode(), (prefix + text).encode(), "sha256").hexdigest()
        for key, text in permutations(known, 2)
        for prefix in ("", "edition of ")
    ]
    return sum(guess == said for guess in guesses)


CASES = (
    Case("in_the_grace_period", "a submission every half hour while lateness is free, each with what results said",
         _waiting(grace_hours=30.0, late_percent=100.0)),
    Case("on_late_days", "the same on days that cost a part of the points", _waiting(late_percent=20.0)),
    Case("before_the_cut_off", "the same while late work counts in full", _waiting(cut_off_days=3.0)),
    Case("with_extra_time", "the same with an extension", _waiting(48.0, grace_hours=2.0, late_percent=50.0)),
    Case("with_further_attempts", "the same where every further attempt costs something",
         _waiting(late_percent=10.0, attempt_percent=0.1)),
    Case("without_an_end", "the same in a course whose late work counts for ever", _waiting()),
    Case("just_in_time", "results, while a submission of the last second is still being read", _just_in_time),
    Case("spelt_otherwise", "some hundred spellings of one's own name, to draw other numbers", _other_numbers),
    Case("copied_under_a_spelling", "somebody's answers, under a spelling that draws their numbers", _copied),
    Case("stopped_with_attempts_left", "the end of a quiz, and the progress, after one wrong answer to everything",
         _stopped),
    Case("guessed_keys", "digests of a course with guessed keys, compared with that in its edition", _guessed),
)  # fmt: skip
