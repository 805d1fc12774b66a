"""Overrides, and what `attncheck forget` deletes, as lines of text and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.classroom.words import NONE
from grader.core.layout import columns, indent, shorten
from grader.core.model import Text
from grader.core.text import COMMA, clean, points
from grader.report.json import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.classroom.gradebook import Override
    from grader.core.model import Lang
    from grader.instructor.overrides import ForgetPlan, OverrideResult

GIVEN = Text(
    "{learner}, {part}: {points} of {possible} points, given by {author}: {reason}",
    "{learner}，{part}：{points} / {possible} 分，由 {author} 给出：{reason}",
)
REMOVED = Text(
    "{learner}, {part}: the override was removed; the earned points count again.",
    "{learner}，{part}：已撤销人工给分，恢复为实际得分。",
)
HAS_NOW = Text("{learner} now has {earned} of {possible} points.", "{learner} 现在的得分是 {earned} / {possible}。")
COLUMNS = (
    Text("learner", "学习者"),
    Text("part", "项目"),
    Text("points", "分数"),
    Text("given by", "给分人"),
    Text("when", "时间"),
    Text("reason", "理由"),
)
NO_OVERRIDES = Text("There are no overrides.", "没有人工给出的分数。")
FORGETS = Text(
    "This will delete {learner}’s submissions in the gradebook with all their points ({submissions}), overrides "
    "({overrides}), requests for regrading ({requests}), the row in class.csv, and in {folder}:",
    "将删除 {learner} 的以下内容：成绩册中的 {submissions} 份提交及其得分、{overrides} 处人工给分、"
    "{requests} 条重评申请、class.csv 中的一行，以及 {folder} 中的：",
)
KEEPS_SHARED = Text(
    "Kept, because others share it (its numbers remain those drawn for the name under which it was graded): {names}",
    "与他人共有，为他们保留（其中的数字仍按评分时的名字抽取）：{names}",
)
KEEPS_OUTSIDE = Text(
    "Not deleted, because it is elsewhere (grading it again would bring {learner} back): {names}",
    "位于别处，不会改动（再次对其评分会使 {learner} 重新出现）：{names}",
)
KEEPS_OTHERS = Text(
    "Not deleted, because another program wrote it (check whether it names {learner}): {names}",
    "由其他途径生成，不会改动（请查看其中是否提到 {learner}）：{names}",
)


def given_lines(given: OverrideResult, lang: Lang) -> Iterator[str]:
    """A new or removed override, and the learner's points after it."""
    learner, change = clean(given.learner.id), given.override
    if change is None:
        yield indent(REMOVED.fill(learner=learner, part=given.part.name).of(lang), 0)
    else:
        said = GIVEN.fill(
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


def given_json(given: OverrideResult) -> dict[str, Any]:
    """The same as JSON values."""
    return {
        "format": 1,
        "learner": clean(given.learner.id),
        "part": given.part.name,
        "override": None if given.override is None else override_json(given.override),
        "marks": [{"earned": number(row.earned), "possible": number(row.possible)} for row in given.rows],
    }


def override_json(change: Override) -> dict[str, Any]:
    """One override as JSON values."""
    return {
        "learner": clean(change.learner),
        "part": clean(change.part),
        "points": number(change.points),
        "reason": clean(change.reason, 2000),
        "author": clean(change.author),
        "at": change.at.isoformat(),
    }


def list_lines(overrides: Sequence[Override], lang: Lang) -> Iterator[str]:
    """A table of ``overrides``, or a sentence if there are none."""
    if not overrides:
        yield NO_OVERRIDES.of(lang)
        return
    rows = [
        (
            shorten(clean(change.learner), 24),
            shorten(clean(change.part), 32),
            points(change.points),
            shorten(clean(change.author), 20),
            f"{change.at:%Y-%m-%d}",
            clean(change.reason),
        )
        for change in overrides
    ]
    yield from columns([tuple(text.of(lang) for text in COLUMNS), *rows], right=[2])


def forget_lines(plan: ForgetPlan, folder: Path, lang: Lang) -> Iterator[str]:
    """What will be deleted from ``folder``, and what will not."""
    who = clean(plan.learner.id)
    counts = {"submissions": len(plan.submissions), "overrides": plan.overrides, "requests": plan.requests}
    yield indent(FORGETS.fill(learner=who, folder=folder, **counts).of(lang), 0)
    yield from (f"  {clean(str(path.relative_to(folder)))}" for path in plan.files)
    if not plan.files:
        yield f"  {NONE.of(lang)}"
    for names, text in (
        (plan.shared, KEEPS_SHARED),
        (plan.outside, KEEPS_OUTSIDE),
        (plan.others, KEEPS_OTHERS),
    ):
        if names:
            listed = COMMA.of(lang).join(clean(str(name)) for name in names)
            yield indent(text.fill(learner=who, names=listed).of(lang), 0)


def forget_json(plan: ForgetPlan) -> dict[str, Any]:
    """The same as JSON values."""
    return {
        "format": 1,
        "learner": clean(plan.learner.id),
        "submissions": list(map(clean, plan.submissions)),
        "overrides": plan.overrides,
        "requests": plan.requests,
        "removed": [clean(str(path)) for path in plan.files],
        "shared": list(map(clean, plan.shared)),
        "outside": [clean(str(path)) for path in plan.outside],
        "others": [clean(str(path)) for path in plan.others],
    }
