"""A chain of formulas, each equal to the one before, from a start to an end.

## What it asks

For the lines between two given formulas. The first line that does not follow is shown with a counterexample.
[formulas.md](formulas.md#items-of-the-kind-derivation) says how lines are written and judged.

## Keys

- `symbols`: what the names in all formulas stand for.
- `from`: the formula that the chain begins with.
- `to`: the formula that it ends with.
- `chain`: a worked chain: `{line, because}` for each line between the two.
- `routes`: the ways to the end: `{stages, end}` each. A stage is what a line has to show: `{is, means, missing}`, and
  `optional` if it may be left out, `written` if it is looked for in the line as it is written, with `lasting` if it has
  to be there without what changes nothing, too. `means` names it once a line shows it, and `missing` is the message if
  none does. `end` is what the last line has to be, and `unfinished` what it may not be as it is written.
- `given`: what is known about random symbols.
- `hide_to`: whether learners do not see the end, because it gives another item away.
- `goal`: what the last line has to be, in words, for a chain that stops before a hidden end.
- `keep`: `brackets` if moving them is the question; otherwise products have none.
- `operand`: whether learners may leave out the ∂ of the start and write what is below it.
- `wrong`: `{line, misconception}`: lines that show a misconception, whatever they look like, or with `written: true`
  only if they are written so: other mistakes have the same value.
- `accepted`: other correct chains, which have to earn everything.
- `rejected`: `{lines, earns}`: chains that earn less, and the fraction that they do.
- `state_givens`: whether learners have to state what they assume.
- `aliases`: other names that learners may use; `aliases` of `course.yaml` are added to them.

## Example

```yaml
kind: derivation
symbols: {q: vector(2), k: vector(2), m: integer, n: integer, θ: real, R: rotation(θ)}
from: ⟨R_m q, R_n k⟩
to: ⟨q, R_{n−m} k⟩
routes:
  - stages:
      - is:
          neighbours: [{mentions: [m], free_of: [n, q, k]}, {mentions: [n], free_of: [m, q, k]}]
          every: {op: [R], is: {not_both: [m, n]}}
        means: {en: the rotations stand side by side, zh: 两个旋转相邻}
        missing: {en: Which line has both rotations side by side?, zh: 哪一行里两个旋转挨在一起？}
    end: {mentions: [R], every: {op: [R], is: {mentions: [m, n]}}}
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

A line shows a stage by what matters of it: terms that cancel, factors that are 1 and everything else that the value
does not depend on count for nothing. It earns the highest stage that it shows, unless an earlier line showed that one
or a later one. All stages and the end earn everything; otherwise, the stages shown before the first mistake earn their
share, where the end counts as one more. The end alone earns nothing. Of several `routes`, the best counts.

A line that cannot be read ends the chain like a mistake: in a file, the lines before it earn their share. A line that
is too complicated to be judged costs nothing. `attncheck bank check` proves all of this for each derivation, and
attacks it with chains in which stages are only planted.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from grader.core import marks
from grader.core.cache import cached_by_identity
from grader.core.constraints import MisconceptionId
from grader.core.layout import cells, pad
from grader.core.model import Message, Sentences, Status, Text
from grader.core.tables import patterns
from grader.core.text import EMPTY, LINE_BREAK, Path, formula_list, join, name_list
from grader.course.items import Context, Judgment, LineRead, Prompt, _stages, unreadable
from grader.course.items import _properties as properties
from grader.course.items._options import harmless
from grader.course.items._stages import Looker, Progress, Route
from grader.course.items.expression import as_text, check_declarations, describe_declarations
from grader.course.problems import ValueProblem, unexpected
from grader.formulas import compare, scalars
from grader.formulas.ast import Derivative, FunctionCall, Name, Node, Number, Sum, children, replaced, walk
from grader.formulas.compare import Counterexample, ValueTable
from grader.formulas.declarations import (
    GIVEN_FORMS,
    DeclarationError,
    Declarations,
    Definition,
    Random,
    read_declarations,
)
from grader.formulas.differentials import derivative_of
from grader.formulas.errors import FormulaError, ParseError
from grader.formulas.flat import Flat, shape, with_ones
from grader.formulas.parse import index_names, parse, parse_chain
from grader.formulas.printer import show
from grader.formulas.steps import MOST_LINES, Side, equations, excerpt_of, has_limit, number_lines, parse_lines, remarks

_HOW = Message("Write one step per line, each equal to the line before. You may add a reason after `#`.")
_HOW_GIVEN = Message("First state your assumptions, one per line: given `q: iid(mean=…, var=…)`.")
_FROM = Message("Start from ${start}$.")
_FROM_TO = Message("From ${start}$ to ${end}$.")
_BREAK = Message(
    "Line {number}: “${right}$” does not follow from “${left}$”{where} “${left}$” is ${x}$, and “${right}$” is ${y}$."
)
_NOT_START = Message(
    "Line {number}: “${right}$” is not equal to the start{where} “${left}$” is ${x}$, and “${right}$” is ${y}$."
)
_NEARLY = Message("Line {number}: “${right}$” does not follow from “${left}$”; they differ slightly for {instance}.")
_WHERE = Message(": for {instance},")
_NO_WHERE = Message(":")
_DEPENDS = Message("{what} depends on {moments}, which the mean and variance do not determine.")
_THE_LINE = Message("That line")
_FIXED = Message("${name}$ is random, but stands outside every expectation and variance there.")
_UNBOUND = Message("no sum in it runs over ${index}$.")
_UNREAD = Message("Line {number}, “${text}$”: {why}")
_CONTINUE = Message("Every step so far is right, but “${last}$” is not the end yet: continue to ${end}$.")
_NOT_YET = Message("Every step so far is right, but “${last}$” is not the end yet.")
_LINE = Message("line {number}")
_REMARKS = Message(
    "\nRead as remarks, not as steps: {lines}. If a formula in them is a step, give it a line of its own."
)
_LIMITS = Message("Only limits of difference quotients are judged, so not {lines}; write a derivative with `∂`.")
_STATE = Message("State what you assume about {missing} before the first step: given `{name}: iid(mean=…, var=…)`.")
_GIVEN_UNREAD = Message("Your assumption about {name} cannot be read: {why}")
_GIVEN_FORM = Message("Write it as {forms}.")
_GIVEN_WRONG = Message(
    "Under your assumptions (`{given}`), ${start}$ is not ${end}$: for {instance} it is ${value}$, and ${end}$ is "
    "${wanted}$."
)
_GIVEN_OTHER = Message(
    "Your assumptions (`{given}`) are not the ones meant here: under them, ${start}$ is ${value}$ for {instance}."
)

HEAVY = True
#: No aliases: in a derivation, they are names that learners give to a loss or a cost.
_OWN_NAMES = ("L", "C", "J")
#: Equations beside a chain that are looked at.
_MOST_FACTS = 12


@dataclass(frozen=True, slots=True)
class DerivationLine:
    """A line of the worked chain, and why it follows from the line before."""

    line: str
    because: Text | None = None


@dataclass(frozen=True, slots=True)
class WrongLine:
    """A wrong line that reveals a misconception; only as it is ``written`` if other mistakes have the same value."""

    line: str
    misconception: MisconceptionId
    written: bool = False


@dataclass(frozen=True, slots=True)
class Rejected:
    """A chain that earns less than everything: the fraction ``earns``."""

    lines: str
    earns: float = 0.0


@dataclass(frozen=True, slots=True)
class Spec:
    """A chain leads from ``from`` to ``to`` on one of the ``routes``; ``chain`` is a worked one.

    With ``state_givens``, learners have to state the assumptions.
    """

    symbols: Mapping[str, str]
    from_: str
    to: str
    chain: tuple[DerivationLine, ...]
    routes: tuple[Route, ...]
    given: Mapping[str, str] = field(default_factory=dict)
    wrong: tuple[WrongLine, ...] = ()
    state_givens: bool = False
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hide_to: bool = False
    goal: Text | None = None
    keep: Literal["brackets"] | None = None
    operand: bool = False
    accepted: tuple[str, ...] = ()
    rejected: tuple[Rejected, ...] = ()


# --------------------------------------------------------------------------------------------- in the bank


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with the chain: the worked one has to pass, the ends alone to earn nothing, wrong lines to be wrong."""
    declared = yield from check_declarations(spec.symbols, spec.given)
    if declared is None:
        return
    faults = [*_unread(spec, declared), *_route_problems(spec, declared)]
    yield from faults
    if not faults:
        yield from _worked(spec, declared)


