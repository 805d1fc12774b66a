"""Formulas as people type them → trees: a Pratt parser for the notation of docs/formulas.md."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, TypeVar, cast

from grader.core.model import Message, Text
from grader.core.text import formula_list
from grader.formulas.ast import (
    ONE,
    SOME_ONES,
    ZERO,
    Derivative,
    FunctionCall,
    ListNode,
    Name,
    Node,
    Number,
    Plus,
    Power,
    Sign,
    Subscript,
    Sum,
    Times,
    Transpose,
    children,
    free_names,
    replaced,
    walk,
    with_children,
)
from grader.formulas.errors import ParseError
from grader.formulas.limits import derivative_at_zero
from grader.formulas.printer import show
from grader.formulas.tokens import Token, excerpt, names, normalize, tokenize
from grader.formulas.vocabulary import Piece, Vocabulary, function_name, index_node, maps, split_word, unknown_name

_DEEPEST = 40
_MOST_NODES = 500
_MOST_TOKENS = 900
_LARGEST_EXPONENT = 40
#: Digits of the power of ten in a number such as 6.02e23, and how much of a longer number a message quotes.
_POWER_DIGITS, _SHORT = 3, 20

_EMPTY = Message("There is no formula here.")
_EXPECTED = Message("“{near}”: expected {what}.")
_END = Message("“{near}”: the formula ends here; expected {what}.")
_SOMETHING = Message("a number, a name or a bracket")
_LEFT_OVER = Message("“{near}”: unexpected “{said}”. Write comments after `#`.")
_DEEP = Message("Too many nested brackets.")
_LARGE = Message("The formula is too long; split it into several lines.")
_DIVIDE = Message("“{near}” is ambiguous: use brackets to show the denominator, as in `1/(2 d)` or `(1/2) d`.")
_REACH = Message("It is not clear where the argument of ${function}$ ends in “{near}”: put it in brackets.")
_ARGUMENTS = Message("${function}$ takes {count}, in brackets.")
_ONE_ARGUMENT = Message("one argument")
_MORE_ARGUMENTS = Message("{low} to {high} arguments")
_EXACT_ARGUMENTS = Message("{low} arguments")
_TWO_INDICES = Message("Which index does the sum run over: {indices}? Write it below the sign: `Σ_{first} …`")
_PRIMED = Message("“{what}'” cannot be read: write the derivative with `∂`, as in `∂{what}(s)/∂s`.")
_UNOPENED = Message("More brackets close than open.")
_UNCLOSED = Message("More brackets open than close.")
_NUMBERS = Message("“{near}”: an operator is missing before the number.")
_TOO_LARGE = Message("The number {number} is too large or too small.")
_EXPONENT = Message("The exponent {exponent} is too large.")
_ELLIPSIS = Message("“…” stands for terms with one index that goes up by one: `q_1 k_1 + q_2 k_2 + … + q_d k_d`.")
_FIRST = Message("A list with “…” has to start with component 1, and here it starts with “${first}$”.")
_CORNERS = Message("The matrix from “${first}$” to “${last}$” cannot be read: its corners do not tell what “…” is.")
_SIGNS = Message("The terms around “…” must have the same sign, unlike “${first}$” and “${last}$”.")
_DOTS_SIGNS = Message("The signs before and after “…” must be the same.")
_TWO_UNLIKE = Message("The terms around “…” may differ in one index only; “${first}$” and “${last}$” differ in more.")
_UNLIKE = Message("The terms around “…” may differ in one index only, and “${term}$” does not fit the others.")
_COMPONENT = Message("write a component of ${what}$ with its argument: `{what}_{index}(x)`.")
_DERIVATIVE = Message("Differentiate with respect to a symbol or one of its components: `∂y/∂x` or `D(y, x)`.")
_SECOND = Message("Only first and second derivatives are read: `∂y/∂x` and `∂²y/∂x∂z`.")

T = TypeVar("T")
#: The “…” in a row of a matrix.
_DOTS = Name("…")
_CLOSING = {"(": ")", "[": "]", "{": "}", "⟨": "⟩"}
_PRODUCTS = ("*", "·", "@", "/")
_STARTS = ("(", "[", "{", "⟨", "√", "Σ", "∂", "∇", "\\frac", "?")
#: Keywords in sums: sum(q_i for i in 1..d).
_BETWEEN = ("for", "in", "to")
#: Indices of sums with …: one that stands in another has its own.
_DOTTED = "iracbdfghklmnopqstuvwxyz"
_BIG = ("E", "Var", "Std", "Cov")
#: What may stand behind a 1 that is a vector of ones, by the sign between the two.
_AFTER_ONES: Mapping[str, tuple[type, ...]] = {" ": (Transpose, Derivative), "*": (Transpose,)}


@dataclass(frozen=True, slots=True)
class _Ready:
    """A piece of a word that is already parsed: a node, or the name of a function."""

    piece: Piece
    at: int
    tight: bool


_Entry: TypeAlias = Token | _Ready


def parse(text: str, vocabulary: Vocabulary) -> Node:
    """The expression in ``text``. Raises ParseError."""
    found = parse_chain(text, vocabulary)
    if len(found) > 1:
        raise ParseError(_EXPECTED.fill(near="=", what=Message("one expression, without =")))
    return found[0]


def parse_chain(text: str, vocabulary: Vocabulary) -> tuple[Node, ...]:
    """The expressions in ``text``, separated by =. Raises ParseError."""
    parser = _Parser(text, vocabulary)
    try:
        found = parser.chain()
    except ParseError as error:
        opening, closing = (sum(map(parser.text.count, signs)) for signs in ("([{", ")]}"))
        missing = _UNOPENED if opening < closing else _UNCLOSED
        raise error if opening == closing else ParseError(missing) from None
    for node in found:
        _check(node, vocabulary, frozenset())
    return tuple(_leaving_out(node, index_names(node, vocabulary) | set(vocabulary.kinds)) for node in found)


def _leaving_out(node: Node, outside: set[str]) -> Node:
    """``node`` where an index of Σ_{k≠j} or Σ_{k<j} that also stands outside the sum is not summed over."""
    match node:
        case Sum((one, two), low, high, "≠", body) if (one in outside) != (two in outside):
            index, other = (one, two) if two in outside else (two, one)
            node = Sum((index,), low, high, "≠", body, Name(other))
        case Sum((one, two), low, None, "<", body) if two in outside and one not in outside:
            last = Plus(((False, Name(two)), (True, ONE)))
            node = Sum((one,), low, last, "", body)
        case Sum():
            outside = outside | set(node.indices)
    return with_children(node, [_leaving_out(child, outside) for child in children(node)])


def index_names(node: Node, vocabulary: Vocabulary, bound: frozenset[str] = frozenset()) -> set[str]:
    """Names used as indices below ``node`` that are neither declared nor summed over."""
    match node:
        case Sum(indices=indices):
            bound = bound | set(indices)
        case Subscript(_, at) | FunctionCall("delta" | "onehot", at):
            at = at[:1] if isinstance(node, FunctionCall) and node.function == "onehot" else at  # and how long it is
            places = {name for one in at for name in free_names(one)}
            free = {name for name in places if name not in bound and name not in vocabulary.kinds}
            return free.union(*(index_names(child, vocabulary, bound) for child in children(node)))
    return set().union(*(index_names(child, vocabulary, bound) for child in children(node)))


def _check(root: Node, vocabulary: Vocabulary, bound: frozenset[str]) -> None:
    """Raises ParseError unless every name is declared, summed over, or an index."""
    free = index_names(root, vocabulary)

    def visit(node: Node, bound: frozenset[str]) -> None:
        match node:
            case Name(name):
                fine = name in vocabulary.kinds or name in bound or name in free or name in ("I", "π", "e")
                if not fine:
                    raise unknown_name(name, vocabulary)
            case Sum(indices=indices):
                bound = bound | set(indices)
        for child in children(node):
            visit(child, bound)

    visit(root, bound)


def _one_name(pieces: tuple[Piece, ...] | None) -> bool:
    """Whether a word ends in a declared name (d_{model}) or in an entry of a matrix (Q_{ij})."""
    last = pieces[-1] if pieces else ""
    return (
        isinstance(last, Name)
        or (isinstance(last, Subscript) and len(last.at) == 2)
        or (isinstance(last, FunctionCall) and last.function == "delta")
    )


class _Parser:
    """The state of parsing one text."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self.text = normalize(text)
        self.vocabulary = vocabulary
        self.entries: list[_Entry] = list(tokenize(self.text))
        if len(self.entries) > _MOST_TOKENS:
            raise ParseError(_LARGE)
        self.at = 0
        self.depth = 0
        self.nodes = 0
        self.bars = 0
        self.indices: list[str] = []

    # ------------------------------------------------------------------------------------- reading on

    @property
    def next(self) -> _Entry:
        return self.entries[self.at]

    def sign(self, *signs: str) -> bool:
        """Whether the next token is one of these signs."""
        return isinstance(self.next, Token) and self.next.kind == "sign" and self.next.text in signs

    def skip(self, *signs: str) -> bool:
        """Consumes the next token if it is one of these signs, and says whether it was."""
        found = self.sign(*signs)
        self.at += found
        return found

    def expect(self, sign: str) -> None:
        if not self.skip(sign):
            raise self.expected(sign)

    def expected(self, what: str | Text) -> ParseError:
        entry = self.next
        ends = isinstance(entry, Token) and entry.kind == "end"
        return ParseError((_END if ends else _EXPECTED).fill(near=self.near(entry.at), what=what))

    def near(self, at: int) -> str:
        return excerpt(self.text, at)

    def made(self, node: Node) -> Node:
        self.nodes += 1
        if self.nodes > _MOST_NODES:
            raise ParseError(_LARGE)
        return node

    # ------------------------------------------------------------------------------------ expressions

    def chain(self) -> tuple[Node, ...]:
        if isinstance(self.next, Token) and self.next.kind == "end":
            raise ParseError(_EMPTY)
        found = [self.expression()]
        self.differing()
        while self.skip("="):
            found.append(self.expression())
            self.differing()
        entry = self.next
        if not isinstance(entry, Token) or entry.kind != "end":
            said = entry.text if isinstance(entry, Token) else ""
            raise ParseError(_LEFT_OVER.fill(near=self.near(entry.at), said=said))
        return tuple(found)

    def differing(self) -> tuple[str, ...]:
        """Consumes a remark such as ``(i ≠ j)`` or ``, i ≠ j``; the two indices, or nothing.

        Different free indices stand for different components in any case.
        """
        pair = self.different()
        if pair:
            self.at += 5 if self.sign("(") else 4
        return pair

    def different(self) -> tuple[str, ...]:
        """The indices of the remark ``(i ≠ j)`` or ``, i ≠ j`` that comes next, if one does."""
        if not self.sign("(", ","):
            return ()
        ahead = [entry.text if isinstance(entry, Token) else "" for entry in self.entries[self.at : self.at + 5]]
        if len(ahead) < 4 + (ahead[0] == "(") or ahead[2] != "≠" or (ahead[0] == "(" and ahead[4] != ")"):
            return ()
        pair = (ahead[1], ahead[3])
        indices = all(len(name) == 1 and name.isalpha() and name not in self.vocabulary.kinds for name in pair)
        return pair if indices else ()

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ParseError(_DEEP)
        terms: list[tuple[bool, Node]] = []
        minus = self.minus()
        while True:
            if self.skip("…"):
                before, minus, last = minus, self.minus(), self.product()
                if before and not minus:
                    raise ParseError(_DOTS_SIGNS)
                terms = self.continued(terms, minus, last)
            else:
                terms.append((minus, self.product()))
            if not self.sign("+", "-"):
                break
            minus = self.minus()
        self.depth -= 1
        return terms[0][1] if len(terms) == 1 and not terms[0][0] else self.made(Plus(tuple(terms)))

    def minus(self) -> bool:
        """Consumes plus and minus signs; true if they make a minus."""
        found = False
        while self.sign("+", "-"):
            found ^= self.sign("-")
            self.at += 1
        return found

    def continued(self, terms: list[tuple[bool, Node]], minus: bool, last: Node) -> list[tuple[bool, Node]]:
        """``a_1 + a_2 + … + a_n`` as a sum over an index."""
        for at, (negative, first) in enumerate(terms):
            low, high = _ends(first, last) or (None, ONE)
            # From another number than 1 on, what stands before it may be a term that does not fit.
            if low is None or negative != minus or (low != ONE and at > 0):
                continue
            between = [_ends(first, term) for _, term in terms[at + 1 :]]
            if between != [(low, Number(low.value + 1 + k)) for k in range(len(between))]:
                continue
            taken = {index for part in walk(first) if isinstance(part, Sum) for index in part.indices}
            index = next(name for name in (f"{letter}…" for letter in _DOTTED) if name not in taken)
            summed = Sum((index,), low, high, "", _replaced(first, last, Name(index)))
            return [*terms[:at], (minus, self.made(summed))]
        sizes = [name for name, kind in self.vocabulary.kinds.items() if kind == "scalar"]
        if len(sizes) == 1 and {*terms} == {(minus, last)}:  # 1 + 1 + … + 1
            return [(minus, self.made(Sum(("i…",), ONE, Name(sizes[0]), "", last)))]
        if terms and terms[-1][0] != minus and _fits(terms[-1][1], last):
            raise ParseError(_SIGNS.fill(first=show(Plus((terms[-1],))), last=show(Plus(((minus, last),)))))
        unlike = [term for term in terms if term[0] != minus or not _fits(term[1], last)]
        if terms and unlike == terms:
            both = {"first": show(Plus((terms[-1],))), "last": show(Plus(((minus, last),)))}
            raise ParseError(_TWO_UNLIKE.fill(**both))
        raise ParseError(_UNLIKE.fill(term=show(Plus((unlike[0],)))) if unlike else _ELLIPSIS)

    def product(self) -> Node:
        """Products. ⊙ and ⊗ bind least: QKᵀ ⊙ M is (QKᵀ) ⊙ M."""
        node = self.tight_product()
        while self.sign("⊙", "⊗"):
            sign = cast(Sign, cast(Token, self.next).text)
            self.at += 1
            node = self.made(Times(node, ((sign, self.tight_product()),)))
        return node

    def tight_product(self) -> Node:
        first = self.factor()
        rest: list[tuple[Sign, Node]] = []
        if first == Transpose(ONE) and self.starts():
            first = self.total()
        while True:
            entry = self.next
            if self.skip(*_PRODUCTS) or self.skip_dot():
                if self.skip("…"):  # 1 · 1 · … · 1 has no reading here
                    raise ParseError(_ELLIPSIS)
                sign = cast(Sign, cast(Token, entry).text.replace(".", "·"))
                minus = self.minus()
                right = self.factor() if sign == "/" else self.group()
                right, behind = _split_sum(right, self.vocabulary.kinds) if sign == "/" else (right, ())
                if sign != "/" and right == ONE and self.takes_ones(rest[-1][1] if rest else first):
                    sign, right = " ", SOME_ONES
                rest += [(sign, self.made(Plus(((True, right),))) if minus else right), *behind]
                if sign == "/":
                    self.no_more_below(entry.at)
            elif self.starts():
                rest.append(self.beside(rest[-1][1] if rest else first))
            else:
                break
        divided = all(sign == "/" for sign, _ in rest[1:])
        if first == ONE and rest == [("⊗", SOME_ONES)]:
            first = SOME_ONES  # 1 1ᵀ
        elif first == ONE and rest and divided and isinstance(rest[0][1], _AFTER_ONES.get(rest[0][0], ())):
            first, rest[0] = SOME_ONES, (" ", rest[0][1])  # 1 xᵀ, 1 * xᵀ/2, 1 ∂Z/∂s
        return self.made(Times(first, tuple(rest))) if rest else first

    def beside(self, before: Node) -> tuple[Sign, Node]:
        """A factor side by side with the one before: a number only as a vector of ones, x 1ᵀ, (p·v) 1 or diag(p) 1."""
        entry, bracket = self.next, self.sign_at(self.at - 1, ")") or isinstance(before, Transpose)
        scalar = isinstance(before, Name) and self.vocabulary.kinds.get(before.name) == "definition"
        factor = self.factor()
        if factor == Transpose(ONE):
            return (" ", self.total()) if self.starts() else ("⊗", SOME_ONES)
        ones = factor == ONE and (bracket or scalar or "1" in self.vocabulary.kinds) and not self.sign("/")
        if isinstance(entry, Token) and entry.kind == "number" and not ones:
            raise ParseError(_NUMBERS.fill(near=self.near(entry.at)))
        return " ", SOME_ONES if ones and self.takes_ones(before) else factor

    def takes_ones(self, before: Node) -> bool:
        """Whether a 1 behind ``before`` is a vector of ones: diag(p) 1, or where the answer says so."""
        return "1" in self.vocabulary.kinds or (isinstance(before, FunctionCall) and before.function == "diag")

    def total(self) -> Node:
        """What stands behind 1ᵀ, added up, or the columns of a matrix: 1 is a vector of ones."""
        body = self.group()
        inner = body.of if isinstance(body, Transpose) else body
        matrix = isinstance(inner, Name) and self.vocabulary.kinds.get(inner.name) == "matrix"
        if matrix or (isinstance(inner, FunctionCall) and inner.function == "diag"):
            return self.made(Times(Transpose(SOME_ONES), ((" ", body),)))
        return self.made(Sum((), None, None, "", body))

    def skip_dot(self) -> bool:
        """Consumes the dot of ``q.k``, which is between two names without spaces, or between two factors with them."""
        if not self.sign("."):
            return False
        after = self.entries[self.at + 1]
        word = isinstance(after, Token) and after.kind == "word"
        found = after.tight == self.next.tight and (word or (not after.tight and self.sign_at(self.at + 1, "(")))
        self.at += found
        return found

    def group(self) -> Node:
        """Juxtaposed factors: R q · S k is (R q) · (S k)."""
        first = self.factor()
        rest: list[tuple[Sign, Node]] = []
        while self.starts():
            rest.append(self.beside(rest[-1][1] if rest else first))
        return self.made(Times(first, tuple(rest))) if rest else first

    def no_more_below(self, at: int) -> None:
        """Refuses ``1/2 d``, in which d could be in the numerator or in the denominator."""
        before = self.entries[self.at - 1]
        closed = isinstance(before, Token) and before.text in (")", "]", "}")
        if closed or not self.starts() or self.sign("Σ", "∂") or (self.vocabulary.by and self.word_starts_d()):
            return
        word = self.next
        if isinstance(word, Token) and word.kind == "word" and function_name(word.text, self.vocabulary) in _BIG:
            return
        raise ParseError(_DIVIDE.fill(near=excerpt(self.text, at + 2)))

    def starts(self) -> bool:
        """Whether the next token can begin a factor."""
        entry = self.next
        if isinstance(entry, _Ready) or entry.kind == "number":
            return True
        if self.different():
            return False
        if entry.kind == "word":
            return entry.text not in _BETWEEN or entry.text in self.vocabulary.spellings
        return entry.kind == "sign" and (entry.text in _STARTS or (entry.text in ("|", "‖") and not self.bars))

    def factor(self) -> Node:
        """A primary with its suffixes: powers, indices, transposition."""
        return self.hanging(self.primary())

    def hanging(self, node: Node) -> Node:
        while True:
            entry = self.next
            if self.sign("'") and isinstance(node, Name) and f"{node.name}'" in self.vocabulary.kinds:
                self.at += 1
                node = Name(f"{node.name}'")
            elif self.skip("'"):
                node = self.made(Transpose(node))
            elif self.sign(".") and self.word_after("T", "t", "transpose"):
                self.at += 4 if self.sign_at(self.at + 2, "(") and self.sign_at(self.at + 3, ")") else 2
                node = self.made(Transpose(node))
            elif self.sign("*") and self.is_conjugate():
                self.at += 1
                node = self.made(FunctionCall("conj", (node,)))
            elif self.skip("^"):
                node = self.raised(node)
            elif self.sign("[") and entry.tight and not self.sign_at(self.at + 1, "[") and self.indexed(node):
                self.at += 1
                node = self.made(Subscript(node, self.arguments("]")))
            elif self.sign("_"):
                self.at += 1
                node = self.lowered(node)
            else:
                return node

    def is_conjugate(self) -> bool:
        """Whether the * that comes next ends a factor of complex numbers, as in Re(z w*)."""
        after = self.entries[self.at + 1]
        closes = isinstance(after, Token) and (after.kind == "end" or after.text in (")", "]", "}"))
        return (closes or (self.next.tight and not after.tight)) and self.vocabulary.kinds.get("i") == "scalar"

    def word_after(self, *which: str) -> bool:
        after = self.entries[self.at + 1]
        return isinstance(after, Token) and after.kind == "word" and (not which or after.text in which)

    def indexed(self, node: Node) -> bool:
        """Whether [ after ``node`` begins an index, not a factor in brackets."""
        if isinstance(node, Name):
            kind = self.vocabulary.kinds.get(node.name, "scalar")
            return node.name == "I" or kind in ("vector", "matrix", "definition", "rotation")
        moment = isinstance(node, FunctionCall) and node.function in ("E", "Var", "Cov", "Std")
        return not moment and not isinstance(node, (Number, Power))

    def raised(self, base: Node) -> Node:
        """After ^: a transposition, or an exponent."""
        start = self.at
        braced = self.skip("{") or self.skip("(")
        if self.transposes(braced):
            return self.made(Transpose(base))
        if self.vocabulary.kinds.get("i") == "scalar" and self.skip("*") and (not braced or self.skip("}", ")")):
            return self.made(FunctionCall("conj", (base,)))
        self.at = start
        return self.power(base, self.exponent())

    def power(self, base: Node, exponent: Node) -> Node:
        if isinstance(exponent, Number) and abs(exponent.value) > _LARGEST_EXPONENT:
            raise ParseError(_EXPONENT.fill(exponent=_shown(exponent.value)))
        if base == Name("e") and "e" not in self.vocabulary.kinds:
            return self.made(FunctionCall("exp", (exponent,)))
        return self.made(Power(base, exponent))

    def transposes(self, braced: bool) -> bool:
        """Consumes a T that is not a declared symbol; letters right after it belong to the next factor."""
        entry = self.next
        kind = self.vocabulary.kinds.get("T")
        named = kind not in (None, "definition") and (kind != "function" or self.sign_at(self.at + 1, "("))
        if not isinstance(entry, Token) or entry.kind != "word" or named:
            return False
        if braced:
            if entry.text not in ("T", "t") or not isinstance(self.entries[self.at + 1], Token):
                return False
            self.at += 1
            return self.skip("}", ")")
        if entry.text == "t" and "t" not in self.vocabulary.kinds and "t" not in self.indices:
            self.at += 1
            return True
        if not entry.text.startswith("T"):
            return False
        rest = entry.text[1:]
        word = [Token("word", rest, entry.at + 1, True)] if rest else []
        self.entries[self.at : self.at + 1] = _index(rest, entry.at + 1) if rest.startswith("_") else word
        return True

    def exponent(self) -> Node:
        if self.skip("{"):
            node = self.expression()
            self.expect("}")
            return node
        minus = self.minus()
        entry = self.next
        if isinstance(entry, Token) and entry.kind == "word":
            self.unfold(entry)
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ParseError(_DEEP)
        node = self.primary()
        if self.skip("^"):
            node = self.raised(node)
        self.depth -= 1
        return self.made(Plus(((True, node),))) if minus else node

    def lowered(self, node: Node) -> Node:
        """After _: indices, or the angle of a rotation."""
        closing = {"{": "}", "(": ")"}.get(self.next.text if isinstance(self.next, Token) else "", "")
        if closing:
            self.at += 1
            self.letters()
            if self.sign(":") or (self.sign_at(self.at + 1, ",") and self.sign_at(self.at + 2, ":")):
                return self.sliced(node, closing)
            at = self.places(closing)
            if len(at) == 1 and isinstance(at[0], Times) and not any(sign != " " for sign, _ in at[0].rest):
                at = children(at[0])  # Q_{ij}
        else:
            entry = self.next
            if isinstance(entry, Token) and entry.kind == "word":
                at = tuple(index_node(char, self.vocabulary) for char in entry.text)
                self.at += 1
            elif isinstance(entry, Token) and entry.kind == "number" and entry.text.isdecimal():
                at = (Number(Fraction(int(entry.text))),)
                self.at += 1
            else:
                raise self.expected(Message("an index"))
        if any(Name("π") in walk(index) for index in at):
            raise unknown_name("π(…)", self.vocabulary)  # π(i), of which nobody has said what it is
        free = index_names(node, self.vocabulary, frozenset(self.indices))
        if free and all(isinstance(index, Name) and index.name in free for index in at):
            return Name("I") if node == FunctionCall("delta", at) else node  # [∂y_i/∂x_j]_ij, [δ_ij]_ij
        if isinstance(node, Name) and node.name not in self.vocabulary.kinds and node.name != "I":
            special = {"R": "rot", "e": "onehot", "δ": "delta"}.get(node.name)
            if special is None:
                raise unknown_name(node.name, self.vocabulary)
            return self.made(self.called(special, at))
        if isinstance(node, Name) and self.vocabulary.kinds.get(node.name) == "scalar":
            raise unknown_name(f"{node.name}_{''.join(map(show, at))}", self.vocabulary)
        return self.made(Subscript(node, at))

    def places(self, closing: str) -> tuple[Node, ...]:
        """Indices up to ``closing``, and how far they run, which is clear without it: ``i, j = 1..n``."""
        ends = self.matching(self.at - 1) - 1
        runs = next((at for at in range(self.at, ends) if self.sign_at(at, "=")), None)
        if runs:
            self.entries[runs:ends] = []
        at = self.arguments(closing)
        if runs and self.skip("^"):
            self.exponent()
        return at

    def sliced(self, node: Node, closing: str) -> Node:
        """``X_{:,j}`` and ``X_{i,:}``, up to and including ``closing``."""
        column = self.skip(":")
        if column:
            self.expect(",")
        index = self.expression()
        if not column:
            self.expect(",")
            self.expect(":")
        self.expect(closing)
        if column:
            return self.made(Times(node, ((" ", FunctionCall("onehot", (index,))),)))
        return self.made(Subscript(node, (index,)))

    def letters(self) -> None:
        """Reads a word in braces that is not a name, such as ij, as one index per letter."""
        entry, after = self.next, self.entries[self.at + 1 : self.at + 2]
        if not (isinstance(entry, Token) and entry.kind == "word" and entry.text.isalnum()):
            return
        closed = bool(after) and isinstance(after[0], Token) and after[0].text == "}"
        if closed and split_word(entry.text, self.vocabulary, self.indices) is None:
            made = [_Ready(index_node(char, self.vocabulary), entry.at, True) for char in entry.text]
            self.entries[self.at : self.at + 1] = made

    # ---------------------------------------------------------------------------------------- primaries

    def primary(self) -> Node:
        entry = self.next
        if isinstance(entry, _Ready):
            self.at += 1
            return self.ready(entry)
        if entry.kind == "number":
            self.at += 1
            return self.made(Number(_number(entry.text)))
        if entry.kind == "word":
            if entry.text == "lim" and self.vocabulary.by:
                return self.limit()
            if derivative := self.total_derivative() or self.slope_of_map(entry):
                return derivative
            self.unfold(entry)
            return self.primary()
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ParseError(_DEEP)
        node = self.bracketed(entry)
        self.depth -= 1
        return node

    def bracketed(self, entry: Token) -> Node:
        """A primary that begins with a sign."""
        self.at += entry.kind == "sign"
        match entry.text:
            case "(" | "{":
                bars, self.bars = self.bars, 0
                parts = self.row()
                self.expect(_CLOSING[entry.text])
                self.bars = bars
                parts = self.columns(parts) if _DOTS in parts else parts
                return parts[0] if len(parts) == 1 else self.made(ListNode(tuple(parts)))
            case "[":
                return self.bracket_list()
            case "⟨":
                self.bars += 1
                left = self.expression()
                self.bars -= 1
                if self.skip("⟩"):
                    return self.made(FunctionCall("E", (left,)))
                if not self.skip(","):
                    self.expect("|")
                right = self.expression()
                self.expect("⟩")
                return self.made(Times(left, (("·", right),)))
            case "|" | "‖":
                self.bars += 1
                inside = self.expression()
                self.bars -= 1
                self.expect(entry.text)
                return self.made(FunctionCall("abs" if entry.text == "|" else "norm", (inside,)))
            case "√":
                return self.made(FunctionCall("sqrt", (self.reach("√"),)))
            case "Σ":
                return self.sum_sign()
            case "∂":
                return self.partial_derivative(entry.text)
            case "∇":
                return self.gradient()
            case "\\frac":
                return self.fraction()
        self.at -= entry.kind == "sign"
        raise self.expected(_SOMETHING)

    def bracket_list(self) -> Node:
        """[a, b], [[a, b], [c, d]] or [a, b; c, d]; [ ] around a single expression are plain brackets."""
        rows = [self.row()]
        while self.skip(";"):
            rows.append(self.row())
        self.expect("]")
        if len(rows) == 1 and isinstance(rows[0][-1], ListNode) and _DOTS in rows[0][-1].items:
            rows = [[*children(row)] or [row] for row in rows[0]]
        rows = [[_DOTS] if {*row} == {_DOTS} else row for row in rows]
        if [_DOTS] in rows and max(map(len, rows)) == 1:
            rows = [[row[0] for row in rows]]  # a column
        if [_DOTS] in rows:
            return self.made(_matrix(rows))
        rows = [self.columns(row) if _DOTS in row else row for row in rows]
        if len(rows) > 1:
            single = all(len(row) == 1 for row in rows)
            return self.made(ListNode(tuple(row[0] if single else self.made(ListNode(tuple(row))) for row in rows)))
        return rows[0][0] if len(rows[0]) == 1 else self.made(ListNode(tuple(rows[0])))

    def row(self) -> list[Node]:
        found: list[Node] = []
        while not found or self.skip(","):
            if self.skip("…"):
                found.append(_DOTS)
            else:
                found.append(self.dotted_row() or self.expression())
        return found

    def dotted_row(self) -> Node | None:
        """A row that goes on, in a matrix of which it is a row; None if there is none."""
        end = self.matching(self.at) if self.sign("[") else self.at
        inside = any(self.sign_at(at, "…") for at in range(self.at, end))
        if not inside or not (self.sign_at(end, ",") or self.sign_at(end, "]")):
            return None
        self.at += 1
        cells = self.row()
        self.expect("]")
        return ListNode(tuple(cells))

    def columns(self, row: list[Node]) -> list[Node]:
        """``[x_1, …, x_n]``: a vector by its components, or a matrix by its columns."""
        if row == [ONE, _DOTS, ONE]:
            return [SOME_ONES]
        ends = _ends(row[0], row[-1])
        if ends is None or ends[0] != ONE:
            raise ParseError(_FIRST.fill(first=show(row[0])) if ends else _ELLIPSIS)
        index = Name("i…")
        return [self.made(_spread(_replaced(row[0], row[-1], index), (index, ends[1])))]

    def arguments(self, closing: str) -> tuple[Node, ...]:
        """Expressions separated by commas, up to and including ``closing``."""
        bars, self.bars = self.bars, 0
        found = [self.expression()]
        while self.skip(","):
            found.append(self.expression())
        self.expect(closing)
        self.bars = bars
        return tuple(found)

    def fraction(self) -> Node:
        self.expect("{")
        above = "∂" if self.sign("∂") else "d" if self.word_starts_d() else ""
        if above:
            self.past_d(above)
            twice = self.twice()
            numerator = None if self.sign("}") else self.expression()
            self.expect("}")
            self.expect("{")
            by = self.variables(above, twice)
            self.expect("}")
            return self.differentiate(self.factor() if numerator is None else numerator, *by)
        top = self.expression()
        self.expect("}")
        self.expect("{")
        bottom = self.expression()
        self.expect("}")
        return self.made(Times(top, (("/", bottom),)))

    # ------------------------------------------------------------------------------------------- words

    def unfold(self, entry: Token) -> None:
        """Replaces the next token, a word, with its pieces. Raises ParseError."""
        text, brace, inner = entry.text.rstrip("}").partition("{")
        pieces = split_word(text + inner, self.vocabulary, self.indices)
        if brace and len(inner) > 1 and not inner.isdecimal() and not _one_name(pieces):
            # R_{mn}: the braces hold an expression.
            name = Token("word", text.rstrip("_"), entry.at, True)
            self.entries[self.at : self.at + 1] = [name, *_index(f"_{inner}", entry.at)]
            pieces = split_word(text.rstrip("_"), self.vocabulary, self.indices)
            self.entries[self.at : self.at + 1] = [_Ready(piece, entry.at, True) for piece in pieces or ()]
            if pieces:
                return
        primed = self.sign_at(self.at + 1, "'") and f"{entry.text}'" in self.vocabulary.kinds
        if primed and entry.text not in self.vocabulary.spellings:
            pieces = (Name(entry.text),)  # X' = P X where there is no X
        if not pieces and "1" in self.vocabulary.kinds and text.endswith("1"):
            pieces = (*(split_word(text[:-1], self.vocabulary, self.indices) or ()), SOME_ONES)  # s − M1
        if not pieces:
            raise unknown_name(entry.text, self.vocabulary)
        ready = [_Ready(piece, entry.at, entry.tight if k == 0 else True) for k, piece in enumerate(pieces)]
        self.entries[self.at : self.at + 1] = ready

    def ready(self, entry: _Ready) -> Node:
        if isinstance(entry.piece, str):
            return self.function(entry.piece, entry)
        node = self.made(entry.piece)
        match node:
            case Subscript(Name(name), at) if self.vocabulary.kinds.get(name) == "map":
                if not self.sign("(", "["):
                    vectors = [each for each, kind in self.vocabulary.kinds.items() if kind == "vector"]
                    if len(vectors) != 1:
                        raise ParseError(_COMPONENT.fill(what=name, index=show(at[0])))
                    return self.made(Subscript(self.made(FunctionCall(name, (Name(vectors[0]),))), at))
                return self.made(Subscript(self.made(FunctionCall(name, self.call_arguments())), at))
        if node == Name("id") and self.sign("("):
            return self.call_arguments()[0]
        if isinstance(node, Name):
            kind = self.vocabulary.kinds.get(node.name)
            if kind in ("map", "rotation", "function"):
                derivative = kind == "map" and self.sign("'")
                self.at += derivative
                if self.sign("(", "["):
                    inside = self.call_arguments()
                    if derivative:
                        self.made(node)
                        return self.made(FunctionCall("jacobian", (node, *inside)))
                    return self.made(Subscript(node, inside) if kind == "rotation" else FunctionCall(node.name, inside))
        return node

    def call_arguments(self) -> tuple[Node, ...]:
        opening = cast(Token, self.next).text
        self.at += 1
        return self.arguments(_CLOSING[opening])

    def function(self, name: str, entry: _Ready) -> Node:
        """A function, its argument, and a power between the two (``sin² θ``)."""
        if name == "sum":
            return self.sum_word()
        if name == "ones" and not self.sign("(", "[", "{"):
            return SOME_ONES
        letter, after = self.text[entry.at], self.text[entry.at + 1 : entry.at + 2]
        if name == "Var" and letter == "V" and not after.isalnum() and not self.sign("(", "[", "{", "^"):
            raise unknown_name(letter, self.vocabulary)  # a matrix that was not declared
        if self.sign("'"):
            raise ParseError(_PRIMED.fill(what=name))
        power: Node | None = None
        if self.skip("^"):
            power = self.exponent()
        if name in ("E", "Var") and self.sign("(", "[", "{") and self.conditioned():
            call = self.conditional(name)
        elif self.sign("(", "[", "{"):
            call = self.called(name, self.call_arguments())
        elif name == "rot":
            raise unknown_name("R", self.vocabulary)
        elif (names("functions")[name] == [1, 1] and name not in ("E", "Var", "Std", "O")) or name in ("max", "min"):
            if not self.starts():
                raise self.arity(name) if after.isalnum() else unknown_name(letter, self.vocabulary)  # such as d and σ
            call = self.called(name, (self.factor() if name in ("Re", "Im") else self.reach(name),))
        else:
            raise self.arity(name)
        return call if power is None else self.made(Power(self.made(call), power))

    def conditioned(self) -> bool:
        """Whether the bracket ahead has a single bar in it: E[X | k]. Two are an absolute value."""
        depth = bars = 0
        for entry in self.entries[self.at :]:
            text = entry.text if isinstance(entry, Token) and entry.kind == "sign" else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            bars += depth == 1 and text == "|"
            if not depth:
                break
        return bars % 2 == 1

    def conditional(self, name: str) -> Node:
        """E[X | k] or Var(X | q, k): the quantities after the bar are further arguments."""
        closing = _CLOSING[cast(Token, self.next).text]
        self.at += 1
        bars, self.bars = self.bars, 1
        body = self.expression()
        self.expect("|")
        self.bars = bars
        return self.made(FunctionCall(name, (body, *self.arguments(closing))))

    def called(self, name: str, args: tuple[Node, ...]) -> Node:
        low, high = names("functions")[name]
        if not low <= len(args) <= high:
            raise self.arity(name)
        match name:
            case "D" if len(args) == 2:
                return self.differentiate(*args)
            case "D":
                return self.made(FunctionCall("Var", args))
            case "Std":
                return self.made(FunctionCall("sqrt", (self.made(FunctionCall("Var", args)),)))
            case "lg":
                below = self.made(FunctionCall("log", (Number(Fraction(10)),)))
                return self.made(Times(self.made(FunctionCall("log", args)), (("/", below),)))
            case "pow":
                return self.power(*args)
            case "log1p" | "softplus":
                inside = args[0] if name == "log1p" else self.made(FunctionCall("exp", args))
                return self.made(FunctionCall("log", (self.made(Plus(((False, ONE), (False, inside)))),)))
            case "expm1":
                return self.made(Plus(((False, self.made(FunctionCall("exp", args))), (True, ONE))))
            case "transpose":
                return self.made(Transpose(args[0]))
            case "diag" if isinstance(args[0], Times) and args[0].rest[-1] == (" ", ONE):  # the sums of a matrix's rows
                args = (Times(args[0].first, (*args[0].rest[:-1], (" ", SOME_ONES))),)
            case "angle" if len(args) == 2 and (whole := _whole_vector(ListNode(args[::-1]))):  # atan2(q_2, q_1)
                args = (whole,)
            case "dot" | "outer" | "matmul":
                sign: Sign = {"dot": "·", "outer": "⊗", "matmul": "@"}[name]  # type: ignore[assignment]
                return self.made(Times(args[0], ((sign, args[1]),)))
        return self.made(FunctionCall(name, args))

    def arity(self, name: str) -> ParseError:
        low, high = names("functions")[name]
        if low == high:
            count = _ONE_ARGUMENT if low == 1 else _EXACT_ARGUMENTS.fill(low=low)
        else:
            count = _MORE_ARGUMENTS.fill(low=low, high=high)
        return ParseError(_ARGUMENTS.fill(function=name, count=count))

    def reach(self, function: str) -> Node:
        """The argument of a function without brackets: one name or number, or several without spaces in between."""
        start = self.next.at
        if self.sign("{"):
            self.at += 1
            return self.arguments("}")[0]
        bracket = self.sign("(")
        node = self.primary()
        while self.sign("_", "'") or (self.sign("^") and function != "√"):
            # sin θ² is ambiguous; √d² is the same either way
            if self.sign("^"):
                raise ParseError(_REACH.fill(function=function, near=self.near(start)))
            self.at += 1
            node = self.lowered(node) if cast(Token, self.entries[self.at - 1]).text == "_" else Transpose(node)
        if bracket:
            return node
        factors: list[tuple[Sign, Node]] = []
        turning = function in ("sin", "cos")  # sin ω(p+δ) is read as people mean it; log n(n+1) could be either
        names = function != "√" and not isinstance(node, Number)
        while names and (
            (self.simple() and (turning or self.next.tight)) or (turning and self.sign("(") and self.next.tight)
        ):
            factors.append((" ", self.primary()))
        if self.simple() or (function != "√" and self.sign("(")):
            raise ParseError(_REACH.fill(function=function, near=self.near(start)))
        return self.made(Times(node, tuple(factors))) if factors else node

    def simple(self) -> bool:
        """Whether the next token is a name or number, which could belong to an argument without brackets."""
        entry = self.next
        if isinstance(entry, _Ready):
            return not isinstance(entry.piece, str)
        if entry.kind != "word":
            return entry.kind == "number"
        pieces = split_word(entry.text, self.vocabulary, self.indices)
        return bool(pieces) and not isinstance(cast("tuple[Piece, ...]", pieces)[0], str)

    # -------------------------------------------------------------------------------------------- sums

    def sum_sign(self) -> Node:
        """Σ with its bounds, and the product it applies to."""
        indices: tuple[str, ...] = ()
        low: Node | None = None
        high: Node | None = None
        relation = ""
        if self.skip("_"):
            indices, low, high, relation = self.below()
        if self.skip("^"):
            high = self.exponent()
        self.indices.extend(indices)
        minus = self.minus()
        body = self.product()
        body = self.made(Plus(((True, body),))) if minus else body
        del self.indices[len(self.indices) - len(indices) :]
        if set(self.different()) == set(indices) and not relation:
            relation = "≠" if self.differing() else ""
        return self.summed(indices, low, high, relation, body)

    def limit(self) -> Node:
        """``lim_{t→0}`` and the quotient that it applies to."""
        self.at += 1
        self.expect("_")
        closing = "}" if self.skip("{") else ")" if self.skip("(") else ""
        step = self.index_name()
        if not (self.skip("-") and self.skip(">")):
            self.expect("⇒")
        if self.factor() != ZERO:
            raise self.expected("0")
        if closing:
            self.expect(closing)
        self.indices.append(step)
        body = self.product()
        self.indices.pop()
        return self.made(derivative_at_zero(body, Name(step), Name(self.vocabulary.by)))

    def below(self) -> tuple[tuple[str, ...], Node | None, Node | None, str]:
        if self.skip("{"):
            found = self.range()
            self.expect("}")
            return found
        name = self.index_name()
        return (name,), self.exponent() if self.skip("=") else None, None, ""

    def index_name(self) -> str:
        """The name of an index; letters right after it belong to the next factor."""
        entry = self.next
        if not isinstance(entry, Token) or entry.kind != "word":
            raise self.expected(Message("an index, such as `i`"))
        name, rest = entry.text[0], entry.text[1:]
        if len(entry.text) <= 2 and entry.text[1:].isdecimal():
            name, rest = entry.text, ""
        self.entries[self.at : self.at + 1] = [Token("word", rest, entry.at + 1, True)] if rest else []
        return name

    def range(self) -> tuple[tuple[str, ...], Node | None, Node | None, str]:
        """``i=1``, ``i=1..d``, ``i``, ``i,j``, ``i≠j``, ``i<j``, ``i, i≠j`` or ``i=1, i≠j``."""
        names = [self.index_name()]
        relation = ""
        while True:
            if self.sign("≠", "<"):
                relation = cast(Token, self.next).text
                self.at += 1
            elif self.sign(",") and self.word_after():
                self.at += 1
            elif not (isinstance(self.next, Token) and self.next.kind == "word" and self.next.text not in _BETWEEN):
                break
            names.append(self.index_name())
        low = high = None
        if self.skip("=") or self.skip_word("in"):
            low = self.expression()
            if self.sign(",") and self.word_after():
                self.at += 1
                names.append(self.index_name())
                self.expect("≠")
                relation = "≠"
                names.append(self.index_name())
            elif self.skip(",") and self.skip("…"):
                self.expect(",")
                high = self.expression()
            elif self.skip("..", "…", ":"):
                high = self.expression()
        return tuple(dict.fromkeys(names)), low, high, relation

    def sum_word(self) -> Node:
        """sum(body), sum(body, i=1..d), sum(body, i, 1, d), sum_{i=1}^{d} body."""
        if self.sign("_", "^") or not self.sign("(", "["):
            return self.sum_sign()
        closing = _CLOSING[cast(Token, self.next).text]
        self.at += 1
        ahead = self.index_ahead()
        self.indices.extend(ahead)
        bars, self.bars = self.bars, 0
        body = self.expression()
        indices: tuple[str, ...] = ()
        low = high = None
        relation = ""
        said = self.skip_word("for")
        if said or self.skip(","):
            indices, low, high, relation = self.range()
            if said and high is None:
                raise self.expected("in" if low is None else "..")
            if low is None and self.skip(","):
                low = self.expression()
                self.expect(",")
                high = self.expression()
            elif low is not None and high is None and self.skip_word("to"):
                high = self.expression()
        self.expect(closing)
        self.bars = bars
        del self.indices[len(self.indices) - len(ahead) :]
        return self.summed(indices, low, high, relation, body)

    def skip_word(self, word: str) -> bool:
        """Consumes the next token if it is this word, and says whether it was."""
        found = isinstance(self.next, Token) and self.next.text == word
        self.at += found
        return found

    def index_ahead(self) -> list[str]:
        """The letter before the next = sign: in sum(i q_i, i=1..d), the index is used before it is introduced."""
        for at in range(self.at, len(self.entries) - 1):
            entry, after = self.entries[at], self.entries[at + 1]
            if isinstance(after, Token) and after.text in ("=", "in") and isinstance(entry, Token):
                return [entry.text] if entry.kind == "word" and len(entry.text) == 1 else []
        return []

    def summed(self, indices: tuple[str, ...], low: Node | None, high: Node | None, relation: str, body: Node) -> Node:
        if not indices:
            free = sorted(index_names(body, self.vocabulary) - set(self.indices))
            if len(free) > 1:
                raise ParseError(_TWO_INDICES.fill(indices=formula_list(free), first=free[0]))
            indices = tuple(free)
        return self.made(Sum(indices, low, high, cast('Literal["", "≠", "<"]', relation), body))

    # ------------------------------------------------------------------------------------- derivatives

    def partial_derivative(self, sign: str) -> Node:
        """After ∂: ``y/∂x``, ``²y/∂x∂z``, ``/∂x (y)`` or, in a derivation, ``_j y``."""
        if self.vocabulary.by and self.skip("_"):
            component = self.lowered(Name(self.vocabulary.by))
            return self.differentiate(self.factor(), component)
        twice = self.twice()
        of = None if self.sign("/") else self.factor()
        self.expect("/")
        by = self.variables(sign, twice)
        return self.differentiate(self.factor() if of is None else of, *by)

    def twice(self) -> bool:
        """Consumes the ² of a second derivative, and says whether there was one."""
        found = self.skip("^")
        if found and self.exponent() != Number(Fraction(2)):
            raise ParseError(_SECOND)
        return found

    def variables(self, sign: str, twice: bool) -> tuple[Node, ...]:
        """What stands below a derivative: ``∂x``, or ``∂x ∂y`` or ``∂x²`` if it is a second one."""
        bracket = twice and self.skip("(")
        self.past_d(sign)
        first = self.factor()
        if not twice:
            return (first,)
        if isinstance(first, Power) and first.exponent == Number(Fraction(2)):
            found = (first.base, first.base)
        else:
            self.past_d(sign)
            found = (self.factor(), first)
        if bracket:
            self.expect(")")
        return found

    def word_starts_d(self) -> bool:
        entry = self.next
        if not isinstance(entry, Token) or entry.kind != "word" or "d" in self.vocabulary.spellings:
            return False
        name = entry.text.replace("{", "").rstrip("}")  # d_{model} is a name
        unknown = name == "d" or split_word(name, self.vocabulary, self.indices) is None
        return name.startswith("d") and not name.startswith("d_") and unknown

    def past_d(self, sign: str) -> None:
        """Consumes ∂, or the d of ``dx``."""
        if sign == "∂":
            self.expect(sign)
            return
        entry = self.next
        if not self.word_starts_d():
            raise self.expected(Message("`d` and a variable, such as `dx`"))
        rest = cast(Token, entry).text[1:]
        self.entries[self.at : self.at + 1] = [Token("word", rest, entry.at + 1, True)] if rest else []

    def total_derivative(self) -> Node | None:
        """``dy/dx``, ``d(…)/dx`` or, in a derivation, ``dx``, if no d is declared; None if none of them comes next."""
        if not self.word_starts_d():
            return None
        ahead = self.matching(self.at + 1) if self.sign_at(self.at + 1, "(") else self.at + 1
        below = self.entries[min(ahead + 1, len(self.entries) - 1)]
        derives = self.sign_at(ahead, "/") and isinstance(below, Token) and below.text[:1] == "d"
        if not derives and not self.vocabulary.by:
            return None
        self.past_d("d")
        if not (self.starts() or self.sign("/")):
            raise unknown_name("d", self.vocabulary)
        of = None if self.sign("/") else self.factor()
        if of and not (self.sign("/") and self.word_after() and cast(Token, self.entries[self.at + 1]).text[0] == "d"):
            return self.made(FunctionCall("d", (of,)))
        self.expect("/")
        self.past_d("d")
        by = self.factor()
        return self.differentiate(of or self.factor(), by)

    def gradient(self) -> Node:
        """After ∇: ``_x y``; in a derivation, the variable may be left out."""
        if self.vocabulary.by and not self.sign("_"):
            return self.slope()
        self.expect("_")
        braced = self.skip("{")
        by = self.factor()
        if braced:
            self.expect("}")
        return self.differentiate(self.factor(), by)

    def slope_of_map(self, entry: Token) -> Node | None:
        """``DF(x)``, ``D F``, ``J_F(x)``, ``id'`` or ``D(id + F)(x)``; None if the next word is neither."""
        known, name = maps(self.vocabulary), entry.text[1:].strip("_{}")
        two = any(self.sign_at(at, ",") for at in range(self.at + 1, self.matching(self.at + 1)))  # D(F(x), x)
        derives = entry.text[0] == "D" and name in (*known, "", self.vocabulary.by) and not two
        if known and entry.text == "id" and self.sign_at(self.at + 1, "'"):
            self.at += 2
            return self.differentiate(*(self.call_arguments() if self.sign("(") else (Name(self.vocabulary.by),)) * 2)
        if not known or not (derives or (name in known and entry.text.startswith("J_"))):
            return None
        self.entries[self.at : self.at + 1] = [Token("word", name, entry.at, False)] if name else []
        return self.slope()

    def slope(self) -> Node:
        """The derivative of what follows by what the derivation differentiates by: of F, F(x) or (id + F)(x)."""
        by, of = Name(self.vocabulary.by), self.factor()
        known: dict[Node, Node] = {Name(name): FunctionCall(name, (by,)) for name in maps(self.vocabulary)}
        if self.sign("(") and known.keys() & {*walk(of)}:
            self.call_arguments()
        return self.differentiate(replaced(of, {**known, Name("id"): by}), by)

    def sign_at(self, at: int, sign: str) -> bool:
        entry = self.entries[min(at, len(self.entries) - 1)]
        return isinstance(entry, Token) and entry.text == sign

    def matching(self, at: int) -> int:
        """The position after the bracket that closes the one at ``at``."""
        level = 0
        for place in range(at, len(self.entries)):
            entry = self.entries[place]
            if isinstance(entry, Token) and entry.kind == "sign":
                level += (entry.text in ("(", "[", "{")) - (entry.text in (")", "]", "}"))
                if level == 0:
                    return place + 1
        return len(self.entries) - 1

    def differentiate(self, of: Node, *variables: Node) -> Node:
        for by in variables:
            if isinstance(by, Number) or (isinstance(by, Subscript) and isinstance(by.of, Subscript)):
                raise ParseError(_DERIVATIVE)
            of = self.made(Derivative(of, by))
        return of


