"""Blanks in a printed chain of formulas, each with a formula of its own.

## What it asks

For the formulas that are missing in a chain, a line for each: for calculations in which only the lines count, not how
one gets from one to the next. [formulas.md](formulas.md) says how formulas are written and compared.

## Keys

- `symbols`: what the names in all formulas stand for.
- `frame`: the printed lines, with `[a]`, `[b]`, … for the blanks.
- `blanks`: for each of these letters `{answer, asks, is, missing, wrong}`. `answer` is a correct formula, `asks` says
  what belongs there, `is` what else has to be true of the formula, as in a derivation, and `missing` what is said if
  it is not. `wrong` are wrong formulas that show a misconception.
- `given`: what is known about random symbols.
- `aliases`: other names that learners may use; `aliases` of `course.yaml` are added to them.

## Example

```yaml
kind: blanks
symbols: {d_model: positive integer, h: positive integer, d_k: d_model / h (definition)}
frame: ["weights = [a]", "= [b]"]
blanks:
  a:
    answer: 3 h d_model d_k + d_model^2
    asks: {en: head by head, zh: 逐头计算}
    is: {mentions: [h, d_k]}
    missing: {en: Count in h and d_k first., zh: 请先用 h 和 d_k 计数。}
  b:
    answer: 4 d_model^2
    asks: {en: simplified, zh: 化简后}
    is: {free_of: [h, d_k]}
    missing: {en: Replace d_k., zh: 请把 d_k 换掉。}
    wrong:
      - {answer: 3 d_model^2, misconception: output-projection-forgotten}
```

## Answer

A line for each blank; in `answers.yaml`, also a mapping such as `{a: …, b: …}`. The letters may be left out:

```text
a: 3 h d_model d_k + d_model^2
b: 4 d_model^2
```

## Points

Each blank earns an equal share. What `is` asks for has to be true of the formula as it is written, and of what matters
of it. A blank that is empty or cannot be read is not an attempt in the quiz; in a file, the other blanks earn their
share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.core import marks
from grader.core.model import Message, Sentences, Status, Text
from grader.core.text import EMPTY, LINE_BREAK, join, name_list, same
from grader.course.items import Context, Judgment, LineRead, Prompt, expression, unreadable
from grader.course.items import _properties as properties
from grader.course.items._properties import Property
from grader.course.items._values import KnownWrongAnswer
from grader.course.problems import ValueProblem, unexpected
from grader.formulas import scalars
from grader.formulas.cleaning import Cleaner, NotJudgedError
from grader.formulas.declarations import Declarations, read_declarations
from grader.formulas.errors import FormulaError
from grader.formulas.flat import Flat
from grader.formulas.parse import parse

HEAVY = True

#: Lines of an answer that are read.
_MOST_LINES = 20
_HOW = Message("Write a line for each blank, for example `{example}`")
_BLANK = Message("{name}: {asks}")
_FORM = Message("Write a line for each of {names}, for example `{example}`")
_MISSING = Message("Nothing is written for {names}.")
_ABOUT = Message("{name}: {why}")

_LABEL = re.compile(
    r"\s*[\[(【（]?\s*([A-Za-z])\s*[\])】）]?\s*[:：=＝.]\s*(.*)|\s*[\[(【（]?\s*([A-Za-z])\s*[\])】）]\s*(.+)"
)
_IN_FRAME = re.compile(r"\[([a-z])\]")


@dataclass(frozen=True, slots=True)
class Blank:
    """One blank: a correct ``answer``, what it ``asks`` for, and what else ``is`` true of every correct formula."""

    answer: str
    asks: Text
    is_: Property | None = None
    missing: Text | None = None
    wrong: tuple[KnownWrongAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class Spec:
    """A ``frame`` of lines with ``blanks``; ``symbols`` and ``given`` declare the names in all formulas."""

    symbols: Mapping[str, str]
    frame: tuple[str, ...]
    blanks: Mapping[str, Blank]
    given: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


# --------------------------------------------------------------------------------------------- in the bank


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with the frame and the formulas: each blank is printed once, and each answer is judged correct."""
    declared = yield from expression.check_declarations(spec.symbols, spec.given)
    printed = [name for line in spec.frame for name in _IN_FRAME.findall(line)]
    if sorted(printed) != sorted(spec.blanks) or not printed:
        yield unexpected(("frame",), list(spec.frame), f"each of {', '.join(spec.blanks)} once, as [a]", "pairs")
    for name, blank in spec.blanks.items():
        if declared is None:
            return
        problems = list(expression.validate(_alone(spec, name)))
        yield from (replace(problem, path=("blanks", name, *problem.path)) for problem in problems)
        for strange in properties.unknown(blank.is_ or Property(), declared):
            yield unexpected(("blanks", name, "is"), strange, "a symbol or an operator", "unknown-symbol")
        if not problems and (why := _judge_blank(spec, name, blank.answer, declared)).status is not Status.PASSED:
            said = marks.plain(why.message.en) if why.message else ""
            yield ValueProblem(("blanks", name, "answer"), f"expected a correct answer, but: {said}", "own-answer")


