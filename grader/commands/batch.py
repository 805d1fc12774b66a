"""Verbs for instructors: many submissions at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.classroom.words import AND_MORE, CHECK_BROKE, GRADED, NOT_ALL_READ, NOTHING_THERE, PARTLY, SAID_LATE, WHOLE
from grader.commands._options import (
    course_option,
    documented,
    json_option,
    lang_option,
    read_seed,
    write_json,
)
from grader.core.model import Text
from grader.core.text import COMMA, SAYS, SEMICOLON, duration

BATCH_COLUMNS = (Text("learner", "学习者"), Text("points", "得分"), Text("status", "状态"))
NOT_GRADED = Text("not gradable, see below", "无法评分，见下文")
NOTHING_IN_IT = Text("nothing to grade, see below", "没有可以评分的内容，见下文")
BATCH_DONE = Text(
    "{graded} of {all} submissions graded. In {folder}: class.csv, the gradebook, and a file for each submission.",
    "{all} 份提交中已评分 {graded} 份。{folder} 中有 class.csv、成绩册，以及每份提交各一个结果文件。",
)
STOPPED = Text(
    "interrupted after {done} of {total} submissions. What was graded is saved: run the same command again, and it "
    "goes on where it was.",
    "已中断：{total} 份提交中已评完 {done} 份，结果均已保存。再次运行同一条命令，即可从中断处继续。",
)
STOPPED_BEFORE = Text(
    "interrupted before the first submission was graded. What was graded earlier is saved: run the same command again, "
    "and it goes on where it was.",
    "已中断：本次尚未评完任何提交，此前的结果均已保存。再次运行同一条命令，即可从中断处继续。",
)
KEPT_FROM_BEFORE = Text(" Graded before: {kept} of them.", "其中 {kept} 份此前已评过分。")
WAITING_FOR = Text("waiting for {name}", "正在等待 {name}")
MORE_ROWS = Text("… and {more} more in class.csv", "……其余 {more} 行见 class.csv")
SET_ASIDE = Text("another attempt counts", "以另一次提交为准")
HANDED_IN_NOTHING = Text("Handed in nothing: {names}", "没有提交：{names}")
NOT_IN_ROSTER = Text(
    "Not in the roster, or there with another number or address, and graded under the number that the work came with: "
    "{names}. Add who belongs to the class, or correct the roster, and run the same command again.",
    "不在名单中，或编号、邮箱与名单不符，按提交自带的编号评分：{names}。请把属于本班的人补进名单或更正名单，再运行同一条命令。",
)
MISNAMED = Text(
    "answers.yaml has a name that the roster does not know as theirs, so numbers in quiz items were drawn for the "
    "roster’s id, and right answers may have counted as wrong: {names}. Where the name is theirs, add it to the "
    "roster (as login, say), and run the same command again.",
    "answers.yaml 里的名字与名单中这位学习者的对不上，因此题目中的数是按名单里的编号抽取的，答对的也可能判错：{names}。"
    "名字若确是本人的，请补进名单（例如填在 login 一列），再运行同一条命令。",
)
MISNAMED_UNLISTED = Text(
    "answers.yaml has a name that does not seem to be theirs, and numbers in quiz items were drawn for that name: "
    "{names}. See whether they handed in somebody else’s file. A roster says for sure who is called what.",
    "answers.yaml 里的名字看来不是本人的，而题目中的数是按那个名字抽取的：{names}。"
    "请核对交上来的是不是别人的文件；有了名单，谁叫什么就能确定。",
)
WHO_SAYS = Text("{who} (“{said}”)", "{who}（「{said}」）")
TWICE_IN_ROSTER = Text(
    "Could be more than one in the roster (add an id or an address there): {names}",
    "在名单中对应不止一人（请在名单里补充学号或邮箱）：{names}",
)
HANDED_IN_TWICE = Text(
    "With two submissions, and none of them later (by attempt): {names}", "有两份提交，但按提交次序分不出先后：{names}"
)
NOBODYS = Text("Files that belong to nobody: {names}", "不属于任何人的文件：{names}")
TIMELESS = Text(
    "Submissions of which no time is known, and which count as handed in on time: {count} (late by the word of the "
    "course system: {late}).",
    "提交时间不明、按准时计的提交：{count} 份（其中课程平台标为迟交的：{late} 份）。",
)


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from grader.classroom.batch import Order, Step, Summary
    from grader.classroom.results import Row
    from grader.core.model import Lang

ALL_GRADED, SOME_NOT_GRADABLE, INTERRUPTED = 0, 5, 130
#: Cells of a terminal that a learner has in the table.
_NAME_WIDTH = 30
#: Learners in the table on the terminal; class.csv has them all.
_MOST_ROWS = 60


@documented(
    {
        "batch submissions.zip --out results --seed-file SEED": "grade a class",
        "batch submissions.zip --out results --roster class.csv -q Q5": "one question, for the learners of a roster",
    },
    {0: "every submission was graded", 5: "some submissions could not be graded"},
)
@click.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR", help="Where results go."
)
@click.option(
    "-q", "--question", "questions", multiple=True, metavar="Q", help="Only this question counts (repeatable)."
)
@click.option(
    "--seed-file",
    type=click.Path(path_type=Path),
    metavar="F",
    help="Hidden cases from this secret file (default: seed_file in course.yaml, else a public seed).",
)
@click.option(
    "--roster",
    type=click.Path(path_type=Path),
    metavar="CSV",
    help="Who is in the class; a gradebook from Canvas will do, too (default: roster in course.yaml).",
)
@click.option(
    "--intake", metavar="KIND", help="How submissions were collected, such as canvas or folders (default: detected)."
)
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="How many at a time (default: one for each processor)."
)
@click.option("--scheduler", metavar="ADDRESS", help="Grade on the Dask cluster whose scheduler is at ADDRESS.")
@json_option
@lang_option
@course_option
def batch(
    submissions: Path,
    out: Path,
    questions: tuple[str, ...],
    seed_file: Path | None,
    roster: Path | None,
    intake: str | None,
    workers: int | None,
    scheduler: str | None,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Grades every submission in a folder or zip.

    Puts down every result in DIR as it comes; run again, it goes on where it was. Writes a gradebook,
    one JSON file per submission, class.csv, and a table to the terminal. Refuses to run where code
    cannot be confined.
    """
    from grader.classroom.batch import Order
    from grader.classroom.batch import run as run_batch
    from grader.course import loader
    from grader.grading import courses

    folder = loader.find(course_folder)
    loaded = courses.load(folder)
    order = Order(
        collection=submissions,
        out=out,
        course_folder=folder,
        seed=read_seed(None, seed_file or loader.beside(loaded, "seed_file")),
        questions=questions,
        intake=intake,
        roster=roster or loader.beside(loaded, "roster"),
        workers=workers,
        scheduler=scheduler,
    )
    if scheduler is not None and order.seed.secret and _in_clear(scheduler):
        click.echo(
            f"attncheck: the seed travels to {scheduler} unencrypted; docs/cluster.md says how to use tls://", err=True
        )
    latest: list[Step] = []

    def keep(step: Step) -> None:
        latest[:] = [step]
        show(step)

    try:
        with show_progress(lang) as show:
            summary = run_batch(order, keep)
    except KeyboardInterrupt:
        click.echo(f"attncheck: {_interrupted(latest, lang)}", err=True)
        click.get_current_context().exit(INTERRUPTED)
    rows = _results(order, lang)
    if as_json:
        write_json(_as_json(summary, rows, out))
    else:
        for line in _lines(summary, rows, out, lang):
            click.echo(line)
    gradable = not summary.refused and all(row.complete for row in rows)
    click.get_current_context().exit(ALL_GRADED if gradable else SOME_NOT_GRADABLE)


