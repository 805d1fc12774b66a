"""The shape of an array, in named sizes.

## What it asks

For a shape. Axes are compared by value for several sets of sizes, so `h * d_k` is `d_model` where `equal` says so.

## Keys

- `answer`: `(batch, h, n, d_k)`: names, numbers and arithmetic. `...` stands for any leading axes, if the answer is
  to have it.
- `sizes`: the names and what they are; learners see them.
- `equal`: sizes that follow from others: `{d_model: h * d_k}` (write the product, not the quotient).
- `aliases`: other names that learners may use: `{batch: [B], d_k: [head_dim]}`.
- `draw`: as for `number`; learners write the numbers.
- `wrong`: wrong shapes that show a misconception.

## Example

```yaml
kind: shape
answer: (batch, h, n, d_k)
sizes:
  batch: {en: number of sentences, zh: 句子数}
  n: {en: number of tokens in each, zh: 每句的词元数}
  h: {en: number of heads, zh: 头数}
  d_k: {en: width of a head, zh: 每个头的宽度}
  d_model: {en: number of features of a token, zh: 每个词元的特征数}
equal: {d_model: h * d_k}
aliases: {batch: [B]}
wrong:
  - {answer: "(batch, n, h, d_k)", misconception: heads-after-tokens}
```

## Answer

```text
(batch, h, n, d_k)
[B, h, n, d_model / h]
batch×h×n×dk
batch h n d_k
```

Where the numbers are drawn, also `torch.Size([2, 8, 10, 64])`. Upper and lower case and `_` matter only where names
would be confused without them. `-1`, and `...` where the answer has none, are refused with a reason.

## Points

All or nothing; there are no points for some of the axes, since no array has part of a shape. The message says how
many axes there should be, that two have changed places, or which axis is the first that differs; never what belongs
there.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from grader.core import arithmetic, marks
from grader.core.arithmetic import Number
from grader.core.constraints import MisconceptionId
from grader.core.model import Message, Status, Text
from grader.core.tables import patterns, table
from grader.core.text import EMPTY, LABELED, Path, formula_list
from grader.course.items import Context, Judgment, Prompt, draw, draws, unreadable
from grader.course.items._options import as_id_text, excerpt
from grader.course.items._values import normalize
from grader.course.problems import ValueProblem, drawn_as, unexpected, unknown

#: The length of an axis at each instance that is tried; None stands for ``...``.
Axis: TypeAlias = tuple[Number, ...] | None
Axes: TypeAlias = tuple[Axis, ...]

_phrase = patterns(__file__, "shape.yaml")
_DOTS = "..."
_PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)
_MOST_SIZES = 12
_MOST_DRAWS = 100
_MAX_LENGTH = 200

_HOW = Message("Answer with a shape, such as `(2*a, b, 5)`.")
_EXPECTED = Message("“{said}” cannot be read as a shape; write one such as `(2*a, b, 5)`{names}.")
_IN = Message(", using {names} and numbers")
_STRANGE = Message("There is no size “{said}” in this question; the sizes are {names}.")
_NO_SIZES = Message("“{said}” is not defined in this question; write numbers.")
_OPEN = Message("“{said}” does not say which axes there are; write all of them.")
_SWAPPED = Message("The axes are right, but two of them are swapped.")
_ORDER = Message("The axes are right, but their order is wrong.")
_AXIS = Message("Axis {index} (counting from 0) is not “${said}$”.")


@dataclass(frozen=True, slots=True)
class WrongShape:
    """A wrong shape that reveals a misconception."""

    answer: str
    misconception: MisconceptionId


@dataclass(frozen=True, slots=True)
class Spec:
    """``answer`` is written in ``sizes`` (name → description), in the numbers that ``draw`` chooses, and in numbers.

    ``equal`` defines sizes by others; ``aliases`` are other names that learners may use.
    """

    answer: str
    sizes: Mapping[str, Text] = field(default_factory=dict)
    equal: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    draw: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    wrong: tuple[WrongShape, ...] = ()


class _UnreadableShape(ValueError):
    """The text cannot be read as a shape; ``text`` says why, if more is known."""

    def __init__(self, text: Text | None = None) -> None:
        super().__init__(marks.plain(text.en) if text else "it cannot be read")
        self.text = text


# --------------------------------------------------------------------------------------------- in the bank


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with the shapes: each needs a value for every draw, and wrong ones must never be right."""
    problems = [*_names(spec), *_equal(spec)]
    yield from problems
    if problems:
        return
    unread = [*_answer(spec, ("answer",), spec.answer)]
    for index, wrong in enumerate(spec.wrong):
        unread += _answer(spec, ("wrong", index, "answer"), wrong.answer)
    yield from unread
    every = [] if unread else draws(spec.draw, _MOST_DRAWS)
    for (index, wrong), symbols in itertools.product(enumerate(spec.wrong), every):
        if _own(spec, wrong.answer, symbols) == _own(spec, spec.answer, symbols):
            what = f"a shape that is never right, but it is{drawn_as(symbols)}"
            yield unexpected(("wrong", index, "answer"), wrong.answer, what, "wrong-is-right")
            return


