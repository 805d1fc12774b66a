"""Formulas as they are typed → rows, scripts, roots, fractions and brackets, for typesetting.

``grader.formulas.parse`` judges answers and keeps values. This reader keeps the notation: it knows no symbols, no kinds
and no rules of arithmetic, and reads the same signs. Spaces mean nothing, except between numbers, words or factors.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from grader.core.tables import table

Kind: TypeAlias = Literal["name", "number", "word", "sign", "space"]
Tree: TypeAlias = "Atom | Row | Scripts | Root | Fraction | Fence | Labelled"


class LayoutError(ValueError):
    """The text is not a formula; the message says where, and why."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A letter (``name``), a number, a word, the sign of an operator, a relation or punctuation, or a thin space."""

    text: str
    kind: Kind


#: A thin space between factors.
SPACE = Atom("\u2009", "space")


@dataclass(frozen=True, slots=True)
class Row:
    """Parts side by side."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Scripts:
    """``base`` with an index below, an exponent or a label above, or both."""

    base: Tree
    below: Tree | None = None
    above: Tree | None = None


@dataclass(frozen=True, slots=True)
class Root:
    """A square root."""

    of: Tree


@dataclass(frozen=True, slots=True)
class Fraction:
    """A fraction with a bar, which only displayed formulas have."""

    above: Tree
    below: Tree


@dataclass(frozen=True, slots=True)
class Fence:
    """``of`` in brackets or bars; the two may differ, as in ``[0, 1)``."""

    open: str
    of: Row
    close: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """``of`` with its shape below, as displayed formulas have it: ``Q:(n, d)``."""

    of: Tree
    label: Tree


#: What has its scripts below and above, where there is room.
LIMITS = frozenset({"∑", "∏", "max", "min", "lim", "argmax", "argmin"})
RELATIONS = frozenset("=≠<≤>≥≪≫≈≡∝∈∉⊂⊆→←↦⇒⇔∼↔")
_SUMS = frozenset("+−±∓")
_SIGNS = RELATIONS | _SUMS | frozenset("·×∗⊙⊗⊕∘/,.;:!|∣∖∪∩∧∨¬")
_BIG = frozenset("ΣΠ∑∏∫")
_PREFIXES = frozenset("∂∇Δ√")
_CLOSING = {"(": ")]", "[": "])", "{": "}", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉", "|": "|", "‖": "‖"}
_TYPED = {"<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "...": "…", "**": "^", "-": "−", "*": "·", "'": "′"}
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>\d{1,3}(?:[ ,]\d{3})+(?![\d.])|\d+(?:\.\d+)?(?:[eE][+-]?\d{1,9}(?!\w))?)"
    r"|(?P<quoted>“[^”]*”|\"[^\"]*\")"
    r"|(?P<name>\w[\u0300-\u036f]+)|(?P<letters>[A-Za-z]+)|(?P<above>[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵐⁱᵀ]+)|(?P<below>[₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₗₘₙₚₜᵣₛₐₓ]+)"
    r"|(?P<words>[一-鿿]+)|(?P<typed><=|>=|!=|->|\.\.\.|\*\*|[-*'])|(?P<sign>.)",
    re.DOTALL,
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵐⁱᵀ₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₗₘₙₚₜᵣₛₐₓ", "0123456789+−nmiT0123456789+−ijklmnptrsax")
_DEEPEST = 60
#: Letters that are indices when several stand below a name: the i and j of ``W_ij``.
_INDEX_LETTERS = frozenset("ijklmnptcabs")


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    kind: str
    spaced: bool
    at: int


def layout(text: str, *, display: bool = False) -> Row:
    """The tree of ``text``; ``/`` becomes a fraction if it is ``display``ed.

    Raises LayoutError for unmatched brackets, for a script without a base, and for a character that no formula has.
    """
    reader = _Reader(_tokens(text), display)
    row = reader.row("")
    if (rest := reader.peek()) is not None:
        raise LayoutError(f"“{rest.text}” at character {rest.at + 1} has no opening bracket")
    return row


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    spaced = False
    for match in _TOKEN.finditer(text):
        kind, said = str(match.lastgroup), match[0]
        if kind == "space":
            spaced = True
            continue
        if kind == "typed":
            kind, said = "sign", _TYPED[said]
        pieces = _letters(said, text[match.end() :]) if kind == "letters" else [(said, kind)]
        for piece, its_kind in pieces:
            found.append(_Token(piece, its_kind, spaced, match.start()))
            spaced = False
    return found


def _letters(run: str, after: str) -> list[tuple[str, str]]:
    """A run of Latin letters as words and names: ``softmax``, ``nd`` (two names), ``nlog`` (a name, then a word)."""
    known = table(__file__, "upright.yaml")
    called = after.startswith("[") if run == "E" else len(run) > 1 and after.startswith("(") and not run.isupper()
    if run in known or called:
        return [(run, "word")]
    word = next((each for each in known if len(each) > 2 and run.endswith(each)), "")
    if word and len(run) - len(word) < 3:
        return [*((letter, "name") for letter in run[: -len(word)]), (word, "word")]
    spelt = len(run) > 2 and not run.isupper() and any(letter in "aeiouyAEIOU" for letter in run)
    return [(run, "word")] if spelt else [(letter, "name") for letter in run]


@dataclass(slots=True)
class _Reader:
    tokens: list[_Token]
    display: bool
    place: int = 0
    depth: int = 0

    def peek(self) -> _Token | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def row(self, closing: str) -> Row:
        """What stands before one of the ``closing`` brackets, or before the end."""
        parts: list[Tree] = []
        while (token := self.peek()) is not None and not self._closes(token, closing, parts):
            if token.text == "/" and self.display and parts:
                self.place += 1
                parts = self._fraction(parts)
                continue
            part = self._part(parts)
            if token.spaced and parts and _run_together(parts[-1], part):
                parts.append(SPACE)
            parts.append(part)
        return Row(tuple(parts))

    def _closes(self, token: _Token, closing: str, before: list[Tree]) -> bool:
        if token.text in ("|", "‖"):
            return token.text in closing and bool(before) and not is_sign(before[-1])
        return token.text in ")]}⟩⌋⌉"

    def _part(self, before: list[Tree]) -> Tree:
        """A part with its scripts."""
        self.depth += 1
        if self.depth > _DEEPEST:  # learners' formulas are set, too
            raise LayoutError(f"nested more than {_DEEPEST} deep")
        part = self._bare(before)
        self.depth -= 1
        below: Tree | None = None
        above: Tree | None = None
        while (token := self.peek()) is not None:
            if token.text == "_" and below is None:
                self.place += 1
                below = self._script(self._index)
            elif token.kind == "below" and below is None:
                self.place += 1
                below = _characters(token.text)
            elif token.text == "^" or token.kind == "above":
                self.place += 1
                characters = token.kind == "above"
                raised = _characters(token.text) if characters else _power(part, self._script(self._exponent))
                above = _beside(above, raised)
            elif token.text == "′":
                self.place += 1
                above = _beside(above, Atom("′", "sign"))
            else:
                break
        part = part if below is None and above is None else Scripts(part, below, above)
        if not self._has_label():
            return part
        self.place += 1
        return Labelled(part, self._script(lambda: self._bare([])))

    def _has_label(self) -> bool:
        signs = self.tokens[self.place : self.place + 2]
        return self.display and [sign.text for sign in signs] == [":", "("] and not any(sign.spaced for sign in signs)

    def _bare(self, before: list[Tree]) -> Tree:
        token = self.tokens[self.place]
        self.place += 1
        match token.kind:
            case "number":
                return _number(token.text)
            case "letters" | "name":
                return Atom(token.text, "name")
            case "word" | "words" | "quoted":
                return Atom(self._phrase(token), "word")
        if token.text == "√":
            return Root(_unfenced(self._factor("√", token)))
        if token.text in _CLOSING and not (token.text == "|" and not self._opens(token, before)):
            return self._fence(token)
        if token.text in _SIGNS or token.text in _BIG or token.text in _PREFIXES:
            return Atom({"Σ": "∑", "Π": "∏"}.get(token.text, token.text), "sign")
        if token.text.isalpha() or token.text in "…⋯∞%°∅∀∃⊤#&?½¼¾⅓⅔":
            return Atom(token.text, "name")
        raise LayoutError(f"“{token.text}” at character {token.at + 1} cannot stand in a formula")

    def _phrase(self, token: _Token) -> str:
        """A word with the words that follow it after one space each."""
        said = token.text
        while (more := self.peek()) is not None and more.kind in ("word", "words") and more.spaced:
            said += f" {more.text}"
            self.place += 1
        return said

    def _opens(self, token: _Token, before: list[Tree]) -> bool:
        """Whether a bar opens: it begins a row or follows a sign, and another one closes it."""
        later = any(each.text == "|" for each in self.tokens[self.place :])
        return later and (not before or is_sign(before[-1]) or (token.spaced and not self.tokens[self.place].spaced))

    def _fence(self, opening: _Token) -> Tree:
        closing = _CLOSING[opening.text]
        inside = self.row(closing)
        end = self.peek()
        if end is None or end.text not in closing:
            found = "the end" if end is None else f"“{end.text}”"
            raise LayoutError(f"“{opening.text}” at character {opening.at + 1} needs “{closing[0]}”, found {found}")
        self.place += 1
        return Fence(opening.text, inside, end.text)

    def _script(self, read: Callable[[], Tree]) -> Tree:
        """What ``read`` reads; there is no room for fraction bars in a script."""
        displayed, self.display = self.display, False
        script = read()
        self.display = displayed
        return script

    def _index(self) -> Tree:
        """What follows ``_``: a group, a number, one letter, or all letters and digits as a word or as indices."""
        token = self.peek()
        if token is None:
            raise LayoutError("nothing follows “_”")
        if token.text == "{":
            self.place += 1
            return _without_commas(_unfenced(self._fence(token)))
        if token.kind == "number" or token.text in _PREFIXES or not token.text[0].isalnum():
            return self._factor("_", token)
        run = ""
        while (
            (token := self.peek()) is not None
            and token.kind in ("letters", "name", "word")
            and not (run and token.spaced)
        ):
            run += token.text
            self.place += 1
        if not run:
            return self._factor("_", self.tokens[self.place])
        if len(run) == 1 or (set(run) <= _INDEX_LETTERS and run not in table(__file__, "upright.yaml")):
            return _row(tuple(Atom(letter, "name") for letter in run))
        return Atom(run, "word")

    def _exponent(self) -> Tree:
        """What follows ``^``: T is the sign of the transpose, other capitals are labels."""
        token = self.peek()
        if token is None:
            raise LayoutError("nothing follows “^”")
        if token.kind in ("letters", "name") and len(token.text) == 1 and token.text.isupper():
            self.place += 1
            return Atom("⊤", "sign") if token.text == "T" else Atom(token.text, "word")
        if token.text == "−":
            self.place += 1
            return Row((Atom("−", "sign"), self._exponent()))
        return _unfenced(self._factor("^", token))

    def _factor(self, after: str, token: _Token) -> Tree:
        """The next part with its scripts, as the argument of ``after``."""
        following = self.peek()
        if following is None or following.text in _SIGNS - {"|"} or following.text in ")]}⟩⌋⌉":
            raise LayoutError(f"nothing follows “{after}” at character {token.at + 1}")
        return self._bare([]) if after in ("_", "^") else self._part([])

    def _fraction(self, parts: list[Tree]) -> list[Tree]:
        """``parts`` with the last product over what follows ``/``."""
        start = len(parts)
        while start and not (is_sign(parts[start - 1]) and not _is_operator_of(parts[start - 1])):
            start -= 1
        if start == len(parts) or self.peek() is None:
            raise LayoutError("“/” needs something before and after it")
        above = Row(tuple(parts[start:]))
        return [*parts[:start], Fraction(_unfenced(above), _unfenced(self._denominator()))]

    def _denominator(self) -> Tree:
        """One factor; with the brackets of a call; or all that a sum covers."""
        first = self._part([])
        covers = isinstance(first, Scripts) and first.base in (Atom("∑", "sign"), Atom("∏", "sign"))
        parts = [first]
        if first in (Atom("∂", "sign"), Atom("∇", "sign")):
            parts.append(self._part(parts))
        while (token := self.peek()) is not None:
            called = token.text in ("(", "[") and not token.spaced and not isinstance(parts[-1], Fence)
            more = covers and token.text not in _SUMS | RELATIONS | {",", ";", "/"}
            if not (called or more) or self._closes(token, "", parts):
                break
            parts.append(self._part(parts))
        return _row(tuple(parts))


def _power(base: Tree, above: Tree) -> Tree:
    """What stands ``above`` a base: a capital is a label only of a matrix, and a T no transpose of a number."""
    if not isinstance(above, Atom) or (isinstance(base, Atom) and base.text.isascii() and base.text[0].isupper()):
        return above
    if above.kind == "word" and len(above.text) == 1:
        return Atom(above.text, "name")
    number = isinstance(base, Atom) and (base.kind == "number" or base.text == "ℝ")
    return Atom("T", "name") if number and above.text == "⊤" else above


def _run_together(*factors: Tree) -> bool:
    """Whether letters and roots, perhaps with scripts, need a space between them; matrices, as in Q K, need none."""
    letters = [_letter(base_of(part)) for part in factors]
    return all(letters) and not all(map(str.isupper, letters))


def _letter(factor: Tree) -> str:
    """The letter of a name, or the sign of a root; empty for anything else."""
    if isinstance(factor, Root):
        return "√"
    return factor.text[0] if isinstance(factor, Atom) and factor.kind == "name" and factor.text[0].isalpha() else ""


def base_of(part: Tree) -> Tree:
    """``part`` without its scripts."""
    return part.base if isinstance(part, Scripts) else part


def is_sign(part: Tree) -> bool:
    """Whether ``part`` is the sign of an operator, a relation or punctuation."""
    return isinstance(part, Atom) and part.kind == "sign"


def _is_operator_of(part: Tree) -> bool:
    """Whether a sign belongs to what follows it, or between factors, so that it can stand above a fraction bar."""
    return isinstance(part, Atom) and part.text in "∂∇∑∏·⊙"


def _number(text: str) -> Tree:
    """A number; one such as 1.5e-3 as 1.5 · 10⁻³."""
    digits, exponent, power = text.lower().partition("e")
    if not exponent:
        return Atom(text, "number")
    raised = layout(str(int(power)))
    return Row((Atom(digits, "number"), Atom("·", "sign"), Scripts(Atom("10", "number"), above=_row(raised.parts))))


def _row(parts: tuple[Tree, ...]) -> Tree:
    return parts[0] if len(parts) == 1 else Row(parts)


def _unfenced(tree: Tree) -> Tree:
    """``tree`` without brackets around all of it, which the typeset form does not need."""
    if isinstance(tree, Row) and len(tree.parts) == 1:
        return _unfenced(tree.parts[0])
    if isinstance(tree, Fence) and (tree.open, tree.close) in (("(", ")"), ("{", "}")):
        return _row(tree.of.parts)
    return tree


def _without_commas(index: Tree) -> Tree:
    """An index of single letters, such as ``i,j``, as ``ij``."""
    parts = index.parts if isinstance(index, Row) else ()
    letters = tuple(part for part in parts if part != Atom(",", "sign"))
    single = all(isinstance(part, Atom) and part.kind == "name" for part in letters)
    return Row(letters) if letters and single else index


def _beside(first: Tree | None, second: Tree) -> Tree:
    return second if first is None else Row((first, second))


def _characters(raised: str) -> Tree:
    """Characters that Unicode has above or below the line."""
    said = raised.translate(_RAISED)
    return Atom("⊤", "sign") if said == "T" else layout(said.replace("T", "⊤"))