def _alone(spec: Spec, name: str) -> expression.Spec:
    """One blank as an item of its own."""
    blank = spec.blanks[name]
    return expression.Spec(spec.symbols, blank.answer, spec.given, wrong=blank.wrong, aliases=spec.aliases)


# ------------------------------------------------------------------------------------------------- answers


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """``value`` is a text with a line for each blank, a list of lines, or a mapping of letters."""
    written = _written(spec, value)
    if isinstance(written, Text):
        return unreadable(written)
    declared = read_declarations(spec.symbols, spec.given, spec.aliases)
    judged = {name: _judge_blank(spec, name, text, declared) for name, (text, _) in written.items()}
    right = sum(one.status is Status.PASSED for one in judged.values())
    fraction = round(right / len(spec.blanks), 4)
    if right == len(spec.blanks):
        return Judgment(Status.PASSED, 1.0, next((one.message for one in judged.values() if one.message), None))
    for name, one in judged.items():
        if not one.readable:
            return replace(one, fraction=fraction, message=_about(name, one))
    if missing := [name for name in spec.blanks if name not in written]:
        return replace(unreadable(_MISSING.fill(names=name_list(missing))), fraction=fraction)
    name, first = next((name, one) for name, one in judged.items() if one.status is not Status.PASSED)
    place = str(written[name][1])
    message = None if first.misconception else _about(name, first)
    return Judgment(Status.FAILED, fraction, message, first.misconception, place=place)


def _about(name: str, judged: Judgment) -> Text | None:
    return _ABOUT.fill(name=name, why=judged.message) if judged.message else None


def _judge_blank(spec: Spec, name: str, text: str, declared: Declarations) -> Judgment:
    """The judgment of the formula in one blank: its value, and then its form."""
    alone = _alone(spec, name)
    found = expression.judge(alone, text, Context("", "", ""))
    blank = spec.blanks[name]
    if found.status is not Status.PASSED or blank.is_ is None:
        return found
    ((_, shown),) = expression.reading(alone, text)
    with scalars.step_budget(scalars.MOST_STEPS):
        why = _why_not(shown, blank.is_, declared)
    if why is None:
        return found
    sentences = [_sentence(why)] if why.en else []
    sentences += [blank.missing] if blank.missing else []
    message = Sentences(tuple(sentences))
    return Judgment(Status.FAILED, 0.0, message)


def _sentence(why: Text) -> Text:
    return Text(f"{why.en[:1].upper()}{why.en[1:]}.", f"{why.zh}。")


def _why_not(shown: str, wanted: Property, declared: Declarations) -> Text | None:
    """Why a formula lacks the property, as it is written or by what matters of it; None if it has it."""
    node = parse(shown, declared.vocabulary)
    why = properties.failures(node, wanted, declared)
    if why:
        return why[0].said
    try:
        variants = Cleaner(declared, Flat(declared)).clean(node).variants
    except (FormulaError, NotJudgedError):
        return None
    feigned = Property(mentions=wanted.mentions, mentions_any=wanted.mentions_any)
    lacking = [properties.failures(variant, feigned, declared) for variant in variants]
    # Which half of a sum counts is arbitrary: one of the variants has to do.
    return lacking[0][0].said if all(lacking) else None