def _names(spec: Spec) -> Iterator[ValueProblem]:
    for key, names in (("sizes", spec.sizes), ("draw", spec.draw)):
        for name in names:
            if not name.isidentifier() or name in arithmetic.REALS.functions:
                yield unexpected((key, name), name, "a name such as d_k", "wrong-form")
    if len(spec.sizes) > _MOST_SIZES:
        text = f"found {len(spec.sizes)} of them; expected at most {_MOST_SIZES}"
        yield ValueProblem(("sizes",), text, "wrong-length")
    taken = set(spec.sizes)
    for name, others in spec.aliases.items():
        if name not in spec.sizes:
            yield unknown(("aliases", name), name, "a name of `sizes`", spec.sizes, "unknown-symbol")
        for index, other in enumerate(others):
            if not other.isidentifier() or other in taken:
                path = ("aliases", name, index)
                yield unexpected(path, other, "a name such as B that is not in use", "duplicate-name")
            taken.add(other)
    for name, choices in spec.draw.items():
        if not choices or min(choices) < 1:
            yield unexpected(("draw", name), list(choices), "one number or more, all positive", "wrong-length")


def _equal(spec: Spec) -> Iterator[ValueProblem]:
    free = [name for name in spec.sizes if name not in spec.equal]
    for name, expression in spec.equal.items():
        if name not in spec.sizes:
            yield unknown(("equal", name), name, "a name of `sizes`", spec.sizes, "unknown-symbol")
        try:
            strange = sorted(arithmetic.names(expression) - set(free))
        except ValueError as error:
            yield unexpected(("equal", name), expression, f"{arithmetic.REALS.description}, but {error}", "formula")
            continue
        for other in strange:
            yield unknown(("equal", name), other, "a size that is not defined by others", free, "unknown-symbol")


def _answer(spec: Spec, path: Path, answer: str) -> Iterator[ValueProblem]:
    for symbols in draws(spec.draw, _MOST_DRAWS):
        try:
            axes = _own(spec, answer, symbols)
        except _UnreadableShape as error:
            yield unexpected(path, answer, f"a shape such as (batch, n, 2*d), but: {error}", "formula")
            return
        if any(axis is not None and min(axis) <= 0 for axis in axes):
            yield unexpected(path, answer, "axes of positive length", "out-of-range")
            return


def _own(spec: Spec, shape: str, symbols: Mapping[str, Number]) -> Axes:
    """The axes of a shape in the bank, which may use drawn numbers and ``...``."""
    vocabulary = {name: name for name in (*spec.sizes, *spec.draw)}
    return _axes(_readings(shape)[0], vocabulary, _instances(spec, symbols), dots=True)


def _instances(spec: Spec, symbols: Mapping[str, Number]) -> list[dict[str, Number]]:
    """Sizes to compare shapes at: distinct primes, so that different shapes do not agree by chance."""
    free = [name for name in spec.sizes if name not in spec.equal]
    instances: list[dict[str, Number]] = []
    for seed in range(3):
        values: dict[str, Number] = dict(zip(free, random.Random(seed).sample(_PRIMES, len(free)), strict=True))
        values |= symbols
        instances.append(values | {name: arithmetic.evaluate(same, values) for name, same in spec.equal.items()})
    return instances