def _unread(spec: Spec, declared: Declarations) -> Iterator[ValueProblem]:
    for path, text in _written(spec):
        try:
            parse_chain(text, declared.vocabulary)
        except FormulaError as error:
            yield unexpected(path, text, f"a formula, but: {error}", "formula")


def _written(spec: Spec) -> Iterator[tuple[Path, str]]:
    yield ("from",), spec.from_
    yield ("to",), spec.to
    for index, line in enumerate(spec.chain):
        yield ("chain", index, "line"), line.line.strip().lstrip("=")
    for index, wrong in enumerate(spec.wrong):
        yield ("wrong", index, "line"), wrong.line


def _route_problems(spec: Spec, declared: Declarations) -> Iterator[ValueProblem]:
    if not spec.routes:
        yield ValueProblem(("routes",), "expected one route or more", "wrong-length")
    for index, route in enumerate(spec.routes):
        if not route.stages:
            yield ValueProblem(("routes", index, "stages"), "expected one stage or more", "wrong-length")
        wanted = [(("stages", place, "is"), stage.is_) for place, stage in enumerate(route.stages)]
        ends = [(("end",), route.end), (("unfinished",), route.unfinished or properties.Property())]
        for path, one in (*wanted, *ends):
            for name in properties.unknown(one, declared):
                yield unexpected(("routes", index, *path), name, "a symbol or an operator", "unknown-symbol")
    if spec.operand and not isinstance(_start_or_none(spec, declared), Derivative):
        yield ValueProblem(("operand",), "expected only where `from` is a derivative", "unused-key")


