"""A number that is close enough to the correct one; learners can have numbers of their own.

## What it asks

For a number. Where the item has `draw`, each learner gets their own numbers, and the texts say `{name}` for them.

## Keys

- `answer`: a number, or arithmetic over what is drawn: `sqrt(d_k)`.
- `draw`: `{d_k: [16, 49, 256]}`: one of these for each learner. No right answer may be twice another.
- `tolerance`: relative. 0 asks for the number itself; near an answer of 0 the tolerance is absolute.
- `unit`: a text, in one language or in both. Learners may leave it out.
- `wrong`: wrong answers that show a misconception: `[{answer: d_k, misconception: no-root}]`.
- `digits`: asks for that many significant digits, instead of `tolerance`.
- `decimals`: asks for that many decimal places, instead of `tolerance`.

## Example

```yaml
kind: number
draw: {n: [1024, 4096]}
answer: 4 * n**2 / 2**20
digits: 3
unit: MiB
wrong:
  - {answer: 4 * n / 2**20, misconception: one-row-only}
```

## Answer

For a learner whose n is 1024:

```text
4.00
4.00 MiB
```

Numbers can be written in many ways: `1536`, `1,536`, `1.5e3`, `3/4`, `√64`, `2^10`, `66.5%`, `5 percent`, `1.5万`,
`30k`, `2π·1000`, `ln 1000`, `np.log(1000)`, `log_2 8`, `2^{-6}`, `\\frac{3}{4}`, `7 1/2`, `7½`, `minus 3`,
`164 million`, `七点五`. A comma is a decimal point where it cannot separate thousands (`0,75`, `7,5`); `1,875` is
read as 1875, and as 1.875 if only that is correct. What was read is shown unless it looks like what was written. Words
that do not change the number are dropped (`210 weights`, `by a factor of 3`, `3倍`, `-3 (a penalty)`), and so are a
left side (`n = 210`) and a comment after `#`. If several numbers are joined by `=` or `≈`, they have to agree.

Bytes (B, KB, MiB …), FLOPs (GFLOPs …), seconds (ms, µs, min …) and parameters (K, M, B) are converted to the item's
unit: with `unit: GiB`, `512 MiB` is 0.5. KB is 1000 bytes and KiB is 1024. If a number fits in the item's unit but
not in the one that was written (4 GB for 4 GiB), the message says what it amounts to. Other units are recognised only
as they are written in the item.

## Points

All or nothing with `tolerance`. With `digits: 3`, the answer may be rounded up or down at its third digit. A correct
value with more digits, or written as a fraction, earns half, with a message. An answer with too few digits gets a
message too: half the points if the value is close enough all the same (2.7 for 2.70), else none. Zeros at the end of
a whole number may count as digits or not. A plain number in YAML has lost the zeros at the end of its fraction, so
they are not missed. With `decimals: 2`, whatever rounds to the same second decimal place is correct, and so is a number
with more places.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from grader.core import arithmetic, marks
from grader.core.arithmetic import Number
from grader.core.model import Message, Status, Text
from grader.core.tables import patterns, table
from grader.core.text import EMPTY, Path, formula_list
from grader.course.items import (
    Context,
    Judgment,
    LineRead,
    Prompt,
    QuizItem,
    QuizNumber,
    _prose,
    _values,
    draw,
    draws,
    unreadable,
)
from grader.course.items._options import excerpt
from grader.course.items._values import KnownWrongAnswer, chinese_in_digits, english_in_digits, normalize
from grader.course.problems import ValueProblem, drawn_as, equations, unexpected, unknown
from grader.formulas import scalars
from grader.formulas.declarations import Declarations
from grader.formulas.errors import FormulaError
from grader.formulas.evaluate import Evaluator
from grader.formulas.parse import parse
from grader.formulas.vocabulary import Vocabulary

Symbols: TypeAlias = Mapping[str, Number]

#: Combinations of drawn numbers that ``validate`` tries.
_MOST_DRAWS = 1000
_MAX_LENGTH = 80
#: With a comment and a left side.
_MAX_TYPED = 400
_HUGE = 1e300
_MOST_DIGITS = 9
#: An answer is called rounded only if it differs by at most this share.
_ROUNDED_BY = 0.05
#: A tolerance has to accept an answer with so many significant digits; who asks for more says so.
_SENSIBLE_DIGITS = 3
#: Relative rounding error of floats that is allowed even where the tolerance is 0.
_EXACT = 1e-9

_phrase = patterns(__file__, "number.yaml")
_HOW = Message("Answer with a number, such as `1536`, `1.5e3`, `3/4` or `2^10`.")
_DECIMALS = Message("Round it to {decimals} decimal places.")
_ONE_DECIMAL = Message("Round it to one decimal place.")
_A_NUMBER = Message("Give a number.")
_IN_UNIT = Message("Give a number, in {unit}.")
_UNITS = Message("Unit: {unit} unless you write another, such as {others}; it is converted.")
_EXPECTED = Message(
    "“{said}” cannot be read as a number; write one such as `1536`, `1.5e3`, `3/4`, `√64` or `2^10`{unit}."
)
_WITH_UNIT = Message(" (in {unit}; the unit is optional)")
_FOR_YOU = Message("Not right for your numbers: {symbols}.")
_FEW = Message("Right as far as it goes, but the question asks for {digits} significant digits; this has {given}.")
_MANY = Message(
    "The value is right, but the question asks for {digits} significant digits; this has {given}. Round it."
)
_UNROUNDED = Message("The value is right, but write it as a decimal number with {digits} significant digits.")
_CONVERTED = Message("The number is right, but its unit is not: {said} is ${value}$ {unit}.")
_SIGN = Message("The size is right; check the sign.")
_TWO = Message("That differs from the answer by a factor of 2.")
_EXACT_NUMBER = Message("Close, but the exact number is asked for.")
_CLOSER = Message("Close, but not exact enough: give more digits.")

#: The fraction for a right value that is not rounded as required.
_NOT_ROUNDED = 0.5


@dataclass(frozen=True, slots=True)
class Spec:
    """``answer`` is arithmetic in the numbers that ``draw`` chooses. ``tolerance`` is relative.

    With ``digits``, the answer has to be rounded to that many significant digits, with ``decimals`` to that many
    decimal places; ``tolerance`` is then ignored.
    """

    answer: Number | str
    draw: Mapping[str, tuple[Number, ...]] = field(default_factory=dict)
    tolerance: float = 0.01
    unit: Text | str | None = None
    wrong: tuple[KnownWrongAnswer, ...] = ()
    digits: int | None = None
    decimals: int | None = None


# --------------------------------------------------------------------------------------------- in the bank


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with the numbers: every answer needs a value for every draw, and wrong ones must never be right."""
    if not 0 <= spec.tolerance < 1:
        yield unexpected(("tolerance",), spec.tolerance, "a number from 0 up to, but not including, 1", "out-of-range")
    for name, places in (("digits", spec.digits), ("decimals", spec.decimals)):
        if places is not None and not 1 <= places <= _MOST_DIGITS:
            yield unexpected((name,), places, f"a whole number from 1 to {_MOST_DIGITS}", "out-of-range")
    if spec.decimals is not None and spec.digits is not None:
        yield unexpected(("decimals",), spec.decimals, "either digits or decimals", "out-of-range")
    for name, choices in spec.draw.items():
        if not name.isidentifier() or name in arithmetic.REALS.functions:
            yield unexpected(("draw", name), name, "a name such as d_k", "wrong-form")
        if not choices:
            yield unexpected(("draw", name), [], "one number or more", "wrong-length")
    if math.prod(map(len, spec.draw.values())) > _MOST_DRAWS:
        text = f"expected at most {_MOST_DRAWS} combinations of numbers, since all of them are tried"
        yield ValueProblem(("draw",), text, "wrong-length")
    answers: list[tuple[Path, Number | str]] = [(("answer",), spec.answer)]
    answers += [(("wrong", index, "answer"), wrong.answer) for index, wrong in enumerate(spec.wrong)]
    found = [problem for path, answer in answers for problem in _answer(path, answer, spec.draw)]
    yield from found
    if found:
        return
    if spec.digits and not all(arithmetic.evaluate(spec.answer, symbols) for symbols in draws(spec.draw, _MOST_DRAWS)):
        text = "expected none, since the answer can be 0, which has no significant digits"
        yield ValueProblem(("digits",), text, "out-of-range")
    yield from _refused_rounding(spec)
    yield from _twice_another(spec)
    for index, wrong in enumerate(spec.wrong):
        for symbols in draws(spec.draw, _MOST_DRAWS):
            if _near(arithmetic.evaluate(wrong.answer, symbols), spec, symbols):
                what = f"an answer that is never right, but it is{drawn_as(symbols)}"
                yield unexpected(("wrong", index, "answer"), wrong.answer, what, "wrong-is-right")
                break