# ------------------------------------------------------------------------------------------------- answers


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """``value`` is a text such as ``(batch, h, n, d_k)`` or ``batch×n``, or a list of axes."""
    symbols = draw(spec, context)
    right, instances, vocabulary = _own(spec, spec.answer, symbols), _instances(spec, symbols), _vocabulary(spec)
    text = _text(value)
    if text is None:
        return unreadable(_expected(spec, excerpt(value) if isinstance(value, str) else "…"))
    read: list[tuple[list[str], Axes]] = []
    reason: Text | None = None
    for reading in _readings(text):
        try:
            read.append((reading, _axes(reading, vocabulary, instances, dots=None in right)))
        except _UnreadableShape as error:
            reason = reason or error.text
    given = [axes for _, axes in read]
    if right in given:
        return Judgment(Status.PASSED, 1.0)
    if not read:
        return unreadable(reason or _expected(spec, excerpt(text)))
    wrong = next((wrong for wrong in spec.wrong if _own(spec, wrong.answer, symbols) in given), None)
    if wrong is not None:
        return Judgment(Status.FAILED, 0.0, misconception=wrong.misconception)
    return Judgment(Status.FAILED, 0.0, _difference(*read[0], right))


def prompt(spec: Spec, context: Context) -> Prompt:
    """One line, with the meaning of the sizes."""
    facts = []
    for name, what in spec.sizes.items():
        written = f"{name} = {spec.equal[name].replace(' * ', '·')}" if name in spec.equal else name
        facts.append(LABELED.fill(who=marks.formula(written), said=what))
    return Prompt("line", _HOW, facts=tuple(facts))


def key(spec: Spec, context: Context) -> Text:
    """The shape as in the bank, with this learner's numbers."""
    symbols = draw(spec, context)
    axes = [_shown(axis, symbols) for axis in _readings(spec.answer)[0]]
    text = marks.formula(f"({axes[0]},)" if len(axes) == 1 else f"({', '.join(axes)})")
    return Text(text, text)


def without_key(spec: Spec) -> Spec:
    """The sizes and names. Whether ``...`` is allowed is kept, since reading an answer depends on it."""
    return Spec(_DOTS if _DOTS in _readings(spec.answer)[0] else "()", spec.sizes, spec.equal, spec.aliases, spec.draw)


def _shown(axis: str, symbols: Mapping[str, Number]) -> str:
    if axis == _DOTS or not arithmetic.names(axis) & set(symbols):
        return axis
    if arithmetic.names(axis) <= set(symbols):
        return f"{arithmetic.evaluate(axis, symbols):g}"
    return re.sub(r"[^\W\d]\w*", lambda match: str(symbols.get(match[0], match[0])), axis)


def _expected(spec: Spec, said: str) -> Text:
    names = _IN.fill(names=formula_list(spec.sizes)) if spec.sizes else EMPTY
    return _EXPECTED.fill(said=said, names=names)


def _difference(said: Sequence[str], given: Axes, right: Axes) -> Text:
    """Where the shapes differ, without giving the right one away."""
    if len(given) != len(right):
        return Message("Axes in your shape: {given}; there should be {right}.").fill(given=len(given), right=len(right))
    differing = [index for index, axis in enumerate(given) if axis != right[index]]
    if sorted(map(str, given)) == sorted(map(str, right)):
        return _SWAPPED if len(differing) == 2 else _ORDER
    return _AXIS.fill(index=differing[0], said=excerpt(said[differing[0]]))


# ----------------------------------------------------------------------------------------- reading shapes

#: × between two axes, which differs from * inside one; ``shape.yaml`` has it, too.
_BETWEEN = "\x1e"
_BRACKETS = str.maketrans("[]{}【】〔〕、;", "()" * 4 + ",,")


def _text(value: object) -> str | None:
    """The answer as text; a list is a list of axes."""
    if isinstance(value, (list, tuple)):
        parts = [as_id_text(part) for part in value]
        text = None if None in parts else f"({', '.join(part for part in parts if part is not None)})"
    else:
        text = as_id_text(value)
    return text if text is not None and text.strip() and len(text) <= _MAX_LENGTH else None