def _start_or_none(spec: Spec, declared: Declarations) -> Node | None:
    try:
        return parse(spec.from_, declared.vocabulary)
    except FormulaError:
        return None


def _worked(spec: Spec, declared: Declarations) -> Iterator[ValueProblem]:
    context, bank = Context("", "", ""), _of_bank(spec)
    judged = judge(spec, _with_givens(spec, [line.line for line in spec.chain]), context)
    if judged.status is not Status.PASSED:
        said = marks.plain(judged.message.en) if judged.message else f"it shows {judged.misconception}"
        said = said.partition("\n")[0].rstrip()  # without the ideas that were shown
        said += "" if judged.place else _not_shown(spec, bank)
        yield ValueProblem(("chain",), f"expected a chain that passes, but: {said}", "own-answer")
    if judge(spec, _with_givens(spec, [spec.from_, spec.to, spec.to]), context).fraction:
        yield ValueProblem(("routes",), "expected stages that the end does not show", "given-away")
    for index, wrong in enumerate(spec.wrong):
        path = ("wrong", index, "line")
        if _same(parse(spec.from_, declared.vocabulary), wrong.line, declared, unclear=True):
            yield unexpected(path, wrong.line, "a line that is not equal to the start", "wrong-is-right")
        for earlier in spec.wrong[:index]:
            if _same(parse(wrong.line, declared.vocabulary), earlier.line, declared):
                what = f"a line not equal to another ({earlier.line})"
                yield unexpected(path, wrong.line, what, "wrong-is-right")


def _not_shown(spec: Spec, bank: _OfBank) -> str:
    """Which stage no line of the worked chain shows, what its lines count as, and what to change; empty if all are."""
    looker = _looker(spec).for_answer()
    chains = [parse_chain(line.line.strip().lstrip("="), bank.declared.vocabulary) for line in spec.chain]
    lines = looker.look([(number, node) for number, chain in enumerate(chains, 1) for node in chain])
    shown = _stages.best(lines, spec.routes, looker)
    stage = next((stage for stage, done in zip(shown.route.stages, shown.shown, strict=True) if not done), None)
    if stage is None:
        return ""
    forms = ", ".join(f"{line.number} as {show(line.variants[0])}" for line in lines if line.variants)
    return (
        f" No line shows the stage “{marks.plain((stage.means or stage.missing).en)}”. Without what changes nothing, "
        f"lines count as follows: {forms.replace('…', '') or 'none'}. Write a line that shows the stage even so, "
        "change its `is`, or let it look at lines as they are written (`written: true`)."
    )


def _with_givens(spec: Spec, lines: object) -> dict[str, object]:
    """An answer with the assumptions of the bank."""
    return {"given": dict(spec.given), "lines": lines}


