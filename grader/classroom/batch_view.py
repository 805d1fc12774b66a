"""The result of a batch, as lines of text and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.classroom.collect import NOTHING_IN
from grader.classroom.late_policy import policy_sentences
from grader.classroom.words import (
    AND_MORE,
    CHECK_BROKE,
    GRADED,
    NOT_ALL_READ,
    NOTHING_THERE,
    OTHER_NAME,
    PARTLY,
    SAID_LATE,
    WHOLE,
)
from grader.core.layout import WIDTH, columns, indent, shorten, shorten_distinct
from grader.core.model import Text
from grader.core.text import COMMA, LABELED, SEMICOLON, clean, duration, points
from grader.report import words
from grader.report.json import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.classroom.batch import BatchSummary
    from grader.classroom.results import MarkSummary
    from grader.core.model import Lang

COLUMNS = (Text("learner", "学习者"), Text("points", "得分"), Text("status", "状态"))
NOT_GRADED = Text("not gradable, see below", "无法评分，见下文")
NOTHING_IN_IT = Text("nothing to grade, see below", "没有可以评分的内容，见下文")
DONE = Text(
    "{graded} of {all} submissions graded. In {folder}: class.csv and the gradebook, from which 'attncheck export' "
    "makes reports.",
    "{all} 份提交中已评分 {graded} 份。{folder} 中有 class.csv 和成绩册；各人的报告可用 attncheck export 导出。",
)
DONE_WITH_FILES = Text(
    "{graded} of {all} submissions graded. In {folder}: class.csv, the gradebook, and one file per submission.",
    "{all} 份提交中已评分 {graded} 份。{folder} 中有 class.csv、成绩册，以及每份提交各一个结果文件。",
)
GRADED_EARLIER = Text(" {kept} of them were graded earlier.", "其中 {kept} 份此前已评过分。")
MORE_ROWS = Text("… and {more} more in class.csv", "……其余 {more} 行见 class.csv")
NOT_COUNTED = Text("another attempt counts", "以另一次提交为准")
NOT_SUBMITTED = Text("No submission from: {names}", "没有提交：{names}")
NOT_IN_ROSTER = Text(
    "Not on the roster, or listed there with another id or address; graded under the id that came with the "
    "submission: {names}. Add those who belong to the class, or correct the roster, and run the same command again.",
    "不在名单中，或编号、邮箱与名单不符，按提交自带的编号评分：{names}。请把属于本班的人补进名单或更正名单，再运行同一条命令。",
)
MISNAMED = Text(
    "answers.yaml has a name that the roster does not list for this learner. Numbers in quiz items were drawn for the "
    "id in the roster: {names}. Check whether they submitted somebody else’s file.",
    "answers.yaml 里的名字与名单上这位学习者的名字对不上；题目中的数是按名单里的编号抽取的：{names}。"
    "请核对交上来的是不是别人的文件。",
)
RESPELT = Text(
    "answers.yaml has the learner’s name, login or address instead of their id in the roster. Numbers in quiz items "
    "were drawn for the id, so answers that fit the numbers of the other name counted as wrong: {names}. Ask these "
    "learners to use their id; if an answer deserves points nevertheless, give them with 'attncheck override'.",
    "answers.yaml 里写的是本人的姓名、登录名或邮箱，而不是名单里的编号。题目中的数按编号抽取，"
    "按那个名字的数作答会判错：{names}。"
    "请他们改用编号；若仍应得分，可用 `attncheck override` 给分。",
)
MISNAMED_UNLISTED = Text(
    "answers.yaml has a name that does not seem to be the learner’s, and numbers in quiz items were drawn for that "
    "name: {names}. Check whether they submitted somebody else’s file. With a roster, names are certain.",
    "answers.yaml 里的名字看来不是本人的，而题目中的数是按那个名字抽取的：{names}。"
    "请核对交上来的是不是别人的文件；有了名单，谁叫什么就能确定。",
)
WHO_SAYS = Text("{who} (“{said}”)", "{who}（“{said}”）")
AMBIGUOUS = Text(
    "These names match more than one person on the roster; add an id or an e-mail address there: {names}",
    "在名单中对应不止一人（请在名单里补充学号或邮箱）：{names}",
)
TWICE = Text(
    "Learners with two submissions of the same attempt number: {names}", "有两份提交，但按提交次序分不出先后：{names}"
)
LEFTOVERS = Text("Files that belong to nobody: {names}", "不属于任何人的文件：{names}")
NO_TIMESTAMP = Text(
    "Submissions without a timestamp, treated as on time: {count} (late according to the LMS: {late}).",
    "提交时间不明、按准时计的提交：{count} 份（其中课程平台标为迟交的：{late} 份）。",
)
UNREAD = Text(
    "{answers} of {learners} could not be read: {names}. 'attncheck override {folder} --pending' shows them.",
    "{learners}的 {answers}无法读取：{names}。`attncheck override {folder} --pending` 会列出来。",
)
ONE_ANSWER, ANSWERS = Text("1 answer", "1 个答案"), Text("{count} answers", "{count} 个答案")
ONE_LEARNER, LEARNERS = Text("1 learner", "1 位学习者"), Text("{count} learners", "{count} 位学习者")
#: Width of the learner column, in terminal cells.
_NAME_WIDTH = 30
#: Rows of the table; class.csv has them all.
_MOST_ROWS = 60


def to_json(summary: BatchSummary, rows: list[MarkSummary], out: Path) -> dict[str, Any]:
    """The summary and the rows as JSON values."""
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
            "unread": list(row.unread),
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
        "respelt": {clean(who): clean(said) for who, said in summary.respelt},
        "leftovers": list(map(clean, summary.leftovers)),
        "rules": asdict(summary.rules),
        "seconds": number(round(summary.seconds, 3)),
        "learners": learners,
    }


def lines(summary: BatchSummary, rows: list[MarkSummary], out: Path, lang: Lang) -> Iterator[str]:
    """The lines of the summary: a table of the class, what needs attention, and totals."""
    shown = rows[:_MOST_ROWS]
    called = shorten_distinct((clean(row.learner) for row in shown), _NAME_WIDTH)
    cells = [tuple(text.of(lang) for text in COLUMNS)]
    cells += [_cells(row, called[clean(row.learner)], lang) for row in shown]
    yield from (shorten(line, WIDTH) for line in columns(cells, right=[1]))
    if len(rows) > len(shown):
        yield MORE_ROWS.fill(more=len(rows) - len(shown)).of(lang)
    yield ""
    respelt = [WHO_SAYS.fill(who=who, said=said).of(lang) for who, said in summary.respelt]
    misnamed = [WHO_SAYS.fill(who=who, said=said).of(lang) for who, said in summary.misnamed]
    failed = [row for row in rows if row.error is not None]
    told = bool(failed)
    for row in failed:
        why = "" if row.error is None else clean(row.error.of(lang), 1000, lines=True)
        why = why.removeprefix(LABELED.fill(who=row.learner, said="").of(lang))
        yield indent(LABELED.fill(who=clean(row.learner), said=why).of(lang), 0)
    for names, text in (
        (summary.missing, NOT_SUBMITTED),
        (summary.unknown, NOT_IN_ROSTER),
        (summary.ambiguous, AMBIGUOUS),
        (summary.twice, TWICE),
        (misnamed, MISNAMED if summary.listed else MISNAMED_UNLISTED),
        (respelt, RESPELT),
        (summary.leftovers, LEFTOVERS),
    ):
        if names:
            listed = COMMA.of(lang).join(clean(name) for name in names[:20])
            more = AND_MORE.fill(more=len(names) - 20).of(lang) if len(names) > 20 else ""
            yield indent(text.fill(names=listed + more).of(lang), 0)
            told = True
    for line in (*_unread(rows, out, lang), *_rules(summary, lang)):
        yield indent(line, 0)
        told = True
    if told:
        yield ""
    done = DONE_WITH_FILES if any(row.file for row in rows) else DONE
    said = done.fill(graded=summary.graded + summary.kept, all=summary.submissions, folder=str(out)).of(lang)
    again = GRADED_EARLIER.fill(kept=summary.kept).of(lang) if summary.kept else ""
    yield indent(said + again, 0)


def _unread(rows: Sequence[MarkSummary], folder: Path, lang: Lang) -> Iterator[str]:
    """How many answers nobody could read, in submissions that count, and whose they are."""
    found = [row for row in rows if row.counts and row.unread]
    if not found:
        return
    count = sum(len(row.unread) for row in found)
    listed = COMMA.of(lang).join(clean(row.learner) for row in found[:20])
    more = AND_MORE.fill(more=len(found) - 20).of(lang) if len(found) > 20 else ""
    yield UNREAD.fill(
        answers=ONE_ANSWER if count == 1 else ANSWERS.fill(count=count),
        learners=ONE_LEARNER if len(found) == 1 else LEARNERS.fill(count=len(found)),
        names=listed + more,
        folder=str(folder),
    ).of(lang)


def _rules(summary: BatchSummary, lang: Lang) -> Iterator[str]:
    """The due date, the late policy, and how many submissions have no timestamp."""
    said = list(policy_sentences(summary.rules))
    if said:
        yield ("" if lang == "zh" else " ").join(each.of(lang) for each in said)
    if said and summary.timeless:
        yield NO_TIMESTAMP.fill(count=summary.timeless, late=summary.said_late).of(lang)


def _cells(row: MarkSummary, learner: str, lang: Lang) -> tuple[str, str, str]:
    earned = words.OF.fill(earned=points(row.earned), possible=points(row.possible)).of(lang)
    if row.error is not None:
        why = NOTHING_IN_IT if row.error.en.startswith(NOTHING_IN) else NOT_GRADED
        return learner, earned if row.given else "–", why.of(lang)
    if not row.submitted:
        return learner, earned if row.given else "–", NOTHING_THERE.of(lang)
    status = WHOLE if row.passed else GRADED if row.complete else PARTLY
    said = [status.of(lang)]
    if row.late_seconds:
        said.append(words.LATE.fill(time=duration(row.late_seconds)).of(lang))
    if not row.counts:
        said.append(NOT_COUNTED.of(lang))
    for note in row.notes:
        for text in (SAID_LATE, CHECK_BROKE, NOT_ALL_READ, OTHER_NAME):
            note = note.replace(text.en, text.of(lang))
        said.append(clean(note))
    return learner, earned, SEMICOLON.of(lang).join(said)
