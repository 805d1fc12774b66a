"""Lines of a derivation as people write them: formulas joined by ``=``, and words that give reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.core.model import Text
from grader.course.formulas.ast import Node
from grader.course.formulas.errors import ParseError
from grader.course.formulas.parse import parse_chain
from grader.course.formulas.printer import show
from grader.course.formulas.tokens import is_cjk, normalize
from grader.course.formulas.vocabulary import Vocabulary, function_name, split_word

MOST_LINES = 60

_LINE = Text("Line {number}: {why}", "第 {number} 行：{why}")
_MANY = Text("At most {most} lines are allowed.", "最多写 {most} 行。")

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
#: Functions that are written without brackets: sin θ.
_BARE = ("exp", "log", "log2", "sqrt", "sin", "cos")
_MEANT = ("期望", "方差", "协方差", "转置")


@dataclass(frozen=True, slots=True)
class Step:
    """A formula on line ``number``; ``text`` is its form in messages."""

    node: Node
    number: int
    text: str


def split_lines(text: str) -> Iterator[str]:
    """The lines of a text; an arrow between equations also starts a new line."""
    for line in re.split(r"[\r\n\u2028\u2029;；]+|\\\\(?=\s|$)", text):
        yield from re.split(r"⇒|⟹|⇔|⟺|=>|→|\\Rightarrow|\\implies|\\iff", line)


def parse_lines(lines: Sequence[str], vocabulary: Vocabulary) -> tuple[tuple[Step, ...], ...]:
    """For each line with a formula, the expressions that are joined by =. Raises ParseError."""
    if len(lines) > MOST_LINES:
        raise ParseError(_MANY.fill(most=MOST_LINES))
    found: list[tuple[Step, ...]] = []
    for number, line in enumerate(lines, 1):
        try:
            text = strip_words(line, vocabulary)
            if text:
                found.append(tuple(Step(node, number, show(node)) for node in parse_chain(text, vocabulary)))
        except ParseError as error:
            raise ParseError(_LINE.fill(number=number, why=error.text)) from None
    return tuple(found)


def strip_words(line: str, vocabulary: Vocabulary) -> str:
    """``line`` without the words of a reason, and without the sign that connects it to the line before."""
    line = normalize(line).replace("\x1f", " ")
    while lead := _LEAD.match(line):
        line = line[lead.end() :]
    for pattern in (_MARK, _REASON):
        if (cut := pattern.search(line)) and not _inside(line, cut.start()):
            line = line[: cut.start()]
    for match in _AFTER_COMMA.finditer(line):
        if not _inside(line, match.start()) and _wordy(match[1], vocabulary):
            line = line[: match.start()]
            break
    line = line.rstrip(" ,;:.。")
    while shorter := _without_remark(line, vocabulary):
        line = shorter
    chinese = next((at for at, char in enumerate(line) if is_cjk(char) and not _function(line, at)), None)
    if chinese is not None and not _inside(line, chinese):
        line = line[:chinese]
    return line.rstrip(" ,;:.。")


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
    return any(_foreign(word, vocabulary) for word in _WORD.findall(text))


def _foreign(word: str, vocabulary: Vocabulary) -> bool:
    """Whether a word is neither a function nor made of declared names."""
    try:
        function = function_name(word, vocabulary)
        return function not in _BARE if function else split_word(word, vocabulary) is None
    except ParseError:
        return False


def _function(line: str, at: int) -> bool:
    return any(line.startswith(name, at - shift) for name in _MEANT for shift in range(len(name)) if at >= shift)
