"""An explained item or check for instructors, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grader.classroom.words import NONE
from grader.core.layout import indent
from grader.core.model import Difference, Lang, Message, Text
from grader.core.text import COMMA, LABELED, SEMICOLON, STATUS, clean, cleaned, points, timestamp
from grader.report import explained, words

if TYPE_CHECKING:
    from grader.instructor.explain import Explanation, ShownValue

EXPLAINED = Message("{learner}, {where}: {status}, {earned} of {possible} points")
HIDDEN = Message("This case is hidden: do not show the following to learners.")
TOLD = Message("What the learner sees: {said}")
SEEN = Message("With nothing hidden: {said}")
BELIEF = Message("Misconception {name}: {truth}")
WHY = Message("Why: {said}")
INPUTS = Message("Inputs")
EXPECTED = Message("Expected")
ACTUAL = Message("Actual")
NO_EXPECTED = Message("this check does not compare results with the reference")
NO_ACTUAL = Message("nothing", "output")
CODE_IN = Message("Submission {submission}, file {file}: {given}")
IN_FORM = Message("called in the form “{name}”")
GRADED_AT = Message("Graded {at} ({seconds} s), seed {seed}; {versions}")
BANK_THEN = Message("Course {course}, question {version}")
REPLAY_AGREES = Message("The replay gave the same result as when it was graded.")
REPLAY_DIFFERS = Message(
    "The replay gave a different result ({status}): the code does not behave the same every time, or the machine was "
    "too busy."
)
CHANGED_SINCE = Message(
    "The question has changed since it was graded; the replay used the current version. To grade it again, run "
    "attncheck regrade."
)
GIVEN_INSTEAD = Message("Points given by hand count instead: {points}, by {author}: {reason}")


def lines(found: Explanation, lang: Lang) -> Iterator[str]:
    """The explanation as lines: inputs, expected and actual results, and provenance."""

    def say(text: Text, **values: object) -> str:
        return indent(text.fill(**values).of(lang), 0)

    yield say(
        EXPLAINED,
        learner=clean(found.learner),
        where=found.check,
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
        yield indent(TOLD.fill(said=_short(found.message)).of(lang), 0)
    if found.told is not None and found.told != found.message:
        yield indent(SEEN.fill(said=_short(found.told)).of(lang), 0)
    if found.misconception is not None:
        truth = found.misconception.truth
        yield indent(BELIEF.fill(name=found.misconception.id, truth=truth).of(lang), 0)
    for each in found.diagnosis:
        if found.misconception is None or each.text != found.misconception.truth:
            yield indent(WHY.fill(said=_short(each.text)).of(lang), 0)
        line = explained.quoted(each.span) if each.span is not None else None
        if each.span is not None and line is not None:
            yield indent(explained.place_text(each.span).of(lang), 2)
            yield from (f"    {line.text}", f"    {line.caret}")


def _short(text: Text) -> Text:
    return cleaned(text, 1200, lines=True)


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
    run = found.graded
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
        versions=COMMA.of(lang).join(f"{name} {version}" for name, version in run.versions.items()),
    )
    bank = BANK_THEN.fill(course=run.course[:12], version=run.question[:12])
    layers = (
        words.NO_SANDBOX if run.sandbox.unsafe else words.SANDBOX.fill(layers=COMMA.of(lang).join(run.sandbox.layers))
    )
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
