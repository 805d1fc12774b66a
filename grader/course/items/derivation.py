"""A chain of formulas, each equal to the one before, from a start to an end.

## What it asks

For the lines between two given formulas. The first line that does not follow is shown with a counterexample.
[formulas.md](formulas.md#items-of-the-kind-derivation) says how lines are written and judged.

## Keys

- `symbols`: what the names in all formulas stand for.
- `from`: the formula that the chain begins with.
- `to`: the formula that it ends with.
- `chain`: a worked chain: `{line, because}` for each line between the two.
- `given`: what is known about random symbols.
- `solve`: the unknown, where the lines are equations.
- `hide_to`: whether learners do not see the end, because it gives another item away.
- `hide_from`: the same for the start; the question then says in words what to begin with.
- `least`: the smallest number of new lines between start and end.
- `form`: formulas, one of which the last line must contain.
- `free_of`: symbols that `?` in `form` does not stand for; the last line must then be one of `form` as a whole.
- `ideas`: what a new line between start and end has to show: `{missing, lines}`, at least one for each point. `missing`
  is the message if no such line contains one of `lines`.
- `wrong`: `{line, misconception}`: lines that show a misconception.
- `state_givens`: whether learners have to state what they assume.
- `aliases`: other names that learners may use; `aliases` of `course.yaml` are added to them.

## Example

```yaml
kind: derivation
symbols: {q: vector(2), k: vector(2), m: integer, n: integer, θ: real, R: rotation(θ)}
from: ⟨R_m q, R_n k⟩
to: ⟨q, R_{n−m} k⟩
form: ["R_{n−m}", "R_{m−n}"]
ideas:
  - lines: ["R_mᵀ R_n", "R_{−m} R_n"]
    missing: {en: Which line has both rotations side by side?, zh: 哪一行里两个旋转挨在一起？}
chain:
  - {line: qᵀ R_mᵀ R_n k, because: {en: transposing turns the order around, zh: 转置会颠倒次序}}
  - {line: "qᵀ R_{n−m} k", because: {en: the angles add up, zh: 角度相加}}
wrong:
  - {line: "qᵀ R_{m+n} k", misconception: angles-add-up}
```

## Answer

A line for each step; a reason may follow after `#`:

```text
(R_m q)ᵀ (R_n k)
qᵀ R_mᵀ R_n k      # transposing a product turns its order around
qᵀ R_{n−m} k
```

## Points

A line counts if it is new: not the start, not the end and not an earlier line, even in another order, with other
brackets, with other names of indices, or with + 0 or · 1. Repeating lines is allowed, but earns nothing.

A chain that passes earns everything. Any other earns the share of `ideas` that its new lines show before the first
mistake, one part being kept back, and never more than its share of steps (when all ideas are there, only the first
bound counts). Without ideas, it earns its new lines out of those of `chain`. A line that cannot be read ends the chain
like a mistake: in a file, the lines before it earn their share. `attncheck bank check` attacks every
derivation with copied, rearranged and padded lines, and reports those that earn something.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from grader.core.constraints import MisconceptionId
from grader.core.model import Message, Status, Text
from grader.core.text import Path, name_list
from grader.course.items import Context, Judgment, LineRead, Prompt, QuizItem, essay, unreadable
from grader.course.items._no_options import counted as counted
from grader.course.items._no_options import options as options
from grader.course.items.expression import as_text, check_declarations, describe_declarations
from grader.course.problems import ValueProblem, unexpected
from grader.formulas import compare, match, scalars
from grader.formulas.ast import Derivative, FunctionCall, Name, Node, Sum, walk
from grader.formulas.compare import Counterexample, ValueTable
from grader.formulas.declarations import GIVEN_FORMS, DeclarationError, Declarations, Random, read_declarations
from grader.formulas.errors import FormulaError
from grader.formulas.mathml import mathml
from grader.formulas.normal import normal, reordered, unpadded
from grader.formulas.parse import parse, parse_chain
from grader.formulas.printer import show
from grader.formulas.steps import MOST_LINES, Side, number_lines, parse_lines

_HOW = Message("Write one step per line, each equal to the line before. You may add a reason after #.")
_HOW_SOLVE = Message(
    "Write one equation per line, each with the same solution as the line before. You may add a reason after #."
)
_HOW_GIVEN = Message("First state your assumptions, one per line: given q: iid(mean=…, var=…).")
_FROM = Message("Start from {start}.")
_FROM_TO = Message("From {start} to {end}.")
_TO = Message("Go on to {end}.")
_FORM = Message("Write the steps as lines of text, or as {{given: {{…}}, lines: […]}}.")
_NOTHING = Message("There are no steps here yet.")
_BREAK = Message("Line {number}: “{right}” does not follow from “{left}”{where} “{left}” is {x}, and “{right}” is {y}.")
_NOT_THE_START = Message(
    "Line {number}: “{right}” is not equal to what the question asks you to begin with{where} yours is {y}."
)
_WHERE = Message(": for {instance},")
_NO_WHERE = Message(":")
_DEPENDS = Message("{what} depends on {moments}, which the mean and variance do not determine.")
_THE_LINE = Message("That line")
_UNREAD = Message("Line {number}, “{text}”: {why}")
_UNFINISHED = Message("Every step so far is right, but “{last}” is not the end yet: continue to {end}.")
_SIMPLIFY = Message("Every step so far is right, but “{last}” is not the end yet: simplify it further.")
_SHORT = Message(
    "The start and the end are right, but how do you get from one to the other? Steps needed in between: {least} or "
    "more."
)
_NOT_NEW = Message("Line {number}, “{text}”, is not a step: it only rewrites the start, the end or an earlier line.")
_ONLY_HERE = Message("Right, but line {number} holds only for the variances given here.")
_STATE = Message("State what you assume about {missing}, each on a line of its own: given {name}: iid(mean=…, var=…).")
_GIVEN_UNREAD = Message("Your assumption about {name} cannot be read: {why}")
_GIVEN_FORM = Message("Write it as {forms}.")
_GIVEN_WRONG = Message(
    "Under your assumptions ({given}), {start} is not {end}: for {instance} it is {value}, and {end} is {wanted}."
)
_GIVEN_OTHER = Message(
    "Under your assumptions ({given}), {start} does not have the value asked for: for {instance} it is {value}."
)
_NORMAL = Message("For normally distributed components it would be {value}.")
_EQUATION = Message("Line {number}: write one equation, with one =.")
_LOST = Message(
    "Line {number}: “{text}” loses the solution of the line before: for {instance}, the left side is {x} and the right "
    "side is {y}."
)
_GAINED = Message("Line {number}: “{text}” also holds for {instance}, which does not solve the line before.")

HEAVY = True
#: Characters of an assumption.
_LONGEST = 200
_HEAVY = ("E", "Var", "Cov", "mean", "softmax", "max", "min", "jacobian")


@dataclass(frozen=True, slots=True)
class Idea:
    """An idea that some new line must show by containing one of the expressions ``lines`` (? stands for anything).

    ``missing`` is the message if no line does.
    """

    missing: Text
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DerivationLine:
    """A line of the worked chain, and why it follows from the line before."""

    line: str
    because: Text | None = None


@dataclass(frozen=True, slots=True)
class WrongLine:
    """A wrong line that reveals a misconception."""

    line: str
    misconception: MisconceptionId


@dataclass(frozen=True, slots=True)
class Spec:
    """A chain leads from ``from`` to ``to``; ``chain`` is a worked one.

    ``solve`` names the unknown if the lines are equations. The last line must contain one of the expressions ``form``,
    if there are any. At least ``least`` lines are needed in between. With ``state_givens``, learners have to state the
    assumptions.
    """

    symbols: Mapping[str, str]
    from_: str
    to: str
    chain: tuple[DerivationLine, ...]
    given: Mapping[str, str] = field(default_factory=dict)
    solve: str | None = None
    least: int = 1
    form: tuple[str, ...] = ()
    ideas: tuple[Idea, ...] = ()
    wrong: tuple[WrongLine, ...] = ()
    state_givens: bool = False
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hide_to: bool = False
    hide_from: bool = False
    free_of: tuple[str, ...] = ()


# --------------------------------------------------------------------------------------------- in the bank


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with the chain: the worked one has to pass, a jump to the end to fail, and wrong lines to be wrong."""
    declared = yield from check_declarations(spec.symbols, spec.given)
    if declared is None:
        return
    if spec.hide_from and (spec.solve or spec.given):
        yield ValueProblem(
            ("hide_from",), "expected only without `solve` and `given`, whose messages show the start", "given-away"
        )
    unread = False
    for path, text, pattern in _written(spec):
        try:
            parse_chain(text, declared.vocabulary, pattern=pattern)
        except FormulaError as error:
            unread = True
            yield unexpected(path, text, f"a formula, but: {error.text.en}", "formula")
    for index, wrong in enumerate(spec.wrong if spec.solve and not unread else ()):
        sides = parse_chain(wrong.line, declared.vocabulary)
        if len(sides) != 2 or Name(spec.solve or "") not in sides:
            unread = True
            yield unexpected(("wrong", index, "line"), wrong.line, f"an equation solved for {spec.solve}", "formula")
    for index, idea in enumerate(spec.ideas):
        if not idea.lines:
            yield ValueProblem(("ideas", index, "lines"), "expected one expression or more", "wrong-length")
    if unread:
        return
    yield from _worked(spec, declared)


