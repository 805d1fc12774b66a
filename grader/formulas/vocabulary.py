"""Splits runs of letters into declared names: ``QKᵀV``, ``nd``, ``dmodel``, ``q_i``, ``theta``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

from grader.core.model import Message
from grader.core.text import EMPTY, formula_list, nearest
from grader.formulas.ast import FunctionCall, Name, Node, Number, Subscript, Transpose
from grader.formulas.errors import ParseError
from grader.formulas.tokens import names as table

#: What a name stands for, which decides what may follow it: indices, an argument, or nothing.
Kind: TypeAlias = Literal["scalar", "vector", "matrix", "map", "rotation", "definition", "function"]

#: Shorter names of functions are only recognised as whole words, not inside a run of letters.
_SHORT = 3
_ONE_HOT = "onehot_"
#: Letters and digits that number the rows of a matrix.
_ROWS = "ijklmnrst0123456789"

_UNKNOWN = Message("“{word}” is not known here{near}. Known symbols: {known}.")
_NEAR = Message(" (did you mean `{name}`?)")
_LET = Message("; to use it, first say what it is: `let {name} = …`")
_TWO_WAYS = Message("“{word}” is ambiguous; write `*` between the names.")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The declared names with their kinds, and the name that each spelling stands for.

    ``by`` is what a derivation differentiates by: there, ``dx`` is the differential of x wherever it is no declared
    name, and ``DF`` the derivative of F. ``open`` if an answer may give names of its own.
    """

    kinds: Mapping[str, Kind]
    spellings: Mapping[str, str] = field(default_factory=dict)
    by: str = ""
    open: bool = False

    @staticmethod
    def of(kinds: Mapping[str, Kind], aliases: Mapping[str, Iterable[str]] | None = None) -> Vocabulary:
        """The vocabulary of these names and their ``aliases``.

        If a spelling fits two names, an exact match wins, else the first.
        """
        spellings: dict[str, str] = {}
        for name in kinds:
            for spelling in _spellings(name):
                spellings.setdefault(spelling, name)
        for name, others in (aliases or {}).items():
            for spelling in (spelling for other in others for spelling in _spellings(other)):
                spellings.setdefault(spelling, name)
        return Vocabulary(kinds, spellings | {name: name for name in kinds})


def _spellings(name: str) -> set[str]:
    found = {name, name.replace("_", "")}
    for latin, greek in table("greek").items():
        found |= {form.replace(greek, latin) for form in found if greek in form}
        if name == latin or name.startswith(f"{latin}_") or name.endswith(f"_{latin}"):
            found.add(name.replace(latin, greek))
    return found


#: A piece of a word: a node, or the name of a function whose argument follows.
Piece: TypeAlias = Node | str


def function_name(word: str, vocabulary: Vocabulary) -> str | None:
    """The function called ``word``; None if there is none, or if ``word`` is declared as something else."""
    if word in vocabulary.spellings:
        return None
    return word if word in table("functions") else table("aliases").get(word)


def maps(vocabulary: Vocabulary) -> set[str]:
    """The names of maps in a derivation by a variable, and that of the identity; none if there are no maps."""
    found = {name for name, kind in vocabulary.kinds.items() if kind == "map" and vocabulary.by}
    return found | {"id"} if found else found


def split_word(word: str, vocabulary: Vocabulary, bound: Iterable[str] = ()) -> tuple[Piece, ...] | None:
    """``word`` as a product of declared names, with as few pieces as possible; None if that is impossible.

    ``bound`` are the indices of enclosing sums. Raises ParseError if two splits are equally short.
    """
    best: list[list[tuple[Piece, ...]]] = [[()], *([] for _ in word)]
    for at in range(len(word)):
        for length, piece in _pieces(word, at, vocabulary, frozenset(bound)) if best[at] else ():
            there = best[at + length]
            longer = [(*before, piece) for before in best[at][:2]]
            if not there or len(longer[0]) < len(there[0]):
                best[at + length] = longer
            elif len(longer[0]) == len(there[0]):
                there.extend(longer[:2])
    found = best[-1]
    if len(found) > 1 and any(other != found[0] for other in found[1:]):
        raise ParseError(_TWO_WAYS.fill(word=word))
    return found[0] if found else None


def _pieces(word: str, at: int, vocabulary: Vocabulary, bound: frozenset[str]) -> list[tuple[int, Piece]]:
    """The pieces that can begin at position ``at``, with their lengths."""
    found: list[tuple[int, Piece]] = []
    for form, name in vocabulary.spellings.items():
        if word.startswith(form, at):
            found.append((len(form), Name(name)))
            found += [
                (len(form) + length, piece) for length, piece in _subscripts(word, at + len(form), name, vocabulary)
            ]
    found += _in_small_letters(word, at, vocabulary)
    for known in (*table("functions"), *table("aliases")):
        whole = at + len(known) == len(word)
        if word.startswith(known, at) and (len(known) >= _SHORT or (whole and (at == 0 or known == "E"))):
            called = function_name(known, vocabulary)
            found += [(len(known), called)] if called else []
    if word.startswith(_ONE_HOT, at) and at + len(_ONE_HOT) < len(word):
        place = at + len(_ONE_HOT)
        found.append((len(_ONE_HOT) + 1, FunctionCall("onehot", (index_node(word[place], vocabulary),))))
    found += [(1, Name(word[at]))] if word[at] in bound and word[at] not in vocabulary.spellings else []
    if at == 0 and (not found or word.startswith("delta_")):
        found += _special(word, vocabulary)
    return found