def _readings(text: str) -> list[list[str]]:
    """The possible lists of axes: ``n*d`` can be two axes, or one that is a product."""
    text = normalize(text.partition("#")[0].replace("$", "").replace("×", _BETWEEN))
    text = _phrase("rows").sub(r"(\1, \2)", _phrase("tail").sub("", _phrase("lead").sub("", text, count=1)))
    for pattern, new in table(__file__, "shape.yaml")["words"]:
        text = re.sub(pattern, new, text).strip()
    text = _bare(text.rstrip("。"))
    if not text:
        return [[]]
    crossed = _cut(text, _outside(text), _BETWEEN)
    axes, text = [axis.replace(_BETWEEN, "*") for axis in crossed], text.replace(_BETWEEN, "*")
    if "*" in _outside(text) and len(crossed) > 1 and all(axes) and any("*" in _outside(axis) for axis in axes):
        return [axes]  # h*d_v × d_model
    if "," in (separators := _outside(text)):
        axes = _cut(text, separators, ",")
        return [axes[:-1] if not axes[-1] else axes]
    readings = [_cut(text, separators, sign) for sign in ("*", " ") if sign in separators]
    return [*(reading for reading in readings if all(reading)), [text]]


def _outside(text: str) -> str:
    """``text`` with brackets, their contents and ``**`` masked by ``^``."""
    depth, masked = 0, []
    for char in text.replace("**", "^^"):
        depth -= char == ")"
        masked.append("^" if depth > 0 or char in "()" else char)
        depth += char == "("
    return "".join(masked)


def _cut(text: str, separators: str, sign: str) -> list[str]:
    places = [-1, *(place for place, char in enumerate(separators) if char == sign), len(text)]
    return [text[start + 1 : end].strip() for start, end in itertools.pairwise(places)]


def _bare(text: str) -> str:
    """``text`` without the brackets that enclose all of it."""
    text = text.translate(_BRACKETS).strip()
    while text.startswith("(") and text.endswith(")"):
        depths = itertools.accumulate((char == "(") - (char == ")") for char in text)
        if 0 in itertools.islice(depths, len(text) - 1):
            break
        text = text[1:-1].strip()
    return text


def _vocabulary(spec: Spec) -> dict[str, str]:
    """Spelling → size: names and aliases, and where unambiguous, also without ``_`` and regardless of case."""
    exact = {name: name for name in spec.sizes}
    exact |= {other: name for name, others in spec.aliases.items() for other in others}
    loose: dict[str, set[str]] = {}
    for spelling, name in exact.items():
        loose.setdefault(_loose(spelling), set()).add(name)
    return {spelling: name for spelling, (name, *more) in loose.items() if not more} | exact


def _loose(name: str) -> str:
    return name.replace("_", "").casefold()


def _axes(axes: list[str], vocabulary: Mapping[str, str], instances: list[dict[str, Number]], *, dots: bool) -> Axes:
    return tuple(_axis(axis, vocabulary, instances, dots) for axis in axes)


def _axis(text: str, vocabulary: Mapping[str, str], instances: list[dict[str, Number]], dots: bool) -> Axis:
    if text in (_DOTS, "*") and dots:
        return None
    if text in (_DOTS, ":", "?", "None") or text.startswith("*"):
        raise _UnreadableShape(_OPEN.fill(said=excerpt(text)))
    if text.replace(" ", "") == "-1":
        raise _UnreadableShape(Message("`-1` only tells `reshape` to infer an axis; write the length of the axis."))
    for pattern, new in table(__file__, "shape.yaml")["products"]:
        text = re.sub(pattern, new, text)
    try:
        names = arithmetic.names(text)
    except ValueError:
        raise _UnreadableShape from None
    means = {name: vocabulary.get(name, vocabulary.get(_loose(name))) for name in names}
    strange = next((name for name in sorted(names) if means[name] is None), None)
    if strange is not None:
        sizes_named = list(dict.fromkeys(vocabulary.values()))
        message = _STRANGE if sizes_named else _NO_SIZES
        raise _UnreadableShape(message.fill(said=excerpt(strange), names=formula_list(sizes_named)))
    try:
        return tuple(
            _plain(arithmetic.evaluate(text, {name: sizes[same] for name, same in means.items() if same}))
            for sizes in instances
        )
    except ValueError:
        raise _UnreadableShape from None


def _plain(value: Number) -> Number:
    """A number in one form: an int if it is whole, else rounded to six places."""
    return value if isinstance(value, int) else int(value) if value == int(value) else round(value, 6)
