"""A number, near enough to the right one; the question may be about numbers that differ from learner to learner."""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from grader import arithmetic
from grader.arithmetic import Number
from grader.faults import Fault, Path, unexpected, unknown
from grader.items import Asked, Context, Judged, draw
from grader.items._options import short
from grader.items._written import typed
from grader.model import Status, Text

Symbols: TypeAlias = Mapping[str, Number]

#: Combinations of drawn numbers that are tried.
_MOST_DRAWS = 1000
_MAX_LENGTH = 80
#: What floats may lose where the bank asks for an exact answer.
_EXACT = 1e-9

_HOW = Text("Answer with a number, such as 1536, 1.5e3, 3/4 or 2^10.", "答案填一个数，例如 1536、1.5e3、3/4 或 2^10。")
_UNIT = Text("Unit: {unit} (may be left out).", "单位：{unit}（可以不写）。")
_EXPECTED = Text(
    "“{said}” is not a number that can be read here; write one such as 1536, 1.5e3, 3/4, √64 or 2^10{unit}.",
    "「{said}」无法读成一个数；请写一个数，例如 1536、1.5e3、3/4、√64 或 2^10{unit}。",
)
_WITH_UNIT = Text(" (in {unit}; the unit may be left out)", "（单位：{unit}，可以不写）")
_FOR_YOU = Text("Not right for your numbers: {symbols}.", "对你的数来说不对：{symbols}。")
_FOR_OTHERS = Text(
    "That is right for {theirs}, but you have {symbols}. The numbers depend on the learner's name, here “{learner}”.",
    "如果是 {theirs}，这个答案是对的；但你的数是 {symbols}。这些数由学习者的名字决定，这里的名字是「{learner}」。",
)
_NOTHING = Text("", "")


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong answer that shows what was thought."""

    answer: Number | str
    misconception: str


@dataclass(frozen=True, slots=True)
class Spec:
    """``answer`` is arithmetic over the numbers that ``draw`` chooses. ``tolerance`` is relative, unless it is 0."""

    answer: Number | str
    draw: Mapping[str, tuple[Number, ...]] = field(default_factory=dict)
    tolerance: float = 0.01
    unit: Text | str | None = None
    wrong: tuple[Wrong, ...] = ()


# --------------------------------------------------------------------------------------------- in the bank


def faults(spec: Spec) -> Iterator[Fault]:
    """Every answer has a value for every draw, and no wrong one is right."""
    if not 0 <= spec.tolerance < 1:
        yield unexpected(("tolerance",), spec.tolerance, "a number from 0 up to, but not including, 1")
    for name, choices in spec.draw.items():
        if not name.isidentifier() or name in arithmetic.FUNCTIONS:
            yield unexpected(("draw", name), name, "a name such as d_k")
        if not choices:
            yield unexpected(("draw", name), [], "one number or more")
    if math.prod(map(len, spec.draw.values())) > _MOST_DRAWS:
        yield Fault(("draw",), f"expected at most {_MOST_DRAWS} combinations of numbers, which are all tried")
    answers: list[tuple[Path, Number | str]] = [(("answer",), spec.answer)]
    answers += [(("wrong", index, "answer"), wrong.answer) for index, wrong in enumerate(spec.wrong)]
    found = [fault for path, answer in answers for fault in _answer(path, answer, spec.draw)]
    yield from found
    for index, wrong in enumerate(spec.wrong) if not found else ():
        for symbols in _combinations(spec.draw):
            if _near(arithmetic.evaluate(wrong.answer, symbols), spec, symbols):
                what = f"an answer that is never right, but it is{_with(symbols)}"
                yield unexpected(("wrong", index, "answer"), wrong.answer, what)
                break


def _answer(path: Path, answer: Number | str, choices: Mapping[str, Sequence[Number]]) -> Iterator[Fault]:
    try:
        strange = sorted(arithmetic.names(answer) - set(choices))
    except ValueError as fault:
        yield unexpected(path, answer, f"{arithmetic.GRAMMAR}, but {fault}")
        return
    for name in strange:
        yield unknown(path, name, "a symbol that the item draws", choices)
    for symbols in _combinations(choices) if not strange else ():
        try:
            arithmetic.evaluate(answer, symbols)
        except ValueError as fault:
            yield unexpected(path, answer, f"arithmetic that always has a value, but {fault}{_with(symbols)}")
            return


def _combinations(choices: Mapping[str, Sequence[Number]]) -> Iterator[Symbols]:
    for values in itertools.islice(itertools.product(*choices.values()), _MOST_DRAWS):
        yield dict(zip(choices, values, strict=True))


def _with(symbols: Symbols) -> str:
    return f" with {_shown(symbols)}" if symbols else ""


def _shown(symbols: Symbols) -> str:
    return ", ".join(f"{name} = {value}" for name, value in symbols.items())


# ------------------------------------------------------------------------------------------------- answers


def judge(spec: Spec, value: object, context: Context) -> Judged:
    """``value`` is a number, or a text that people would read as one, with the unit or without it."""
    given = read(value, spec.unit)
    if given is None:
        unit = _WITH_UNIT.fill(unit=spec.unit) if spec.unit else _NOTHING
        return Judged(Status.FAILED, 0.0, _EXPECTED.fill(said=_said(value), unit=unit), readable=False)
    symbols = draw(spec, context)
    if _near(given, spec, symbols):
        return Judged(Status.PASSED, 1.0)
    for wrong in spec.wrong:
        if _close(given, float(arithmetic.evaluate(wrong.answer, symbols)), spec.tolerance):
            return Judged(Status.FAILED, 0.0, misconception=wrong.misconception)
    return Judged(Status.FAILED, 0.0, _hint(given, spec, symbols, context.learner) if symbols else None)


def asked(spec: Spec, context: Context) -> Asked:
    """A number, perhaps in a unit."""
    return Asked("line", _HOW, facts=(_UNIT.fill(unit=spec.unit),) if spec.unit else ())


def key(spec: Spec, context: Context) -> Text:
    """The number for this learner, as short as the tolerance allows."""
    value = arithmetic.evaluate(spec.answer, draw(spec, context))
    short_value = value if isinstance(value, int) else f"{value:.6g}"
    unit = Text.fill(Text(" {unit}", " {unit}"), unit=spec.unit) if spec.unit else _NOTHING
    return Text(f"{short_value}{unit.en}", f"{short_value}{unit.zh}")


def _said(value: object) -> str:
    """The answer as it may be shown again."""
    if isinstance(value, str):
        return short(value)
    if isinstance(value, (bool, float)):
        return str(value).lower()
    return str(value) if isinstance(value, int) and value.bit_length() < 100 else "…"


def _hint(given: float, spec: Spec, symbols: Symbols, learner: str) -> Text:
    """Whose numbers the answer is right for: names are mistyped, and answers passed on."""
    theirs = next((other for other in _combinations(spec.draw) if _near(given, spec, other)), None)
    message = _FOR_YOU if theirs is None else _FOR_OTHERS
    return message.fill(symbols=_shown(symbols), theirs=_shown(theirs or {}), learner=short(learner))


def _near(given: float, spec: Spec, symbols: Symbols) -> bool:
    return _close(given, float(arithmetic.evaluate(spec.answer, symbols)), spec.tolerance)


def _close(given: float, right: float, tolerance: float) -> bool:
    return abs(given - right) <= (tolerance + _EXACT) * (abs(right) or 1.0)


# ------------------------------------------------------------------------------------------ reading numbers

_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:(?:,\d{3})+|(?: \d{3})+)(?![\d,])")
_REWRITTEN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^\s*(?:[=≈~]|约)\s*"), ""),
    (re.compile(r"√\s*(\d+(?:\.\d+)?)"), r"sqrt(\1)"),
    (re.compile(r"√\s*\("), "sqrt("),
    (re.compile(r"(?<=[\d)])\s*(?=sqrt)"), "*"),
    (re.compile(r"(?<=[\d)])\s*万"), "*10000"),
    (re.compile(r"(?<=[\d)])\s*亿"), "*100000000"),
    (re.compile(r"\^"), "**"),
)


def read(value: object, unit: Text | str | None = None) -> float | None:
    """The number that ``value`` means to people, or None: ``1,536``, ``1.5e3``, ``3/4``, ``√64``, ``2^10 MiB``."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(arithmetic.evaluate(_plain(value, unit) if isinstance(value, str) else value, {}))
    except ValueError:
        return None


def _plain(text: str, unit: Text | str | None) -> str:
    """What people write, as arithmetic."""
    if len(text) > _MAX_LENGTH:
        raise ValueError("too long for a number")
    text = typed(text)
    for word in (unit.en, unit.zh) if isinstance(unit, Text) else (unit or "",):
        text = _without(text, unicodedata.normalize("NFKC", word).strip())
    percent = text.endswith("%")
    text = text.removesuffix("%")
    text = _THOUSANDS.sub(lambda found: re.sub("[, ]", "", found[0]), text)
    for pattern, new in _REWRITTEN:
        text = pattern.sub(new, text)
    return f"({text}) / 100" if percent else text


def _without(text: str, unit: str) -> str:
    ends = unit and text.casefold().endswith(unit.casefold())
    return text[: len(text) - len(unit)].rstrip() if ends else text
