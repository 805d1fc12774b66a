"""Lines of a derivation as people write them: formulas joined by ``=``, and words that give reasons."""

from __future__ import annotations

import contextlib
import itertools
import re
import string
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import cast

from grader.core.model import Message, Text
from grader.core.tables import patterns, table
from grader.formulas import ast as nodes
from grader.formulas.ast import Node
from grader.formulas.errors import ParseError
from grader.formulas.parse import index_names, parse_chain
from grader.formulas.printer import show
from grader.formulas.tokens import is_cjk, names, normalize, plain_matrices
from grader.formulas.vocabulary import Kind, Vocabulary, function_name, split_word

MOST_LINES = 60
_phrase = patterns(__file__, "phrases.yaml")
#: Parts of a formula that has a name; a name may be used in the formula of another.
_MOST_PARTS = 200

_LINE = Message("Line {number}, “{text}”: {why}")
_WORDS = Message("write the formula first and your words after `#`.")
_CASES = Message("write both cases, `i = j: …` and `i ≠ j: …`, one after the other.")
_UNREAD_NAME = Message("The formula for `{name}`, “{formula}”, cannot be read: {why}")
_LONG = Message("The formulas behind these names are too long together.")
_MANY = Message("At most {most} lines are allowed.")

#: Functions that are written without brackets: sin θ.
_BARE = ("exp", "log", "log2", "lg", "sqrt", "sin", "cos", "ones")
_ARROWS = r"(?<!\{\w)(?<!\{\w )(?<!\(\w)(?:⇒|⟹|⇔|⟺|=>|→|\\Rightarrow|\\implies|\\iff)"
_QUOTED = 70


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a relation on line ``number``; ``text`` is for messages. ``goes_on`` if = stands before it."""

    node: Node
    number: int
    text: str
    goes_on: bool = False


def number_lines(texts: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The parts of ``texts``, each with the number of the line it is on, as its author counts them."""
    number, case = 0, ""
    for text in map(plain_matrices, texts):
        if _phrase("environment").search(text):
            text = _phrase("environment").sub("", text).replace("&", " ")
        for line in re.split(r"\r\n|[\r\n\u2028\u2029]", text):
            number += 1
            line = _phrase("begins").sub("", _phrase("proven").sub("", line))
            if _phrase("case_ahead").fullmatch(line.replace("$", "")) or (case and not line.strip()):
                case = case or f"{line.replace('$', '').rstrip(' :：,，')}: "
                continue
            line, case = case + line, ""
            formulas, mark, reason = line.partition("#")
            pieces = re.split(r"[;；]+(?![^\[]*\])|\\\\(?=\s|$)", formulas)
            parts = [part for piece in pieces for part in re.split(_ARROWS, piece)]
            parts[-1] += mark + reason  # which may have the same signs
            yield from ((number, part) for part in parts)
    if case:
        yield number, case


def parse_lines(
    lines: Sequence[tuple[int, str]],
    vocabulary: Vocabulary,
    *,
    named: bool = True,
    among: Sequence[tuple[int, str]] | None = None,
) -> tuple[tuple[Side, ...], ...]:
    """For each numbered line with a formula, the expressions that are joined by =. Raises ParseError.

    A line is left out only if it is a comment, has words alone, is one of the ``remarks``, or names a formula that
    others use. The names are those in the lines ``among`` which these are, if they are not all. The error says which
    line it is about if ``named``.
    """
    return _read_lines(lines, vocabulary, named, among)[0]


def remarks(lines: Sequence[tuple[int, str]], vocabulary: Vocabulary) -> tuple[int, ...]:
    """The numbers of the lines that are sentences with formulas in them, which are no steps. Raises ParseError."""
    return _read_lines(lines, vocabulary)[1]


def equations(
    lines: Sequence[tuple[int, str]], vocabulary: Vocabulary, steps: Collection[int] = ()
) -> tuple[tuple[Node, Node], ...]:
    """The equations in ``lines``, in sentences, too, in the order in which they are written.

    Those in cases are left out, and of lines with the numbers ``steps`` all but the reasons after #.
    """
    local = _local_names(lines, vocabulary)
    found: list[tuple[Node, Node]] = []
    reasons = [(number, line.partition("#")[2] if number in steps else line) for number, line in lines[:MOST_LINES]]
    beside = [line for _, line in reasons if not _phrase("case").match(line)]
    for line in beside:
        for part in (piece for outer in _outer_parts(line) for piece in _phrase("among_equations").split(outer)):
            with contextlib.suppress(ParseError):
                part = _phrase("announced").sub("", part, count=1)
                sides = parse_chain(strip_words(part, local.vocabulary), local.vocabulary)
                first, *others = map(local.unfolded, sides)
                found += [*((first, other) for other in others), *itertools.pairwise(others)]
    return tuple(dict.fromkeys((left, right) for left, right in found if left != right))