# -------------------------------------------------------------------------------------- a_1 + … + a_n


def _alike(first: Node, last: Node) -> bool:
    """Whether two nodes differ in nothing but their children."""
    below = children(last)
    return bool(below) and len(children(first)) == len(below) and with_children(first, below) == last


def _pairs(first: Node, last: Node) -> Iterator[tuple[Node, Node]]:
    """The smallest subtrees in which two trees differ, as pairs."""
    if first == last:
        return
    if _alike(first, last):
        for one, other in zip(children(first), children(last), strict=True):
            yield from _pairs(one, other)
    else:
        yield first, last


def _split_sum(divisor: Node, kinds: Mapping[str, str]) -> tuple[Node, tuple[tuple[Sign, Node], ...]]:
    """A sum that divides without what follows it after a sign and has none of its indices: a/Σ_k b_k · c.

    It keeps a whole vector, which belongs to an inner product: a/Σ_k (k_k·q).
    """
    if not isinstance(divisor, Sum) or not isinstance(divisor.body, Times):
        return divisor, ()
    rest = divisor.body.rest
    for place, (sign, _) in enumerate(rest):
        behind = {name for _, factor in rest[place:] for name in _free(factor)}
        whole = {name for _, factor in rest[place:] for name in _free(factor, entries=False)}
        inner = any(kinds.get(name) == "vector" for name in whole)
        if sign != " " and not inner and not behind & {*divisor.indices}:
            body = Times(divisor.body.first, rest[:place]) if place else divisor.body.first
            return with_children(divisor, [*children(divisor)[:-1], body]), rest[place:]
    return divisor, ()


