"""``attncheck bank``: tools for authors of questions."""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

import click

from grader.authoring import preview as preview_question
from grader.authoring import template
from grader.commands._console import WRITTEN, print_lines, say, step_bar, write_json
from grader.commands._find import find_exercise, find_question
from grader.commands._language import LANG
from grader.commands._options import (
    PATH,
    Call,
    Documented,
    errors_lang_option,
    load_course,
    questions_option,
    shared,
    workers_option,
)
from grader.core import resources
from grader.core.errors import UsageError
from grader.core.files import create
from grader.core.model import LANGUAGES, Course, Lang, Message, Question, Text
from grader.core.text import name_list
from grader.course import loader
from grader.course.problems import Problem, ProblemsError
from grader.grading import courses

LISTED = "Authors", 10

PASSED, FAILED = 0, 4

_EDITION = Message("{folder} is a learners' edition: it was read without errors, and has nothing else to check.")
_INSTALLED = Message(
    "The bundled course is part of the installed attncheck ({folder}), where an update would delete your question. "
    "Name a folder of your own: attncheck bank new {question} --course mycourse"
)
_UNREAD_PAIR = Message("{where}, read by {readers}:\n    {edits}\n    {text}")
_UNREAD = Message(
    "{pairs} share a text with others: two people have to confirm that it fits each (--verbose lists them) and note it "
    "in questions/{file}"
)
_PUBLISHED = Message(
    "{folder}: {questions} questions and {exercises} exercises in {files} files, {size} MB\n"
    "left out: the keys of {sealed} graded items, {hidden} hidden cases, references and mistakes\n"
    "included with their keys: {practice} practice items\n"
    "learners use it with --course {folder}: attncheck grade work --course {folder}"
)
_STALE = Message("{question}: listed under equivalent:, but caught or gone: {mutant}")
_MUTANTS = Message("{count}: {holes} survive without explanation, {equivalent} listed as equivalent")
_FOLLOWS = Message("Open {address}\nThe page follows what you save in {folder}. Stop with Ctrl-C.")
_ONLY = click.option("--only", type=click.Choice(LANGUAGES), help="For a course in this language alone.")
_NEXT = Message("next: attncheck bank check {folder}; attncheck bank preview {question} --course {folder}")


