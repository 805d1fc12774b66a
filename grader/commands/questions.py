"""Verbs for looking at the questions and starting on them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.classroom.words import NONE
from grader.commands._options import (
    course_option,
    documented,
    find_question,
    json_option,
    lang_option,
    load_course,
    nearest,
    recall,
    state_option,
    write_json,
)
from grader.commands._words import WRITTEN
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.core.text import COMMA, RESULT, WITH

QUESTION_COLUMNS = (Text("id", "题号"), Text("title", "标题"), Text("group", "分组"), Text("points", "分值"))
QUESTION_RIGHT = Text("right", "答对")
TO_ANSWER = Text("To answer (in answers.yaml)", "要回答的（写在 answers.yaml 中）")
TO_WRITE = Text("To write", "要编写的")
CONVENTIONS = Text("Conventions", "约定")
CASES = Text("Public cases: {public}; hidden: {hidden}", "公开用例：{public}；隐藏用例：{hidden} 个")
BEGIN = Text("`attncheck start {id}` writes the files to begin with.", "用 `attncheck start {id}` 生成起步文件。")
KEPT = Text("kept as it is: {file}", "保持原样：{file}")
TO_ADD = Text(
    "It has no place yet for these items; add them below “answers:”:", "其中还缺少以下题目，请加到「answers:」之下："
)
MAP_LINE = Text("{name}: {where}", "{name}：{where}")
MAP_NOTHING = Text("nothing yet", "暂无")


if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.core.model import Course, Exercise, Lang, Question
    from grader.learning.progress import Progress, QuestionProgress

# ------------------------------------------------------------------------------------------- questions


@documented(
    {
        "questions": "all questions, with your progress",
        "questions --group position --json": "one group, as data",
    },
    {0: "done"},
)
@click.command()
@click.option("--group", metavar="GROUP", help="Only the questions of this group.")
@click.option("--map", "as_map", is_flag=True, help="Misconceptions, with the items and exercises about them.")
@click.option("--markdown", is_flag=True, help="The map of the whole course as a page.")
@json_option
@state_option
@lang_option
@course_option
def questions(
    group: str | None,
    as_map: bool,
    markdown: bool,
    as_json: bool,
    state_file: Path | None,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Lists the questions, and what you have right of each."""
    from grader.learning.progress import progress_of

    course = load_course(course_folder)
    if markdown:
        from grader.course.coverage import markdown as page

        click.echo(page(course, lang), nl=False)
        return
    chosen = [q for q in course.questions if group is None or q.group.lower() == group.lower()]
    if group is not None and not chosen:
        raise UsageError(f"There is no group “{group}”.{nearest(group, [name for name, _ in course.groups])}")
    if as_map:
        _map(course, chosen, as_json, lang)
        return
    progress = progress_of(course, recall(state_file, course))
    if as_json:
        write_json([_as_json(question, progress.question(question.id)) for question in chosen])
    else:
        _table(chosen, lang, progress if progress.begun else None)


def _map(course: Course, chosen: list[Question], as_json: bool, lang: Lang) -> None:
    from grader.core.layout import indent
    from grader.core.text import COMMA
    from grader.course.coverage import places

    found = places(course, chosen)
    if as_json:
        write_json(
            [
                {
                    "id": each.question.id,
                    "misconceptions": [
                        {"id": belief.misconception.id, "items": belief.items, "exercises": belief.exercises}
                        for belief in each.beliefs
                    ],
                    "exercises": [{"name": name, "items": items} for name, items in each.exercises],
                }
                for each in found
            ]
        )
        return
    comma, nothing = COMMA.of(lang), MAP_NOTHING.of(lang)
    for each in found:
        click.echo(f"{each.question.id}  {each.question.title.of(lang)}")
        for name, items in each.exercises:
            click.echo(indent(MAP_LINE.fill(name=name, where=comma.join(items) or nothing).of(lang), 2))
        for belief in each.beliefs:
            where = comma.join((*belief.items, *belief.exercises)) or nothing
            click.echo(indent(MAP_LINE.fill(name=belief.misconception.id, where=where).of(lang), 4))


def _as_json(question: Question, known: QuestionProgress) -> dict[str, Any]:
    from grader.report.json import number

    return {
        "id": question.id,
        "title": {"en": question.title.en, "zh": question.title.zh},
        "group": question.group,
        "points": number(question.points),
        "items": [item.id for item in question.items],
        "exercises": [exercise.name for exercise in question.exercises],
        "right": known.right,
        "all": len(known.standings),
    }


def _table(chosen: list[Question], lang: Lang, progress: Progress | None) -> None:
    from grader.core.layout import WIDTH, cells, columns, shorten
    from grader.core.text import points

    own = {} if progress is None else {known.question.id: known for known in progress.questions}
    share = {name: f"{known.right}/{len(known.standings)}" for name, known in own.items() if known.begun}
    title_width = WIDTH - (27 if own else 18) - max((cells(q.group) for q in chosen), default=0)
    heads = [text.of(lang) for text in (*QUESTION_COLUMNS, *([QUESTION_RIGHT] if own else []))]
    rows = [(q.id, shorten(q.title.of(lang), title_width), q.group, points(q.points)) for q in chosen]
    right = [[share.get(q.id, "")] if own else [] for q in chosen]
    for line in columns([heads, *([*row, *more] for row, more in zip(rows, right, strict=True))], right=[3, 4]):
        click.echo(line)


