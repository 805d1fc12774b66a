"""Verbs for instructors that look at, or change, what a class was given."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.classroom.words import NONE
from grader.commands._options import (
    documented,
    graded_course_option,
    json_option,
    lang_option,
    read_seed,
    write_json,
)
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.core.text import COMMA, SAYS

REGRADE_COLUMNS = (
    Text("learner", "学习者"),
    Text("question", "题目"),
    Text("before", "原得分"),
    Text("now", "现得分"),
    Text("difference", "变化"),
)
IN_ALL = Text("in all", "合计")
REGRADED = Text(
    "Questions that changed since: {questions}. Submissions graded again: {count}. Learners whose points change: "
    "{learners}.",
    "评分之后有变动的题目：{questions}。重新评分的提交：{count} 份。得分有变化的学习者：{learners} 名。",
)
NOTHING_NEW = Text("Nothing has changed since {folder} was graded.", "{folder} 评分之后没有任何变动。")
PUT_DOWN = Text(
    "Put down in {folder}: the gradebook, class.csv, and the files of the submissions.",
    "已写入 {folder}：成绩册、class.csv 和各份提交的结果文件。",
)
NOT_PUT_DOWN = Text("Nothing was written.", "没有写入任何内容。")
PUT_IT_DOWN = Text("Put this down?", "写入这些结果吗？")
MORE_CHANGES = Text("… and {more} more (--json has them all)", "……其余 {more} 行见 --json 的输出")
GIVEN_POINTS = Text(
    "{learner}, {part}: {points} of {possible} points, given by {author}: {reason}",
    "{learner}，{part}：{points} / {possible} 分，由 {author} 给出：{reason}",
)
TAKEN_BACK = Text(
    "{learner}, {part}: the points that were given by hand are taken back; those earned count again.",
    "{learner}，{part}：已撤销人工给分，恢复为实际得分。",
)
HAS_NOW = Text("{learner} now has {earned} of {possible} points.", "{learner} 现在的得分是 {earned} / {possible}。")
OVERRIDE_COLUMNS = (
    Text("learner", "学习者"),
    Text("part", "项目"),
    Text("points", "分数"),
    Text("given by", "给分人"),
    Text("when", "时间"),
    Text("reason", "理由"),
)
NO_OVERRIDES = Text("No points were given by hand.", "没有人工给出的分数。")
LEAVING = Text(
    "What goes of {learner}: submissions in the gradebook with all their points ({submissions}), points given by hand "
    "({overrides}), the line in class.csv, and in {folder}:",
    "将删除 {learner} 的以下内容：成绩册中的 {submissions} 份提交及其得分、{overrides} 处人工给分、class.csv 中的一行，"
    "以及 {folder} 中的：",
)
STAYS_SHARED = Text(
    "Shared with others, and kept for them (numbers in it stay drawn for the name it was graded under): {names}",
    "与他人共有，为他们保留（其中的数字仍按评分时的名字抽取）：{names}",
)
STAYS_OUTSIDE = Text(
    "Not touched, because it lies elsewhere (grading it again would bring {learner} back): {names}",
    "位于别处，不会改动（再次对其评分会使 {learner} 重新出现）：{names}",
)
STAYS_OTHERS = Text(
    "Not touched, because something else wrote it (look whether it names {learner}): {names}",
    "由其他途径生成，不会改动（请查看其中是否提到 {learner}）：{names}",
)
FORGET_IT = Text("Remove this for good?", "确定永久删除吗？")
FORGOTTEN = Text("{learner} is removed from {folder}.", "已从 {folder} 中删除 {learner}。")
NOT_FORGOTTEN = Text("Nothing was removed.", "没有删除任何内容。")


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.classroom.explain import Explained
    from grader.classroom.gradebook import Override
    from grader.classroom.overrides import Given, Leaving
    from grader.classroom.regrade import Change, Regraded
    from grader.core.model import Lang
    from grader.grading.inputs import Seed

F = TypeVar("F", bound="Callable[..., Any]")

DONE, DECLINED, DIFFERENT, SOME_NOT_GRADABLE = 0, 1, 1, 5
#: Lines of a table on the terminal; --json has them all.
_MOST_ROWS = 200
#: Cells of a terminal that a learner has in the table.
_NAME_WIDTH = 30

_folder = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
_seed_file = click.option(
    "--seed-file",
    type=click.Path(path_type=Path),
    metavar="F",
    help="The secret file that DIR was graded with (default: seed_file in course.yaml).",
)


@documented(
    {
        "regrade results --dry-run": "show what would change",
        "regrade results --yes": "grade again and save without asking",
    },
    {0: "saved, or nothing to save", 1: "nothing was saved", 5: "some submissions could not be graded"},
)
@click.command()
@_folder
@click.option("--dry-run", is_flag=True, help="Show the differences, and write nothing.")
@click.option("--yes", is_flag=True, help="Put them down without asking.")
@_seed_file
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="How many at a time (default: one for each processor)."
)
@json_option
@lang_option
@graded_course_option
def regrade(
    folder: Path,
    dry_run: bool,
    yes: bool,
    seed_file: Path | None,
    workers: int | None,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Grades again what a change of the bank touches.

    DIR is a folder that 'batch --out' has written. Only questions that are not what they were are graded
    again, from the submissions where they lie. Shows whose points change, and asks before anything is put
    down. Points given by hand stay.
    """
    if not (dry_run or yes) and (as_json or not _answers()):
        raise UsageError("regrade asks before it writes anything, and nobody could answer: give --yes or --dry-run.")
    from contextlib import ExitStack

    from grader.classroom.regrade import RegradeRequest, regraded
    from grader.commands.batch import show_progress

    asked = RegradeRequest(folder, _seed(folder, seed_file, course_folder), course_folder, workers)
    with ExitStack() as stack:
        with show_progress(lang) as show:
            found, put_down = stack.enter_context(regraded(asked, show, dry=dry_run))
        if not as_json:
            for line in _regraded(found, folder, lang):
                click.echo(line)
        # Without news --yes still writes the files anew: there may have been no room for them the last time.
        write = not dry_run and (yes or (found.news and click.confirm(PUT_IT_DOWN.of(lang))))
        if write:
            put_down(lang)
    if as_json:
        write_json(_regraded_json(found, folder, write))
    elif found.news:
        said = PUT_DOWN if write else NOT_PUT_DOWN
        click.echo(said.fill(folder=folder).of(lang))
    click.get_current_context().exit(_code(found, write, dry_run))


