"""What the words of a command line stand for: a question, an exercise, the learner and their files, a seed."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._console import in_person
from grader.core.errors import UsageError
from grader.core.model import Course, Exercise, Item, Lang, Message, Question
from grader.core.text import clean, clean_name, name_list, suggestion
from grader.learning import log
from grader.learning.log import Event

if TYPE_CHECKING:
    from grader.grading.inputs import Seed


def find_question(course: Course, name: str) -> Question:
    """The question called ``name``: ``Q5``, ``q05`` or ``5``. Raises UsageError if there is none."""
    question = _question(course, name)
    if question is None:
        said = Message("There is no question “{name}”. {hint}")
        raise UsageError(said.fill(name=name, hint=suggestion(name, [q.id for q in course.questions])))
    return question


def _question(course: Course, name: str) -> Question | None:
    return course.question(name) or course.question(f"Q{name.lower().removeprefix('q').lstrip('0')}")


def find_exercise(course: Course, name: str) -> tuple[Question, Exercise]:
    """The exercise called ``name``, with its question. Raises UsageError if there is none."""
    match = course.exercise(name)
    if match is None:
        names = [exercise.name for question in course.questions for exercise in question.exercises]
        raise UsageError(Message("There is no exercise “{name}”. {hint}").fill(name=name, hint=suggestion(name, names)))
    return match


def find_part(course: Course, name: str) -> tuple[Question, Item | Exercise | None]:
    """Find a question, item or exercise, ignoring case. Returns its question, and the part (None for a question).

    Raises UsageError with a suggestion if there is none.
    """
    if (whole := _question(course, name)) is not None:
        return whole, None
    for question in course.questions:
        parts: dict[str, Item | Exercise] = {item.id.lower(): item for item in question.items}
        parts |= {exercise.name.lower(): exercise for exercise in question.exercises}
        if name.lower() in parts:
            return question, parts[name.lower()]
    names = [question.id for question in course.questions]
    names += [item.id for item in course.items]
    names += [exercise.name for question in course.questions for exercise in question.exercises]
    hint = suggestion(name, names, [question.id for question in course.questions])
    text = Message("There is no question, item or exercise “{name}”. {hint}")
    raise UsageError(text.fill(name=name, hint=hint))


_IS_ITEM = Message(
    "{item} is a quiz item and has no code; `attncheck quiz {item}` asks it, and helps after a wrong answer."
)

_NO_EXERCISES = Message("{question} has no exercises; `attncheck quiz {question}` asks its quiz items.")


def find_exercises(course: Course, name: str) -> tuple[Question, tuple[Exercise, ...]]:
    """Find the exercises of a question, or one by its name. Raises UsageError, with what to do, if there is none."""
    question, part = find_part(course, name)
    if isinstance(part, Item):
        raise UsageError(_IS_ITEM.fill(item=part.id))
    if part is None and not question.exercises:
        raise UsageError(_NO_EXERCISES.fill(question=question.id))
    return question, question.exercises if part is None else (part,)


def find_one_exercise(course: Course, name: str) -> tuple[Question, Exercise]:
    """Find an exercise by its name, or by that of a question with only one. Raises UsageError like the others."""
    question, (exercise, *more) = find_exercises(course, name)
    if more:
        said = Message("{question} has several exercises; choose one: {names}.")
        raise UsageError(said.fill(question=question.id, names=name_list([exercise.name, *(e.name for e in more)])))
    return question, exercise


def signed_by(author: str | None) -> str:
    """``author``, by default the login name. Raises UsageError if the system does not know that."""
    name = author or _login()
    if name is None:
        raise UsageError(Message("This system does not know your login name: give --author NAME."))
    return name


def _login() -> str | None:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user, as in some containers
        return None


def learner_name(
    course: Course, given: str | None, events: Sequence[Event], lang: Lang
) -> tuple[str, tuple[Event, ...]]:
    """The learner's name, and the events to save: ``given``, else the last one used, else asked for, else the login.

    ``events`` are those of all learners.
    """
    name = clean_name(given) or log.last_name(events)
    if name is None:
        name = _login() or "learner"
        if in_person():
            from grader.learning.quiz_view import ASK_NAME  # loads the item kinds

            typed = clean(click.prompt(ASK_NAME.of(lang), default=name), 1000)  # arrow keys leave sequences
            if typed.strip().lower() in ("q", ":q"):  # as at every prompt; `attncheck name q` is for those called so
                raise click.exceptions.Exit(0)
            name = clean_name(typed) or name
    return name, log.naming(events, course.public_id, name)


def read_seed(number: int | None, file: Path | None) -> Seed:
    """The seed of ``--seed`` or ``--seed-file``; with neither, the public one."""
    from grader.grading.inputs import Seed  # loads numpy

    if number is not None and file is not None:
        raise UsageError(Message("--seed and --seed-file cannot be combined: give only one of them."))
    if file is not None:
        return Seed.from_file(file)
    return Seed.public() if number is None else Seed.number(number)


def graded_seed(folder: Path, file: Path | None, course_folder: Path | None) -> Seed:
    """The seed that the results in ``folder`` were graded with; ``file`` overrides the one of the course."""
    from grader.instructor.regrade import seed_of  # loads numpy

    return seed_of(folder, course_folder) if file is None else read_seed(None, file)


def present_files() -> list[str]:
    """The paths of the learner's files, in the current folder and in the folder work."""
    return [path.as_posix() for folder in (Path(), Path("work")) for path in sorted(folder.glob("[qQ]*.py"))]


def started(folder: Path) -> bool:
    """Whether a learner works in ``folder``: it has answers, or the file of a question."""
    return (folder / "answers.yaml").is_file() or any(folder.glob("[qQ][0-9][0-9].*"))


def work_folder() -> Path:
    """The folder that the learner works in: this one if it has files of theirs, else the folder work."""
    return Path() if started(Path()) else Path("work")