def _refused_rounding(spec: Spec) -> Iterator[ValueProblem]:
    """The problem that a sensible rounding is refused, without the item saying how many digits it wants."""
    if spec.digits or spec.decimals:
        return
    for symbols in draws(spec.draw, _MOST_DRAWS):
        right = float(arithmetic.evaluate(spec.answer, symbols))
        rounded = float(f"{right:.{_SENSIBLE_DIGITS}g}")
        if not right.is_integer() and not _close(rounded, right, spec):
            what = f"digits, decimals, or a tolerance that accepts {rounded:g} for {right:.6g}{drawn_as(symbols)}"
            yield unexpected(("tolerance",), spec.tolerance, what, "out-of-range")
            return


def _twice_another(spec: Spec) -> Iterator[ValueProblem]:
    """The problem that a slip by a factor of 2 gives what is right for another learner's numbers."""
    values = [float(arithmetic.evaluate(spec.answer, symbols)) for symbols in draws(spec.draw, _MOST_DRAWS)]
    pairs = itertools.permutations(values, 2)
    twice = [one for one, other in pairs if one and math.isclose(2 * one, other, rel_tol=_EXACT)]
    if twice:
        yield unexpected(("draw",), twice[0], "numbers for which no right answer is twice another", "twice-another")


def alike(spec: Spec) -> Iterator[tuple[str, str, Symbols]]:
    """Pairs of misconceptions that show in one and the same answer, each with the first draw for which it does."""
    for one, other in itertools.combinations(spec.wrong, 2):
        if one.misconception == other.misconception:
            continue
        for symbols in draws(spec.draw, _MOST_DRAWS):
            values = [float(arithmetic.evaluate(wrong.answer, symbols)) for wrong in (one, other)]
            if _close(values[0], values[1], spec):
                yield one.misconception, other.misconception, symbols
                break