def _free(node: Node, entries: bool = True) -> set[str]:
    """The names in ``node`` that no sum in it binds; those of entries such as s_j are among them if ``entries``."""
    if isinstance(node, Name):
        return {node.name}
    if isinstance(node, Subscript) and not entries:
        return set()
    names = set().union(*(_free(child, entries) for child in children(node)))
    return names - {*node.indices} if isinstance(node, Sum) else names


def _ends(first: Node, last: Node) -> tuple[Number, Node] | None:
    """The whole number in ``first`` and what ``last`` has in its place, if that is the only difference; else None."""
    found = {*_pairs(first, last)}
    low, high = found.pop() if len(found) == 1 else (None, ONE)
    return (low, high) if isinstance(low, Number) and low.value.denominator == 1 else None


def _fits(term: Node, last: Node) -> bool:
    """Whether two terms differ in one index, or not at all."""
    found = {*_pairs(term, last)} - {(term, last)}
    return term == last or (len(found) == 1 and all(isinstance(one, (Name, Number)) for one, _ in found))


def _replaced(first: Node, last: Node, by: Node) -> Node:
    """``first`` with ``by`` wherever it differs from ``last``."""
    return _merged(first, last, dict.fromkeys(_pairs(first, last), by))


def _merged(first: Node, last: Node, by: Mapping[tuple[Node, Node], Node]) -> Node:
    """``first`` with what ``by`` has for each pair of parts in which it differs from ``last``."""
    if first == last or (first, last) in by:
        return by.get((first, last), first)
    pairs = zip(children(first), children(last), strict=True)
    return with_children(first, [_merged(one, other, by) for one, other in pairs])