def _interrupted(latest: list[Step], lang: Lang) -> str:
    """How far it got, and how to go on."""

    done, total = (latest[0].done, latest[0].total) if latest else (0, None)
    told = STOPPED_BEFORE if total is None else STOPPED.fill(done=done, total=total)
    return told.of(lang)


def _in_clear(address: str) -> bool:
    """Whether others on the way could read what is sent."""
    scheme, _, host = address.rpartition("://")
    return scheme in ("", "tcp", "ws") and not host.startswith(("127.", "localhost", "[::1]"))


def _results(order: Order, lang: Lang) -> list[Row]:
    from contextlib import closing

    from grader.classroom.gradebook import open_gradebook
    from grader.classroom.lock import locked
    from grader.classroom.results import Book, write_files
    from grader.grading import courses

    with locked(order.out), closing(open_gradebook(order.out)) as book:
        return write_files(Book.of(book, courses.load(order.course_folder)), order.out, lang)


def show_progress(lang: Lang) -> AbstractContextManager[Callable[[Step], None]]:
    """Shows how far it is, where a person is watching."""
    from contextlib import contextmanager

    @contextmanager
    def nothing() -> Iterator[Callable[[Step], None]]:
        yield lambda step: None

    @contextmanager
    def bar() -> Iterator[Callable[[Step], None]]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        from grader.classroom.words import GRADED
        from grader.core.text import clean

        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[waiting]}", markup=False, style="dim"),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
            task = shown.add_task(GRADED.of(lang), total=None, rate="", waiting="")

            def show(step: Step) -> None:
                speed = shown.tasks[0].speed
                waiting = WAITING_FOR.fill(name=clean(step.waiting[0], 40)).of(lang) if step.waiting else ""
                rate = f"{speed:.1f}/s" if speed else ""
                shown.update(task, completed=step.done, total=step.total, rate=rate, waiting=waiting)

            yield show

    return bar() if sys.stderr.isatty() else nothing()