def _answer(path: Path, answer: Number | str, choices: Mapping[str, Sequence[Number]]) -> Iterator[ValueProblem]:
    try:
        strange = sorted(arithmetic.names(answer) - set(choices))
    except ValueError as error:
        yield unexpected(path, answer, f"{arithmetic.REALS.description}, but {error}", "formula")
        return
    for name in strange:
        yield unknown(path, name, "a symbol that the item draws", choices, "unknown-symbol")
    for symbols in draws(choices, _MOST_DRAWS) if not strange else ():
        try:
            arithmetic.evaluate(answer, symbols)
        except ValueError as error:
            what = f"arithmetic that always has a value, but {error}{drawn_as(symbols)}"
            yield unexpected(path, answer, what, "formula")
            return


# ------------------------------------------------------------------------------------------------- answers


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """``value`` is a number, or a text that people would read as one, with or without the unit."""
    symbols = draw(spec, context)
    value = _without_ambiguity(value, spec, symbols)
    given = read(value, spec.unit)
    if given is None:
        unit = _WITH_UNIT.fill(unit=spec.unit) if spec.unit else EMPTY
        return unreadable(_EXPECTED.fill(said=_said(value), unit=unit))
    if _near(given, spec, symbols):
        message = _rounding(value, spec)
        return Judgment(Status.FAILED, _NOT_ROUNDED, message) if message else Judgment(Status.PASSED, 1.0)
    slip = _slip(value, given, spec, symbols)
    for wrong in spec.wrong:
        if _close(given, float(arithmetic.evaluate(wrong.answer, symbols)), spec):
            if slip and not _always_slips(wrong, slip, spec):
                break  # a slip gives the same number for these draws: no evidence for the misconception
            return Judgment(Status.FAILED, 0.0, misconception=wrong.misconception)
    return Judgment(Status.FAILED, 0.0, slip or _near_miss(value, given, spec, symbols))