def has_limit(line: str) -> bool:
    """Whether there is a limit in ``line``."""
    return bool(_phrase("limit").search(line.partition("#")[0]))


def _read_lines(
    lines: Sequence[tuple[int, str]],
    vocabulary: Vocabulary,
    named: bool = True,
    among: Sequence[tuple[int, str]] | None = None,
) -> tuple[tuple[tuple[Side, ...], ...], tuple[int, ...]]:
    """What ``parse_lines`` and ``remarks`` return. Raises ParseError."""
    if len(lines) > MOST_LINES:
        raise ParseError(_MANY.fill(most=MOST_LINES))
    local = _local_names(lines if among is None else among, vocabulary)
    found: list[tuple[Side, ...]] = []
    left_out: list[int] = []
    cases: list[_Case] = []
    for number, line in lines:
        try:
            match = _phrase("case").match(line)
            if cases and (len(cases) > 1 if match else not line.lstrip().startswith("=")):
                found.append(_both_cases(cases))
                cases = []
            others = [other for at, other in lines if at != number]
            sides = _sides_unless_sentence(match[4] if match else line, number, local, others)
        except ParseError as error:
            if not named:
                raise
            missing = local.unread.keys() - local.formulas.keys()
            unread = (local.unread[name] for name in missing if _uses(error.text.en, name, local.vocabulary))
            here = _LINE.fill(number=number, text=excerpt_of(line), why=error.text)
            raise ParseError(next(unread, here)) from None
        if sides is None:
            left_out.append(number)
        elif match and sides:
            cases.append(_Case(frozenset((match[1], match[3])), match[2] == "=", sides))
        elif cases:
            cases[-1] = replace(cases[-1], sides=(*cases[-1].sides, *sides))
        elif sides:
            found.append(sides)
    if len(cases) > 1:
        found.append(_both_cases(cases))
    if found and any(_phrase("repeated").search(line) for _, line in lines):
        known = index_names(found[0][0].node, vocabulary) | set(vocabulary.kinds)
        found = [tuple(replace(side, node=_summed(side.node, known)) for side in sides) for sides in found]
    return tuple(found), tuple(left_out)


def _summed(node: Node, known: Collection[str]) -> Node:
    """``node`` with a sum over each index that a term has twice and that is not ``known``: A_ij B_jk."""
    if isinstance(node, nodes.Plus):
        return nodes.with_children(node, [_summed(term, known) for term in nodes.children(node)])
    places = [part.at for part in nodes.walk(node) if isinstance(part, nodes.Subscript)]
    times = Counter(name for at in places for index in at for name in nodes.free_names(index))
    for name in (name for name, count in times.items() if count > 1 and name not in known):
        node = nodes.Sum((name,), None, None, "", node)
    return node


