"""Text as people type it → tokens; reads full width, superscripts, subscripts, Greek letters and some LaTeX."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from grader.core.model import Message
from grader.core.tables import patterns, table
from grader.formulas.errors import ParseError

MAX_LENGTH = 2000
_sign = patterns(__file__, "signs.yaml")
_MAX_DIGITS = 40

_LONG = Message("A line may have at most {most} characters; this one has {length}. Split it.")
_STRANGE = Message("“{char}” (in “{near}”) cannot be part of a formula. Write comments after `#`.")
_NO_SIGN = Message("“{char}” (in “{near}”) is not a symbol that formulas can have here: use the notation of the task.")
_DIGITS = Message("The number {number}… has too many digits.")

#: An invisible word boundary.
_BREAK = "\x1f"


def names(which: str) -> Mapping[str, Any]:
    """A table of ``names.yaml``."""
    found: Mapping[str, Any] = table(__file__, "names.yaml")[which]
    return found


@functools.cache
def _signs() -> dict[int, str]:
    return str.maketrans(dict(names("signs")))


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a formula, at position ``at``; ``tight`` if no space precedes it."""

    kind: Literal["number", "word", "sign", "end"]
    text: str
    at: int
    tight: bool


def normalize(text: str) -> str:
    """``text`` with one spelling for each digit, sign, bracket and script. Raises ParseError if it is too long."""
    if len(text) > MAX_LENGTH:
        raise ParseError(_LONG.fill(most=MAX_LENGTH, length=len(text)))
    text = "".join(" " if char.isspace() else char for char in text if unicodedata.category(char) != "Cf")
    text = plain_matrices(_raised(text))
    text = unicodedata.normalize("NFKC", text).translate(_signs()).replace("...", "…")
    text = _sign("eye").sub("I", _sign("module").sub("", _sign("one_hot").sub("onehot", _latex(text))))
    text = _sign("spelt_index").sub(lambda found: found[0].replace("pi(", "π("), text)
    text = _sign("called_index").sub(r"_{\1}", _sign("delta").sub("δ", _sign("aligned").sub("", text)))
    text = _sign("iverson").sub(_delta, _sign("ones").sub(lambda found: f"ones({found[1] or found[2]})", text))
    return _sign("angled").sub(r"⟨\1⟩", _sign("range").sub("", text))


def _delta(found: re.Match[str]) -> str:
    """Kronecker's delta for an equation in brackets, and 1 less it for the opposite."""
    delta = f" delta({found[1]}, {found[3]})"
    return delta if found[2] == "=" else f" (1 - {delta})"


def _raised(text: str) -> str:
    """``text`` with superscripts and subscripts as ``^{…}`` and ``_{…}``, and fractions as ``(1/2)``."""
    found: list[str] = []
    open_ = ""
    for char in text:
        tag, _, rest = unicodedata.decomposition(char).partition(" ")
        sign = {"<super>": "^", "<sub>": "_"}.get(tag, "")
        if open_ and sign != open_:
            found.append("}")
        if sign and sign != open_:
            found.append(f"{sign}{{")
        open_ = sign
        if sign:
            found.append("".join(chr(int(code, 16)) for code in rest.split()))
        elif tag == "<fraction>":
            found.append(f"({unicodedata.normalize('NFKC', char)})")
        else:
            found.append(char)
    return "".join(found) + ("}" if open_ else "")


def plain_matrices(text: str) -> str:
    """``text`` with [a, b; c, d] for the matrices of LaTeX, each on one line."""

    def rows(found: re.Match[str]) -> str:
        inner = " ".join(found[1].split())
        return "[" + inner.replace("\\\\", ";").replace("&", ",").strip().rstrip(";") + "]"

    return _sign("matrix").sub(rows, text)