# ------------------------------------------------------------------------------------------------- answers


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """``value`` is a text with one line per step, a list of lines, or a mapping with ``given`` and ``lines``."""
    parts = _parts(value, spec)
    if parts is None:
        return unreadable(Message("Write the steps as lines of text, or as `{{given: {{…}}, lines: […]}}`.").fill())
    stated, written = parts
    bank = _of_bank(spec)
    with scalars.step_budget(scalars.MOST_STEPS):
        refused = _givens(spec, stated, bank.declared)
        try:
            found = _lines(written, bank)
        except FormulaError as error:
            before = refused or _judge_lines(spec, _read_before(written, bank), ())
            # Without a word about the lines before it: the quiz does not count this as an attempt.
            fraction = before.fraction if before.fraction < 1 else _all_but_the_end(spec)
            return replace(unreadable(error.text), fraction=fraction)
        judged = refused or _judge_lines(spec, found, written)
    if judged.status is Status.FAILED and judged.message:
        return replace(judged, message=_with_left_out(judged.message, written, bank))
    return judged


def _with_left_out(message: Text, written: Sequence[tuple[int, str]], bank: _OfBank) -> Text:
    """``message``, and which lines were left out, if any were."""
    left_out = [*dict.fromkeys(remarks(written, bank.declared.vocabulary))]
    limits = [at for at, line in written if at in left_out and has_limit(line)]
    sentences = [message]
    if limits:
        sentences.insert(0, _LIMITS.fill(lines=name_list(_LINE.fill(number=at) for at in dict.fromkeys(limits))))
    if others := [at for at in left_out if at not in limits]:
        sentences.append(_REMARKS.fill(lines=name_list(_LINE.fill(number=at) for at in others)))
    return Sentences(tuple(sentences))


def _all_but_the_end(spec: Spec) -> float:
    """What all stages earn without the end."""
    return max((len(route.stages) / (len(route.stages) + 1) for route in spec.routes), default=0.0)


def _judge_lines(spec: Spec, found: Sequence[Sequence[Side]], written: Sequence[tuple[int, str]]) -> Judgment:
    try:
        return _chained(spec, found, written)
    except FormulaError as error:
        return _failed(error.text, 0.0)


def _lines(written: Sequence[tuple[int, str]], bank: _OfBank) -> list[list[Side]]:
    """The lines as they are read, those in differentials as derivatives. Raises ParseError."""
    return [[_made(side, bank) for side in line] for line in parse_lines(written, bank.declared.vocabulary)]


def _made(side: Side, bank: _OfBank) -> Side:
    """``side`` with a vector of ones where a number is added to a vector. Raises ParseError."""
    try:
        node = derivative_of(side.node, bank.by, bank.declared) if bank.by else side.node
    except ParseError as error:
        raise ParseError(_UNREAD.fill(number=side.number, text=excerpt_of(side.text), why=error.text)) from None
    if shape(bank.start, bank.declared) == "number" and (free := _beside_bound(node, bank.declared)):
        why = _UNBOUND.fill(index=min(free))
        raise ParseError(_UNREAD.fill(number=side.number, text=excerpt_of(side.text), why=why))
    return replace(side, node=with_ones(node, bank.declared))


def _beside_bound(node: Node, declared: Declarations) -> set[str]:
    """The indices inside of sums that none of them runs over."""
    if isinstance(node, Sum) and node.indices:
        return index_names(node, declared.vocabulary)
    return set().union(*(_beside_bound(child, declared) for child in children(node)))


def _read_before(written: Sequence[tuple[int, str]], bank: _OfBank) -> Sequence[Sequence[Side]]:
    """The lines before the first one that cannot be read."""
    found: Sequence[Sequence[Side]] = ()
    for end in range(1, len(written)):
        try:
            found = _lines(written[:end], bank)
        except FormulaError:
            break
    return found


def reading(spec: Spec, value: object) -> tuple[tuple[str, str], ...]:
    """The lines as they were written and as they were read; empty if one cannot be read."""
    parts = _parts(value, spec)
    if parts is None:
        return ()
    vocabulary = _of_bank(spec).declared.vocabulary
    try:
        found = [(line, parse_lines([(number, line)], vocabulary, among=parts[1])) for number, line in parts[1]]
    except FormulaError:
        return ()
    said = [(line, _joined(lines, lambda step: show(step.node))) for line, lines in found]
    return tuple((line, shown) for line, shown in said if shown)


