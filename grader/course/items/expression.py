"""A formula that is equal to the correct one, however it is written; or a growth rate, O(…).

## What it asks

For a formula in the declared symbols. [formulas.md](formulas.md) says how formulas are written and compared.

## Keys

- `symbols`: what the names in all formulas stand for: `{n: positive integer, x: vector(n)}`.
- `answer`: a correct formula.
- `given`: what is known about random symbols: `{q: "iid(mean=0, var=1, size=d)"}`.
- `grows`: asks for a growth rate; constants and dominated terms do not count.
- `wrong`: wrong formulas that show a misconception.
- `unit`: a text, in one language or in both. Learners may leave it out.
- `aliases`: other names that learners may use: `{h: [num_heads]}`; `aliases` of `course.yaml` are added to them.

## Example

```yaml
kind: expression
symbols: {d_model: positive integer, h: positive integer, d_k: d_model / h (definition)}
answer: 4 d_model^2
wrong:
  - {answer: 3 d_model^2, misconception: output-projection-forgotten}
```

## Answer

```text
4 d_model^2
4 * d_model**2
4 h d_k d_model
3 d_model² + d_model h d_k
total = 4 d_model^2 weights    # four projections
```

A left side, words that name the formula or say what was counted, a remark in brackets, a reason and a comment after
`#` are dropped. If several formulas are joined by `=`, they have to be equal.

## Points

All or nothing. A wrong formula is named by its misconception, or shown an instance with the learner's own value,
never with the correct one. What cannot be read is not an attempt in the quiz; in a file it earns nothing until a person
has looked at it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from grader.core import marks
from grader.core.model import Message, Sentences, Status, Text
from grader.core.tables import table
from grader.core.text import COMMA, LABELED, PARENTHESIZED, SEMICOLON, Path, formula_list, join, same
from grader.course.items import Context, Judgment, LineRead, Prompt, _prose, _values, unreadable
from grader.course.items._values import KnownWrongAnswer
from grader.course.problems import ValueProblem, unexpected
from grader.formulas import compare, growth, scalars, steps
from grader.formulas.ast import FunctionCall, Name, Node, walk
from grader.formulas.declarations import DeclarationError, Declarations, read_declarations
from grader.formulas.errors import FormulaError, ParseError, TooExpensiveError, UndefinedError
from grader.formulas.parse import parse, parse_chain
from grader.formulas.printer import show
from grader.formulas.tokens import normalize

WrittenAnswer: TypeAlias = str | int | float

HEAVY = True

_MOST_BITS = 200
#: A ratio to 1 is the number itself.
_TO_ONE = re.compile(r"\s*:\s*1\s*$")
_RELATIONS = frozenset("<>≤≥⩽⩾")

_HOW = Message("Answer with a formula, such as `4 n^2 d` or `sqrt(n)/2`; you may leave out `*`.")
_HOW_GROWS = Message("Answer with a growth rate, such as `O(n log n)` or `O(n^2 + d)`.")
_NOT_TEXT = Message("Answer with one formula, written as text.")
_ONE = Message("Answer with one formula; the two sides of your “=” are not equal.")
_EXACT = Message(
    "An exact formula is asked for; $O(…)$ and $Θ(…)$ leave out factors and smaller terms. Write the formula itself."
)
_DIFFERS = Message("Not the right formula: for {instance}, yours is ${value}$.")
_DIFFERS_CONSTANT = Message("Not the right formula: yours is ${value}$.")
_BEYOND = Message("Yours depends on {moments}, which the mean and variance do not determine.")
_GROWS = Message("Yours grows like ${rate}$, which is not right.")
_ONLY_HERE = Message("Right, but only for the variances given here; it would not hold for others.")


@dataclass(frozen=True, slots=True)
class Spec:
    """``symbols`` and ``given`` declare the names in all the formulas (see docs/formulas.md)."""

    symbols: Mapping[str, str]
    answer: WrittenAnswer
    given: Mapping[str, str] = field(default_factory=dict)
    grows: bool = False
    wrong: tuple[KnownWrongAnswer, ...] = ()
    unit: Text | str | None = None
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


# --------------------------------------------------------------------------------------------- in the bank


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with the formulas: each needs a value, and wrong answers differ from the right one and each other."""
    declared = yield from check_declarations(spec.symbols, spec.given)
    if declared is None:
        return
    written: list[tuple[Path, WrittenAnswer]] = [(("answer",), spec.answer)]
    written += [(("wrong", index, "answer"), wrong.answer) for index, wrong in enumerate(spec.wrong)]
    read: list[tuple[Path, WrittenAnswer, Node]] = []
    for path, text in written:
        try:
            node = parse(str(text), declared.vocabulary)
            _equal(node, node, spec, declared)
        except FormulaError as error:
            yield unexpected(path, text, f"a formula with a value (the problem: {error})", "formula")
            return
        read.append((path, text, node))
    for at, (path, text, formula) in enumerate(read):
        for other_path, other_text, other in read[:at]:
            if _equal(formula, other, spec, declared):
                what = "the right answer" if other_path == ("answer",) else "another wrong one"
                yield unexpected(path, text, f"an answer that is not equal to {what} ({other_text})", "wrong-is-right")
                break


