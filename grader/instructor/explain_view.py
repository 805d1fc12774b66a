"""An explained item or check for instructors, as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from grader.classroom.words import NONE
from grader.core.layout import indent
from grader.core.model import Difference, Lang, Text
from grader.core.text import COMMA, LABELED, SEMICOLON, STATUS, clean, points, timestamp
from grader.report import explained, words
from grader.report.json import diagnosis, number

if TYPE_CHECKING:
    from grader.instructor.explain import Explanation, ShownValue

EXPLAINED = Text(
    "{learner}, {where}: {status}, {earned} of {possible} points",
    "{learner}，{where}：{status}，{earned} / {possible} 分",
)
HIDDEN = Text("This case is hidden: do not show the following to learners.", "隐藏用例：以下内容不可给学习者看。")
TOLD = Text("What the learner sees: {said}", "学习者看到的是：{said}")
SEEN = Text("With nothing hidden: {said}", "完整的情况是：{said}")
BELIEF = Text("Misconception {name}: {truth}", "误解 {name}：{truth}")
WHY = Text("Why: {said}", "原因：{said}")
INPUTS = Text("Inputs", "输入")
EXPECTED = Text("Expected", "正确结果")
ACTUAL = Text("Actual", "实际结果")
NO_EXPECTED = Text("this check does not compare results with the reference", "这项检查不与参考实现的结果比较")
NO_ACTUAL = Text("nothing", "没有")
CODE_IN = Text("Submission {submission}, file {file}: {given}", "提交 {submission}，文件 {file}：{given}")
IN_FORM = Text("called in the form “{name}”", "按“{name}”的形式调用")
GRADED_AT = Text(
    "Graded {at} ({seconds} s), seed {seed}; {versions}", "评分于 {at}（{seconds} 秒），种子 {seed}；{versions}"
)
BANK_THEN = Text("Course {course}, question {version}", "课程 {course}，题目 {version}")
REPLAY_AGREES = Text("The replay gave the same result as when it was graded.", "刚刚重新运行：结果与评分时一致。")
REPLAY_DIFFERS = Text(
    "The replay gave a different result ({status}): the code does not behave the same every time, or the machine was "
    "too busy.",
    "刚刚重新运行，结果不同（{status}）：代码的行为不稳定，或机器当时过于繁忙。",
)
CHANGED_SINCE = Text(
    "The question has changed since it was graded; the replay used the current version. To grade it again, run "
    "attncheck regrade.",
    "题目在评分之后有变动，重新运行按现在的题目进行。用 attncheck regrade 重新评分。",
)
GIVEN_INSTEAD = Text(
    "Points given by hand count instead: {points}, by {author}: {reason}",
    "以人工给分为准：{points} 分，{author}：{reason}",
)


def lines(found: Explanation, lang: Lang) -> Iterator[str]:
    """The explanation as lines: inputs, expected and actual results, and provenance."""

    def say(text: Text, **values: object) -> str:
        return indent(text.fill(**values).of(lang), 0)

    yield say(
        EXPLAINED,
        learner=clean(found.learner),
        where=found.where,
        status=STATUS[found.status],
        earned=points(found.earned),
        possible=points(found.possible),
    )
    if found.visibility == "hidden":
        yield say(HIDDEN)
    if found.ask is not None:
        yield indent(found.ask.of(lang), 0)
    yield from _why(found, lang)
    yield ""
    yield from _things(INPUTS, found.inputs, lang)
    yield from _things(EXPECTED, found.expected, lang, NO_EXPECTED)
    yield from _things(ACTUAL, found.actual, lang, NO_ACTUAL)
    if found.difference is not None:
        yield from _difference(found.difference, lang)
    yield ""
    yield from _provenance(found, lang)


def _why(found: Explanation, lang: Lang) -> Iterator[str]:
    if found.message is not None:
        yield indent(TOLD.fill(said=_clean(found.message)).of(lang), 0)
    if found.told is not None and found.told != found.message:
        yield indent(SEEN.fill(said=_clean(found.told)).of(lang), 0)
    if found.misconception is not None:
        truth = found.misconception.truth
        yield indent(BELIEF.fill(name=found.misconception.id, truth=truth).of(lang), 0)
    for each in found.diagnosis:
        if found.misconception is None or each.text != found.misconception.truth:
            yield indent(WHY.fill(said=_clean(each.text)).of(lang), 0)
        line = explained.quoted(each.span) if each.span is not None else None
        if each.span is not None and line is not None:
            yield indent(explained.place_text(each.span).of(lang), 2)
            yield from (f"    {line.text}", f"    {line.caret}")


def _clean(text: Text) -> Text:
    return Text(clean(text.en, 1200, lines=True), clean(text.zh, 1200, lines=True))


def _things(heading: Text, things: tuple[ShownValue, ...], lang: Lang, nothing: Text | None = None) -> Iterator[str]:
    if not things and nothing is None:
        return
    yield heading.of(lang)
    if not things and nothing is not None:
        yield f"  {nothing.of(lang)}"
    for thing in things:
        said = LABELED.fill(who=thing.name, said=clean(_in_line(thing.kind, lang), 600))
        yield indent(clean(said.of(lang), 700), 2)
        for line in clean(thing.text, 4000, lines=True).splitlines():
            yield f"    {line}"


def _in_line(text: Text, lang: Lang) -> str:
    return SEMICOLON.of(lang).join(text.of(lang).splitlines())


def _difference(difference: Difference, lang: Lang) -> Iterator[str]:
    values = words.VALUES_ONLY.fill(expected=clean(difference.expected, 200), actual=clean(difference.actual, 200))
    if difference.index:
        values = words.AT.fill(index=list(difference.index), values=values)
    yield indent(values.of(lang), 2)
    if difference.size > 1:
        yield indent(words.DIFFERING.fill(differing=difference.differing, size=difference.size).of(lang), 2)


def _provenance(found: Explanation, lang: Lang) -> Iterator[str]:
    run = found.run
    if found.file is not None:
        given = words.GIVEN[found.array_type].of(lang) if found.array_type in words.GIVEN else NONE.of(lang)
        names = {"submission": clean(found.submission, 80), "file": clean(found.file, 120)}
        said = [CODE_IN.fill(given=given, **names).of(lang)]
        said += [IN_FORM.fill(name=found.variant).of(lang)] if found.variant else []
        yield indent(SEMICOLON.of(lang).join(said), 0)
    graded = GRADED_AT.fill(
        at=timestamp(run.at.isoformat()),
        seconds=f"{run.seconds:.1f}",
        seed=run.seed,
        versions=COMMA.of(lang).join(f"{name} {version}" for name, version in run.versions),
    )
    bank = BANK_THEN.fill(course=run.course[:12], version=found.version[:12])
    layers = words.NO_SANDBOX if run.unsafe else words.SANDBOX.fill(layers=COMMA.of(lang).join(run.layers))
    yield from (indent(text.of(lang), 0) for text in (graded, bank, layers))
    if found.override is not None:
        given = GIVEN_INSTEAD.fill(
            points=points(found.override.points),
            author=clean(found.override.author, 60),
            reason=clean(found.override.reason),
        ).of(lang)
        yield indent(given, 0)
    if found.changed:
        yield indent(CHANGED_SINCE.of(lang), 0)
    replayed = REPLAY_DIFFERS.fill(status=STATUS[found.replayed])
    yield indent((REPLAY_AGREES if found.agrees else replayed).of(lang), 0)


def to_json(found: Explanation, lang: Lang) -> dict[str, Any]:
    """The same as JSON; its keys are documented in docs/json.md."""
    run, change, difference = found.run, found.override, found.difference

    def said(text: Text | None) -> str | None:
        return None if text is None else clean(text.of(lang), 2000, lines=True)

    def things(some: tuple[ShownValue, ...]) -> list[dict[str, str]]:
        return [
            {
                "name": clean(thing.name.of(lang)),
                "kind": clean(thing.kind.of(lang), 600),
                "text": clean(thing.text, 4000, lines=True),
            }
            for thing in some
        ]

    return {
        "format": 1,
        "learner": clean(found.learner),
        "submission": clean(found.submission),
        "check": found.where,
        "visibility": found.visibility,
        "status": found.status.value,
        "earned": number(found.earned),
        "possible": number(found.possible),
        "message": said(found.message),
        "told": said(found.told),
        "misconception": None if found.misconception is None else found.misconception.id,
        "diagnosis": [diagnosis(each, lang) for each in found.diagnosis],
        "ask": said(found.ask),
        "inputs": things(found.inputs),
        "expected": things(found.expected),
        "actual": things(found.actual),
        "difference": None
        if difference is None
        else {
            "index": list(difference.index),
            "expected": clean(difference.expected),
            "actual": clean(difference.actual),
            "differing": difference.differing,
            "size": difference.size,
        },
        "file": None if found.file is None else clean(found.file),
        "array_type": found.array_type,
        "variant": found.variant,
        "graded": {
            "at": run.at.isoformat(),
            "seconds": number(run.seconds),
            "seed": run.seed,
            "course": run.course,
            "question": found.version,
            "versions": dict(run.versions),
            "sandbox": {"layers": list(run.layers), "unsafe": run.unsafe},
        },
        "override": None
        if change is None
        else {"points": number(change.points), "author": clean(change.author), "reason": clean(change.reason, 2000)},
        "changed": found.changed,
        "replayed": found.replayed.value,
        "agrees": found.agrees,
    }