def _written(spec: Spec) -> Iterator[tuple[Path, str, bool]]:
    yield ("from",), spec.from_, False
    yield ("to",), spec.to, False
    for index, line in enumerate(spec.chain):
        yield ("chain", index, "line"), line.line.strip().lstrip("="), False
    for index, wrong in enumerate(spec.wrong):
        yield ("wrong", index, "line"), wrong.line, False
    for place, form in enumerate(spec.form):
        yield ("form", place), form, True
    for index, idea in enumerate(spec.ideas):
        for place, text in enumerate(idea.lines):
            yield ("ideas", index, "lines", place), text, True


def _worked(spec: Spec, declared: Declarations) -> Iterator[ValueProblem]:
    value = {"given": dict(spec.given), "lines": [line.line for line in spec.chain]}
    judged = judge(spec, value, Context("", "", ""))
    if judged.status is not Status.PASSED:
        said = judged.message.en if judged.message else f"it shows {judged.misconception}"
        yield ValueProblem(("chain",), f"expected a chain that passes, but: {said}", "own-answer")
    ends = judge(spec, {"given": dict(spec.given), "lines": [spec.from_, spec.to]}, Context("", "", ""))
    if ends.status is Status.PASSED:
        yield ValueProblem(
            ("ideas",), "expected ideas, or `least`, that a jump from start to end does not satisfy", "given-away"
        )
    for index, idea in enumerate(spec.ideas):
        sides = [side for text in (spec.from_, spec.to) for side in parse_chain(text, declared.vocabulary)]
        if _shown(idea, [[Side(side, 0, "") for side in sides]], _Forms(spec)):
            yield ValueProblem(
                ("ideas", index, "lines"),
                "expected something that neither the start nor the end shows",
                "given-away",
            )
    for index, name in enumerate(spec.free_of):
        if name not in declared.declared:
            yield unexpected(("free_of", index), name, "one of the symbols", "unknown-symbol")
    for index, wrong in enumerate(spec.wrong):
        if _follows(spec, wrong.line, declared):
            yield unexpected(
                ("wrong", index, "line"), wrong.line, "a line that is not equal to the start", "wrong-is-right"
            )
        for earlier in spec.wrong[:index]:
            if not spec.solve and _same(parse(wrong.line, declared.vocabulary), earlier.line, declared):
                yield unexpected(
                    ("wrong", index, "line"),
                    wrong.line,
                    f"a line not equal to another ({earlier.line})",
                    "wrong-is-right",
                )