def check_declarations(
    symbols: Mapping[str, str], given: Mapping[str, str]
) -> Generator[ValueProblem, None, Declarations | None]:
    """Yields the problem with the declarations, if there is one; returns them if not."""
    try:
        return read_declarations(symbols, given)
    except DeclarationError as error:
        key = "given" if error.name in given else "symbols"
        written = {**symbols, **given}.get(error.name)
        yield unexpected((key, error.name), written, f"a declaration, but: {error}", "formula")
    return None


def _equal(one: Node, two: Node, spec: Spec, declared: Declarations) -> bool:
    if spec.grows:
        return growth.same_growth(one, two, declared)
    return isinstance(compare.compare_formulas(one, two, declared), compare.Equal)


# ------------------------------------------------------------------------------------------------- answers


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """``value`` is a formula as text, or a number."""
    text = as_text(value)
    if text is None:
        return unreadable(_NOT_TEXT)
    declared = read_declarations(spec.symbols, spec.given, spec.aliases)
    try:
        with scalars.step_budget(scalars.MOST_STEPS):
            return _judged(_read(text, spec, declared), spec, declared)
    except (ParseError, TooExpensiveError) as error:
        return unreadable(error.text)
    except UndefinedError as error:
        return _failed(Message("Your formula has no value: {why}.").fill(why=error.text))
    except FormulaError as error:
        return _failed(error.text)


def reading(spec: Spec, value: object) -> tuple[tuple[str, str], ...]:
    """The formula as it was written and as it was read; empty if it cannot be read."""
    text = as_text(value) or ""
    return tuple((text, line.shown) for line in read_lines(spec, text) if line.shown is not None)


def read_lines(spec: Spec, text: str) -> tuple[LineRead, ...]:
    """How the formula is read, as the only line."""
    if not text.strip():
        return ()
    try:
        with scalars.step_budget(scalars.MOST_STEPS):
            node = _read(text, spec, read_declarations(spec.symbols, spec.given, spec.aliases))
    except FormulaError as error:
        return (LineRead(1, why=error.text),)
    return (LineRead(1, show(node)),)


def as_text(value: object) -> str | None:
    """``value`` as the text of a formula, since YAML reads some as numbers; None for anything else."""
    if isinstance(value, int) and (isinstance(value, bool) or value.bit_length() > _MOST_BITS):
        return None
    return str(value) if isinstance(value, (str, int, float)) else None


def _without(unit: str, text: str) -> str:
    """``text`` without ``unit`` at its end, which may be in full width; the formula itself is not normalised (d²)."""
    for cut in range(max(0, len(text) - len(unit)), len(text)):
        if unicodedata.normalize("NFKC", text[cut:]).casefold() == unit.casefold():
            return text[:cut]
    return text


def _read(text: str, spec: Spec, declared: Declarations) -> Node:
    """The formula in ``text``, without the unit and a leading ``=``. Raises ParseError."""
    for unit in (spec.unit.en, spec.unit.zh) if isinstance(spec.unit, Text) else (spec.unit or "",):
        text = _without(unit, text.rstrip())
    text = _prose.conclusion(normalize(text).partition("#")[0]).strip().strip("。;；").lstrip("= ")
    text, local, explained = steps.with_local_names(_TO_ONE.sub("", text), declared.vocabulary)
    if explained and not _holds(explained, spec, declared):
        raise ParseError(_ONE)
    sides = _sides(text)
    found = [_formula(side, local) for side in sides[1:]]
    try:
        first = _formula(sides[0], local)
    except ParseError:
        # The name of what is asked for, which need not be declared: r = …
        if not found or not any(map(str.isalpha, sides[0])):
            raise
    else:
        # n = 2d names what is asked for; d = 2d does not, because it can be no equation.
        names_the_answer = isinstance(first, Name) and first not in (node for each in found for node in walk(each))
        found = found if found and names_the_answer else [first, *found]
    if any(not _equal(found[0], other, spec, declared) for other in found[1:]):
        raise ParseError(_ONE)
    exact = not spec.grows and any(isinstance(part, FunctionCall) and part.function == "O" for part in walk(found[-1]))
    if exact:
        raise ParseError(_EXACT)
    return found[-1]


def _holds(explained: str, spec: Spec, declared: Declarations) -> bool:
    """Whether the sides of ``explained`` are equal: d_k = d_model / h. Raises ParseError."""
    first, *others = parse_chain(explained, declared.vocabulary)
    return all(_equal(first, other, spec, declared) for other in others)