def reading(spec: Spec, value: object) -> tuple[tuple[str, str], ...]:
    """The answer as written, and the number that it was read as; the same twice if there can be no doubt.

    Empty if that is plain to see, as for 3.5, or if the answer cannot be read.
    """
    given = read(value, spec.unit)
    if given is None or not isinstance(value, str) or _is_plain(value, given):
        return ()
    shown = f"{given:.10g} {spec.unit}" if isinstance(spec.unit, str) else f"{given:.10g}"
    written = normalize(value.strip("`"))
    comma = _phrase("one_comma").search(written) or _phrase("decimal_comma").search(written)
    doubtful = comma or not any(map(str.isdigit, written))
    return ((value if doubtful else shown, shown),)


def _is_plain(text: str, given: float) -> bool:
    """Whether a text begins with the number that it was read as."""
    try:
        return float(normalize(text).split()[0]) == given
    except (ValueError, IndexError):
        return False


def read_lines(spec: Spec, text: str) -> tuple[LineRead, ...]:
    """How a number that is being typed is read."""
    return tuple(LineRead(1, shown) for _, shown in reading(spec, text))


def _places(spec: Spec) -> Iterator[Text]:
    """What is asked for: significant digits or decimal places."""
    if spec.digits:
        yield Message("Round it to {digits} significant digits.").fill(digits=spec.digits)
    if spec.decimals:
        yield _ONE_DECIMAL if spec.decimals == 1 else _DECIMALS.fill(decimals=spec.decimals)


def prompt(spec: Spec, context: Context) -> Prompt:
    """One line, with the required digits and the unit, if any."""
    facts = [*_places(spec)]
    others = _values.other_units(spec.unit)
    if others:
        facts.append(_UNITS.fill(unit=spec.unit, others=Text(" or ".join(others[:2]), "、".join(others[:2]))))
    elif spec.unit:
        facts.append(Message("Unit: {unit} (optional).").fill(unit=spec.unit))
    return Prompt("line", _HOW, facts=tuple(facts))


def key(spec: Spec, context: Context) -> Text:
    """The number for this learner, to six significant digits or as many as are required."""
    value = arithmetic.evaluate(spec.answer, draw(spec, context))
    short_value = str(value) if isinstance(value, int) else f"{value:.6g}"
    if spec.decimals:
        short_value = f"{value:.{spec.decimals}f}"
    if spec.digits:
        short_value = f"{value:.{max(0, -_last_place(value, spec.digits))}f}"
    return _values.with_unit(marks.formula(short_value), spec.unit)


def quiz_item(spec: Spec, context: Context) -> QuizItem:
    """The number, and those of known wrong answers."""
    facts = [_IN_UNIT.fill(unit=spec.unit) if spec.unit else _A_NUMBER]
    facts += [*_places(spec)]
    symbols = draw(spec, context)
    numbers = [_with_margin(spec, spec.answer, symbols, None)]
    numbers += [_with_margin(spec, wrong.answer, symbols, wrong.misconception) for wrong in spec.wrong]
    return QuizItem("number", tuple(facts), numbers=tuple(numbers))


def _with_margin(spec: Spec, answer: Number | str, symbols: Symbols, misconception: str | None) -> QuizNumber:
    """A number with the error that ``judge`` allows."""
    value = arithmetic.evaluate(answer, symbols)
    margin = _margin(float(value), spec) or (0.0 if isinstance(value, int) else _EXACT * (abs(value) or 1.0))
    return QuizNumber(value, margin, misconception)


def without_key(spec: Spec) -> Spec:
    """The drawn numbers, the unit and the required digits or places."""
    return Spec(answer=0, draw=spec.draw, unit=spec.unit, digits=spec.digits, decimals=spec.decimals)


def _said(value: object) -> str:
    """The answer in a form that is safe to display."""
    if isinstance(value, str):
        return excerpt(value)
    if isinstance(value, (bool, float)):
        return str(value).lower()
    return str(value) if isinstance(value, int) and value.bit_length() < 100 else "…"


