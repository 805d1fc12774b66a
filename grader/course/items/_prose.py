"""Words around an answer that do not change it: ``the answer is 7``, ``96 tokens back``, ``总共 12 个``.

Only words from ``words.yaml`` are dropped, and only before and after an answer. Anything else may change what it says
(half, squared, per head, 不到), so an answer with other words stays unread, and costs nothing.
"""

from __future__ import annotations

import functools
import re

from grader.course.items import _values
from grader.formulas import steps
from grader.formulas.vocabulary import Vocabulary

_ZH = "[\u3400-\u9fff]"
_HAN = re.compile(_ZH)
#: A measure word and what was counted; not 三倍多, 3 个半.
_MEASURED = re.compile(
    r"(?<=[\w)])\s*(?:[个层步条次种号份位块行列头项组句段轮对张倍](?:(?![多余来几半不减负加除])[\u3400-\u9fff]){0,6}"
    r"|(?:时(?:两者|二者|它们)?(?:相等|相同)?|起))$"
)
#: A plural noun says what was counted; not 3 thousands.
_PLURAL = re.compile(r"(?<=\d)\s+(?!\w*(?:thousand|million|billion|hundred|dozen|halve|third|quarter|th)s$)[a-z]{3,}s$")


@functools.cache
def _lead() -> re.Pattern[str]:
    before, before_zh = _values.listed("before"), _values.listed("before_zh")
    each = rf"(?:{before})(?![\w.(\[{{^'-])|(?:{before_zh}|增加(?=[\s\d.]+%))"
    return re.compile(rf"\s*(?:(?:{each})[\s,:]*)+", re.IGNORECASE)


#: What is asked for, and a verb: the divisor is ….
_NAMED = re.compile(r"\s*(?:(?!not\b)[A-Za-z]+\s+){0,6}(?:is|are)\b(?!\s+not\b)\s*", re.IGNORECASE)
#: Chinese words in front of an answer, which name it.
_CHINESE = re.compile(r"\s*[\u3400-\u9fff][\u3400-\u9fff,\s]*")


@functools.cache
def _tail() -> re.Pattern[str]:
    after, after_zh = _values.listed("after"), _values.listed("after_zh")
    return re.compile(rf"(?<![\s,])(?:[\s,]*(?:-?fold|(?<![\w\\-])(?:{after})|(?:{after_zh})))+[\s.]*$", re.IGNORECASE)


#: A conclusion after a comma is the answer: …, so r = ….
_CONCLUSION = re.compile(
    r"[,;.]\s*(?:and\s+)?(?:so|thus|hence|therefore|then|that is|i\.e\.|namely|所以|因此|从而|于是|故|即|得)"
    r"(?![a-z])\s*|[,;.]\s*[\u3400-\u9fff]{0,4}(?:共计?|合计|总计|得)\s*(?![\u3400-\u9fff])|\s即\s"
)
_REASON = re.compile(r"(?<![\s,;])[\s,;]+(?:because|since|due to)\b|因为|由于", re.IGNORECASE)
_EQUALS = re.compile(
    r"\s*(?:\b(?:is\s+|are\s+)?equal\s+to\b|\bequals\b|(?<!约)等于|(?<=[A-Za-z\d_])\s*为(?=\s*[\d(]))\s*", re.IGNORECASE
)
#: A description before a colon has a word, so that a ratio (n : d) is none.
_WORD = re.compile(rf"[A-Za-z]{{3}}|{_ZH}")
#: What makes the formula after a description another one: “not: 7”.
_NEGATED = re.compile(
    r"\b(?:not|never|except|without|wrong|less|more|least|most|below|above|under|over)\b|n['’]t\b|[不非没错]|[小大少多]于|至[少多]",
    re.IGNORECASE,
)
#: A description before a colon has one that is no function: exp(d) : 1 is a ratio.
_NO_FUNCTION = re.compile(rf"(?<![A-Za-z\\])[A-Za-z]{{3,}}(?![A-Za-z(])|{_ZH}")
#: Words after a comma, or in brackets after a space; the first is no name of a formula.
_CLAUSE = re.compile(r"(?<!\s)(?:\s*,\s*[A-Za-z]{4,}[^\d,=()]*|\s\([A-Za-z]{4,}[^\d=()]*\))$")
#: What makes another formula of the one before a remark in brackets: n (squared).
_CHANGED = re.compile(
    r"\b(?:times|squared?|cubed?|twice|thrice|half|halved|doubled?|tripled?|minus|plus|divided|inverse|root|roots|not|per"
    r"|each|every|without|except|negated|negative|inverted|reciprocal|transposed|opposite|wrong|false|instead)\b|[倍半每除减加根方不负少降]",
    re.IGNORECASE,
)