def _joined(lines: Sequence[Sequence[Side]], said: Callable[[Side], str]) -> str:
    """The sides of what is on one line, with = between them, and before the first if it is written there."""
    sides = [side for line in lines for side in line]
    return "= " * (sides[:1] != [] and sides[0].goes_on) + " = ".join(map(said, sides))


def read_lines(spec: Spec, text: str) -> tuple[LineRead, ...]:
    """How each line is read by itself; an assumption is read when the answer is judged."""
    vocabulary = _of_bank(spec).declared.vocabulary
    found = []
    lines = list(number_lines([text]))[:MOST_LINES]
    for number, line in lines:
        if not line.strip() or (spec.given and _phrase("assumed").match(line)):
            continue
        try:
            steps = parse_lines([(1, line)], vocabulary, named=False, among=lines)
        except FormulaError as error:
            found.append(LineRead(number, why=error.text))
        else:
            found.append(LineRead(number, _joined(steps, lambda step: step.text) or None))
    return tuple(found)


def _parts(value: object, spec: Spec) -> tuple[dict[str, str] | None, list[tuple[int, str]]] | None:
    """The stated assumptions (None if there are none) and the numbered lines; None if ``value`` has another form."""
    stated: dict[str, str] | None = None
    if isinstance(value, Mapping):
        given, value = value.get("given"), value.get("lines")
        if given is not None:
            texts = {as_text(name): as_text(text) for name, text in given.items()} if isinstance(given, Mapping) else {}
            if not isinstance(given, Mapping) or None in texts or None in texts.values():
                return None
            stated = {harmless(name or ""): harmless(text or "") for name, text in texts.items()}
    if not isinstance(value, (list, tuple)):
        value = [value]
    if len(value) > MOST_LINES:
        return None
    lines = [as_text(line.get("line") if isinstance(line, Mapping) else line) for line in value]
    if None in lines:
        return None
    written: list[tuple[int, str]] = []
    for number, part in number_lines(line or "" for line in lines):
        if spec.given and (assumed := _phrase("assumed").match(part.partition("#")[0].rstrip())):
            names = re.split(r"\s*(?:[,，、]|\band\b|和|与)\s*", assumed[1])
            stated = {**(stated or {}), **{harmless(name): harmless(assumed[2]) for name in names}}
        else:
            ends = part if spec.hide_to else _phrase("right_side").sub(lambda found: found[1] + spec.to, part)
            written.append((number, ends))
    return stated, written


_phrase = patterns(__file__, "derivation.yaml")


def _failed(message: Text, fraction: float, misconception: str | None = None, *, line: int | None = None) -> Judgment:
    place = None if line is None else str(line)
    return Judgment(Status.FAILED, round(fraction, 4), message, misconception, place=place)


@dataclass(frozen=True, slots=True)
class _OfBank:
    """The declarations of an item, and its start and end."""

    declared: Declarations
    start: Node
    end: Node

    @property
    def by(self) -> Node | None:
        """What the start is differentiated by; None if it is no derivative."""
        return self.start.by if isinstance(self.start, Derivative) else None


#: Texts of the bank, as pairs; with them as a key, the formulas of an item are read once for all answers.
Pairs: TypeAlias = tuple[tuple[str, str], ...]


@functools.lru_cache(maxsize=100)
def _read_once(
    symbols: Pairs, given: Pairs, aliases: tuple[tuple[str, tuple[str, ...]], ...], ends: tuple[str, str]
) -> _OfBank:
    declared = read_declarations(dict(symbols), dict(given), dict(aliases))
    start, end = (parse(text, declared.vocabulary) for text in ends)
    by = next(part.name for part in walk(start.by) if isinstance(part, Name)) if isinstance(start, Derivative) else ""
    declared = replace(declared, vocabulary=replace(declared.vocabulary, by=by, open=True))
    return _OfBank(declared, start, end)


def _of_bank(spec: Spec) -> _OfBank:
    pairs = tuple(spec.symbols.items()), tuple(spec.given.items())
    aliases = tuple(
        (name, tuple(other for other in others if other not in _OWN_NAMES)) for name, others in spec.aliases.items()
    )
    return _read_once(*pairs, aliases, (spec.from_, spec.to))