def _seed(folder: Path, file: Path | None, course_folder: Path | None) -> Seed:
    from grader.classroom.regrade import seed_of

    return seed_of(folder, course_folder) if file is None else read_seed(None, file)


def _answers() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty()


def _code(found: Regraded, written: bool, dry_run: bool) -> int:
    if dry_run or not found.news:
        return DONE
    if not written:
        return DECLINED
    return SOME_NOT_GRADABLE if found.refused else DONE


def _regraded(found: Regraded, folder: Path, lang: Lang) -> Iterator[str]:
    from grader.core.layout import WIDTH, apart, columns, indent, shorten
    from grader.core.text import clean

    if not found.news:
        yield NOTHING_NEW.fill(folder=folder).of(lang)
        return
    if found.changes:
        shown = found.changes[:_MOST_ROWS]
        names = apart((clean(change.learner) for change in shown), _NAME_WIDTH)
        rows = [_cells(change, names[clean(change.learner)], lang) for change in shown]
        table = [tuple(text.of(lang) for text in REGRADE_COLUMNS), *rows]
        yield from (shorten(line, WIDTH) for line in columns(table, right=[2, 3, 4]))
        if len(found.changes) > len(rows):
            yield MORE_CHANGES.fill(more=len(found.changes) - len(rows)).of(lang)
        yield ""
    for key, why in found.refused:
        yield indent(SAYS.fill(who=clean(key), said=clean(why.of(lang), 1000, lines=True)).of(lang), 0)
    learners = len({change.learner for change in found.changes})
    questions = COMMA.of(lang).join(found.questions) or NONE
    said = REGRADED.fill(questions=questions, count=found.submissions, learners=learners)
    yield indent(said.of(lang), 0)


def _cells(change: Change, learner: str, lang: Lang) -> tuple[str, ...]:
    from grader.core.text import points
    from grader.report import words

    (before, out_of), (now, possible) = change.before, change.after
    question = IN_ALL.of(lang) if change.question is None else change.question
    old = words.OF.fill(earned=points(before), possible=points(out_of)).of(lang)
    new = words.OF.fill(earned=points(now), possible=points(possible)).of(lang)
    moved = points(now - before)
    return learner, question, old, new, moved if moved.startswith("-") or moved == "0" else f"+{moved}"


def _regraded_json(found: Regraded, folder: Path, written: bool) -> dict[str, Any]:
    from grader.core.text import clean
    from grader.report.json import number

    return {
        "format": 1,
        "out": str(folder),
        "questions": list(found.questions),
        "graded": found.submissions,
        "differences": [
            {
                "learner": clean(change.learner),
                "question": change.question,
                "before": {"earned": number(change.before[0]), "possible": number(change.before[1])},
                "after": {"earned": number(change.after[0]), "possible": number(change.after[1])},
            }
            for change in found.changes
        ],
        "refused": [{"submission": clean(key), "error": clean(why.en, 2000, lines=True)} for key, why in found.refused],
        "layers": list(found.layers),
        "written": written,
    }