@click.group(invoke_without_command=True)
@errors_lang_option
@click.pass_context
def bank(context: click.Context) -> None:
    """Tools for writing questions."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(click.UsageError.exit_code)


@bank.command(cls=Documented)
@_ONLY
@errors_lang_option
def schema(only: Lang | None) -> None:
    """Write the JSON Schema of question files, for editors.

    Examples:
      bank schema > question.schema.json  write the schema to a file

    Exit codes:
      0  done
    """
    from grader.course import schema_problems  # loads pydantic

    write_json(schema_problems.in_languages(courses.schema(), (only,) if only else LANGUAGES))


@bank.command(cls=Documented)
@click.argument("folder", type=PATH, required=False, metavar="[DIR]")
@questions_option
@click.option("--verbose", is_flag=True, help="List every misconception that no other item or exercise is about.")
@shared("course", "json", "errors-lang")
def check(call: Call, folder: Path | None, questions: tuple[str, ...], verbose: bool) -> None:
    """Check the question bank in DIR (default: the bundled one).

    References must pass, stubs must fail, and each mistake must fail the checks that it declares and be recognised.
    For each problem, prints what to do. At the end, prints for each question how many misconceptions no other item or
    exercise is about.

    Examples:
      bank check mycourse  check the course in mycourse
      bank check -q Q5     only Q5

    Exit codes:
      0  no problems
      4  there are problems; each is listed
    """
    if folder is not None and call.course_folder is not None:
        raise UsageError(Message("Give the course only once: as DIR or with --course."))
    try:
        course = load_course(folder or call.course_folder)
    except ProblemsError as error:
        if not call.as_json:
            raise
        write_json(_as_json(error.problems))
        click.get_current_context().exit(FAILED)
    if course.edition is not None:
        if call.as_json:
            write_json([])
        else:
            say(_EDITION.fill(folder=course.folder))
        return
    named = {find_question(course, name).id for name in questions}
    chosen = [question for question in course.questions if not named or question.id in named]
    problems = _check(course, chosen, all_of_them=not named, shown=not call.as_json)
    if call.as_json:
        write_json(_as_json(problems))
    else:
        for problem in problems:
            say(problem.said)
            say(Message("    {hint}").fill(hint=problem.hint))
        _say_without_follow_up(course, chosen, verbose)
        _say_unread(course, chosen, verbose)
        _say_checked(chosen, len(problems))
    click.get_current_context().exit(FAILED if problems else PASSED)


def _check(course: Course, chosen: list[Question], *, all_of_them: bool, shown: bool) -> list[Problem]:
    """The problems of the ``chosen`` questions and, if these are all of them, of the course."""
    from grader.authoring import selfcheck  # loads numpy
    from grader.grading.context import GradingContext  # loads numpy
    from grader.grading.inputs import Seed  # loads numpy
    from grader.grading.reference_results import reference_observer  # loads numpy
    from grader.sandbox import open_sandbox  # loads numpy

    steps = sum(1 + len(question.exercises) for question in chosen)
    with open_sandbox(mode="require") as sandbox:
        sandbox.start()
        context = GradingContext(course, Seed.public(), reference_observer(sandbox.observe, Seed.public()))
        with step_bar(steps, shown=shown) as show:
            return list(selfcheck.check(course, context, sandbox.observe, show, None if all_of_them else chosen))


def _say_without_follow_up(course: Course, chosen: list[Question], verbose: bool) -> None:
    """Print the misconceptions that no other item or exercise is about; their number unless ``verbose``."""
    from grader.authoring import selfcheck  # loads numpy

    names = {question.id for question in chosen}
    for question, alone in selfcheck.without_follow_up(course).items():
        if question in names:
            what = name_list(alone) if verbose else _count(len(alone), "misconception", "个误解")
            say(Message("Note on {question}: {what} with only one item or exercise").fill(question=question, what=what))


def _say_unread(course: Course, chosen: list[Question], verbose: bool) -> None:
    """Print the texts that are said of several mistakes and not compared with one of them; only how many by default."""
    from grader.authoring import selfcheck  # loads numpy

    names = {question.id for question in chosen}
    unread = [pair for pair in selfcheck.pairs(course) if pair.question in names and not pair.is_read]
    for pair in unread if verbose else ():
        edits = "; ".join(f"{edit.replace or 'body'} → {edit.by}" for edit in pair.mistake.edits)
        where = f"{pair.question}, {pair.exercise}, {pair.misconception.id}, {pair.key}"
        readers = ", ".join(pair.readers) or "–"
        say(_UNREAD_PAIR.fill(where=where, readers=readers, edits=edits, text=pair.misconception.truth))
    if unread:
        say(_UNREAD.fill(pairs=_count(len(unread), "mistake", "个典型错误"), file=selfcheck.READINGS))


def _say_checked(chosen: list[Question], problems: int) -> None:
    exercises = [exercise for question in chosen for exercise in question.exercises]
    said = Message("{questions}, {exercises}, {mistakes}: {found}").fill(
        questions=_count(len(chosen), "question", "个问题"),
        exercises=_count(len(exercises), "exercise", "个练习"),
        mistakes=_count(sum(len(exercise.mistakes) for exercise in exercises), "mistake", "个典型错误"),
        found=_count(problems, "problem", "处错误") if problems else Message("everything proven"),
    )
    say(said)


def _count(number: int, en: str, zh: str) -> Text:
    return Text(f"{number} {en}" if number == 1 else f"{number} {en}s", f"{number} {zh}")


def _as_json(problems: Iterable[Problem]) -> list[dict[str, str]]:
    return [
        {"id": problem.id, "where": problem.where, "text": problem.text, "remedy": problem.hint.en}
        for problem in problems
    ]


@bank.command(cls=Documented)
@click.argument("target", metavar="DIR", type=PATH)
@questions_option
@shared("course", "json", "errors-lang")
def publish(call: Call, target: Path, questions: tuple[str, ...]) -> None:
    """Write a learners' edition of the course to DIR.

    This is a course folder to distribute: prompts, stubs, hints, practice items, and public cases with their expected
    results. It does not contain keys of graded items, references, mistakes or hidden cases. An earlier edition in DIR
    is replaced. Learners use it with --course DIR.

    Examples:
      bank publish handout --course mycourse  write the learners' edition of mycourse to handout

    Exit codes:
      0  written
    """
    from grader.authoring import edition  # loads numpy
    from grader.grading.inputs import Seed  # loads numpy
    from grader.grading.reference_results import reference_observer  # loads numpy
    from grader.sandbox import open_sandbox  # loads numpy

    with open_sandbox(mode="auto") as sandbox:
        sandbox.start()
        course = call.whole_course()
        named = [find_question(course, name).id for name in questions]
        expect = reference_observer(sandbox.observe, Seed.public(), course=course)
        done = edition.publish(course, target, named, expect)
    if call.as_json:
        write_json({**asdict(done), "folder": str(done.folder)})
        return
    say(_PUBLISHED.fill(size=f"{done.size / 1e6:.1f}", **{k: v for k, v in asdict(done).items() if k != "size"}))


@bank.command(cls=Documented)
@click.option("-e", "--exercise", "names", multiple=True, metavar="FUNCTION", help="Only this exercise (repeatable).")
@workers_option(help="Use N sandboxes at a time (default: one per CPU).")
@shared("course", "json", "errors-lang")
def mutate(call: Call, names: tuple[str, ...], workers: int | None) -> None:
    """Mutate the references; list what no case catches.

    A surviving mutant needs a better case, or an entry with a reason under equivalent: in its question's file. Exits
    with 4 if one has neither.

    Examples:
      bank mutate -e softmax  change softmax in every small way

    Exit codes:
      0  the cases notice every change
      4  a change goes unnoticed, or an entry under equivalent: is out of date
    """
    from grader.authoring import mutation  # loads numpy

    course = call.whole_course()
    for name in names:
        find_exercise(course, name)
    exercises = [e.name for q in course.questions for e in q.exercises if not names or e.name in names]
    with step_bar(len(exercises), shown=not call.as_json) as show:
        fates = list(mutation.run(course, names, workers or resources.processors(), show))
    holes = [fate.mutant for fate in fates if not fate.caught and fate.why is None]
    every = mutation.stale_equivalents(course, fates)
    stale = [each for each in every if not names or each[1].partition(":")[0] in names]
    if call.as_json:
        write_json({"mutants": len(fates), "survivors": [{"exercise": m.exercise, "mutant": m.name} for m in holes]})
    else:
        for mutant in holes:
            say(Message("{exercise}: survives: {mutant}").fill(exercise=mutant.exercise, mutant=mutant.name))
        for question, name in stale:
            say(_STALE.fill(question=question, mutant=name))
        excused = sum(1 for fate in fates if not fate.caught and fate.why is not None)
        say(_MUTANTS.fill(count=_count(len(fates), "mutant", "个变异"), holes=len(holes), equivalent=excused))
    click.get_current_context().exit(FAILED if holes or stale else PASSED)


@bank.command(cls=Documented)
@click.argument("question", metavar="QUESTION")
@_ONLY
@shared("course", "errors-lang")
def new(call: Call, question: str, only: Lang | None) -> None:
    """Write a new question, filled in with a small example.

    QUESTION is an id such as Q25. The question file and its reference go to the course folder (--course, or the
    checkout). `attncheck bank check` passes on them as they are, so you can check every change at once.

    Examples:
      bank new Q25 --course mycourse  write a question that already works
      bank new Q1 --course mycourse --only en  begin a course in English, without Chinese

    Exit codes:
      0  written
    """
    match = re.fullmatch(r"[Qq]0*(\d+)", question)
    if match is None:
        said = Message("“{question}” is not a question id; expected one such as Q25.")
        raise UsageError(said.fill(question=question))
    number = int(match[1])
    folder = call.course_folder or loader.find(None)
    if folder == loader.installed_content():
        raise UsageError(_INSTALLED.fill(folder=folder, question=f"Q{number}"))
    group, languages = None, (only,) if only else LANGUAGES
    if any(folder.glob("questions/q*.yaml")):
        course = courses.load(loader.find(folder))
        if course.question(f"Q{number}") is not None:
            said = Message("The course already has a question Q{number}; choose another number.")
            raise UsageError(said.fill(number=number))
        group, languages = course.groups[0][0], course.languages
    for path, text in template.files(number, group, languages).items():
        create(folder / path, text)
        say(WRITTEN.fill(file=folder / path))
    say(_NEXT.fill(folder=folder, question=f"Q{number}"))


@bank.command(cls=Documented)
@click.argument("question")
@click.option("--serve", is_flag=True, help="Show its page in a browser, and again after every save.")
@click.option("--browser/--no-browser", default=True, help="--serve: open a browser window (default: yes).")
@shared("course", "errors-lang")
def preview(call: Call, question: str, serve: bool, browser: bool) -> None:
    """Show a question as learners see it, in each language of the course.

    In addition to `attncheck show`, prints the options of items, the hints and the stub, and for the author the answers
    and what learners read after a mistake. With --serve, a browser shows the page of the question, follows what you
    save, and names what is wrong in the files of the course. What you answer there is not kept.

    Examples:
      bank preview Q5 --course mycourse --serve  the page of Q5, while you write it
      bank preview Q5  Q5 as learners see it, in English and in Chinese

    Exit codes:
      0  done
    """
    course = call.course()
    chosen = find_question(course, question)
    if serve:
        _serve(call, course, f"/questions/{chosen.id}", browser)
    for lang in course.languages if not serve else ():
        click.echo(f"═══ {lang} " + "═" * 72)
        print_lines(preview_question.lines(chosen, course, lang))


def _serve(call: Call, course: Course, path: str, browser: bool) -> None:
    """Serve the pages of the course, which follow what is saved, to its author, until Ctrl-C."""
    from grader.commands import serve  # loads starlette

    serve.require_web()
    from grader.web import pages  # needs what was just tried

    with tempfile.TemporaryDirectory() as folder:
        own = replace(call, state_file=Path(folder, "log.jsonl"))
        opened = functools.partial(serve.workspace, own, Path(folder, "work"), "author")
        app = pages.author_app(opened, Path(course.folder), click.get_current_context().meta[LANG])
        serve.serve_here(app, _FOLLOWS, Path(course.folder), browser=browser, path=path)