@cached_by_identity(100)
def _looker(spec: Spec) -> Looker:
    bank = _of_bank(spec)
    return Looker(bank.declared, bank.start, bank.end, spec.routes, spec.keep == "brackets")


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
        return unreadable(_STATE.fill(missing=formula_list(missing), name=missing[0]))
    try:
        theirs = read_declarations(spec.symbols, {**spec.given, **stated})
    except DeclarationError as error:
        # Some errors name the forms already.
        forms = () if GIVEN_FORMS.en in error.text.en else (_GIVEN_FORM.fill(forms=GIVEN_FORMS),)
        why = Sentences((error.text, *forms))
        return unreadable(_GIVEN_UNREAD.fill(name=error.name, why=why))
    if strange := [name for name in stated if name not in declared.declared]:
        return unreadable(_GIVEN_UNREAD.fill(name=strange[0], why=_GIVEN_FORM.fill(forms=formula_list(spec.given))))
    sized = {
        name: replace(found, sizes=random[name].sizes) if isinstance(found, Random) and name in random else found
        for name, found in theirs.declared.items()
    }
    theirs = Declarations(sized, declared.vocabulary)
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
        sentences.append(_DEPENDS.fill(what=marks.formula(show(start)), moments=formula_list(found.higher_moments)))
        if normal := compare.normal_value(start, theirs, found):
            sentences.append(Message("For normally distributed components it would be ${value}$.").fill(value=normal))
    return _failed(Sentences(tuple(sentences)), 0.0)


# -------------------------------------------------------------------------------------------------- chains


def _chained(spec: Spec, found: Sequence[Sequence[Side]], written: Sequence[tuple[int, str]]) -> Judgment:
    bank = _of_bank(spec)
    every = [step for line in found for step in line]
    strict = _judged_steps(spec, every)
    if strict.status is Status.PASSED:
        return strict
    main = _without_asides(bank, found) if strict.place else None
    direct = main if strict.place else every
    best = strict
    for steps in (main, _from_both_ends(bank, found), direct and _with_facts(direct, written, bank)):
        judged = _judged_steps(spec, steps) if steps else strict
        if judged.status is Status.PASSED:
            return judged
        best = judged if steps is main and not judged.place else best  # then no step is wrong
    return best


def _with_facts(steps: Sequence[Side], written: Sequence[tuple[int, str]], bank: _OfBank) -> list[Side]:
    """The steps, and before each that uses what the answer says elsewhere, such as p_i = exp(s_i)/Z, it written out."""
    stated = equations(written, bank.declared.vocabulary, {step.number for step in steps})[:_MOST_FACTS]
    both = [fact for left, right in stated for fact in ((left, right), (right, left))]
    defined = {Name(name) for name, found in bank.declared.declared.items() if isinstance(found, Definition)}
    facts = [fact for fact in both if fact[0] in defined or not isinstance(fact[0], (Name, Number))]
    facts = [fact for fact in facts if fact[0] not in (bank.start, bank.end)]
    found = [Side(bank.start, 0, show(bank.start))]
    for step in [*found, *steps]:
        together = step.node
        used = [fact for fact in facts if fact[0] in [*walk(step.node)][1:]]
        facts = [fact for fact in facts if fact not in used]
        for left, right in used:
            if _same(left, right, bank.declared):
                together = replaced(together, {left: right})
                alone = replaced(step.node, {left: right})
                found += [replace(step, node=node) for node in dict.fromkeys((alone, together))]
        found += [step] if step.number else []
    return found


def _from_both_ends(bank: _OfBank, found: Sequence[Sequence[Side]]) -> list[Side] | None:
    """The steps of a proof that starts from both ends, those from the end turned around; None if it is none."""
    blocks: list[list[Side]] = []
    for line in filter(None, found):
        if blocks and line[0].goes_on:
            blocks[-1] += line
        else:
            blocks.append([*line])
    at = next((at for at, block in enumerate(blocks) if block[0].node == bank.end and len(block) > 1), None)
    if at is None:
        return None
    there = [*itertools.chain(*blocks[:at])]
    for block in blocks[at + 1 :]:
        if not there and block[0].node == bank.start:
            there = block
        elif any(step.node != bank.end and not _same(bank.start, step.node, bank.declared) for step in block):
            return None
    return [*there, *reversed(blocks[at])]