def _follows(spec: Spec, line: str, declared: Declarations) -> bool:
    """Whether a line would be right directly after the start, or cannot be decided."""
    try:
        if spec.solve is None:
            return _same(parse(spec.from_, declared.vocabulary), line, declared)
        left, right = parse_chain(line, declared.vocabulary)
        return compare.check_solution(left, right, spec.solve, _solution(spec, declared), declared) is None
    except FormulaError:
        return True


# ------------------------------------------------------------------------------------------------- answers


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """``value`` is a text with one line per step, a list of lines, or a mapping with ``given`` and ``lines``."""
    parts = _parts(value)
    if parts is None:
        return unreadable(_FORM.fill())
    stated, written = parts
    declared = _of_bank(spec).declared
    try:
        found = parse_lines(written, declared.vocabulary)
    except FormulaError as error:
        before = _judge_lines(spec, stated, _read_before(written, declared), declared)
        steps = _steps(spec)
        # Without a word about the lines before it: the quiz does not count this as an attempt.
        return replace(unreadable(error.text), fraction=min(before.fraction, (steps - 1) / steps))
    return _judge_lines(spec, stated, found, declared)


def _judge_lines(
    spec: Spec, stated: dict[str, str] | None, found: Sequence[Sequence[Side]], declared: Declarations
) -> Judgment:
    with scalars.step_budget(scalars.MOST_STEPS):
        if refused := _givens(spec, stated, declared):
            return refused
        try:
            return _solved(spec, found, declared) if spec.solve else _chained(spec, found, declared)
        except FormulaError as error:
            return _failed(error.text, 0.0)