def _slip(value: object, given: float, spec: Spec, symbols: Symbols) -> Text | None:
    """What kind of slip an answer is: too few digits, another unit, a factor, a sign …; None if it is none."""
    right = float(arithmetic.evaluate(spec.answer, symbols))
    places = _digits(value, spec)
    if spec.digits and places and places[1] < spec.digits and _close(given, right, spec, places[1]):
        return _FEW.fill(digits=spec.digits, given=places[1])
    size = _arithmetic(_sides(value)[-1], spec.unit)[1] if isinstance(value, str) else 1.0
    if size != 1 and _near(given / size, spec, symbols):
        return _CONVERTED.fill(said=_said(value), value=f"{given:.4g}", unit=spec.unit)
    return _scale(given, right, spec)


def _always_slips(wrong: KnownWrongAnswer, slip: Text, spec: Spec) -> bool:
    """Whether a wrong answer differs from the right one by this slip for all draws, and so was meant by the author."""
    for symbols in draws(spec.draw, _MOST_DRAWS):
        given, right = (float(arithmetic.evaluate(answer, symbols)) for answer in (wrong.answer, spec.answer))
        if _scale(given, right, spec) != slip:
            return False
    return True


def _near_miss(value: object, given: float, spec: Spec, symbols: Symbols) -> Text | None:
    """The message for an answer that is right but rounded too much, or wrong for this learner's numbers."""
    right = float(arithmetic.evaluate(spec.answer, symbols))
    places = _digits(value, spec)
    error = abs(given - right)
    # One digit says too little: 1 for 0.98 may be a belief.
    rounded = 0.5 * 10.0 ** _last_place(right, places[0]) if places and places[0] > 1 else -1.0
    if right and error <= min(_ROUNDED_BY * abs(right), rounded):
        exact = not (spec.tolerance or spec.digits or spec.decimals)
        return _EXACT_NUMBER if exact else _CLOSER
    return _FOR_YOU.fill(symbols=formula_list(equations(symbols))) if symbols else None


def _scale(given: float, right: float, spec: Spec) -> Text | None:
    """The message for an answer that is right but for a factor that people get wrong by a slip."""
    if not given or not right or _close(1.0, right, spec):
        return None
    percent = "%" in _values.unit_spellings(spec.unit)
    if percent and _close(given * 100, right, spec):
        return Message("That differs by a factor of 100: the answer is asked in percent.")
    if not percent and abs(right) < 1 and _close(given / 100, right, spec):
        return Message("That differs by a factor of 100: a percentage needs the sign `%`, as in `25%`.")
    if _close(1 / given, right, spec):
        return Message("That is the reciprocal (1 divided by the answer): check which number is divided by which.")
    for factor, message in ((-1.0, _SIGN), (0.5, _TWO), (2.0, _TWO)):
        if _close(given * factor, right, spec):
            return message
    for factor, power in itertools.product((1000, 1024), (-3, -2, -1, 1, 2, 3)):
        if _close(given * float(factor) ** power, right, spec):
            return Message("The digits are right, but not the size: check the factors of {factor}.").fill(factor=factor)
    if isinstance(spec.answer, str) and "log" in spec.answer:
        bases = (math.log(2), math.log(10), math.log2(10))
        if any(_close(given * scale, right, spec) for base in bases for scale in (base, 1 / base)):
            return Message("That would be right with another base of the logarithm.")
    return None


def _near(given: float, spec: Spec, symbols: Symbols) -> bool:
    return _close(given, float(arithmetic.evaluate(spec.answer, symbols)), spec)


def _close(given: float, right: float, spec: Spec, digits: int | None = None) -> bool:
    """Whether ``given`` is as close to ``right`` as it has to be."""
    return abs(given - right) <= _margin(right, spec, digits) + _EXACT * (abs(right) or 1.0)


def _margin(right: float, spec: Spec, digits: int | None = None) -> float:
    """The absolute error that an answer may have: half of the last place that is asked for, or the tolerance."""
    digits = digits or spec.digits
    if spec.decimals:
        return 0.5 * 10.0**-spec.decimals
    return 0.5 * 10.0 ** _last_place(right, digits) if digits else spec.tolerance * (abs(right) or 1.0)