def _as_json(summary: Summary, rows: list[Row], out: Path) -> dict[str, Any]:
    from dataclasses import asdict

    from grader.core.text import clean
    from grader.report.json import number

    learners = [
        {
            "learner": clean(row.learner),
            "name": clean(row.name),
            "earned": number(row.earned),
            "possible": number(row.possible),
            "complete": row.complete,
            "passed": row.passed,
            "counts": row.counts,
            "late_by_seconds": number(row.late_seconds) if row.late_seconds else None,
            "error": None if row.error is None else clean(row.error.en, 2000, lines=True),
            "notes": [clean(note) for note in row.notes],
            "file": row.file,
        }
        for row in rows
    ]
    return {
        "format": 1,
        "out": str(out),
        "intake": summary.kind,
        "submissions": summary.submissions,
        "graded": summary.graded,
        "kept": summary.kept,
        "layers": list(summary.layers),
        "missing": list(map(clean, summary.missing)),
        "unknown": list(map(clean, summary.unknown)),
        "ambiguous": list(map(clean, summary.ambiguous)),
        "twice": list(map(clean, summary.twice)),
        "misnamed": {clean(who): clean(said) for who, said in summary.misnamed},
        "leftovers": list(map(clean, summary.leftovers)),
        "rules": asdict(summary.rules),
        "seconds": number(round(summary.seconds, 3)),
        "learners": learners,
    }


def _lines(summary: Summary, rows: list[Row], out: Path, lang: Lang) -> Iterator[str]:
    from grader.core.layout import WIDTH, apart, columns, indent, shorten
    from grader.core.text import clean

    shown = rows[:_MOST_ROWS]
    called = apart((clean(row.learner) for row in shown), _NAME_WIDTH)
    cells = [tuple(text.of(lang) for text in BATCH_COLUMNS)]
    cells += [_cells(row, called[clean(row.learner)], lang) for row in shown]
    yield from (shorten(line, WIDTH) for line in columns(cells, right=[1]))
    if len(rows) > len(shown):
        yield MORE_ROWS.fill(more=len(rows) - len(shown)).of(lang)
    yield ""
    misnamed = [WHO_SAYS.fill(who=who, said=said).of(lang) for who, said in summary.misnamed]
    failed = [row for row in rows if row.error is not None]
    told = bool(failed)
    for row in failed:
        why = "" if row.error is None else clean(row.error.of(lang), 1000, lines=True)
        why = why.removeprefix(SAYS.fill(who=row.learner, said="").of(lang))
        yield indent(SAYS.fill(who=clean(row.learner), said=why).of(lang), 0)
    for names, text in (
        (summary.missing, HANDED_IN_NOTHING),
        (summary.unknown, NOT_IN_ROSTER),
        (summary.ambiguous, TWICE_IN_ROSTER),
        (summary.twice, HANDED_IN_TWICE),
        (misnamed, MISNAMED if summary.listed else MISNAMED_UNLISTED),
        (summary.leftovers, NOBODYS),
    ):
        if names:
            listed = COMMA.of(lang).join(clean(name) for name in names[:20])
            more = AND_MORE.fill(more=len(names) - 20).of(lang) if len(names) > 20 else ""
            yield indent(text.fill(names=listed + more).of(lang), 0)
            told = True
    for line in _rules(summary, lang):
        yield indent(line, 0)
        told = True
    if told:
        yield ""
    said = BATCH_DONE.fill(graded=summary.graded + summary.kept, all=summary.submissions, folder=str(out)).of(lang)
    again = KEPT_FROM_BEFORE.fill(kept=summary.kept).of(lang) if summary.kept else ""
    yield indent(said + again, 0)


def _rules(summary: Summary, lang: Lang) -> Iterator[str]:
    """What is due, and what it costs to be late; whose times are not known."""
    from grader.classroom.late_policy import sentences

    said = list(sentences(summary.rules))
    if said:
        yield ("" if lang == "zh" else " ").join(each.of(lang) for each in said)
    if said and summary.timeless:
        yield TIMELESS.fill(count=summary.timeless, late=summary.said_late).of(lang)


def _cells(row: Row, learner: str, lang: Lang) -> tuple[str, str, str]:
    from grader.classroom.collect import NOTHING_IN
    from grader.core.text import clean, points
    from grader.report import words

    earned = words.OF.fill(earned=points(row.earned), possible=points(row.possible)).of(lang)
    if row.error is not None:
        why = NOTHING_IN_IT if row.error.en.startswith(NOTHING_IN) else NOT_GRADED
        return learner, earned if row.given else "–", why.of(lang)
    if row.file is None:
        return learner, earned if row.given else "–", NOTHING_THERE.of(lang)
    status = WHOLE if row.passed else GRADED if row.complete else PARTLY
    said = [status.of(lang)]
    if row.late_seconds:
        said.append(words.LATE.fill(time=duration(row.late_seconds)).of(lang))
    if not row.counts:
        said.append(SET_ASIDE.of(lang))
    for note in row.notes:
        for text in (SAID_LATE, CHECK_BROKE, NOT_ALL_READ):
            note = note.replace(text.en, text.of(lang))
        said.append(clean(note))
    return learner, earned, SEMICOLON.of(lang).join(said)
