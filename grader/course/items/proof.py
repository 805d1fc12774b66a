"""Lines of a proof in order, each with its reason, chosen among lines and reasons that do not belong there.

## What it asks

To write the lines that make a proof, in order, each with the reason for it: for proofs whose lines say little by
themselves, so that nobody can be asked to invent them.

## Keys

- `lines`: 3 to 10 of `{id, text}`. Ids begin with a letter; lines that belong nowhere are among them.
- `reasons`: 3 to 10 of `{id, text}`. Ids are texts, so numbers need quotes; some belong to no line.
- `proof`: the ids in order, each line with its reason: `[[c, "2"], [a, "1"]]`.
- `wrong`: `{line, misconception}`: lines that show a misconception wherever they are used. The first one that fits
  counts.

## Example

```yaml
kind: proof
lines:
  - {id: a, text: {en: "(E[X] − μ)/√(v + ε)", zh: "(E[X] − μ)/√(v + ε)"}}
  - {id: b, text: {en: "(μ − μ)/√(v + ε) = 0", zh: "(μ − μ)/√(v + ε) = 0"}}
  - {id: c, text: {en: "E[X]/√(v + ε)", zh: "E[X]/√(v + ε)"}}
reasons:
  - {id: "1", text: {en: "E[X] is μ", zh: "E[X] 就是 μ"}}
  - {id: "2", text: {en: the expectation is linear, zh: 期望是线性的}}
  - {id: "3", text: {en: a shift changes no expectation, zh: 平移不改变期望}}
proof: [[a, "2"], [b, "1"]]
wrong: [{line: c, misconception: mean-not-subtracted}]
```

## Answer

```text
a2 b1
a2, b1
a→2；b→1
```

## Points

The longest run of lines that stand one after the other in the proof, each with its reason, counts; a single one earns
nothing. Of 4 lines, a run of 3 earns two thirds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from grader.core import marks
from grader.core.constraints import MisconceptionId
from grader.core.model import Message, Status, Text
from grader.core.text import LINE_BREAK, join, same
from grader.course.items import MOST_OPTIONS, Context, Judgment, Prompt, _options, unreadable
from grader.course.items._options import Arrangeable, as_id_text, excerpt, normalize_id
from grader.course.problems import ValueProblem, unexpected

_HOW = Message("Write the lines in order, each with its reason, such as `{example}`; not all of them belong there.")
_LINES = Message("Lines:")
_REASONS = Message("Reasons:")
_PAIRS = Message("“{said}” is no line with its reason; write pairs such as `{example}`.")
_RUN = Message("{run} of {all} lines in a row are right, each with its reason.")
_NO_RUN = Message("No two lines in a row are right, each with its reason.")

#: A line and its reason: c2, c: 2, c → 2.
_PAIR = re.compile(r"([A-Za-z])[\s:：=→>-]*([A-Za-z0-9]+?)(?=$|[\s,，;；、.。)\]}]|[A-Za-z])")


@dataclass(frozen=True, slots=True)
class WrongLine:
    """A line that belongs nowhere and reveals a misconception."""

    line: str
    misconception: MisconceptionId


@dataclass(frozen=True, slots=True)
class Spec:
    """``proof`` names some of the ``lines`` in order, each with one of the ``reasons``."""

    lines: tuple[Arrangeable, ...]
    reasons: tuple[Arrangeable, ...]
    proof: tuple[tuple[str, str], ...]
    wrong: tuple[WrongLine, ...] = ()


# --------------------------------------------------------------------------------------------- in the bank


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with the ids, and a proof that needs every line or is in the order of the ids."""
    yield from _options.validate_things("lines", spec.lines, 3)
    yield from _options.validate_things("reasons", spec.reasons, 3)
    for index, (line, reason) in enumerate(spec.proof):
        yield from _options.unknown_id(("proof", index, 0), line, spec.lines, "the id of a line")
        yield from _options.unknown_id(("proof", index, 1), reason, spec.reasons, "the id of a reason")
    for index, wrong in enumerate(spec.wrong):
        yield from _options.unknown_id(("wrong", index, "line"), wrong.line, spec.lines, "the id of a line")
    lines = [line for line, _ in spec.proof]
    if len(set(lines)) < max(2, len(lines)):
        yield unexpected(("proof",), lines, "two lines or more, each once", "wrong-length")
    if len(lines) == len(spec.lines):
        yield ValueProblem(("lines",), "expected lines that belong nowhere, too", "given-away")
    for index, wrong in enumerate(spec.wrong):
        if wrong.line in lines:
            yield unexpected(("wrong", index, "line"), wrong.line, "a line that belongs nowhere", "wrong-is-right")