def _read_before(written: Sequence[tuple[int, str]], declared: Declarations) -> Sequence[Sequence[Side]]:
    """The lines before the first one that cannot be read."""
    found: Sequence[Sequence[Side]] = ()
    for end in range(1, len(written)):
        try:
            found = parse_lines(written[:end], declared.vocabulary)
        except FormulaError:
            break
    return found


def reading(spec: Spec, value: object) -> tuple[tuple[str, str], ...]:
    """The lines as they were written and as they were read; empty if one cannot be read."""
    parts = _parts(value)
    if parts is None:
        return ()
    vocabulary = read_declarations(spec.symbols, spec.given, spec.aliases).vocabulary
    try:
        found = [(line, parse_lines([(number, line)], vocabulary)) for number, line in parts[1]]
    except FormulaError:
        return ()
    said = [(line, [show(step.node) for steps in lines for step in steps]) for line, lines in found]
    return tuple((line, " = ".join(shown)) for line, shown in said if shown)


def read_lines(spec: Spec, text: str) -> tuple[LineRead, ...]:
    """How each line is read by itself; an assumption is read when the answer is judged."""
    vocabulary = read_declarations(spec.symbols, spec.given, spec.aliases).vocabulary
    found = []
    for number, line in list(number_lines([text]))[:MOST_LINES]:
        if not line.strip() or _ASSUMED.match(line):
            continue
        try:
            steps = parse_lines([(1, line)], vocabulary, named=False)
        except FormulaError as error:
            found.append(LineRead(number, why=error.text))
        else:
            found.append(LineRead(number, " = ".join(step.text for chain in steps for step in chain) or None))
    return tuple(found)


def as_mathml(spec: Spec, shown: str) -> str:
    """A line that ``reading`` returned, as MathML."""
    vocabulary = read_declarations(spec.symbols, spec.given, spec.aliases).vocabulary
    return "<math><mo>=</mo></math>".join(mathml(parse(side, vocabulary)) for side in shown.split(" = "))


def _parts(value: object) -> tuple[dict[str, str] | None, list[tuple[int, str]]] | None:
    """The stated assumptions (None if there are none) and the numbered lines; None if ``value`` has another form."""
    stated: dict[str, str] | None = None
    if isinstance(value, Mapping):
        given, value = value.get("given"), value.get("lines")
        if given is not None:
            texts = {as_text(name): as_text(text) for name, text in given.items()} if isinstance(given, Mapping) else {}
            if not isinstance(given, Mapping) or None in texts or None in texts.values():
                return None
            stated = {_harmless(name or ""): _harmless(text or "") for name, text in texts.items()}
    if not isinstance(value, (list, tuple)):
        value = [value]
    if len(value) > MOST_LINES:
        return None
    lines = [as_text(line.get("line") if isinstance(line, Mapping) else line) for line in value]
    if None in lines:
        return None
    written: list[tuple[int, str]] = []
    for number, part in number_lines(line or "" for line in lines):
        if assumed := _ASSUMED.match(part):
            stated = {**(stated or {}), _harmless(assumed[1]): _harmless(assumed[2])}
        else:
            written.append((number, part))
    return stated, written


def _harmless(text: str) -> str:
    """An assumption in a form that is safe to display."""
    return "".join(char if char.isprintable() else " " for char in text[:_LONGEST]).strip()


_ASSUMED = re.compile(r"\s*(?:given|assume|let|已知|假设|设)[\s:：]+([^\s:：~=]+)\s*[:：~=]\s*(.+)", re.IGNORECASE)


def _failed(
    message: Text | None, fraction: float, misconception: str | None = None, *, line: int | None = None
) -> Judgment:
    place = None if line is None else str(line)
    return Judgment(Status.FAILED, round(fraction, 4), message, misconception, place=place)


def _joined(*sentences: Text) -> Text:
    return Text(" ".join(one.en for one in sentences), "".join(one.zh for one in sentences))


