"""``attncheck start``: stubs and an answer file for a question."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from grader.commands._console import WRITTEN, in_person, print_lines, say, width, write_output
from grader.commands._find import find_exercise, find_question, learner_name, present_files, work_folder
from grader.commands._options import FOLDER, Call, Documented, learner_option, shared
from grader.core.errors import UsageError, reported
from grader.core.files import create
from grader.core.layout import indent
from grader.core.model import Course, Exercise, Item, Lang, Message, Question
from grader.core.text import COMMA
from grader.course import starter
from grader.learning import answers_file, log, next_step
from grader.learning.progress import progress_of
from grader.submission import file_text

LISTED = "Learners", 40

KEPT = Message("kept as it is: {file}")
ADDED = Message("added to {file}: {items}")
TO_ADD = Message(
    "{file} does not have these items yet, and they could not be added; add them yourself below “answers:”:"
)
RESET = Message("{name} in {file} is empty again; the old file is kept as {kept}.")


@click.command(cls=Documented)
@click.argument("question", metavar="[QUESTION|all]", required=False)
@click.argument("folder", metavar="[DIR]", type=FOLDER, required=False)
@click.option("--notebook", is_flag=True, help="Write a Jupyter notebook instead of a Python file.")
@click.option("--reset", metavar="NAME", help="Make this function or class empty again, and keep the old file.")
@learner_option
@shared("lang", "course")
def start(
    call: Call, *, question: str | None, folder: Path | None, notebook: bool, reset: str | None, learner: str | None
) -> None:
    """Create the files to start from; never overwrite one.

    QUESTION is a question such as Q5, or “all”. Creates a Python file with empty exercises (q05.py) and an
    answers.yaml for the quiz items in DIR (default: the current folder). If answers.yaml exists, the items that it
    lacks are added, and your answers are kept.

    Without QUESTION, it is the next one, in the folder that you work in, or a new folder work.

    Examples:
      start                          write the files of the next question
      start Q5 work                  write work/q05.py and work/answers.yaml
      start all work                 the same for every question
      start Q5 work --notebook       write work/q05.ipynb, with a check below every exercise
      start Q3 work --reset softmax  make softmax in work/q03.py empty again, and keep the old file

    Exit codes:
      0  done
    """
    course = call.course()
    if reset is not None:
        _reset(folder or Path(), find_exercise(course, reset), call.lang)
        return
    if question is None:
        step = _next(course, call, ())
        chosen: tuple[Question, ...] = (course.questions[0] if step.question is None else step.question.question,)
    else:
        chosen = course.questions if question.lower() == "all" else (find_question(course, question),)
    place = folder or (Path() if question else work_folder())
    write_files(call, course, chosen, place, learner=learner, notebook=notebook)
    step = _next(course, call, chosen)
    if step.question is not None:
        print_lines(["", *next_step.told(step, 0, call.lang, width())])


def _next(course: Course, call: Call, among: Sequence[Question]) -> next_step.NextStep:
    """The next step in one of these questions, or of all if there are none."""
    own = progress_of(course, call.read_events(course))
    asked = tuple(own.question(question.id) for question in among) or own.questions
    return next_step.next_step(replace(own, questions=asked), 0, present_files())


def write_files(
    call: Call,
    course: Course,
    chosen: Sequence[Question],
    folder: Path,
    *,
    learner: str | None = None,
    notebook: bool = False,
) -> None:
    """Write the files of ``chosen`` that are missing in ``folder``, and say so."""
    named, made = (starter.notebook_name, starter.notebook) if notebook else (starter.file_name, starter.stub)
    files = {named(question): made(question, call.lang) for question in chosen if question.exercises}
    wanted = [(question, item) for question in chosen for item in starter.graded(question)]
    if wanted:
        learner = learner or _learner(call, course)
        files["answers.yaml"] = starter.answers(chosen, call.lang, course.public_id, learner)
    for name, text in files.items():
        is_new = _write_new(folder / name, text)
        if is_new or name != "answers.yaml":
            say((WRITTEN if is_new else KEPT).fill(file=str(folder / name)))
        else:
            _add_missing(folder / name, wanted, course.public_id, learner, call.lang)


def _learner(call: Call, course: Course) -> str | None:
    """The name used last, else the one that a person at a terminal gives; None if nobody is there."""
    everything = call.read_all_events(course)
    if not in_person():
        return log.last_name(everything)
    name, named = learner_name(course, None, everything, call.lang)
    call.save(*named)
    return name


def _write_new(path: Path, text: str) -> bool:
    """Write ``text`` to ``path``; False if that file exists already. Raises UsageError if it cannot be written."""
    with reported(Message("{path} cannot be written: {reason}. Name another folder to write to."), path=path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except FileExistsError:
            if path.parent.is_dir():
                return False
            said = Message("{parent} is a file; name a folder to write to.")
            raise UsageError(said.fill(parent=path.parent)) from None
    return True


def _add_missing(
    path: Path, wanted: list[tuple[Question, Item]], course_id: str, learner: str | None, lang: Lang
) -> None:
    """Append the items that an existing ``answers.yaml`` does not have; name them if the file cannot be extended."""
    text = file_text(path)
    missing = answers_file.missing_items(text, wanted)
    if not missing:
        say(KEPT.fill(file=str(path)))
        return
    names = COMMA.of(lang).join(item.id for _, item in missing)
    extended = answers_file.add_items(text, missing, course_id, learner, lang)
    if extended is None:
        say(TO_ADD.fill(file=str(path)))
        click.echo(indent(names, 2))
        return
    write_output("answers.yaml", path, extended)
    say(ADDED.fill(file=str(path), items=names))


def _reset(folder: Path, part: tuple[Question, Exercise], lang: Lang) -> None:
    """Make a function or class empty again in the question's file. The old file gets a name with a number."""
    question, exercise = part
    path = folder / starter.file_name(question)
    text = file_text(path)
    changed = answers_file.reset_exercise(text, path, exercise, lang)
    kept = next(p for n in itertools.count(1) if not (p := path.with_name(f"{path.stem}.old{n}.txt")).exists())
    create(kept, text)
    write_output("--reset", path, changed)
    say(RESET.fill(name=exercise.name, file=str(path), kept=str(kept)))