def _spread(entry: Node, *places: tuple[Name, Node]) -> Node:
    """The vector or matrix with this entry at each place: indices, and how far they run."""
    for place in places:
        entry = Times(entry, (("⊗", FunctionCall("onehot", place)),))
    for index, high in dict(reversed(places)).items():
        entry = Sum((index.name,), ONE, high, "", entry)
    return entry


def _matrix(rows: list[list[Node]]) -> Node:
    """The matrix with these rows, from its corners: ``[[a_11, …, a_1n], …, [a_n1, …, a_nn]]``.

    Its diagonal may differ from the rest. Raises ParseError if the corners do not tell all entries that are written.
    """
    top, bottom = rows[0], rows[-1]
    beside, along = ({*_pairs(top[-1], bottom[0])}, {*_pairs(top[0], bottom[-1])})
    wide = {one for one, other in beside if other == ONE}
    tall = {other for one, other in beside if one == ONE}
    highs = [*({other for _, other in along} or wide | tall or {_DOTS})]
    height, width = min(tall or highs, key=repr), min(wide or highs, key=repr)

    def entry(row: Node, column: Node) -> Node:
        return _merged(top[-1], bottom[0], {**dict.fromkeys(beside, row), (width, ONE): column})

    def diagonal(place: Node) -> Node:
        return _merged(top[0], bottom[-1], dict.fromkeys(along, place))

    written = [(row, *cell) for row, cells in _placed(rows, height) for cell in _placed(cells, width)]
    at, across = Name("i…"), Name("j…")
    if highs != [_DOTS] and all(entry(row, column) == cell for row, column, cell in written):
        return _spread(entry(at, across), (at, height), (across, width))
    fits = height == width and all(
        (diagonal(row) if row == column else entry(row, column)) == cell for row, column, cell in written
    )
    off = top[-1] == bottom[0] == ZERO
    if not fits or (highs == [_DOTS] and not off):
        raise ParseError(_CORNERS.fill(first=show(top[0]), last=show(bottom[-1])))
    more, less = diagonal(at), entry(at, at)
    if isinstance(more, Plus) and (False, less) in more.terms:
        terms = [term for term in more.terms if term != (False, less)]
        more = terms[0][1] if terms[0][0] is False and len(terms) == 1 else Plus(tuple(terms))
    elif not off:
        more = Plus(((False, more), (True, less)))
    alone = Times(more, ((" ", Name("I")),)) if at not in walk(more) else _spread(more, (at, height), (at, height))
    alone = Name("I") if more == ONE else alone
    return alone if off else Plus(((False, alone), (False, _spread(entry(at, across), (at, height), (across, width)))))