@dataclass(frozen=True, slots=True)
class _OfBank:
    """The declarations of an item, and its formulas as they are compared: ``chain(text)`` and ``pattern(text)``."""

    declared: Declarations
    chain: Callable[[str], tuple[Node, ...]]
    pattern: Callable[[str], Node]


#: Texts of the bank, as pairs; with them as a key, the formulas of an item are read once for all answers.
Pairs: TypeAlias = tuple[tuple[str, str], ...]


@functools.lru_cache(maxsize=100)
def _read_once(symbols: Pairs, given: Pairs, aliases: tuple[tuple[str, tuple[str, ...]], ...]) -> _OfBank:
    declared = read_declarations(dict(symbols), dict(given), dict(aliases))

    def pattern(text: str) -> Node:
        return unpadded(parse(text, declared.vocabulary, pattern=True), declared)

    def chain(text: str) -> tuple[Node, ...]:
        return parse_chain(text, declared.vocabulary)

    return _OfBank(declared, functools.cache(chain), functools.cache(pattern))


def _of_bank(spec: Spec) -> _OfBank:
    return _read_once(tuple(spec.symbols.items()), tuple(spec.given.items()), tuple(spec.aliases.items()))


class _Forms:
    """Forms of formulas that several rules compare; those of an answer are made once for it."""

    def __init__(self, spec: Spec) -> None:
        bank = _of_bank(spec)
        self.declared, self.chain, self.pattern = bank.declared, bank.chain, bank.pattern
        self.normal = functools.cache(lambda node: normal(node, bank.declared))
        self.unpadded = functools.cache(lambda node: unpadded(node, bank.declared))


# -------------------------------------------------------------------------------------------------- givens


def _givens(spec: Spec, stated: dict[str, str] | None, declared: Declarations) -> Judgment | None:
    """The judgment of wrong assumptions: missing, unreadable, or with another result; None if they are fine."""
    random = declared.random
    if stated is None:
        if not spec.state_givens:
            return None
        stated = {}
    missing = [name for name in spec.given if name in random and name not in stated]
    if missing and spec.state_givens:
        return unreadable(_STATE.fill(missing=name_list(missing), name=missing[0]))
    try:
        theirs = read_declarations(spec.symbols, {**spec.given, **stated})
    except DeclarationError as error:
        # Some errors name the forms already.
        forms = () if GIVEN_FORMS in error.text.en else (_GIVEN_FORM.fill(forms=GIVEN_FORMS),)
        why = _joined(error.text, *forms)
        return unreadable(_GIVEN_UNREAD.fill(name=error.name, why=why))
    if strange := [name for name in stated if name not in declared.declared]:
        return unreadable(_GIVEN_UNREAD.fill(name=strange[0], why=_GIVEN_FORM.fill(forms=name_list(spec.given))))
    sized = {
        name: replace(found, sizes=random[name].sizes) if isinstance(found, Random) and name in random else found
        for name, found in theirs.declared.items()
    }
    theirs = Declarations(sized, declared.vocabulary)
    if spec.solve:
        return None
    start, end = parse(spec.from_, declared.vocabulary), parse(spec.to, declared.vocabulary)
    try:
        found = compare.compare_formulas(start, end, theirs)
    except FormulaError as error:
        return unreadable(_GIVEN_UNREAD.fill(name=name_list(stated), why=error.text))
    if not isinstance(found, Counterexample):
        return None
    said = "; ".join(f"{name}: {text}" for name, text in stated.items())
    wrong = _GIVEN_OTHER if spec.hide_to else _GIVEN_WRONG
    known = {"given": said, "start": show(start), "end": show(end), "instance": found.instance or "–"}
    sentences = [wrong.fill(**known, value=found.left, wanted=found.right)]
    if found.higher_moments:
        sentences.append(_DEPENDS.fill(what=show(start), moments=name_list(found.higher_moments)))
        if normal := compare.normal_value(start, theirs, found):
            sentences.append(_NORMAL.fill(value=normal))
    return _failed(_joined(*sentences), 0.0)


# -------------------------------------------------------------------------------------------------- chains