def _in_small_letters(word: str, at: int, vocabulary: Vocabulary) -> list[tuple[int, Piece]]:
    """``k_i`` for row i of the matrix K as a column, and ``k_ij`` for an entry, if k is nothing else."""
    name = vocabulary.spellings.get(word[at].upper())
    index = word[at + 2 : at + 3]  # w_q is no row of W
    if word[at] in vocabulary.spellings or not name or vocabulary.kinds[name] != "matrix" or index not in _ROWS:
        return []
    found = _subscripts(word, at + 1, name, vocabulary) if word.startswith("_", at + 1) else []
    parts = [(1 + length, piece) for length, piece in found if isinstance(piece, Subscript)]
    return [(length, piece if len(piece.at) > 1 else Transpose(piece)) for length, piece in parts]


def _subscripts(word: str, at: int, name: str, vocabulary: Vocabulary) -> list[tuple[int, Piece]]:
    """Subscripts at ``at``: indices of a vector or matrix, or the angle of a rotation, with their lengths."""
    kind = vocabulary.kinds[name]
    attached = word.startswith("_", at)
    start = at + attached
    if start >= len(word) or kind in ("scalar", "function") or (kind == "map" and not attached):
        return []
    digits = start
    while digits < len(word) and word[digits].isdecimal():
        digits += 1
    found: list[tuple[int, Node]] = []
    if digits > start and (attached or kind in ("vector", "matrix")):
        found.append((digits - at, Number(Fraction(int(word[start:digits])))))
    elif attached:
        found.append((start + 1 - at, index_node(word[start], vocabulary)))
        if kind == "rotation":
            for form, symbol in vocabulary.spellings.items():
                if len(form) > 1 and word.startswith(form, start):
                    found.append((start + len(form) - at, Name(symbol)))
    pieces: list[tuple[int, Piece]] = []
    if kind == "matrix" and digits - start == 2:  # Q_{12}: a row and a column
        row, column = (index_node(digit, vocabulary) for digit in word[start:digits])
        return [(digits - at, Subscript(Name(name), (row, column)))]
    for length, low in found:
        pieces.append((length, Subscript(Name(name), (low,))))
        second = at + length
        if kind in ("matrix", "definition") and attached and second < len(word) and word[second] != "_":
            pieces.append((length + 1, Subscript(Name(name), (low, index_node(word[second], vocabulary)))))
    return pieces


def index_node(word: str, vocabulary: Vocabulary) -> Node:
    """A single character as an index: a digit, or a letter."""
    return Number(Fraction(int(word))) if word.isdecimal() else Name(vocabulary.spellings.get(word, word))


def _special(word: str, vocabulary: Vocabulary) -> list[tuple[int, Piece]]:
    """Predefined names: I, I_n, π, e, e_t, δ_ij, and single letters, which can be indices."""
    if word.startswith("I_") and word[2:] in vocabulary.spellings:
        return [(len(word), Name("I"))]
    if word in ("I", "pi", "π", "e") or (word == "id" and word in maps(vocabulary)):
        return [(len(word), Name({"pi": "π"}.get(word, word)))]
    if len(word) == 1:
        return [(1, Name(word))]
    head, _, low = word.partition("_")
    if head == "e" and len(low) == 1:
        return [(len(word), FunctionCall("onehot", (index_node(low, vocabulary),)))]
    if head in ("δ", "delta", "I") and len(low) == 2:
        return [(len(word), FunctionCall("delta", (index_node(low[0], vocabulary), index_node(low[1], vocabulary))))]
    return []


def unknown_name(word: str, vocabulary: Vocabulary) -> ParseError:
    """The error for an undeclared name, with the nearest declared one."""
    known = list(vocabulary.kinds)
    functions = [name for name in table("functions") if len(name) >= _SHORT] if len(word) > _SHORT else []
    meant = nearest(word, [*known, *functions], cutoff=0.76 if len(word) > 2 else 1)
    near = _NEAR.fill(name=meant) if meant else EMPTY
    near = _LET.fill(name=word) if vocabulary.open and len(word) == 1 else near
    shown = word if len(word) <= 24 else f"{word[:23]}…"
    return ParseError(_UNKNOWN.fill(word=shown, near=near, known=formula_list(known) if known else "–"))
