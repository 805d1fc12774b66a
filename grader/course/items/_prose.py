"""Words around an answer that do not change it: ``the answer is 7``, ``96 tokens back``, ``总共 12 个``.

Only words from ``words.yaml`` are dropped, and only before and after an answer. Anything else may change what it says
(half, squared, per head, 不到), so an answer with other words stays unread, and costs nothing.
"""

from __future__ import annotations

import functools
import re

from grader.core.tables import patterns
from grader.course.items import _values
from grader.formulas import steps
from grader.formulas.vocabulary import Vocabulary

_phrase = patterns(__file__, "prose.yaml")


@functools.cache
def _lead() -> re.Pattern[str]:
    before, before_zh = _values.listed("before"), _values.listed("before_zh")
    each = rf"(?:{before})(?![\w.(\[{{^'-])|(?:{before_zh}|增加(?=[\s\d.]+%))"
    return re.compile(rf"\s*(?:(?:{each})[\s,:]*)+", re.IGNORECASE)


@functools.cache
def _tail() -> re.Pattern[str]:
    after, after_zh = _values.listed("after"), _values.listed("after_zh")
    return re.compile(rf"(?<![\s,])(?:[\s,]*(?:-?fold|(?<![\w\\-])(?:{after})|(?:{after_zh})))+[\s.]*$", re.IGNORECASE)


#: So many words make a sentence, in which a number is not the answer.
_SENTENCE = 4


def without_chinese(text: str) -> str:
    """``text`` without the Chinese words at its beginning, unless they change what follows."""
    lead = _phrase("chinese").match(text)
    if lead is None or _phrase("changed").search(lead[0]) or _phrase("negated").search(lead[0]):
        return text
    return text[lead.end() :] or text


def conclusion(text: str) -> str:
    """``text`` from its last conclusion on, without a reason after it, and with an equals sign for words that say it.

    What is inside brackets is left alone.
    """
    for found in reversed([*_phrase("conclusion").finditer(text)]):
        part_of_it = "共" in found[0] and not _phrase("han").search(text[: found.start()])  # d/h, 共 h 个头
        if _outside(text, found.start()) and not part_of_it:
            text = text[found.end() :]
            break
    found_reason = _phrase("reason").search(text)
    if found_reason and found_reason.start() and _outside(text, found_reason.start()):
        text = text[: found_reason.start()]
    return _phrase("equals").sub(
        lambda found: found[0] if _phrase("negated").search(text[: found.start()]) else " = ", text
    )


def unlabelled(text: str) -> str:
    """``text`` without the descriptions that end in a colon."""
    while True:
        label, colon, rest = text.partition(":")
        if (
            not colon
            or not rest.strip()
            or not _phrase("no_function").search(label)
            or _phrase("negated").search(label)
        ):
            return text
        if not _outside(text, len(label)):
            return text
        text = rest.lstrip()


def without_remarks(text: str, vocabulary: Vocabulary) -> str:
    """``text`` without the brackets at its end that hold words, unless they change it."""
    shorter = steps.without_remarks(text, vocabulary)
    return without_clause(text if _phrase("changed").search(text[len(shorter) :]) else shorter)


def is_remark(text: str) -> bool:
    """Whether ``text``, from a bracket behind an answer, has words that change nothing: a penalty."""
    number = re.search(r"[\d=]", text) and ("=" in text or len(text.split()) < _SENTENCE)
    return bool(_phrase("word").search(text)) and not number and not _phrase("changed").search(text)


def without_chinese_clause(text: str) -> str:
    """``text`` without the Chinese words after its first comma outside brackets, unless they change it."""
    for found in re.finditer(r"[,;]\s*(?=[\u3400-\u9fff])", text):
        if _outside(text, found.start()):
            return text if _phrase("changed").search(text[found.end() :]) else text[: found.start()]
    return text


def only_number(text: str) -> str:
    """The one part of ``text``, between commas, with digits in it, if the others change nothing; else ``text``."""
    parts = re.split(r"[,;](?!\d)", text)
    numbers = [part for part in parts if re.search(r"\d", part)]
    words = [part for part in parts if part not in numbers]
    changed = any(_phrase("changed").search(part) or _phrase("negated").search(part) for part in words)
    return numbers[0] if len(numbers) == 1 and words and not changed else text


def without_clause(text: str) -> str:
    """``text`` without words after a comma, or in brackets, at its end, unless they change it or have numbers."""
    clause = _phrase("clause").search(text)
    return text if clause is None or _phrase("changed").search(clause[0]) else text[: clause.start()]


def without_lead(text: str) -> str:
    """``text`` without harmless words at its beginning."""
    if (named := _phrase("named").match(text)) and text[named.end() :].strip():
        text = text[named.end() :]
    lead = _lead().match(text)
    return text[lead.end() :] if lead and text[lead.end() :].strip() else text


def without_tail(text: str, *, nouns: bool = True) -> str:
    """``text`` without harmless words at its end, and without those that say what was counted: any with ``nouns``."""
    while True:
        shorter = _values.without_counted(_tail().sub("", text)).rstrip(" ,")
        if nouns and not _phrase("changed").search(shorter):
            shorter = _phrase("plural").sub("", _phrase("measured").sub("", shorter))
        if not shorter.strip() or shorter == text:
            return text
        text = shorter


def _outside(text: str, at: int) -> bool:
    """Whether no bracket is open at position ``at``."""
    before = text[:at]
    return all(before.count(opening) <= before.count(closing) for opening, closing in ("()", "[]", "{}"))