def _chained(spec: Spec, found: Sequence[Sequence[Side]], declared: Declarations) -> Judgment:
    bank = _of_bank(spec)
    (start,), (end,) = bank.chain(spec.from_), bank.chain(spec.to)
    steps = [step for line in found for step in line]
    if steps and steps[0].node == start:
        steps = steps[1:]
    if not steps:
        return unreadable(_NOTHING)
    steps = [Side(start, 0, show(start)), *steps]
    table, forms = ValueTable(declared, [step.node for step in steps]), _Forms(spec)
    remark: Text | None = None
    for at in range(1, len(steps)):
        left, right = steps[at - 1], steps[at]
        try:
            different = table.counterexample(at - 1, at)
        except FormulaError as error:
            message = _UNREAD.fill(number=right.number, text=_brief(right.text), why=error.text)
            share = _share(spec, [(step,) for step in steps[1:at]], forms)
            return _failed(message, share, line=right.number)
        if different:
            fraction = _share(spec, [(step,) for step in steps[1:at]], forms)
            return _failed(*_why(spec, left, right, different, declared, fraction), line=right.number)
        if remark is None and compare.needs_given_variances(left.node, right.node, declared):
            remark = _ONLY_HERE.fill(number=right.number)
    at_end = _at_end(steps[-1].node, end, spec, declared)
    return _complete(spec, [(step,) for step in steps[1:]], forms, at_end, remark)


def _why(
    spec: Spec, left: Side, right: Side, different: Counterexample, declared: Declarations, fraction: float
) -> tuple[Text | None, float, str | None]:
    """Message, fraction and misconception for the first line that does not follow."""
    misconception = next((w.misconception for w in spec.wrong if _same(right.node, w.line, declared)), None)
    where = _WHERE.fill(instance=different.instance) if different.instance else _NO_WHERE
    message = (_NOT_THE_START if spec.hide_from and not left.number else _BREAK).fill(
        number=right.number,
        left=_brief(left.text),
        right=_brief(right.text),
        where=where,
        x=different.left,
        y=different.right,
    )
    if different.higher_moments:
        message = _joined(message, _DEPENDS.fill(what=_THE_LINE, moments=name_list(different.higher_moments)))
    return message, fraction, misconception


def _brief(text: str) -> str:
    return text if len(text) <= 70 else f"{text[:69]}…"


def _same(node: Node, line: str, declared: Declarations) -> bool:
    try:
        return isinstance(compare.compare_formulas(node, parse(line, declared.vocabulary), declared), compare.Equal)
    except FormulaError:
        return False


def _complete(
    spec: Spec, lines: Sequence[Sequence[Side]], forms: _Forms, at_end: bool, remark: Text | None = None
) -> Judgment:
    """The judgment of lines that are all right: whether they reach the end, and what they show on the way."""
    # As with a mistake after them: then the last line is no end.
    share = max(_share(spec, lines, forms, at_end=at_end), _share(spec, lines, forms))
    fresh = _fresh(spec, lines, forms)
    between = [line for line in fresh if not (at_end and line is lines[-1])]
    missing = [idea for idea in spec.ideas if not _shown(idea, between, forms)]
    if not at_end or (missing and all(_shown(idea, fresh, forms) for idea in missing)):
        last = " = ".join(step.text for step in lines[-1])
        end = " = ".join(map(show, forms.chain(spec.to)))
        return _failed((_SIMPLIFY if spec.hide_to else _UNFINISHED).fill(last=_brief(last), end=end), share)
    if missing or len(between) < spec.least:
        message = missing[0].missing if missing else _SHORT.fill(least=spec.least)
        repeated = next((line[-1] for line in lines[:-1] if line not in fresh), None)
        if not between and repeated:
            message = _joined(_NOT_NEW.fill(number=repeated.number, text=_brief(repeated.text)), message)
        return _failed(message, share)
    return Judgment(Status.PASSED, 1.0, remark)


def _fresh(spec: Spec, lines: Sequence[Sequence[Side]], forms: _Forms) -> list[Sequence[Side]]:
    """The lines that are new: not the start, the end or an earlier line, however they are arranged."""
    seen = {frozenset(map(forms.normal, forms.chain(text))) for text in (spec.from_, spec.to)}
    fresh: list[Sequence[Side]] = []
    for line in lines:
        form = frozenset(forms.normal(step.node) for step in line)
        if form not in seen:
            seen.add(form)
            fresh.append(line)
    return fresh