def _latex(text: str) -> str:
    """``text`` with common LaTeX commands as plain characters; ``\\frac`` is kept."""
    if "\\" in text or "$" in text:
        text = text.replace("\\{", "(").replace("\\}", ")").replace("\\|", "‖").replace("\\\\", " ")
        text = _sign("over").sub(r"\\frac{\1}{\2}", text)
        text = _sign("wrapped").sub(lambda found: f"{_BREAK}{found[1].strip()}{_BREAK}", text)
        text = _sign("dropped").sub(_BREAK, text)
        text = _sign("command").sub(lambda found: _command(found[1]), text).translate(_signs())
    text = re.sub(rf"_{_BREAK}+([^\W_]+){_BREAK}*", r"_{\1}", text)
    text = _sign("greek_apart").sub("", text)
    # A word in a subscript belongs to its name, whatever command was around it.
    text = re.sub(rf"_\{{{_BREAK}+", "_{", text)
    text = re.sub(rf"{_BREAK}+\}}", "}", text)
    return re.sub(rf"{_BREAK}+_", "_", text)


def _command(name: str) -> str:
    if name == "frac" or name in ("dfrac", "tfrac"):
        return f"{_BREAK}\\frac"
    return names("latex").get(name) or f"{_BREAK}{names('greek').get(name, name)}{_BREAK}"


def excerpt(text: str, at: int) -> str:
    """The text around a position in a formula, for messages."""
    piece = text[max(0, at - 12) : at + 13]
    return "".join(char if char.isprintable() else " " for char in piece).strip()


def tokenize(text: str) -> list[Token]:
    """The tokens of ``text``, which has to be normalised. Raises ParseError."""
    found: list[Token] = []
    at, tight = 0, False
    while at < len(text):
        char = text[at]
        if char.isspace() or char == _BREAK:
            at, tight = at + 1, False
            continue
        kind, piece, length = _next(text, at)
        found.append(Token(kind, piece, at, tight))
        at, tight = at + length, True
    found.append(Token("end", "", len(text), False))
    return found


def _next(text: str, at: int) -> tuple[Literal["number", "word", "sign"], str, int]:
    if number := _sign("number").match(text, at):
        if len(number[0]) > _MAX_DIGITS:
            raise ParseError(_DIGITS.fill(number=number[0][:12]))
        return "number", number[0], len(number[0])
    if text.startswith("\\frac", at):
        return "sign", "\\frac", 5
    for chinese, word in names("chinese").items():
        if text.startswith(chinese, at):
            return "word", word, len(chinese)
    if _letter(text[at]):
        return _word(text, at)
    if sign := _sign("sign").match(text, at):
        return "sign", {"**": "^", "==": "=", ":=": "=", "!=": "≠", "=>": "⇒"}.get(sign[0], sign[0]), len(sign[0])
    said = _STRANGE if text[at].isalpha() else _NO_SIGN
    raise ParseError(said.fill(char=text[at] if text[at].isprintable() else " ", near=excerpt(text, at)))


def looks_alike(written: str, shown: str) -> bool:
    """Whether two formulas differ only in spaces, signs of multiplication, braces and ways to write a power."""
    try:
        return _without_style(written) == _without_style(shown)
    except ParseError:
        return False


def _without_style(text: str) -> str:
    text = _sign("style").sub("", normalize(text.partition("#")[0]).replace("**", "^")).strip("=.;")
    return _sign("short_script").sub(r"\1\2", _sign("short_fraction").sub(r"\1/\2", text))


def _letter(char: str) -> bool:
    return char.isalpha() and not is_cjk(char)


def is_cjk(char: str) -> bool:
    """Whether ``char`` is a Chinese character; those form words, not symbols."""
    return "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char > "\U00020000"


def _word(text: str, at: int) -> tuple[Literal["word", "sign"], str, int]:
    """A run of letters and digits with subscripts, such as ``QKV``, ``d_model``, ``q_{i}``: kind, text and length."""
    if early := _sign("before_index").match(text, at):
        return ("sign" if early[0] == "Σ" else "word"), early[0], len(early[0])
    end = at
    while end < len(text) and (_letter(text[end]) or text[end].isdecimal() or unicodedata.category(text[end]) == "Mn"):
        end += 1
        if text.startswith("_", end) and end + 1 < len(text):
            if braced := _sign("braced").match(text, end):
                # Letters after the closing brace belong to another name.
                return "word", f"{text[at:end]}_{{{braced[1]}}}", braced.end() - at
            if _letter(text[end + 1]) or text[end + 1].isdecimal():
                end += 1
    return "word", text[at:end], end - at