@dataclass(frozen=True, slots=True)
class LocalNames:
    """The vocabulary with the names that an answer gives to formulas, and these formulas.

    ``parameters`` are the symbols that a formula depends on: δ for M(δ), i for x_i. ``restated`` are symbols of the
    question by formulas of the answer: y = u + v. ``unread`` says of names why their formulas cannot be read.
    """

    vocabulary: Vocabulary
    formulas: Mapping[str, Node]
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    restated: Mapping[str, Node] = field(default_factory=dict)
    unread: Mapping[str, Text] = field(default_factory=dict)

    def unfolded(self, node: Node) -> Node:
        """``node`` with formulas in place of their names."""
        match node:
            case nodes.Name(name) if name not in self.parameters:
                return self.formulas.get(name, node)
            case nodes.Derivative(of, nodes.Name(by)) if self._adds(of, by):
                return nodes.Name("I")
            case nodes.FunctionCall("Re" | "Im") if "i" in self.formulas:
                node = self._in_the_plane(node)
            case nodes.FunctionCall(name, args) | nodes.Subscript(nodes.Name(name), args) if self._fits(name, args):
                given = dict(zip(self.parameters[name], map(self.unfolded, args), strict=True))
                names = {
                    part.name for arg in given.values() for part in nodes.walk(arg) if isinstance(part, nodes.Name)
                }
                return LocalNames(self.vocabulary, given).unfolded(_apart(self.formulas[name], frozenset(names)))
        below = nodes.children(node)
        return nodes.with_children(node, [self.unfolded(child) for child in below]) if below else node

    def _fits(self, name: str, args: Sequence[Node]) -> bool:
        return len(self.parameters.get(name, ())) == len(args) > 0

    def _adds(self, of: Node, by: str) -> bool:
        """Whether ``by`` is a term of a sum, and a name of this answer: ∂(u + v)/∂u, or ∂g/∂u for g(u, v) = u + v."""
        if isinstance(of, nodes.Name) and by in self.parameters.get(of.name, ()):
            of = self.formulas[of.name]
        elif isinstance(of, nodes.Name) and by in self.formulas:
            of = self.restated.get(of.name, of)
        elif by not in self.formulas:
            return False
        terms = of.terms if isinstance(of, nodes.Plus) else ()
        return (False, nodes.Name(by)) in terms and sum(part == nodes.Name(by) for part in nodes.walk(of)) == 1

    def _in_the_plane(self, node: Node) -> Node:
        """``node`` with q_1 + i q_2 for a vector q."""
        match node:
            case nodes.Name(name) if self.vocabulary.kinds.get(name) == "vector":
                one, two = (nodes.Subscript(node, (nodes.Number(Fraction(at)),)) for at in (1, 2))
                return nodes.Plus(((False, one), (False, nodes.Times(nodes.IMAGINARY, ((" ", two),)))))
            case nodes.Subscript():
                return node
        return nodes.with_children(node, [self._in_the_plane(child) for child in nodes.children(node)])


def with_local_names(text: str, vocabulary: Vocabulary) -> tuple[str, LocalNames, str]:
    """A formula, the names that it explains, and the explanation: exp(s/T) and s = s_1 - s_2 if “with” joins them."""
    given = _phrase("with").search(text)
    if given is None:
        return text, LocalNames(vocabulary, {}), ""
    local = _local_names([(1, text)], vocabulary)
    return text[: given.start()], local, "" if _base(given[1]) in local.formulas else f"{given[1]} = {given[2]}"


def _local_names(lines: Sequence[tuple[int, str]], vocabulary: Vocabulary) -> LocalNames:
    """The names of formulas: those given in one line and used in another."""
    local = LocalNames(vocabulary, {})
    with contextlib.suppress(ParseError):
        lines = [(number, normalize(line)) for number, line in lines[:MOST_LINES]]
    written = " ".join(line for _, line in lines)
    if _phrase("in_the_plane").search(written) and not _phrase("index_i").search(written):
        local = LocalNames(with_name(vocabulary, "i", "scalar"), {"i": nodes.IMAGINARY})
    for at, (number, line) in 2 * [*enumerate(lines[:MOST_LINES])]:  # a formula may use names that are given below it
        others = [other for place, (_, other) in enumerate(lines) if place != at]
        for name, formula in _names_given(line, others, local.vocabulary):
            known = any(_known(word, local.vocabulary) for word in {name, _base(name)})
            known |= not name or (name[:1] == "d" and local.vocabulary.kinds.get(_base(name)[1:]) == "map")  # dF
            meant = _base(name) != name and function_name(_base(name), local.vocabulary)
            if name == "e" or not (known or meant in ("E", "Var", "O", "D")):
                local = _with_name(local, name, formula, (number, line))
            elif formula.startswith(f"{_base(name)} onehot("):  # J_j, which would be a row, for column j of J
                local = replace(_with_name(local, name, formula, (number, line)), vocabulary=local.vocabulary)
            elif vocabulary.kinds.get(name) == "definition":
                with contextlib.suppress(ParseError):
                    stated = parse_chain(strip_words(formula, local.vocabulary), local.vocabulary)[0]
                    local = replace(local, restated={**local.restated, name: stated})
    return local