def _share(spec: Spec, good: Sequence[Sequence[Side]], forms: _Forms, *, at_end: bool = False) -> float:
    """The fraction that a failed chain earns for its good lines: by ideas shown, or by steps of the worked chain.

    The fraction stays below 1. Only new lines count; ``at_end`` says that the last of them is the end.
    """
    between = [line for line in _fresh(spec, good, forms) if not (at_end and line is good[-1])]
    if not between:
        return 0.0
    steps = _steps(spec)
    share = min((len(between) + at_end) / steps, (steps - 1) / steps)
    if spec.ideas:
        shown = sum(_shown(idea, between, forms) for idea in spec.ideas)
        share = min(share if shown < len(spec.ideas) else 1.0, shown / (len(spec.ideas) + 1))
    return share


def _steps(spec: Spec) -> int:
    """The steps that a whole derivation counts as."""
    return max(len(spec.chain), spec.least + 1, 2)


def _shown(idea: Idea, lines: Sequence[Sequence[Side]], forms: _Forms) -> bool:
    patterns = map(forms.pattern, idea.lines)
    nodes = [forms.unpadded(step.node) for line in lines for step in line]
    return any(match.contains(node, pattern, forms.declared) for pattern in patterns for node in nodes)


def _at_end(last: Node, end: Node, spec: Spec, declared: Declarations) -> bool:
    """Whether a line equal to the end is also as simple: no E, Var, sum or derivative that the end does not have."""
    if spec.form:
        patterns = [parse(text, declared.vocabulary, pattern=True) for text in spec.form]
        if spec.free_of:
            return any(match.is_whole(last, pattern, declared, spec.free_of) for pattern in patterns)
        return any(match.contains(last, pattern, declared) for pattern in patterns)
    return _heavy(last) <= _heavy(end) and _size(last) <= 2 * _size(end) + 3


def _heavy(node: Node) -> set[str]:
    found = {part.function for part in walk(node) if isinstance(part, FunctionCall) and part.function in _HEAVY}
    return found | {type(part).__name__ for part in walk(node) if isinstance(part, (Sum, Derivative))}


def _size(node: Node) -> int:
    return sum(1 for _ in walk(node))


# ----------------------------------------------------------------------------------------------- equations


def _solved(spec: Spec, found: Sequence[Sequence[Side]], declared: Declarations) -> Judgment:
    """The judgment of equations: each must hold for the solution, and for no other value that is tried."""
    unknown = spec.solve or ""
    start = parse_chain(spec.from_, declared.vocabulary)
    if found and tuple(step.node for step in found[0]) == start:
        found = found[1:]
    if not found:
        return unreadable(_NOTHING)
    for line in found:
        if len(line) != 2:
            return unreadable(_EQUATION.fill(number=line[0].number))
    solution = _solution(spec, declared)
    for at, (left, right) in enumerate(found):
        if found_wrong := compare.check_solution(left.node, right.node, unknown, solution, declared):
            text = f"{left.text} = {right.text}"
            said = {"x": found_wrong.left, "y": found_wrong.right, "instance": found_wrong.instance}
            message = (_GAINED if found_wrong.gained else _LOST).fill(number=right.number, text=_brief(text), **said)
            known = (w.misconception for w in spec.wrong if _alike(w.line, (left.node, right.node), unknown, declared))
            misconception = next(known, None)
            share = _share(spec, found[:at], _Forms(spec))
            return _failed(message, share, misconception, line=right.number)
    left, right = found[-1]
    sides = {left.node: right.node, right.node: left.node}
    answer = sides.get(Name(unknown))
    at_end = answer is not None and _at_end(answer, solution, spec, declared)
    return _complete(spec, found, _Forms(spec), at_end)


def _solution(spec: Spec, declared: Declarations) -> Node:
    """The value of the unknown, from ``to``."""
    return next(side for side in parse_chain(spec.to, declared.vocabulary) if side != Name(spec.solve or ""))


def _alike(line: str, sides: tuple[Node, Node], unknown: str, declared: Declarations) -> bool:
    """Whether an equation has the same solution as ``line``, a wrong one of the bank."""
    left, right = parse_chain(line, declared.vocabulary)
    solution = right if left == Name(unknown) else left
    try:
        return compare.check_solution(*sides, unknown, solution, declared) is None
    except FormulaError:
        return False


# ---------------------------------------------------------------------------------------------- for nothing