def _written(spec: Spec, value: object) -> dict[str, tuple[str, int]] | Text:
    """The text for each blank with the number of its line, or why it cannot be read."""
    names = list(spec.blanks)
    form = _FORM.fill(names=name_list(names), example=_example(spec))
    if isinstance(value, Mapping):
        texts = {expression.as_text(name): expression.as_text(text) for name, text in value.items() if text is not None}
        if None in texts.values() or not {*texts} <= {*names}:
            return form
        return {name: (text, at) for at, (name, text) in enumerate(texts.items(), 1) if name and text}
    lines = _lines(value)
    if lines is None or not lines:
        return form
    found: dict[str, tuple[str, int]] = {}
    labelled = [(number, *_label(line, names), line) for number, line in lines]
    if not any(name for _, name, _, _ in labelled):
        return _in_order(names, [(line, number) for number, line in lines]) or form
    for number, name, text, _ in labelled:
        if name in found:
            return Message("“{name}” occurs twice; write one line for it.").fill(name=name)
        if name is None:
            return form
        if text.strip():
            found[name] = (text, number)
    return found


def _in_order(names: Sequence[str], lines: Sequence[tuple[str, int]]) -> dict[str, tuple[str, int]] | None:
    """Lines without letters, one for each blank; or one line with as many sides of ``=``."""
    if len(lines) == 1:
        text, number = lines[0]
        lines = [(side, number) for side in text.partition("#")[0].split("=") if side.strip()]
    return dict(zip(names, lines, strict=True)) if len(lines) == len(names) else None


def _label(line: str, names: Sequence[str]) -> tuple[str | None, str]:
    """The letter before a formula, and the formula."""
    match = _LABEL.match(line)
    name = (match[1] or match[3]).lower() if match else ""
    return (name, (match[2] or match[4] or "")) if match and name in names else (None, line)


def _lines(value: object) -> list[tuple[int, str]] | None:
    """The lines that are not empty, with their numbers."""
    texts = value if isinstance(value, (list, tuple)) else [value]
    written = [expression.as_text(text) for text in texts]
    if None in written or len(written) > _MOST_LINES:
        return None
    lines = [
        line
        for text in written
        for line in re.split(r"\r\n|[\r\n]|[;；](?=\s*(?:[\[(（][A-Za-z][\])）]|[A-Za-z]\s*[:：=]))", text or "")
    ]
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip()][:_MOST_LINES]


def reading(spec: Spec, value: object) -> tuple[tuple[str, str], ...]:
    """The formulas as they were written and as they were read; empty if one cannot be read."""
    written = _written(spec, value)
    if isinstance(written, Text):
        return ()
    found = [expression.reading(_alone(spec, name), text) for name, (text, _) in written.items()]
    return tuple(one for readings in found for one in readings) if all(found) else ()


def read_lines(spec: Spec, text: str) -> tuple[LineRead, ...]:
    """How each line is read by itself."""
    found = []
    names = list(spec.blanks)
    for number, line in _lines(text) or ():
        name, formula = _label(line, names)
        read = expression.read_lines(_alone(spec, name or names[0]), formula)
        found += [replace(one, number=number) for one in read]
    return tuple(found)


# ------------------------------------------------------------------------------------------ what is asked


def prompt(spec: Spec, context: Context) -> Prompt:
    """A line for each blank, below the frame and what each blank asks for."""
    lines = same("\n".join(map(marks.display, spec.frame)))
    blanks = [_BLANK.fill(name=marks.formula(f"[{name}]"), asks=blank.asks) for name, blank in spec.blanks.items()]
    facts = (*expression.describe_declarations(spec.symbols, spec.given), lines, *blanks)
    return Prompt("lines", _HOW.fill(example=_example(spec)), facts=facts)


def _example(spec: Spec) -> str:
    return f"{next(iter(spec.blanks))}: n^2/2"


def key(spec: Spec, context: Context) -> Text:
    """A correct formula for each blank."""
    keys = {marks.formula(name): expression.key(_alone(spec, name), context) for name in spec.blanks}
    return join([join([f"{name}: ", found], EMPTY) for name, found in keys.items()], LINE_BREAK)


def without_key(spec: Spec) -> Spec:
    """The frame, and what each blank asks for."""
    blanks = {name: Blank("0", blank.asks) for name, blank in spec.blanks.items()}
    return Spec(spec.symbols, spec.frame, blanks, spec.given, spec.aliases)