def _without_asides(bank: _OfBank, found: Sequence[Sequence[Side]]) -> list[Side] | None:
    """The steps without calculations on the side: true equations about something else; None if there are none.

    Such a line has two sides or more, begins without =, and takes the lines with = behind it along.
    """
    main: list[Side] = []
    aside: Side | None = None
    for line in filter(None, found):
        if aside and line[0].goes_on and _all_same([aside, *line], bank.declared):
            aside = line[-1]
        elif len(line) == 1 or line[0].goes_on or _same(bank.start, line[0].node, bank.declared):
            aside = None  # what begins with = may go on with the line before the calculation on the side, too
            main += line
        elif _all_same(line, bank.declared):
            aside = line[-1]
        else:
            return None
    return main if len(main) < sum(map(len, found)) else None


def _all_same(steps: Sequence[Side], declared: Declarations) -> bool:
    return all(_same(one.node, other.node, declared) for one, other in itertools.pairwise(steps))


def _judged_steps(spec: Spec, steps: Sequence[Side]) -> Judgment:
    bank = _of_bank(spec)
    flat = Flat(bank.declared, spec.keep == "brackets")
    rewritten = len(steps) > 1 and not steps[0].goes_on and flat(steps[0].node) == flat(bank.start)
    if rewritten or (steps and steps[0].node == bank.start):
        steps = steps[1:]
    if not steps:
        return unreadable(Message("There are no steps here yet."))
    right, broken = _steps_until_a_mistake(spec, steps)
    looker = _looker(spec).for_answer()
    backwards = broken and steps[0].node == bank.end and all(step.goes_on for step in right[1:])
    lines = looker.look([(step.number, step.node) for step in (right[::-1] if backwards else right)])
    shown = _stages.best(lines, spec.routes, looker, finished=broken is None)
    if broken:
        share = shown.share if shown.share < 1 else _all_but_the_end(spec)
        return _with_ideas(replace(broken, fraction=round(share, 4)), shown)
    if not shown.complete and (message := _stages.not_judged(lines)):
        return replace(unreadable(message), fraction=round(shown.share, 4))
    if not shown.complete:
        return _with_ideas(_failed(_why_incomplete(spec, right, lines, shown, looker), shown.share), shown)
    return Judgment(Status.PASSED, 1.0)


def _with_ideas(judged: Judgment, shown: Progress) -> Judgment:
    """``judged``, and which ideas the lines before the first mistake show. Those that are open have no name there."""
    return replace(judged, message=Sentences((judged.message, *_stages.ideas(shown)))) if judged.message else judged


def _steps_until_a_mistake(spec: Spec, steps: Sequence[Side]) -> tuple[list[Side], Judgment | None]:
    """The steps that follow from the start, and what is wrong with the next one, if there is one.

    A step that may leave out the ∂ of the start gets it.
    """
    bank = _of_bank(spec)
    start = bank.start
    left = Side(start, 0, spec.from_ if spec.keep == "brackets" else show(start))
    below = isinstance(start, Derivative) and spec.operand
    wrapped = [Derivative(step.node, start.by) if isinstance(start, Derivative) else step.node for step in steps]
    table = ValueTable(bank.declared, [start, *(step.node for step in steps), *(wrapped if below else ())])
    right: list[Side] = []
    before = 0
    for at, step in enumerate(steps, 1):
        try:
            different = table.counterexample(before, at)
        except FormulaError as error:
            message = _UNREAD.fill(number=step.number, text=excerpt_of(step.text), why=error.text)
            return right, _failed(message, 0, line=step.number)
        if different and below and _follows(table, before, at + len(steps)):
            before, step = at + len(steps), replace(step, node=wrapped[at - 1])
        elif different:
            return right, _wrong(spec, left, step, different)
        else:
            before = at
        right.append(step)
        left = step
    return right, None


def _follows(table: ValueTable, before: int, after: int) -> bool:
    try:
        return table.counterexample(before, after) is None
    except FormulaError:
        return False