# ------------------------------------------------------------------------------------------------ show


_learner_option = click.option(
    "--learner", metavar="NAME", help="Whose numbers to show, where they differ from learner to learner."
)


@documented(
    {
        "show Q5": "prompt, exercises and conventions of Q5",
    },
    {0: "done"},
)
@click.command()
@click.argument("question")
@_learner_option
@lang_option
@course_option
def show(question: str, learner: str | None, lang: Lang, course_folder: Path | None) -> None:
    """Shows a question: its prompt, exercises and conventions."""
    course = load_course(course_folder)
    for line in shown(find_question(course, question), course, learner, lang):
        click.echo(line)


def shown(question: Question, course: Course, learner: str | None, lang: Lang) -> Iterable[str]:
    """The lines of a question's page; ``learner`` gives the numbers that are drawn for one."""
    from grader.core.layout import indent
    from grader.course import starter

    title = f"{question.id}  {question.title.of(lang)}"
    yield indent(WITH.fill(what=title, more=starter.points_of(question.points)).of(lang), 0)
    yield ""
    yield indent(question.prompt.of(lang), 0)
    items = starter.graded(question)
    if items:
        yield ""
        yield TO_ANSWER.of(lang)
        for item in items:
            yield indent(WITH.fill(what=item.id, more=starter.points_of(item.points)).of(lang), 2)
            for text in starter.asked(item, question, course.public_id, learner):
                yield indent(text.of(lang), 4)
    if question.exercises:
        yield ""
        yield TO_WRITE.of(lang)
    for exercise in question.exercises:
        yield from _exercise(exercise, lang)
    conventions = starter.conventions(question)
    if conventions:
        yield ""
        yield CONVENTIONS.of(lang)
    for text in conventions:
        yield "  - " + indent(text.of(lang), 4).lstrip()
    yield ""
    yield indent(BEGIN.fill(id=question.id).of(lang), 0)


def _exercise(exercise: Exercise, lang: Lang) -> Iterable[str]:
    from grader.core.layout import indent
    from grader.course import starter

    signature = exercise.signature if exercise.kind == "function" else f"class {exercise.signature}"
    marks = [starter.points_of(exercise.points).of(lang)]
    if exercise.array_types == ("torch",):
        marks.append("torch")
    head = WITH.fill(what=signature, more=COMMA.of(lang).join(marks))
    yield indent(head.of(lang), 2)
    for method in (*filter(None, [exercise.forward_signature]), *exercise.methods):
        yield indent(method, 4)
    yield indent(exercise.summary.of(lang), 4)
    yield indent(RESULT.fill(result=exercise.result).of(lang), 4)
    for text in starter.without(exercise):
        yield indent(text.of(lang), 4)
    public = [case.name for case in exercise.cases if case.public]
    hidden = str(len(exercise.cases) - len(public))
    named = COMMA.of(lang).join(public) or NONE.of(lang)
    yield indent(CASES.fill(public=named, hidden=hidden).of(lang), 4)


# ----------------------------------------------------------------------------------------------- start


@documented(
    {
        "start Q5 work": "write work/q05.py and work/answers.yaml",
        "start all work": "the same for every question",
    },
    {0: "done"},
)
@click.command()
@click.argument("question", metavar="QUESTION|all")
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path, file_okay=False), default=Path())
@_learner_option
@lang_option
@course_option
def start(question: str, folder: Path, learner: str | None, lang: Lang, course_folder: Path | None) -> None:
    """Writes files to begin with; never overwrites anything.

    QUESTION is a question such as Q5, or “all”. A Python file with empty exercises (q05.py) and an
    answers.yaml for the quiz items are written to DIR (default: here).
    """
    from grader.course import starter

    course = load_course(course_folder)
    chosen = _chosen(course, question)
    files = {starter.file_name(q): starter.stub(q, lang) for q in chosen if q.exercises}
    items = [item.id for q in chosen for item in starter.graded(q)]
    if items:
        files["answers.yaml"] = starter.answers(chosen, lang, course.public_id, learner)
    for name, text in files.items():
        written = _write_new(folder / name, text)
        said = WRITTEN if written else KEPT
        click.echo(said.fill(file=str(folder / name)).of(lang))
        if not written and name == "answers.yaml":
            _say_missing(folder / name, items, lang)


def _chosen(course: Course, name: str) -> tuple[Question, ...]:
    return course.questions if name.lower() == "all" else (find_question(course, name),)


def _write_new(path: Path, text: str) -> bool:
    """Whether ``path`` was free and now holds ``text``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        if path.parent.is_dir():
            return False
        raise UsageError(f"{path.parent} is a file; name a folder to write to.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}. Name another folder to write to.") from error
    return True


def _say_missing(path: Path, items: list[str], lang: Lang) -> None:
    """Names the items for which an ``answers.yaml`` that was left alone has no place yet."""
    from grader.core.layout import indent
    from grader.submission import written

    text = written(path)
    missing = [item for item in items if not _has_place(text, item)]
    if missing:
        click.echo(TO_ADD.of(lang))
        click.echo(indent(COMMA.of(lang).join(missing), 2))


def _has_place(text: str, item: str) -> bool:
    """Whether ``item`` is a key in ``text``, which may not even be valid YAML: grading says what is wrong with it."""
    return re.search(rf"""(?:^|[{{,])\s*["']?{re.escape(item)}["']?\s*:""", text, re.MULTILINE) is not None