def _last_place(value: float, digits: int) -> int:
    """The power of ten of the last of ``digits`` significant digits."""
    return math.floor(math.log10(abs(value))) + 1 - digits if value else 0


# -------------------------------------------------------------------------------------- significant digits


def _rounding(value: object, spec: Spec) -> Text | None:
    """The message for a right value that does not have the required digits; None if it has."""
    if not spec.digits:
        return None
    places = _digits(value, spec)
    if places is None:
        return _UNROUNDED.fill(digits=spec.digits)
    least, most = places
    if least <= spec.digits <= most:
        return None
    message, given = (_FEW, most) if most < spec.digits else (_MANY, least)
    return message.fill(digits=spec.digits, given=given)


def _digits(value: object, spec: Spec) -> tuple[int, int] | None:
    """The smallest and largest number of significant digits of ``value``; None if it is not a decimal number.

    Trailing zeros of a whole number may or may not be significant. Those of a fraction are lost in YAML floats.
    """
    text = repr(value) if isinstance(value, (int, float)) else value if isinstance(value, str) else ""
    try:
        number, _ = _arithmetic(_sides(text)[-1], spec.unit)
    except ValueError:
        return None
    found = _phrase("mantissa").fullmatch(number.replace(" ", "").removeprefix("(").removesuffix(")/100"))
    if found is None:
        return None
    whole, rest = found["whole"], found["rest"]
    written = (whole + (rest or "")).lstrip("0")
    kept = len(written.rstrip("0")) or 1
    if isinstance(value, float):
        return kept, max(kept, _MOST_DIGITS)
    return (kept if rest is None else len(written)) or 1, len(written) or 1


# ------------------------------------------------------------------------------------------ reading numbers

#: How far numbers joined by ``=`` may be apart, since the last is often rounded.
_AGREE = 0.01
#: Steps of computation for a number that is written as a formula.
_STEPS = 2000
_NO_NAMES = Declarations({}, Vocabulary.of({}))