def _wrong(spec: Spec, left: Side, right: Side, different: Counterexample) -> Judgment:
    """The judgment of the first line that does not follow."""
    declared = _of_bank(spec).declared
    misconception = next((wrong.misconception for wrong in spec.wrong if _shows(right.node, wrong, declared)), None)
    where = _WHERE.fill(instance=different.instance) if different.instance else _NO_WHERE
    sides = {"left": excerpt_of(left.text), "right": excerpt_of(right.text), "x": different.left, "y": different.right}
    message = (_BREAK if left.number else _NOT_START).fill(number=right.number, where=where, **sides)
    if different.left == different.right and different.instance:
        message = _NEARLY.fill(number=right.number, instance=different.instance, **sides)
    if different.higher_moments:
        message = Sentences((message, _DEPENDS.fill(what=_THE_LINE, moments=formula_list(different.higher_moments))))
    if fixed := _fixed(right.node, declared) - _fixed(left.node, declared):
        message = Sentences((message, _FIXED.fill(name=min(fixed))))
    return _failed(message, 0.0, misconception, line=right.number)


def _fixed(node: Node, declared: Declarations) -> set[str]:
    """The random quantities in ``node`` that stand outside of expectations and variances."""
    if isinstance(node, FunctionCall) and node.function in ("E", "Var", "Cov"):
        return set()
    own = {node.name} & {*declared.random} if isinstance(node, Name) else set()
    return own.union(*(_fixed(child, declared) for child in children(node)))


def _shows(node: Node, wrong: WrongLine, declared: Declarations) -> bool:
    if not wrong.written:
        return _same(node, wrong.line, declared)
    flat = Flat(declared, brackets=False)
    return flat(node) == flat(parse(wrong.line, declared.vocabulary))


def _why_incomplete(
    spec: Spec, steps: Sequence[Side], lines: Sequence[_stages.Line], shown: Progress, looker: Looker
) -> Text:
    """What is missing of a chain in which every step is right."""
    missing = _stages.why_incomplete(shown, lines, looker)
    if missing and not all(shown.shown):
        return Sentences(tuple(missing))
    last = excerpt_of(steps[-1].text)
    if not spec.hide_to:
        return _CONTINUE.fill(last=last, end=show(_of_bank(spec).end))
    return Sentences((_NOT_YET.fill(last=last), *filter(None, (spec.goal,))))


def _same(node: Node, line: str | Node, declared: Declarations, *, unclear: bool = False) -> bool:
    """Whether ``node`` equals ``line``; ``unclear`` if that cannot be decided."""
    try:
        other = parse(line, declared.vocabulary) if isinstance(line, str) else line
        return isinstance(compare.compare_formulas(node, other, declared), compare.Equal)
    except FormulaError:
        return unclear


# ------------------------------------------------------------------------------------------ what is asked


def prompt(spec: Spec, context: Context) -> Prompt:
    """Several lines, with the start of the chain, and the end unless it is hidden."""
    how: Text = _HOW
    if spec.state_givens:
        how = Sentences((_HOW_GIVEN, Text(f"\n{how.en}", f"\n{how.zh}")))
    said = {"start": spec.from_, "end": spec.to}  # as the bank writes them: brackets may be what the item is about
    ends = (_FROM if spec.hide_to else _FROM_TO).fill(**said)
    symbols = {name: text for name, text in spec.symbols.items() if name not in spec.given}
    facts = describe_declarations(symbols, {} if spec.state_givens else spec.given)
    return Prompt("lines", how, facts=(*facts, ends))


def key(spec: Spec, context: Context) -> Text:
    """The worked chain with its reasons as comments, below the assumptions if learners have to state them."""
    declared = read_declarations(spec.symbols, spec.given)
    written = [
        " = ".join(show(node) for node in parse_chain(line.line.strip().lstrip("="), declared.vocabulary))
        for line in spec.chain
    ]
    # The start as the bank writes it: its brackets may be what the item is about.
    shown = [marks.display(f"{spec.from_} = {written[0]}"), *(marks.display(f"= {text}") for text in written[1:])]
    width = max(map(cells, shown))
    stated = spec.given if spec.state_givens else {}
    assumed = [marks.marked(f"`given {name}: {what}`") for name, what in stated.items()]
    rows: list[str | Text] = [*assumed]
    for text, line in zip(shown, spec.chain, strict=True):
        before = f"{pad(text, width)}{marks.REASON}"
        rows.append(join([before, line.because], EMPTY) if line.because else text)
    return join(rows, LINE_BREAK)


def without_key(spec: Spec) -> Spec:
    """The symbols, the start, and the end if learners may see it."""
    bare = Spec(spec.symbols, spec.from_, spec.from_ if spec.hide_to else spec.to, (), (), spec.given)
    return replace(bare, hide_to=spec.hide_to, state_givens=spec.state_givens, aliases=spec.aliases)