# ------------------------------------------------------------------------------------------- by hand


@documented(
    {
        "override results ada Q5.output --points 1 --reason 'oral exam'": "give points",
        "override results --list": "all points given by hand",
    },
    {0: "done"},
)
@click.command()
@_folder
@click.argument("learner", required=False)
@click.argument("part", required=False)
@click.option("--points", type=float, metavar="P", help="What is given instead of what was earned.")
@click.option("--reason", metavar="TEXT", help="Why; it stands beside the points.")
@click.option("--author", metavar="NAME", help="Who gives them (default: your login name).")
@click.option("--beyond", is_flag=True, help="Allow more points than there are, or less than none.")
@click.option("--remove", is_flag=True, help="Take the points back that were given.")
@click.option("--list", "listed", is_flag=True, help="Show all points that were given.")
@json_option
@lang_option
@graded_course_option
def override(
    folder: Path,
    learner: str | None,
    part: str | None,
    points: float | None,
    reason: str | None,
    author: str | None,
    beyond: bool,
    remove: bool,
    listed: bool,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Gives points by hand; they survive regrading.

    DIR is a folder that 'batch --out' has written, PART an item (Q5.output) or an exercise. The files in
    DIR are written anew.
    """
    if listed:
        if learner or remove or points is not None:
            raise UsageError("--list shows everything: give it with DIR alone.")
        _list(folder, as_json, lang)
        return
    if not learner or not part:
        raise UsageError("override needs LEARNER and PART, with --points and --reason, or with --remove.")
    if remove == (points is not None):
        raise UsageError("Give either --points P with --reason TEXT, or --remove.")
    from datetime import UTC, datetime

    from grader.classroom.overrides import Wish, give, take_back

    if points is None:
        given = take_back(folder, learner, part, course_folder, lang)
    else:
        wish = Wish(learner, part, points, reason or "", author or _login(), beyond)
        given = give(folder, wish, datetime.now(UTC), course_folder, lang)
    if as_json:
        write_json(_given_json(given))
    else:
        for line in _given(given, lang):
            click.echo(line)


def _login() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise UsageError("This system does not say who you are: give --author NAME.") from error


def _given(given: Given, lang: Lang) -> Iterator[str]:
    from grader.core.layout import indent
    from grader.core.text import clean, points

    learner, change = clean(given.learner.id), given.override
    if change is None:
        yield indent(TAKEN_BACK.fill(learner=learner, part=given.part.name).of(lang), 0)
    else:
        said = GIVEN_POINTS.fill(
            learner=learner,
            part=given.part.name,
            points=points(change.points),
            possible=points(given.part.possible),
            author=clean(change.author, 60),
            reason=clean(change.reason),
        )
        yield indent(said.of(lang), 0)
    for row in given.rows:
        has = HAS_NOW.fill(learner=learner, earned=points(row.earned), possible=points(row.possible))
        yield indent(has.of(lang), 0)


def _given_json(given: Given) -> dict[str, Any]:
    from grader.core.text import clean
    from grader.report.json import number

    return {
        "format": 1,
        "learner": clean(given.learner.id),
        "part": given.part.name,
        "override": None if given.override is None else _override_json(given.override),
        "marks": [{"earned": number(row.earned), "possible": number(row.possible)} for row in given.rows],
    }


def _override_json(change: Override) -> dict[str, Any]:
    from grader.core.text import clean
    from grader.report.json import number

    return {
        "learner": clean(change.learner),
        "part": clean(change.part),
        "points": number(change.points),
        "reason": clean(change.reason, 2000),
        "author": clean(change.author),
        "at": change.at.isoformat(),
    }


def _list(folder: Path, as_json: bool, lang: Lang) -> None:
    from contextlib import closing

    from grader.classroom.gradebook import open_gradebook
    from grader.core.layout import columns, shorten
    from grader.core.text import clean, points

    with closing(open_gradebook(folder)) as book:
        found = book.overrides()
    if as_json:
        write_json({"format": 1, "overrides": list(map(_override_json, found))})
    elif not found:
        click.echo(NO_OVERRIDES.of(lang))
    else:
        rows = [
            (
                shorten(clean(change.learner), 24),
                shorten(clean(change.part), 32),
                points(change.points),
                shorten(clean(change.author), 20),
                f"{change.at:%Y-%m-%d}",
                clean(change.reason),
            )
            for change in found
        ]
        for line in columns([tuple(text.of(lang) for text in OVERRIDE_COLUMNS), *rows], right=[2]):
            click.echo(line)


@documented(
    {
        "forget results ada": "remove everything of ada's, after asking",
    },
    {0: "removed", 1: "nothing was removed"},
)
@click.command()
@_folder
@click.argument("learner")
@click.option("--yes", is_flag=True, help="Remove everything without asking.")
@json_option
@lang_option
@graded_course_option
def forget(folder: Path, learner: str, yes: bool, as_json: bool, lang: Lang, course_folder: Path | None) -> None:
    """Removes a learner from DIR for good.

    Their submissions and points leave the gradebook (out of the bytes of the file, too), their files and
    the copies of their work go, class.csv is written anew. Says what lies elsewhere and is not touched,
    and asks first.
    """
    if not yes and (as_json or not _answers()):
        raise UsageError("forget asks before it removes anything, and nobody could answer: give --yes.")
    from grader.classroom.overrides import forgetting
    from grader.core.text import clean

    with forgetting(folder, learner, course_folder) as (leaving, remove):
        if not as_json:
            for line in _leaving(leaving, folder, lang):
                click.echo(line)
        agreed = yes or click.confirm(FORGET_IT.of(lang))
        if agreed:
            remove(lang)
    if as_json:
        write_json(_leaving_json(leaving))
    else:
        said = FORGOTTEN.fill(learner=clean(leaving.learner.id), folder=folder)
        click.echo((said if agreed else NOT_FORGOTTEN).of(lang))
    click.get_current_context().exit(DONE if agreed else DECLINED)


def _leaving(leaving: Leaving, folder: Path, lang: Lang) -> Iterator[str]:
    from grader.core.layout import indent
    from grader.core.text import clean

    who = clean(leaving.learner.id)
    counts = {"submissions": len(leaving.submissions), "overrides": leaving.overrides}
    yield indent(LEAVING.fill(learner=who, folder=folder, **counts).of(lang), 0)
    yield from (f"  {clean(str(path.relative_to(folder)))}" for path in leaving.files)
    if not leaving.files:
        yield f"  {NONE.of(lang)}"
    for names, text in (
        (leaving.shared, STAYS_SHARED),
        (leaving.outside, STAYS_OUTSIDE),
        (leaving.others, STAYS_OTHERS),
    ):
        if names:
            listed = COMMA.of(lang).join(clean(str(name)) for name in names)
            yield indent(text.fill(learner=who, names=listed).of(lang), 0)


def _leaving_json(leaving: Leaving) -> dict[str, Any]:
    from grader.core.text import clean

    return {
        "format": 1,
        "learner": clean(leaving.learner.id),
        "submissions": list(map(clean, leaving.submissions)),
        "overrides": leaving.overrides,
        "removed": [clean(str(path)) for path in leaving.files],
        "shared": list(map(clean, leaving.shared)),
        "outside": [clean(str(path)) for path in leaving.outside],
        "others": [clean(str(path)) for path in leaving.others],
    }


# ------------------------------------------------------------------------------------------ explaining


@documented(
    {
        "explain results ada Q5.output": "an answer of ada's",
        "explain results ada scaled_dot_product_attention/values/heads": "one check of one exercise in one case",
    },
    {0: "the replay agrees with the result", 1: "the replay ends otherwise"},
)
@click.command()
@_folder
@click.argument("learner")
@click.argument("check")
@click.option("--attempt", type=click.IntRange(min=1), metavar="N", help="Which submission (default: what counts).")
@_seed_file
@json_option
@lang_option
@graded_course_option
def explain(
    folder: Path,
    learner: str,
    check: str,
    attempt: int | None,
    seed_file: Path | None,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Replays one point: inputs, expected, actual, why.

    CHECK is an item (Q5.output), an exercise (its first failure), or EXERCISE/CHECK/CASE. For instructors
    only: it shows hidden inputs and right results.
    """
    from grader.classroom.explain_view import lines, to_json

    found = _explained(folder, learner, check, attempt, seed_file, course_folder)
    if as_json:
        write_json(to_json(found, lang))
    else:
        for line in lines(found, lang):
            click.echo(line)
    click.get_current_context().exit(DONE if found.agrees else DIFFERENT)


def _explained(
    folder: Path, learner: str, check: str, attempt: int | None, seed_file: Path | None, course_folder: Path | None
) -> Explained:
    from grader.classroom.explain import ExplainRequest, explain_code, explain_item, look_up
    from grader.core.model import ExerciseResult, Item
    from grader.sandbox import open_sandbox

    seed = _seed(folder, seed_file, course_folder)
    found = look_up(ExplainRequest(folder, learner, check, seed, course_folder, attempt))
    if isinstance(found.part, Item):
        assert not isinstance(found.result, ExerciseResult)
        return explain_item(found, found.part, found.result)
    assert isinstance(found.result, ExerciseResult)
    with open_sandbox(mode="require") as sandbox:
        sandbox.allow(found.course.packages)
        return explain_code(found, found.part, found.result, seed, sandbox.observe)