def read(value: object, unit: Text | str | None = None) -> float | None:
    """The number that ``value`` stands for, or None: ``1,536``, ``1.5e3``, ``3/4``, ``√64``, ``2^10 MiB``.

    The result is in ``unit``; values in another unit of its family are converted.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if not isinstance(value, str):
        return float(value) if abs(value) < _HUGE else None
    try:
        sides = _sides(value)
        found = [(side, _side(side, unit)) for side in sides]
    except ValueError:
        return None
    names = [side for side, number in found[:-1] if number is None and any(map(str.isalpha, side))]
    found = [one for one in found if one[0] not in names]  # what is asked for, in letters: Var(q·k) = 64
    last = found[-1][1]
    percents = "%" in _values.unit_spellings(unit) and _phrase("percents").search(sides[-1])

    def agrees(side: str, number: float | None) -> bool:
        if number is None or last is None:
            return False
        fraction = percents and not _phrase("percents").search(side)  # 1/8 = 12.5 %
        return any(math.isclose(number * scale, last, rel_tol=_AGREE) for scale in ((1, 100) if fraction else (1,)))

    return last if all(agrees(*one) for one in found) else None


def _without_ambiguity(value: object, spec: Spec, symbols: Symbols) -> object:
    """``value`` with a point for a comma that could be either, if that makes it right, else without the comma."""
    if not isinstance(value, str) or not _phrase("one_comma").search(normalize(value)):
        return value
    decimal = _phrase("one_comma").sub(r"\1.\2", normalize(value))
    given = read(decimal, spec.unit)
    return decimal if given is not None and _near(given, spec, symbols) else value


def _sides(text: str) -> list[str]:
    """The parts of ``text`` between ``=`` and ``≈``, without comments and leading words. Raises ValueError."""
    text = _phrase("in_other_words").sub(r"\2 = \1", _typed(text).partition("#")[0])
    text = _prose.only_number(_prose.conclusion(text))
    found = [side.strip() for side in re.split("[=≈]", text)]
    found = found[1:] if not found[0] and len(found) > 1 else found
    found = [_bare(side) for side in found]
    if max(map(len, found)) > _MAX_LENGTH:
        raise ValueError("too long for a number")
    return found


def _bare(side: str) -> str:
    """``side`` without the words before its number."""
    side = _phrase("lead").sub("", _prose.without_lead(side), count=2)
    return _prose.without_lead(_prose.without_chinese(side)).strip()


def _side(text: str, unit: Text | str | None) -> float | None:
    """The value of one side of an equation in ``unit``; None if it cannot be read."""
    number, size = _arithmetic(text, unit)
    try:
        found = _evaluated(number) * size
    except (ValueError, OverflowError, FormulaError):
        return None
    return found if math.isfinite(found) else None


def _evaluated(number: str) -> float:
    """The value of arithmetic, or of a formula without names. Raises ValueError, OverflowError or FormulaError."""
    try:
        return float(arithmetic.evaluate(number, {}))
    except ValueError:
        if number.lstrip("(").startswith(("{", "[")):  # data, not a formula
            raise
        with scalars.step_budget(_STEPS):
            return float(Evaluator(_NO_NAMES, {}).number(parse(number, _NO_NAMES.vocabulary)))


def _typed(text: str) -> str:
    """``text`` in plain characters, with mixed numbers as sums. Raises ValueError if it is too long."""
    if len(text) > _MAX_TYPED:
        raise ValueError("no number")
    text = _phrase("mixed_in_digits").sub(_sum, _phrase("mixed").sub(r"(\1+\2)", text.strip().strip("`")))
    text = chinese_in_digits(_with_points(normalize(text.replace("\\%", "%"))))
    return _phrase("hundredths").sub(r"\1%", text)


def _sum(mixed: re.Match[str]) -> str:
    """7 1/2 as a sum; 7 3/2 is no mixed number."""
    whole, top, bottom = mixed.groups()
    return f"({whole}+{top}/{bottom})" if int(top) < int(bottom) else mixed[0]


def _with_points(text: str) -> str:
    """``text`` with a decimal point for each comma that can be nothing else."""
    text = _phrase("points").sub(lambda found: f"{found[1].replace('.', '')}.{found[2]}", text)
    return _phrase("decimal_comma").sub(r"\1.\2", text)


def _in_base(logarithm: re.Match[str]) -> str:
    """A logarithm to a written base as a quotient of natural ones."""
    base, bracket, number = logarithm.groups()
    argument = bracket if bracket is not None else number
    return f"log({argument})" if base == "e" else f"(log({argument})/log({base}))"


def _without_remark(text: str, unit: Text | str | None) -> str:
    """``text`` without a bracket at its end that changes nothing: behind a unit, or of words alone."""
    found = _phrase("last_bracket").match(text)
    if found is None:
        return text
    behind_unit = _values.split_unit(found[1], unit)[0] != found[1]
    return found[1] if behind_unit or _prose.is_remark(found[2]) else text


def _arithmetic(text: str, unit: Text | str | None) -> tuple[str, float]:
    """One side as arithmetic or a formula, and the size of its unit in ``unit``s."""
    written = text.strip().rstrip("。")
    if "%" in _values.unit_spellings(unit):
        written = _phrase("percents").sub("%", written)
    written = _without_remark(_prose.without_clause(written), unit)
    text, size = _values.split_unit(written, unit)
    if text == written and _values.unit_family(unit):
        text, size = _values.split_unit(_prose.without_tail(written, nouns=False), unit)
    elif text == written:
        text = _prose.without_tail(written)
    if unit is None:
        for pattern, factor in table(__file__, "number.yaml")["suffixes"]:
            if re.search(pattern, text):
                text, size = re.sub(pattern, "", text), size * factor
    percent = _phrase("percents").search(text)
    text = _phrase("percents").sub("", text)
    text = _phrase("thousands").sub(lambda found: re.sub("[, '.]", "", found[0]), text)
    text = _phrase("base").sub(_in_base, english_in_digits(text))
    for pattern, new in table(__file__, "number.yaml")["rewritten"]:
        text = re.sub(pattern, new, text)
    return f"({text}) / 100" if percent else text, size