#: So many words make a sentence, in which a number is not the answer.
_SENTENCE = 4


def without_chinese(text: str) -> str:
    """``text`` without the Chinese words at its beginning, unless they change what follows."""
    lead = _CHINESE.match(text)
    if lead is None or _CHANGED.search(lead[0]) or _NEGATED.search(lead[0]):
        return text
    return text[lead.end() :] or text


def conclusion(text: str) -> str:
    """``text`` from its last conclusion on, without a reason after it, and with an equals sign for words that say it.

    What is inside brackets is left alone.
    """
    for found in reversed([*_CONCLUSION.finditer(text)]):
        part_of_it = "共" in found[0] and not _HAN.search(text[: found.start()])  # d/h, 共 h 个头
        if _outside(text, found.start()) and not part_of_it:
            text = text[found.end() :]
            break
    found_reason = _REASON.search(text)
    if found_reason and found_reason.start() and _outside(text, found_reason.start()):
        text = text[: found_reason.start()]
    return _EQUALS.sub(lambda found: found[0] if _NEGATED.search(text[: found.start()]) else " = ", text)


def unlabelled(text: str) -> str:
    """``text`` without the descriptions that end in a colon."""
    while True:
        label, colon, rest = text.partition(":")
        if not colon or not rest.strip() or not _NO_FUNCTION.search(label) or _NEGATED.search(label):
            return text
        if not _outside(text, len(label)):
            return text
        text = rest.lstrip()


def without_remarks(text: str, vocabulary: Vocabulary) -> str:
    """``text`` without the brackets at its end that hold words, unless they change it."""
    shorter = steps.without_remarks(text, vocabulary)
    return without_clause(text if _CHANGED.search(text[len(shorter) :]) else shorter)


def is_remark(text: str) -> bool:
    """Whether ``text``, from a bracket behind an answer, has words that change nothing: a penalty."""
    number = re.search(r"[\d=]", text) and ("=" in text or len(text.split()) < _SENTENCE)
    return bool(_WORD.search(text)) and not number and not _CHANGED.search(text)


def without_chinese_clause(text: str) -> str:
    """``text`` without the Chinese words after its first comma outside brackets, unless they change it."""
    for found in re.finditer(r"[,;]\s*(?=[\u3400-\u9fff])", text):
        if _outside(text, found.start()):
            return text if _CHANGED.search(text[found.end() :]) else text[: found.start()]
    return text


def only_number(text: str) -> str:
    """The one part of ``text``, between commas, with digits in it, if the others change nothing; else ``text``."""
    parts = re.split(r"[,;](?!\d)", text)
    numbers = [part for part in parts if re.search(r"\d", part)]
    words = [part for part in parts if part not in numbers]
    changed = any(_CHANGED.search(part) or _NEGATED.search(part) for part in words)
    return numbers[0] if len(numbers) == 1 and words and not changed else text


def without_clause(text: str) -> str:
    """``text`` without words after a comma, or in brackets, at its end, unless they change it or have numbers."""
    clause = _CLAUSE.search(text)
    return text if clause is None or _CHANGED.search(clause[0]) else text[: clause.start()]


def without_lead(text: str) -> str:
    """``text`` without harmless words at its beginning."""
    if (named := _NAMED.match(text)) and text[named.end() :].strip():
        text = text[named.end() :]
    lead = _lead().match(text)
    return text[lead.end() :] if lead and text[lead.end() :].strip() else text


def without_tail(text: str, *, nouns: bool = True) -> str:
    """``text`` without harmless words at its end, and without those that say what was counted: any with ``nouns``."""
    while True:
        shorter = _values.without_counted(_tail().sub("", text)).rstrip(" ,")
        shorter = _PLURAL.sub("", _MEASURED.sub("", shorter)) if nouns and not _CHANGED.search(shorter) else shorter
        if not shorter.strip() or shorter == text:
            return text
        text = shorter


def _outside(text: str, at: int) -> bool:
    """Whether no bracket is open at position ``at``."""
    before = text[:at]
    return all(before.count(opening) <= before.count(closing) for opening, closing in ("()", "[]", "{}"))