def empty_answers(spec: Spec) -> Iterator[tuple[str, object]]:
    """Answers that derive nothing, each with a name: copied, rearranged and padded ends, and the givens restated."""
    declared = read_declarations(spec.symbols, spec.given)
    sides = {text: parse_chain(text, declared.vocabulary) for text in (spec.from_, spec.to)}

    def both(text: str, form: str) -> str:
        return " = ".join(form.format(show(side)) for side in sides[text])

    start, end = both(spec.from_, "{}"), both(spec.to, "{}")
    again, over = (
        " = ".join(show(reordered(side, declared)) for side in sides[text]) for text in (spec.from_, spec.to)
    )
    ideas = [line for idea in spec.ideas for line in idea.lines[:1] if "?" not in line]
    padding = ["({0}) + 0", "1·({0})", "({0})·1 + 0", "2·({0}) − ({0})", "({0})/2 + ({0})/2"]
    padding += [form for line in ideas for form in (f"({{0}}) + 0·({line})", f"({{0}}) + ({line}) − ({line})")]
    padding += [f"({{0}})·({line})/({line})" for line in ideas]
    lines = {
        "the start copied": [start, start],
        "the end copied": [end, end],
        "start and end copied": [start, start, end, end],
        "the start reordered": [again, end],
        "the end reordered": [start, over, end],
        "both reordered": [again, over, end],
        "a circle": [end, start, again, end, start, end],
        "the givens restated": [*(f"{name} = {text}" for name, text in _definitions(spec)), end],
    }
    for form in padding:
        form = form.replace("{0}", "\0").replace("{", "{{").replace("}", "}}").replace("\0", "{0}")
        lines[f"{form} of the start"] = [both(spec.from_, form), end]
        lines[f"{form} of the end"] = [start, both(spec.to, form), end]
    for name, written in lines.items():
        yield name, {"given": dict(spec.given), "lines": written}


def _definitions(spec: Spec) -> Iterator[tuple[str, str]]:
    for name, text in spec.symbols.items():
        if text.endswith("(definition)"):
            yield name, text.removesuffix("(definition)").strip()


# ------------------------------------------------------------------------------------------ what is asked


def prompt(spec: Spec, context: Context) -> Prompt:
    """Several lines, with the start of the chain, and the end unless it is hidden."""
    how: Text = _HOW_SOLVE if spec.solve else _HOW
    if spec.state_givens:
        how = _joined(_HOW_GIVEN, Text(f"\n{how.en}", f"\n{how.zh}"))
    declared = read_declarations(spec.symbols, spec.given)
    start, end = (" = ".join(map(show, parse_chain(text, declared.vocabulary))) for text in (spec.from_, spec.to))
    ends = [] if spec.hide_from else [_FROM.fill(start=start) if spec.hide_to else _FROM_TO.fill(start=start, end=end)]
    if spec.hide_from and not spec.hide_to:
        ends = [_TO.fill(end=end)]
    given = {} if spec.state_givens else spec.given
    facts = [
        *describe_declarations({name: text for name, text in spec.symbols.items() if name not in spec.given}, given)
    ]
    return Prompt("lines", how, facts=(*facts, *ends))


def key(spec: Spec, context: Context) -> Text:
    """The worked chain with its reasons as comments."""
    declared = read_declarations(spec.symbols, spec.given)
    written = [
        " = ".join(show(node) for node in parse_chain(line.line.strip().lstrip("="), declared.vocabulary))
        for line in spec.chain
    ]
    width = max(map(len, written))

    def one(lang: str) -> str:
        found = []
        for place, (text, line) in enumerate(zip(written, spec.chain, strict=True)):
            sign = "  " if spec.solve or place == 0 else "= "
            because = f"{text:<{width}}  # {line.because.of('zh' if lang == 'zh' else 'en')}" if line.because else text
            found.append(sign + because)
        return "\n".join(found)

    return Text(one("en"), one("zh"))


def quiz_item(spec: Spec, context: Context) -> QuizItem:
    """A text, which a person marks."""
    return essay(prompt(spec, context), key(spec, context))


def without_key(spec: Spec) -> Spec:
    """The symbols, and the start and the end if learners may see them."""
    start = "0" if spec.hide_from else spec.from_
    bare = Spec(spec.symbols, start, start if spec.hide_to else spec.to, (), spec.given)
    bare = replace(bare, hide_to=spec.hide_to, hide_from=spec.hide_from)
    return replace(bare, solve=spec.solve, state_givens=spec.state_givens, aliases=spec.aliases)