# ------------------------------------------------------------------------------------------------- answers


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """``value`` is a text such as ``a2 b1``, a list of such pairs, or a mapping of lines to reasons, in order."""
    pairs = _read(spec, value)
    if isinstance(pairs, Text):
        return unreadable(pairs)
    wanted = [(normalize_id(line), normalize_id(reason)) for line, reason in spec.proof]
    if pairs == wanted:
        return Judgment(Status.PASSED, 1.0)
    run = _longest_run(pairs, wanted)
    count = max(2, len(wanted))  # an edition without keys has none
    # A line too many is no mistake in the run, but the proof is not the one asked for.
    fraction = min(max(0, run - 1) / (count - 1), (count - 1) / count)
    used = {line for line, _ in pairs}
    misconception = next((wrong.misconception for wrong in spec.wrong if normalize_id(wrong.line) in used), None)
    message: Text = _RUN.fill(run=run, all=len(wanted)) if run > 1 else _NO_RUN
    return Judgment(Status.FAILED, round(fraction, 4), None if misconception else message, misconception)


def _longest_run(pairs: Sequence[tuple[str, str]], wanted: Sequence[tuple[str, str]]) -> int:
    """The length of the longest part of ``wanted`` that stands in ``pairs`` without a gap."""
    return SequenceMatcher(None, pairs, wanted).find_longest_match().size


def _read(spec: Spec, value: object) -> list[tuple[str, str]] | Text:
    """The pairs of an answer as normalized ids, or why it cannot be read."""
    text = _flat(value)
    example = _example(spec)
    lines = {normalize_id(line.id) for line in spec.lines}
    reasons = {normalize_id(reason.id) for reason in spec.reasons}
    found: list[tuple[str, str]] = []
    rest = text or ""
    for match in _PAIR.finditer(rest):
        pair = normalize_id(match[1]), normalize_id(match[2])
        if pair[0] not in lines or pair[1] not in reasons:
            return _PAIRS.fill(said=excerpt(match[0]), example=example)
        if pair[0] in {line for line, _ in found}:
            return Message("“{said}” occurs twice; write each line once.").fill(said=match[1])
        found.append(pair)
    left = re.sub(r"[\s,，;；、.。(){}\[\]'\"]+", "", _options.AROUND.sub("", _PAIR.sub("", rest)))
    return _PAIRS.fill(said=excerpt(left or rest), example=example) if left or not found else found


def _flat(value: object) -> str | None:
    """An answer as one text, without comments; None for other values."""
    if isinstance(value, Mapping):
        value = [f"{as_id_text(line)}: {as_id_text(reason)}" for line, reason in value.items()]
    if isinstance(value, (list, tuple)):
        if len(value) == 2 and all(as_id_text(part) and not _PAIR.search(str(part)) for part in value):
            value = [f"{as_id_text(value[0])}: {as_id_text(value[1])}"]
        parts = [_flat(part) for part in value[: 2 * MOST_OPTIONS]]
        return ", ".join(part or "" for part in parts)
    if not isinstance(value, str):
        return None
    return "\n".join(line.partition("#")[0] for line in value[:4000].split("\n"))


# ------------------------------------------------------------------------------------------ what is asked


def prompt(spec: Spec, context: Context) -> Prompt:
    """The lines and the reasons by their ids, which answers use everywhere."""
    facts = (_LINES, *map(_entry, spec.lines), _REASONS, *map(_entry, spec.reasons))
    return Prompt("line", _HOW.fill(example=_example(spec)), facts=facts)


def _entry(thing: Arrangeable) -> Text:
    return Message("{name}: {text}").fill(name=thing.id, text=thing.text)


def _example(spec: Spec) -> str:
    """How to write pairs, without giving any away."""
    wanted = {(normalize_id(line), normalize_id(reason)) for line, reason in spec.proof}
    pairs = [(line.id, reason.id) for line in spec.lines for reason in spec.reasons]
    others = [pair for pair in pairs if (normalize_id(pair[0]), normalize_id(pair[1])) not in wanted]
    first = others[0]
    second = next(pair for pair in others if first[0] != pair[0] and first[1] != pair[1])
    return f"{first[0]}{first[1]} {second[0]}{second[1]}"


def key(spec: Spec, context: Context) -> Text:
    """The ids of the lines in order, each with its reason, and their texts."""
    lines = {line.id: Text(marks.displayed(line.text.en), marks.displayed(line.text.zh)) for line in spec.lines}
    reasons = {reason.id: reason.text for reason in spec.reasons}
    between = same(marks.REASON)
    rows = [join([f"{line}{reason}", lines[line], reasons[reason]], between) for line, reason in spec.proof]
    return join(rows, LINE_BREAK)


def without_key(spec: Spec) -> Spec:
    """The lines and the reasons."""
    return Spec(spec.lines, spec.reasons, ())