def _formula(text: str, local: steps.LocalNames) -> Node:
    """The formula in ``text``, without words around it if it cannot be read with them. Raises ParseError."""
    bare = _prose.unlabelled(text)
    remark = _prose.without_remarks(bare, local.vocabulary)
    forms = [text, bare, _values.without_counted(bare), remark]
    for form in (bare, remark, _prose.without_chinese_clause(bare)):
        forms.append(form)
        for shorter in (_prose.without_lead(form), _prose.without_chinese(form)):
            forms += [shorter, _values.without_counted(shorter), _prose.without_tail(shorter)]
    error = ParseError(_NOT_TEXT)
    for form in dict.fromkeys(forms):
        try:
            return local.unfolded(parse(form, local.vocabulary))
        except ParseError as found:
            error = found
    raise error


def _sides(text: str) -> list[str]:
    """The parts of ``text`` between signs of equality that are not inside brackets.

    Raises ParseError for other relations there: Σ_{i<j} is a formula, and n >= 2d is none.
    """
    depth, found = 0, [""]
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if char in _RELATIONS and depth <= 0:
            raise ParseError(Message("Answer with one formula, without `<`, `>`, `≤` or `≥`."))
        if char == "=" and depth <= 0:
            found.append("")
        else:
            found[-1] += char
    return [side.strip() for side in found]


def _judged(node: Node, spec: Spec, declared: Declarations) -> Judgment:
    right = parse(str(spec.answer), declared.vocabulary)
    if spec.grows:
        return _grows(node, right, spec, declared)
    found = compare.compare_formulas(node, right, declared)
    if isinstance(found, compare.Equal):
        return Judgment(Status.PASSED, 1.0, _ONLY_HERE if found.needs_given_variances else None)
    for wrong in spec.wrong:
        if isinstance(
            compare.compare_formulas(node, parse(str(wrong.answer), declared.vocabulary), declared), compare.Equal
        ):
            return Judgment(Status.FAILED, 0.0, misconception=wrong.misconception)
    message = _DIFFERS if found.instance else _DIFFERS_CONSTANT
    said = message.fill(instance=found.instance, value=found.left)
    if found.higher_moments:
        depends = _BEYOND.fill(moments=formula_list(found.higher_moments))
        said = Sentences((said, depends))
    return _failed(said)


def _grows(node: Node, right: Node, spec: Spec, declared: Declarations) -> Judgment:
    if growth.same_growth(node, right, declared):
        return Judgment(Status.PASSED, 1.0)
    for wrong in spec.wrong:
        if growth.same_growth(node, parse(str(wrong.answer), declared.vocabulary), declared):
            return Judgment(Status.FAILED, 0.0, misconception=wrong.misconception)
    return _failed(_GROWS.fill(rate=growth.format_growth(growth.growth(node, declared))))


def _failed(message: Text) -> Judgment:
    return Judgment(Status.FAILED, 0.0, message)


# ------------------------------------------------------------------------------------------ what is asked


def prompt(spec: Spec, context: Context) -> Prompt:
    """One line, with the symbols it may use and the unit."""
    found = [*describe_declarations(spec.symbols, spec.given)]
    if spec.unit:
        found.append(Message("Unit: {unit} (optional).").fill(unit=spec.unit))
    return Prompt("line", _HOW_GROWS if spec.grows else _HOW, facts=tuple(found))


def describe_declarations(symbols: Mapping[str, str], given: Mapping[str, str]) -> Sequence[Text]:
    """The declarations of symbols and what is given, in words."""
    found = []
    if listed := {marks.formula(name): _declared(text) for name, text in symbols.items() if name not in given}:
        each = [PARENTHESIZED.fill(what=name, more=said) for name, said in listed.items()]
        found.append(Message("Symbols: {symbols}.").fill(symbols=join(each, SEMICOLON)))
    if given:
        each = [LABELED.fill(who=marks.formula(name), said=_declared(text)) for name, text in given.items()]
        found.append(Message("Given: {given}.").fill(given=join(each, SEMICOLON)))
    return found


def _declared(text: str) -> Text:
    """A declaration in words."""
    text = " ".join(text.split())
    head, bracket, rest = text.partition("(")
    words = table(__file__, "declarations.yaml").get(head + bracket)
    if words and rest[-1:] == bracket.replace("(", ")"):
        said = same(rest[:-1]) if "=" not in rest else join(map(_named, rest[:-1].split(", ")), COMMA)
        return Text(*(marks.marked(words[lang].format(said.of(lang))) for lang in ("en", "zh")))
    plain = text.removesuffix("(definition)").removesuffix("(the same variable)").strip()
    return same(marks.formula(f"= {plain}"))


def _named(given: str) -> Text:
    """What is given of a random symbol, such as ``var=1``, with marks as the table has them."""
    name, _, value = given.partition("=")
    words = table(__file__, "declarations.yaml")[f"{name}="]
    return Text(words["en"].format(value), words["zh"].format(value))


def key(spec: Spec, context: Context) -> Text:
    """The right formula."""
    declared = read_declarations(spec.symbols, spec.given)
    text = marks.formula(show(parse(str(spec.answer), declared.vocabulary)).replace("Θ", "O"))
    return _values.with_unit(text, spec.unit)


def without_key(spec: Spec) -> Spec:
    """The symbols, without the answers."""
    return Spec(spec.symbols, 1, spec.given, spec.grows, unit=spec.unit, aliases=spec.aliases)
