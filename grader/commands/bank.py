"""Verbs for authors of questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import (
    course_option,
    documented,
    json_option,
    load_course,
    load_whole_course,
    write_json,
)
from grader.core.problems import ProblemsError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.core.model import Lang
    from grader.core.problems import Problem

PASSED, FAULTS = 0, 4

_folder = click.argument("folder", type=click.Path(path_type=Path), required=False, metavar="[DIR]")


@click.group()
def bank() -> None:
    """Tools for those who write questions."""


@documented(
    {
        "bank schema > question.schema.json": "write the schema to a file",
    },
    {0: "done"},
)
@bank.command()
def schema() -> None:
    """Writes the JSON Schema of question files, for editors."""
    from grader.grading import courses

    write_json(courses.schema())


@documented(
    {
        "bank check mycourse": "prove the course in mycourse",
    },
    {0: "everything holds", 4: "something is wrong; each problem is named"},
)
@bank.command()
@_folder
@json_option
def check(folder: Path | None, as_json: bool) -> None:
    """Proves the bank in DIR (default: the bundled one).

    References pass, stubs fail, each mistake fails what it declares and is named as itself. Says for each problem
    what to do.
    """
    from grader.grading import selfcheck
    from grader.grading.grade import Memo
    from grader.grading.inputs import Seed
    from grader.grading.reference_results import expecting
    from grader.sandbox import open_sandbox

    try:
        course = load_course(folder)
    except ProblemsError as error:
        if not as_json:
            raise
        write_json(_as_json(error.problems))
        click.get_current_context().exit(FAULTS)
    if course.edition is not None:
        said = f"{course.folder} is a learners' edition: there is nothing in it to prove. It was read without a fault."
        click.echo(said, err=as_json)
        if as_json:
            write_json([])
        return
    with open_sandbox(mode="require") as sandbox:
        sandbox.start()
        memo = Memo(course, Seed.public(), expecting(sandbox.observe, Seed.public()))
        problems = list(selfcheck.check(course, memo, sandbox.observe))
    if as_json:
        write_json(_as_json(problems))
    else:
        for problem in problems:
            click.echo(f"{problem}\n    {problem.hint}")
        exercises = [e for q in course.questions for e in q.exercises]
        mistakes = sum(len(e.mistakes) for e in exercises)
        click.echo(
            f"{len(course.questions)} questions, {len(exercises)} exercises, {mistakes} mistakes: "
            + (f"{len(problems)} problems" if problems else "everything proven")
        )
    click.get_current_context().exit(FAULTS if problems else PASSED)


def _as_json(problems: Iterable[Problem]) -> list[dict[str, str]]:
    return [{"id": each.id, "where": each.where, "text": each.text, "remedy": each.hint} for each in problems]


@documented(
    {
        "bank publish handout --course mycourse": "write the learners' edition of mycourse to handout",
    },
    {0: "written"},
)
@bank.command()
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "-q", "--question", "questions", multiple=True, metavar="Q", help="Only this question goes into it (repeatable)."
)
@course_option
@json_option
def publish(target: Path, questions: tuple[str, ...], course_folder: Path | None, as_json: bool) -> None:
    """Writes a learners' edition of the course to DIR.

    A course folder to hand out: prompts, stubs, hints, practice items, and public cases with their right
    results. Keys of graded items, references, mistakes and hidden cases are not in it. An earlier edition in
    DIR is replaced. Learners use it with --course DIR.
    """
    from dataclasses import asdict

    from grader.classroom import edition
    from grader.commands._options import find_question
    from grader.grading.inputs import Seed
    from grader.grading.reference_results import expecting
    from grader.sandbox import open_sandbox

    with open_sandbox(mode="auto") as sandbox:
        sandbox.start()
        course = load_whole_course(course_folder)
        named = [find_question(course, name).id for name in questions]
        expect = expecting(sandbox.observe, Seed.public(), course=course)
        done = edition.publish(course, target, named, expect)
    if as_json:
        write_json({**asdict(done), "folder": str(done.folder)})
        return
    click.echo(
        f"{done.folder}: {done.questions} questions and {done.exercises} exercises in {done.files} files, "
        f"{done.size / 1e6:.1f} MB\n"
        f"left out: the keys of {done.sealed} graded items, {done.hidden} hidden cases, references and mistakes\n"
        f"with their keys: {done.practice} practice items\n"
        f"learners use it with --course {done.folder}: attncheck grade work --course {done.folder}"
    )


@documented(
    {
        "bank mutate -e softmax": "change softmax in every small way",
    },
    {0: "the cases notice every change", 4: "a change goes unnoticed, or an entry under equivalent: is out of date"},
)
@bank.command()
@click.option("-e", "--exercise", "names", multiple=True, metavar="FUNCTION", help="Only this exercise (repeatable).")
@click.option("--workers", type=click.IntRange(1), help="Sandboxes at work (default: one per core).")
@course_option
@json_option
def mutate(names: tuple[str, ...], workers: int | None, course_folder: Path | None, as_json: bool) -> None:
    """Changes the references systematically and lists every change that no case notices.

    A survivor is caught by a better case, or listed under equivalent: in its question's file with the reason.
    """
    from grader.core import resources
    from grader.core.errors import UsageError
    from grader.grading import mutation

    course = load_whole_course(course_folder)
    known = [e.name for q in course.questions for e in q.exercises]
    for name in names:
        if name not in known:
            raise UsageError(f"the course has no exercise {name!r}; there are: {', '.join(known)}")
    fates = list(mutation.run(course, names, workers or resources.processors()))
    holes = [fate.mutant for fate in fates if not fate.caught and fate.why is None]
    stale = [] if names else list(mutation.stale_equivalents(course, fates))
    if as_json:
        write_json({"mutants": len(fates), "survivors": [{"exercise": m.exercise, "mutant": m.name} for m in holes]})
    else:
        for mutant in holes:
            click.echo(f"{mutant.exercise}: survives: {mutant.name}")
        for question, name in stale:
            click.echo(f"{question}: excused under equivalent: but caught or gone: {name}")
        excused = sum(1 for fate in fates if not fate.caught and fate.why is not None)
        click.echo(f"{len(fates)} mutants: {len(holes)} survive unexplained, {excused} are explained as equivalent")
    click.get_current_context().exit(FAULTS if holes or stale else PASSED)


@documented(
    {
        "bank new Q25 --course mycourse": "write a question that works as it stands",
    },
    {0: "written"},
)
@bank.command()
@click.argument("question", metavar="QUESTION")
@course_option
def new(question: str, course_folder: Path | None) -> None:
    """Writes a new question, filled in with a small example.

    QUESTION is an id such as Q25. The question file and its reference go to the course folder (--course, or the
    checkout); `attncheck bank check` passes on them, so that every change can be checked at once.
    """
    import re

    from grader.core.errors import UsageError
    from grader.core.files import create
    from grader.course import loader as course
    from grader.course import template
    from grader.grading import courses

    match = re.fullmatch(r"[Qq]0*(\d+)", question)
    if match is None:
        raise UsageError(f"{question!r} is not an id such as Q25.")
    number = int(match[1])
    folder = course_folder or course.find(None)
    names = {"id": f"Q{number}", "name": f"scaled_by_{number}", "module": f"question_{number}", "title": "Scaling"}
    files = {
        folder / "questions" / f"q{number:02}_scaling.yaml": template.QUESTION,
        folder / "reference" / f"question_{number}.py": template.REFERENCE,
    }
    if any(folder.glob("questions/q*.yaml")):
        loaded = courses.load(course.find(folder))
        if loaded.question(f"Q{number}") is not None:
            raise UsageError(f"the course has a question Q{number} already; choose another number.")
        names["group"] = loaded.groups[0][0]
    else:  # the first question of a new course
        names["group"] = "basics"
        files |= {folder / "course.yaml": template.COURSE, folder / "reference" / "__init__.py": template.PACKAGE}
    for path, text in {path: text.format(**names) for path, text in files.items()}.items():
        create(path, text)
        click.echo(f"written: {path}")
    click.echo(f"next: attncheck bank check {folder}; attncheck bank preview Q{number} --course {folder}")


@documented(
    {
        "bank preview Q5": "Q5 as learners see it, in both languages",
    },
    {0: "done"},
)
@bank.command()
@click.argument("question")
@course_option
def preview(question: str, course_folder: Path | None) -> None:
    """Shows a question as learners see it, in both languages.

    Beyond `attncheck show`: the options of its items, the hints, and the stub.
    """
    from grader.commands._options import find_question
    from grader.commands.questions import shown
    from grader.core.layout import indent
    from grader.course import starter

    course = load_course(course_folder)
    found = find_question(course, question)
    languages: tuple[Lang, ...] = ("en", "zh")
    for lang in languages:
        click.echo(f"═══ {lang} " + "═" * 72)
        for line in shown(found, course, None, lang):
            click.echo(line)
        for exercise in found.exercises:
            for rung, text in enumerate(exercise.hints, 1):
                click.echo(f"\n{exercise.name}, {rung}/{len(exercise.hints)}:")
                click.echo(indent(text.of(lang), 2))
        click.echo("\n" + starter.answers((found,), lang))
        if found.exercises:
            click.echo(starter.stub(found, lang))