def _placed(items: Sequence[T], high: Node) -> list[tuple[Node, T]]:
    """The items of a list that goes on, with their places: 1, 2 and so on before the dots, ``high`` after them."""
    dots = next((at for at, item in enumerate(items) if item in (_DOTS, [_DOTS])), 0)
    if len(items) != dots + 2:
        raise ParseError(_ELLIPSIS)
    return [(Number(Fraction(at + 1)), item) for at, item in enumerate(items[:dots])] + [(high, items[-1])]


def _index(text: str, at: int) -> list[Token]:
    """The tokens of an index such as ``_{ij}``, which may be an expression."""
    inner = Token("word", text.strip("_{}"), at, True)
    return [Token("sign", "_", at, True), Token("sign", "{", at, True), inner, Token("sign", "}", at, True)]


def _whole_vector(pair: ListNode) -> Node | None:
    """q for (q_1, q_2); None for other pairs."""
    match pair.items:
        case (Subscript(of), _) if pair.items == tuple(Subscript(of, (Number(Fraction(at)),)) for at in (1, 2)):
            return of
    return None


def _number(text: str) -> Fraction:
    """The value of a number token. Raises ParseError for one that would take long to compute with or to write out."""
    exponent = text.lower().partition("e")[2].lstrip("+-").lstrip("0")
    if len(exponent) > _POWER_DIGITS:
        raise ParseError(_TOO_LARGE.fill(number=text if len(text) < _SHORT else f"{text[:_SHORT]}…"))
    return Fraction(text)


def _shown(value: Fraction) -> str:
    """A number with at most six significant digits; a power of ten for one that no float can be."""
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        digits = int((value.numerator.bit_length() - value.denominator.bit_length()) * math.log10(2))
        return f"{'−' if value < 0 else ''}10^{digits}"