def _names_given(line: str, others: Sequence[str], vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    """The names that a line may give to formulas: … with S = …, let S = … and b = …, or S = … in a remark."""
    for each in table(__file__, "in_words.yaml"):
        for found in re.finditer(each["said"], line):
            parts = found.groupdict()
            yield each["name"].format(**parts), each["formula"].format(**parts)
    if vocabulary.kinds.get(vocabulary.by) == "vector":
        yield from ((found[found.lastindex or 0], f"d{vocabulary.by}") for found in _phrase("direction").finditer(line))
    formula, _, remark = line.partition("#")
    for polar in _phrase("polar").finditer(line):
        yield from ((polar["angle"], f"angle({polar['of']})"), (polar["length"] or "", f"|{polar['of']}|"))
    for text in (formula if _announces(formula) else "", remark):
        for part in _outer_parts(text):
            match = _phrase("named").match(part)
            here = (*others, formula if text is remark else "")
            if match is None or "时" in match[2] or (text is remark and len(match[1] + match[2]) == 2):  # j = t: …
                continue
            if any(_uses(other, _base(match[1]), vocabulary) for other in here):
                yield match[1], match[2]
    if given := _phrase("with").search(line):
        first, *more = _outer_parts(given[2])
        yield given[1], first
        yield from ((match[1], match[2]) for part in more if (match := _phrase("named").match(part)))


def _base(name: str) -> str:
    """A name without what it depends on."""
    called = _phrase("called").fullmatch(name)
    return called[1] if called else name


def _announces(formula: str) -> bool:
    """Whether a line is one that gives names, as far as its beginning shows."""
    head = formula.partition("=")[0].strip()
    named = head and not _phrase("formula").search(head) and not _phrase("case").match(formula)
    return bool(_phrase("announced").match(formula) or named)


def _gives_names(line: str, local: LocalNames) -> bool:
    """Whether a line gives names to formulas, and so is no step."""
    formula = normalize(line.partition("#")[0])
    label = _phrase("reason_first").match(formula)
    if label and not _phrase("named").match(formula[label.end() :]):
        return False  # let Z = …: a step
    named = [match[1] for part in _outer_parts(formula) if (match := _phrase("named").match(part))]
    kinds = local.vocabulary.kinds
    known = any(_base(name) in local.formulas or kinds.get(name) == "definition" for name in named)
    return bool(_phrase("announced").match(line) or _phrase("polar").search(formula)) or (_announces(formula) and known)


def _outer_parts(text: str) -> Iterator[str]:
    """The parts of a list of names; what is inside brackets stays together."""
    start = 0
    for found in _phrase("among_names").finditer(text):
        if not _inside(text, found.start()):
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


def _with_name(local: LocalNames, name: str, text: str, place: tuple[int, str]) -> LocalNames:
    """``local`` with one more name, which may depend on symbols (M(δ), x_i), if its formula, in a line, can be read."""
    known = local.vocabulary
    called = _phrase("called").fullmatch(name)
    of, argument, *indices = called.groups() if called else (name, None)
    parameters = tuple(filter(None, (argument, *indices)))
    inner = known
    for parameter in parameters:
        inner = inner if parameter in known.spellings else with_name(inner, parameter, "scalar")
    try:
        formula = parse_chain(strip_words(_phrase("shape").sub("", text), inner), inner)[0]
    except ParseError as error:
        why = _UNREAD_NAME.fill(name=of, formula=excerpt_of(text), why=error.text)
        why = _LINE.fill(number=place[0], text=excerpt_of(place[1]), why=why)
        return replace(local, unread={**local.unread, of: why})
    formula = local.unfolded(formula)
    if len(list(itertools.islice(nodes.walk(formula), _MOST_PARTS))) == _MOST_PARTS:
        raise ParseError(_LONG)
    extended = with_name(known, of, "function" if argument else "definition")
    with_parameters = {**local.parameters, of: parameters} if parameters else local.parameters
    return LocalNames(extended, {**local.formulas, of: formula}, with_parameters, local.restated, local.unread)


def with_name(vocabulary: Vocabulary, name: str, kind: Kind) -> Vocabulary:
    """``vocabulary`` with one more name."""
    kinds, spellings = {**vocabulary.kinds, name: kind}, {**vocabulary.spellings, name: name}
    return replace(vocabulary, kinds=kinds, spellings=spellings)


def _apart(node: Node, taken: frozenset[str]) -> Node:
    """``node`` with other indices in its sums than the names ``taken``."""
    if isinstance(node, nodes.Sum) and (same := next((index for index in node.indices if index in taken), None)):
        used = taken | {part.name for part in nodes.walk(node) if isinstance(part, nodes.Name)} | {*node.indices}
        other = next((letter for letter in string.ascii_lowercase[8:] if letter not in used), f"{same}'")
        renamed = nodes.replaced(node, {nodes.Name(same): nodes.Name(other)})
        indices = tuple(other if index == same else index for index in node.indices)
        return _apart(replace(cast(nodes.Sum, renamed), indices=indices), taken)
    return nodes.with_children(node, [_apart(child, taken) for child in nodes.children(node)])


def _known(word: str, vocabulary: Vocabulary) -> bool:
    """Whether ``word`` is a function or made of declared names. Another letter for a name is free: let T = Q Kᵀ."""
    if len(word) == 1:
        return word in vocabulary.kinds
    if word in vocabulary.kinds or function_name(word, vocabulary):
        return True
    try:
        return bool(split_word(word, vocabulary))
    except ParseError:
        return True


def _uses(line: str, name: str, vocabulary: Vocabulary) -> bool:
    """Whether a line uses a name, by itself or beside declared names (aX), other than by giving it to a formula."""
    used = re.sub(rf"^\s*{re.escape(name)}\s*[:：]?=", "", line)
    found = re.findall(rf"(?<![^\W\d_])([^\W\d_]?){re.escape(name)}([^\W\d_]?)(?![^\W\d_])", used)
    return any(all(not each or each in vocabulary.spellings for each in around) for around in found)


def _sides_unless_sentence(line: str, number: int, local: LocalNames, others: Sequence[str]) -> tuple[Side, ...] | None:
    """The expressions of one line; None if it is a sentence about the proof. Raises ParseError."""
    try:
        return _sides(line, number, local, others)
    except ParseError:
        if _is_sentence(line, local.vocabulary):
            return None
        raise


def _is_sentence(line: str, vocabulary: Vocabulary) -> bool:
    """Whether a line is a whole sentence, which may have formulas in it: “So the variance is d_k for every i.”"""
    text = line.partition("#")[0].strip()
    words = [word for word in re.findall(r"[^\W\d_]{2,}", text) if not any(map(is_cjk, word))]
    foreign = sum(_foreign(word, vocabulary) for word in words if len(word) > 2)
    chinese = sum(is_cjk(char) and not _function(text, at) for at, char in enumerate(text))
    if has_limit(text):
        return True
    if text.startswith(tuple("=＝+-−*/^")):
        return False
    explained = (foreign or chinese > 3) and _phrase("explains").match(text)
    if "=" not in text and (explained or _phrase("says").search(text)):
        return True
    given = [part for part in _outer_parts(text) if _phrase("chained").match(part)]
    if len(given) > 1 and all(part.partition("=")[0].strip() for part in given) and not _phrase("case").match(text):
        return True  # from s = K q and t = … we get: two equations
    ends_in_words = text.endswith((",", "，", *words[-1:])) or is_cjk(text[-1:])
    if _phrase("reason_line").match(text) and ends_in_words and "=" not in re.split("[,，]", text)[-1]:
        return bool(foreign or chinese)
    if end := _phrase("leads_on").search(text):
        least = 2 if end[0].strip(" .。:：,，;；") else 6  # after “so”, a formula is expected on the next line
        return chinese >= least or (len(words) >= min(least, 3) and foreign >= min(least, 2))
    return False


def _sides(line: str, number: int, local: LocalNames, others: Sequence[str]) -> tuple[Side, ...]:
    """The expressions of one line among ``others``. Raises ParseError."""
    if "i" in local.formulas:  # elsewhere, a bar may be a mean
        line = line.replace("\\bar", "\\overline")
    if any(_phrase("circle").search(each) for each in (line, *others)):
        line = re.sub(r"(?<=[\w)\]}]) o (?=[\w(\[\\])", " ⊙ ", line.partition("#")[0])
    if _gives_names(line, local) or _phrase("notation").search(line) or _phrase("for_each").match(line):
        return ()
    if (given := _phrase("with").search(line)) and _base(given[1]) in local.formulas:
        line = line[: given.start()]
    text = strip_words(line, local.vocabulary)
    words = any(_words_alone(part, local.vocabulary) for part in (line.partition("#")[0], text))
    if words or _phrase("subject").match(line):
        return ()
    nodes = _chain(text, local.vocabulary, others) if text else ()
    head, equals, _ = line.partition("=")
    goes_on = bool(equals) and not strip_words(head + equals, local.vocabulary)
    whole = len(nodes) == 1 and has_limit(text)  # which is read as the derivative that it is
    found = tuple(
        Side(local.unfolded(node), number, text.replace("⇒", "→") if whole else show(node), goes_on or place > 0)
        for place, node in enumerate(nodes)
    )
    if _formula_lost(line, text):
        raise ParseError(_WORDS)
    return found


def _chain(text: str, vocabulary: Vocabulary, others: Sequence[str]) -> tuple[Node, ...]:
    """The sides of a chain, without a first one that names what is asked for: FLOPs = …, ∂L/∂z = …

    Such a name is in no formula of the ``others``.
    """
    try:
        return parse_chain(text, vocabulary)
    except ParseError:
        head, equals, rest = text.partition("=")
        left = _phrase("left_side").fullmatch(head)
        if not equals or not rest.strip() or left is None:
            raise
        name = left[1] or left[2]
        if name and any(_uses(other.rpartition("=")[2], name, vocabulary) for other in others):
            raise
        return parse_chain(rest, vocabulary)


@dataclass(frozen=True, slots=True)
class _Case:
    """One of two cases, for equal or for different indices, and its lines."""

    indices: frozenset[str]
    equal: bool
    sides: tuple[Side, ...]


def _both_cases(cases: Sequence[_Case]) -> tuple[Side, ...]:
    """Each line of both cases: δ_ij A + (1 − δ_ij) B; the shorter case stays at its last line. Raises ParseError."""
    opposite = {case.equal for case in cases} == {True, False} and cases[0].indices == cases[1].indices
    if not opposite or not all(case.sides for case in cases):
        raise ParseError(_CASES)
    one, two = sorted(cases[0].indices)
    delta = nodes.FunctionCall("delta", (nodes.Name(one), nodes.Name(two)))
    apart = nodes.Plus(((False, nodes.ONE), (True, delta)))
    same, other = (case.sides for case in sorted(cases, key=lambda case: not case.equal))
    found: list[Side] = []
    for step in range(max(len(same), len(other))):
        here, there = same[min(step, len(same) - 1)], other[min(step, len(other) - 1)]
        node = nodes.Plus(
            ((False, nodes.Times(delta, ((" ", here.node),))), (False, nodes.Times(apart, ((" ", there.node),))))
        )
        text = f"{one} = {two}: {here.text}; {one} ≠ {two}: {there.text}"
        found.append(Side(node, max(here.number, there.number), text, goes_on=step > 0))
    return tuple(found)


def excerpt_of(line: str) -> str:
    """The beginning of a line, as it is quoted in messages."""
    line = " ".join("".join(char if char.isprintable() else " " for char in line).split())
    return line if len(line) <= _QUOTED else f"{line[: _QUOTED - 1]}…"


def _formula_lost(line: str, kept: str) -> bool:
    """Whether a formula is among the words that were left out of a line, which is then not what its author meant."""
    line = normalize(line).replace("\x1f", " ")
    line = line[: cut.start()] if (cut := _phrase("mark").search(line)) else line
    if not kept:
        return bool(_phrase("formula").search(_phrase("lead").sub("", line, count=1)))
    dropped = line.partition(kept)[2]
    reason = _phrase("reason").match(dropped.replace("(", " ", 1)) or _phrase("after_comma").match(dropped)
    reason = reason or re.fullmatch(r"\s+\([^=()][^()]*\)\s*", dropped)
    return not reason and bool(_phrase("chained").match(dropped))


def strip_words(line: str, vocabulary: Vocabulary) -> str:
    """``line`` without the words of a reason, and without the sign that connects it to the line before."""
    line = _phrase("and_so").sub("", normalize(line).replace("\x1f", " "))
    heads = ("lead", "label", "reason_first", "concluded", "by_reason")
    while lead := next(filter(None, (_phrase(head).match(line) for head in heads)), None) or _label(line, vocabulary):
        line = line[lead.end() :]
    line = line.partition("#")[0]
    for name in ("mark", "reason"):
        if (cut := _phrase(name).search(line)) and not _inside(line, cut.start()):
            line = line[: cut.start()]
    for match in _phrase("after_comma").finditer(line):
        if not _inside(line, match.start()) and _wordy(match[1], vocabulary):
            line = line[: match.start()]
            break
    trailing = _phrase("trailing").search(line)
    words = trailing[1].split() if trailing else []
    long_names = {name for name in vocabulary.kinds if len(name) > 1}
    if trailing and all(_foreign(word, vocabulary) for word in words if len(word) > 2 or word in long_names):
        line = line[: trailing.start()]
    line = without_remarks(line.rstrip(" ,;:.。"), vocabulary)
    chinese = next((at for at, char in enumerate(line) if is_cjk(char) and not _function(line, at)), None)
    if chinese is not None and not _inside(line, chinese):
        line = line[:chinese]
    return line.rstrip(" ,;:.。")


def _label(line: str, vocabulary: Vocabulary) -> re.Match[str] | None:
    """The words before a formula, if the first of them means nothing in it."""
    found = _phrase("english_label").match(line)
    if found is None or _phrase("mark").search(found[1]) or _inside(line, found.end(1)):
        return None
    return found if _foreign(found[2], vocabulary) else None


def without_remarks(line: str, vocabulary: Vocabulary) -> str:
    """``line`` without the brackets at its end that hold words: ``2 n d (both of them)``."""
    while shorter := _without_remark(line, vocabulary):
        line = shorter
    return line


def _inside(line: str, at: int) -> bool:
    """Whether a bracket is open at position ``at``."""
    before = line[:at]
    return any(before.count(opening) > before.count(closing) for opening, closing in ("()", "[]", "{}", "（）"))


def _without_remark(line: str, vocabulary: Vocabulary) -> str | None:
    """``line`` without a final bracket that holds words; None if it has none."""
    closing = line[-1:]
    opening = {")": "(", "]": "["}.get(closing)
    if opening is None:
        return None
    level = 0
    for at in range(len(line) - 1, -1, -1):
        level += (line[at] == closing) - (line[at] == opening)
        if level == 0:
            remark, before = line[at + 1 : -1], line[:at].rstrip(" ,;:")
            # f(word) is a call, and a bracket after an operator is part of the formula.
            apart = line[at - 1 : at].isspace() or any(map(is_cjk, remark))
            formula_ends = before and before[-1] not in "+-*/·^=@_⊙⊗("
            equation = "=" in remark and not re.search("[Σ∑]|sum", remark)
            says = equation or _wordy(remark, vocabulary)
            return before if apart and formula_ends and says else None
    return None


def _wordy(text: str, vocabulary: Vocabulary) -> bool:
    if any(is_cjk(char) and not _function(text, at) for at, char in enumerate(text)):
        return True
    text = _phrase("index").sub("", text)
    for word in _phrase("word").finditer(text):
        called = function_name(word[0], vocabulary) and text[word.end() :].lstrip().startswith(("(", "[", "{"))
        if not called and _foreign(word[0], vocabulary):
            return True
    return False


def _words_alone(text: str, vocabulary: Vocabulary) -> bool:
    """Whether a text is a sentence: letters alone, and three words or more, of which two mean nothing in a formula.

    A heading ends with a colon and needs one such word.
    """
    words = re.findall(r"[A-Za-z]{2,}", text)
    plain = re.fullmatch(r"[A-Za-z\s,.:'’()-]+", text) is not None
    foreign = sum(_foreign(word, vocabulary) for word in words if len(word) > 3)
    chinese = sum(is_cjk(char) and not _function(text, at) for at, char in enumerate(text))
    heading = text.rstrip().endswith((":", "：")) and (foreign > 0 or chinese > 3) and "=" not in text
    return bool(heading or (plain and len(words) > 2 and foreign > 1))


def _foreign(word: str, vocabulary: Vocabulary) -> bool:
    """Whether a word is neither a function nor made of declared names."""
    try:
        function = function_name(word, vocabulary)
        return function not in _BARE if function else split_word(word, vocabulary) is None
    except ParseError:
        return False


def _function(line: str, at: int) -> bool:
    return any(
        line.startswith(name, at - shift) for name in names("chinese") for shift in range(len(name)) if at >= shift
    )
