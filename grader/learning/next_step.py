"""What a learner should do next: finish what was begun, then the next open question, then what is due for review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from grader.core.layout import WIDTH, wrap
from grader.core.model import Course, Lang, Message, Report, Status, Text
from grader.core.tables import texts
from grader.core.text import LABELED, points
from grader.course.starter import counted, file_name
from grader.learning import review
from grader.learning.log import Event
from grader.learning.progress import ExerciseProgress, ItemProgress, Progress, QuestionProgress, progress_of

#: Answer quiz items, write code, review what is due, or (nothing is open) rest.
StepKind: TypeAlias = Literal["quiz", "code", "review", "done"]


@dataclass(frozen=True, slots=True)
class NextStep:
    """The next step. ``question`` and ``name`` say where (None and empty for a review, and if all is done).

    ``name`` is that of the first open item or of the easiest open exercise; ``commands`` do it.
    """

    kind: StepKind
    question: QuestionProgress | None = None
    name: str = ""
    commands: tuple[str, ...] = ()


def next_step(progress: Progress, due: int, present: Sequence[str] = ()) -> NextStep:
    """What to do next, if ``due`` cards are due for review.

    ``present`` are the paths of the learner's files, such as ``work/q05.py``: where one exists, it is watched rather
    than created. In a question the quiz comes first, then the exercises, from the one with the fewest points.
    """
    for question in sorted(progress.questions, key=lambda question: not question.begun):
        items, exercises = open_items(question), open_exercises(question)
        if items:
            return NextStep("quiz", question, items[0].item.id, (f"attncheck quiz {question.question.id}",))
        if exercises:
            return NextStep("code", question, exercises[0].exercise.name, _to_write(question, present))
    if due:
        return NextStep("review", commands=("attncheck review",))
    wrong = any(standing == "wrong" for question in progress.questions for standing in question.standings)
    return NextStep("done", commands=("attncheck quiz --again",) if wrong else ())


def where(
    course: Course, events: Sequence[Event], now: datetime, present: Sequence[str]
) -> tuple[Progress, int, NextStep]:
    """The progress that ``events`` are, how many cards are due, and what to do next; see ``next_step``."""
    progress, due = progress_of(course, events), review.waiting(review.cards(course, events), now)
    return progress, due, next_step(progress, due, present)


def open_items(question: QuestionProgress) -> tuple[ItemProgress, ...]:
    """The items of a question that are not settled yet; those between two attempts first."""
    items = (item for item in question.items if item.standing in ("new", "begun"))
    return tuple(sorted(items, key=lambda item: item.standing == "new"))


def open_exercises(question: QuestionProgress) -> tuple[ExerciseProgress, ...]:
    """The exercises of a question that do not pass yet, from the one with the fewest points."""
    exercises = (exercise for exercise in question.exercises if exercise.standing != "right")
    return tuple(sorted(exercises, key=lambda exercise: exercise.exercise.points))


def _to_write(question: QuestionProgress, present: Sequence[str]) -> tuple[str, ...]:
    """The commands that lead to a question's exercises."""
    file = file_name(question.question)
    path_there = next((path for path in present if path.rpartition("/")[2] == file), None)
    if path_there is not None:
        folder = path_there.rpartition("/")[0]
        return (f"attncheck watch {folder or path_there}",)
    return (f"attncheck start {question.question.id} work", "attncheck watch work")


# ------------------------------------------------------------------------------------------- in words

_AS = Message("{learner} · {done} of {all} questions finished")
_WELCOME = Message("{all} questions about attention and Transformers, each with quiz items and code to write.")
_TO_ADD = Message("Next: write your answers to {id} from the quiz to {file}.")
_OTHERS = Message("Other commands:")
_ALSO_DUE = Message("Also due for review: {due} (`attncheck review`).")


def lines(
    progress: Progress, step: NextStep, due: int, lang: Lang, *, others: bool = False, width: int = WIDTH
) -> list[str]:
    """Where the learner is, and the next step; with ``others``, the commands that help from anywhere."""
    finished = sum(not open_items(question) and not open_exercises(question) for question in progress.questions)
    learner = progress.learner or Message("You").of(lang)
    count = len(progress.questions)
    head = _AS.fill(learner=learner, done=finished, all=count).of(lang)
    if not progress.begun:
        welcome = _WELCOME.fill(all=count).of(lang)
        head = LABELED.fill(who=progress.learner, said=welcome).of(lang) if progress.learner else welcome
    written = [*wrap(head, width), "", *told(step, due, lang, width)]
    if others:
        named = texts(__file__, "words.yaml", "others").items()
        written += ["", _OTHERS.of(lang), *(f"  {command:<22}{text.of(lang)}" for command, text in named)]
    return written


def told(step: NextStep, due: int, lang: Lang, width: int) -> list[str]:
    """The next step and its commands, and what else is due."""
    written = [*wrap(_said(step, due).of(lang), width), *(f"  {command}" for command in step.commands)]
    if due and step.kind in ("quiz", "code"):
        written += ["", *wrap(_ALSO_DUE.fill(due=due).of(lang), width)]
    return written


def after_passing(
    course: Course, log: Sequence[Event], now: datetime, report: Report, present: Sequence[str], answers: str
) -> tuple[Text, tuple[str, ...]] | None:
    """The next step and its commands, for the end of a report in which all code is correct; None if nothing is open.

    Answers that the report misses come first: to questions of the quiz, or from the quiz into the file ``answers``.
    See ``next_step`` for ``present``.
    """
    progress, due, step = where(course, log, now, present)
    for result in report.questions:
        if any(item.status is Status.MISSING for item in result.items):
            question = progress.question(result.id)
            to_ask = NextStep("quiz", question, next((item.item.id for item in open_items(question)), ""))
            said = _said(to_ask, 0) if to_ask.name else _TO_ADD.fill(id=result.id, file=answers)
            return said, (f"attncheck quiz {result.id} --to {answers}",)
    return None if step.kind == "done" else (_said(step, due), step.commands)


def _said(step: NextStep, due: int) -> Text:
    words = texts(__file__, "words.yaml", "next")
    if step.question is None:
        again = step.kind == "done" and step.commands
        return words["again" if again else "review_one" if due == 1 else step.kind].fill(due=due)
    about = step.question.question
    if step.kind == "quiz":
        left = [standing.item for standing in open_items(step.question)]
        text = words["quiz_one" if len(left) == 1 else "quiz"]
        return text.fill(id=about.id, title=about.title, items=counted(left), name=step.name)
    first, *rest = open_exercises(step.question)
    worth = points(first.exercise.points)
    text = words["code_more" if rest else "code"]
    return text.fill(id=about.id, title=about.title, name=step.name, points=worth, more=len(rest))


def as_json(progress: Progress, step: NextStep, due: int) -> dict[str, object]:
    """The step as data; see docs/json.md."""
    return {
        "learner": progress.learner,
        "kind": step.kind,
        "question": step.question.question.id if step.question is not None else None,
        "name": step.name or None,
        "commands": list(step.commands),
        "due": due,
    }
