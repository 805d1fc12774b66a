"""Lines of a derivation as people write them: formulas joined by ``=``, and words that give reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grader.core.model import Message
from grader.formulas.ast import Node
from grader.formulas.errors import ParseError
from grader.formulas.parse import parse_chain
from grader.formulas.printer import show
from grader.formulas.tokens import is_cjk, normalize
from grader.formulas.vocabulary import Vocabulary, function_name, split_word

MOST_LINES = 60

_LINE = Message("Line {number}, “{text}”: {why}")
_WORDS = Message("write the formula first and your words after #.")
_MANY = Message("At most {most} lines are allowed.")

_MARK = re.compile(r"\s*(?:#|//|∵|--)")
_REASON = re.compile(
    r"[\s,;:]+(?:because|since|by|using|as|where|due to|which|follows|and so|with)\b|[,;:\s]*(?:因为|由于|根据|利用|由)"
)
_LEAD = re.compile(
    r"\s*(?:(?:\d{1,2}[.)](?=\s))|=(?!=)|⇒|∴|so\b|thus\b|hence\b|therefore\b|then\b|所以|因此|于是|从而|故|即|得)[\s:,]*"
)
_AFTER_COMMA = re.compile(r"[,;:.]\s*([A-Za-z]{3,}.*)")
#: A word of three letters or more that is not followed by an argument or index.
_WORD = re.compile(r"(?<![\w\\])[^\W\d_]{3,}(?![\w({\[^])")
#: The index of a name, such as that of ``d_{model}``, is no word.
_INDEX = re.compile(r"_\{[^{}]*\}")
#: Functions that are written without brackets: sin θ.
_BARE = ("exp", "log", "log2", "lg", "sqrt", "sin", "cos")
_ARROWS = r"⇒|⟹|⇔|⟺|=>|→|\\Rightarrow|\\implies|\\iff"
_QUOTED = 70
#: Signs that only formulas have.
_FORMULA = re.compile(r"[\^=+*/√Σ∂∇⟨_]|[A-Za-z0-9]\s*[(\[]")
#: Chinese words and a colon before a formula, which may name what the formula is about: 分母有 n 项：
_LABEL = re.compile(r"[^:=+*/^]*[\u3400-\u9fff][^:=+*/^]*:\s*(?=\S)")
#: A reason and a colon before a formula: 把 d_k = d/h 代入：
_REASON_FIRST = re.compile(
    r"\s*(?:(?:because|since|using|setting|substituting|substitute|inserting|insert|plugging in|as|with|let|where)\b"
    r"|因为|由于|由|根据|利用|代入|把|将|用)"
    r"[^:]*:\s*(?=\S)",
    re.IGNORECASE,
)
#: Words, and then another formula after an equals sign.
_CHAINED = re.compile(r"[^=<>]*=(?!=)\s*[^\s=]")
_MEANT = ("期望", "方差", "协方差", "转置")


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a relation on line ``number``; ``text`` is its form in messages."""

    node: Node
    number: int
    text: str


def number_lines(texts: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The parts of ``texts``, each with the number of the line it is on, as its author counts them."""
    number = 0
    for text in texts:
        for line in re.split(r"\r\n|[\r\n\u2028\u2029]", text):
            number += 1
            formulas, mark, reason = line.partition("#")
            pieces = re.split(r"[;；]+|\\\\(?=\s|$)", formulas)
            parts = [part for piece in pieces for part in re.split(_ARROWS, piece)]
            parts[-1] += mark + reason  # which may have the same signs
            yield from ((number, part) for part in parts)


def parse_lines(
    lines: Sequence[tuple[int, str]], vocabulary: Vocabulary, *, named: bool = True
) -> tuple[tuple[Side, ...], ...]:
    """For each numbered line with a formula, the expressions that are joined by =. Raises ParseError.

    A line is left out only if it is a comment or has words alone. The error says which line it is about if ``named``.
    """
    if len(lines) > MOST_LINES:
        raise ParseError(_MANY.fill(most=MOST_LINES))
    found: list[tuple[Side, ...]] = []
    for number, line in lines:
        try:
            text = strip_words(line, vocabulary)
            if text:
                found.append(tuple(Side(node, number, show(node)) for node in parse_chain(text, vocabulary)))
            if _formula_lost(line, text):
                raise ParseError(_WORDS)
        except ParseError as error:
            if not named:
                raise
            raise ParseError(_LINE.fill(number=number, text=excerpt_of(line), why=error.text)) from None
    return tuple(found)


def excerpt_of(line: str) -> str:
    """The beginning of a line, as it is quoted in messages."""
    line = " ".join("".join(char if char.isprintable() else " " for char in line).split())
    return line if len(line) <= _QUOTED else f"{line[: _QUOTED - 1]}…"


def _formula_lost(line: str, kept: str) -> bool:
    """Whether a formula is among the words that were left out of a line, which is then not what its author meant."""
    line = normalize(line).replace("\x1f", " ")
    line = line[: cut.start()] if (cut := _MARK.search(line)) else line
    if not kept:
        return bool(_FORMULA.search(_LEAD.sub("", line, count=1)))
    dropped = line.partition(kept)[2]
    reason = _REASON.match(dropped.replace("(", " ", 1)) or _AFTER_COMMA.match(dropped)
    return not reason and bool(_CHAINED.match(dropped))


def strip_words(line: str, vocabulary: Vocabulary) -> str:
    """``line`` without the words of a reason, and without the sign that connects it to the line before."""
    line = normalize(line).replace("\x1f", " ")
    while lead := (_LEAD.match(line) or _LABEL.match(line) or _REASON_FIRST.match(line)):
        line = line[lead.end() :]
    for pattern in (_MARK, _REASON):
        if (cut := pattern.search(line)) and not _inside(line, cut.start()):
            line = line[: cut.start()]
    for match in _AFTER_COMMA.finditer(line):
        if not _inside(line, match.start()) and _wordy(match[1], vocabulary):
            line = line[: match.start()]
            break
    line = without_remarks(line.rstrip(" ,;:.。"), vocabulary)
    chinese = next((at for at, char in enumerate(line) if is_cjk(char) and not _function(line, at)), None)
    if chinese is not None and not _inside(line, chinese):
        line = line[:chinese]
    return line.rstrip(" ,;:.。")


def without_remarks(line: str, vocabulary: Vocabulary) -> str:
    """``line`` without the brackets at its end that hold words: ``2 n d (both of them)``."""
    while shorter := _without_remark(line, vocabulary):
        line = shorter
    return line


def _inside(line: str, at: int) -> bool:
    """Whether a bracket is open at position ``at``."""
    before = line[:at]
    return any(before.count(opening) > before.count(closing) for opening, closing in ("()", "[]", "{}"))


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
            return before if apart and formula_ends and _wordy(remark, vocabulary) else None
    return None


def _wordy(text: str, vocabulary: Vocabulary) -> bool:
    if any(is_cjk(char) and not _function(text, at) for at, char in enumerate(text)):
        return True
    return any(_foreign(word, vocabulary) for word in _WORD.findall(_INDEX.sub("", text)))


def _foreign(word: str, vocabulary: Vocabulary) -> bool:
    """Whether a word is neither a function nor made of declared names."""
    try:
        function = function_name(word, vocabulary)
        return function not in _BARE if function else split_word(word, vocabulary) is None
    except ParseError:
        return False


def _function(line: str, at: int) -> bool:
    return any(line.startswith(name, at - shift) for name in _MEANT for shift in range(len(name)) if at >= shift)
