r"""An answer in one's own words, marked automatically or left to a person.

## What it asks

For a sentence or two. Patterns look for ideas, and they never take a point away: what they cannot decide waits for a
person (`pending`).

## Keys

- `ideas`: what has to be said: `{id, text, any}`. `any` are patterns in both languages, of which one must be found.
- `answer`: a good answer in both languages; `bank check` proves that it passes.
- `wrong`: `{any, misconception}`: patterns that show a misconception.
- `least`: the smallest length in words. Two Chinese characters count as one word.
- `most`: the greatest length in words.

Patterns are regular expressions. They are searched in each sentence by itself, whatever its language, in lower and
upper case. Answers are first put into plain characters (full width, `²`, curly quotes and line breaks are gone), so
patterns have to be written in plain characters, too. A match does not count if its clause negates it (“the scores do
not grow”, 不会变大), calls it wrong or asks; a negation in a condition (“if we do not divide, …”, 不除的话) does no
harm. Where the idea itself is a negation, put that into a pattern of its own: `'\bno gradient'`, `'没有梯度'`.

To make sure that no text can keep the grader busy, patterns have groups, `[ ]`, `|`, look-around, `? * +` and
`{m,n}`, and nothing else (no back-references, no flags). They may have at most 8000 ways to match from one place:
alternatives add up, consecutive parts multiply, and `.{0,40}` has 41 ways. In practice: one gap, or two short ones,
with bounds.

## Example

```yaml
kind: text
ideas:
  - id: scores-grow
    text: {en: scores grow with d_k, zh: 分数随 d_k 变大}
    any: ['\b(variance|scores?)\b.{0,40}\b(grow|increas|large)', '(方差|分数).{0,12}(增大|变大|很大)']
wrong:
  - {any: ['\boverflow', '溢出'], misconception: overflow-is-the-reason}
answer:
  en: The variance of q·k grows with d_k, and so do the scores.
  zh: q·k 的方差随 d_k 增大，分数也随之变大。
```

## Answer

```text
The scores get larger and larger with d_k.
d_k 越大，分数的方差也越大，会变大很多
```

## Points

All, or a person decides:

| found | |
|---|---|
| every idea, none denied, no misconception | passed, and labelled as marked automatically |
| a misconception | pending; it is named as a guess, and its guiding question is shown |
| anything else | pending; the ideas found so far are named |
| less than `least` | not an answer: asked again |
| more than `most`, or 2000 characters | pending, unread |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grader.core.constraints import Revealed
from grader.core.model import Lang, Status, Text
from grader.core.problems import Kind
from grader.core.value_problems import Path, ValueProblem, unexpected
from grader.course.items import Context, Judgment, Prompt, _patterns, unreadable
from grader.course.items._options import normalize_id

Span: TypeAlias = tuple[int, int]

HEAVY = True
#: Answers that are too long for patterns wait for a person.
ANY_LENGTH = True

_HOW = Text(
    "Answer in your own words, in a sentence or two ({least} to {most} words, in either language).",
    "用自己的话回答一两句（{least} 到 {most} 字，中英文均可）。",
)
_SHORT = Text("Write a full sentence of at least {least} words.", "请写完整的句子，至少 {least} 字。")
_MARKED = Text("Marked automatically. Points found: {ideas}.", "已自动评分，找到的要点：{ideas}。")
_WAITS = Text("Your instructor will mark this answer. {found}", "这个答案由老师批改。{found}")
_FOUND = Text("Points found so far: {ideas}.", "目前找到的要点：{ideas}。")
_LONG = Text("It is longer than {most} words.", "它超过了 {most} 字。")
_SOUNDS = Text(
    "It looks like a common misconception, but that is only a guess.", "看起来像是一个常见的误解，但这只是猜测。"
)
_NOTHING = Text("", "")


@dataclass(frozen=True, slots=True)
class Idea:
    """A point that an answer has to make. It is made if one of the patterns ``any`` (both languages) is found."""

    id: str
    text: Text
    any: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WrongIdea:
    """A sign of a misconception: one of the patterns ``any``."""

    any: tuple[str, ...]
    misconception: Revealed


@dataclass(frozen=True, slots=True)
class Spec:
    """``answer`` is a good answer with all ``ideas``. ``least`` and ``most`` limit its length (see ``_length``)."""

    ideas: tuple[Idea, ...]
    answer: Text
    wrong: tuple[WrongIdea, ...] = ()
    least: int = 4
    most: int = 120


# --------------------------------------------------------------------------------------------- in the bank


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with patterns (invalid or slow) and with the good answer, which has to pass in both languages."""
    if not 1 < spec.least < spec.most <= 250:
        yield ValueProblem(
            ("least",),
            f"saw {spec.least} to {spec.most} words; expected from 2 or more to 250 or fewer",
            Kind.OUT_OF_RANGE,
        )
    if not spec.ideas:
        yield unexpected(("ideas",), [], "one idea or more", Kind.WRONG_LENGTH)
    seen: set[str] = set()
    found: list[ValueProblem] = []
    for index, idea in enumerate(spec.ideas):
        if normalize_id(idea.id) in seen or not idea.id:
            yield unexpected(("ideas", index, "id"), idea.id, "an id that no other idea has", Kind.DUPLICATE_NAME)
        seen.add(normalize_id(idea.id))
        found += _sound(("ideas", index, "any"), idea.any)
    for index, wrong in enumerate(spec.wrong):
        found += _sound(("wrong", index, "any"), wrong.any)
    yield from found or _passes(spec)


def _sound(path: Path, patterns: Sequence[str]) -> Iterator[ValueProblem]:
    if not patterns:
        yield unexpected(path, [], "one pattern or more", Kind.WRONG_LENGTH)
    for index, pattern in enumerate(patterns):
        expected = _patterns.explain_invalid(pattern)
        if expected:
            yield unexpected((*path, index), pattern, expected, Kind.FORMULA)


def _passes(spec: Spec) -> Iterator[ValueProblem]:
    langs: tuple[Lang, ...] = ("en", "zh")
    for lang in langs:
        text = _patterns.normalize(spec.answer.of(lang))
        missing = [idea.id for idea in spec.ideas if not _said(idea.any, text)[0]]
        if missing:
            yield ValueProblem(
                ("answer", lang), f"{', '.join(missing)} cannot be found in it; expected all ideas", Kind.OWN_ANSWER
            )
        for wrong in spec.wrong:
            if _said(wrong.any, text)[0]:
                yield ValueProblem(
                    ("answer", lang),
                    f"it matches the misconception {wrong.misconception}; expected that it does not",
                    Kind.OWN_ANSWER,
                )
        if not missing and any(_said(idea.any, text)[1] for idea in spec.ideas):
            yield ValueProblem(
                ("answer", lang), "it denies an idea somewhere; expected that it does not", Kind.OWN_ANSWER
            )
        if not spec.least <= _length(text) <= spec.most:
            yield ValueProblem(
                ("answer", lang), f"saw {_length(text)} words; expected {spec.least} to {spec.most}", Kind.OWN_ANSWER
            )


# ------------------------------------------------------------------------------------------------- answers


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """``value`` is a text, or a list of lines."""
    if isinstance(value, (list, tuple)) and all(isinstance(line, str) for line in value):
        value = "\n".join(value)
    if not isinstance(value, str):
        value = ""
    if len(value) > _patterns.MAX_LENGTH or _length(value) > spec.most:
        return _waits(spec)
    text = _patterns.normalize(value)
    if len(text) > _patterns.MAX_LENGTH:  # normalization can turn one character into eighteen
        return _waits(spec)
    if _length(text) < spec.least:
        short = Text(_SHORT.fill(least=spec.least).en, _SHORT.fill(least=2 * spec.least).zh)
        return unreadable(short)
    said = {idea.id: _said(idea.any, text) for idea in spec.ideas}
    found = [idea.text for idea in spec.ideas if said[idea.id][0]]
    ideas = Text("; ".join(each.en for each in found), "；".join(each.zh for each in found))
    wrong = next((wrong for wrong in spec.wrong if _said(wrong.any, text)[0]), None)
    if wrong is not None:
        return Judgment(Status.PENDING, 0.0, _WAITS.fill(found=_SOUNDS), wrong.misconception)
    if all(clear and not denied for clear, denied in said.values()):
        return Judgment(Status.PASSED, 1.0, _MARKED.fill(ideas=ideas))
    return Judgment(Status.PENDING, 0.0, _WAITS.fill(found=_FOUND.fill(ideas=ideas) if found else _NOTHING))


def _waits(spec: Spec) -> Judgment:
    """The judgment of an answer that is too long, which waits for a person."""
    long = Text(_LONG.fill(most=spec.most).en, _LONG.fill(most=2 * spec.most).zh)
    return Judgment(Status.PENDING, 0.0, _WAITS.fill(found=long))


def prompt(spec: Spec, context: Context) -> Prompt:
    """One line, in the learner's own words."""
    en = _HOW.fill(least=spec.least, most=spec.most).en
    return Prompt("line", Text(en, _HOW.fill(least=2 * spec.least, most=2 * spec.most).zh))


def key(spec: Spec, context: Context) -> Text:
    """The good answer in the bank."""
    return spec.answer


def without_key(spec: Spec) -> Spec:
    """The limits on length."""
    return Spec((), Text("…", "…"), least=spec.least, most=spec.most)


_CHINESE = re.compile(r"[\u3400-\u9fff]")


def _length(text: str) -> int:
    """The number of words; two Chinese characters count as one."""
    return len(re.findall(r"\w+", _CHINESE.sub(" ", text))) + len(_CHINESE.findall(text)) // 2


# ---------------------------------------------------------------------------------- said, or only denied

#: Patterns do not match across the end of a sentence.
_SENTENCE = re.compile(r"(?:[^.!?;。]|\.(?=\w))+[.!?;。]?")
#: Where the scope of a negation ends: at a comma, or at a word that begins another clause.
_CLAUSE = re.compile(
    r"[,:、]|\b(?:but|(?<!not )because|since|however|so|therefore|hence|whereas|while|then)\b"
    r"|但|而是|(?<!不是)(?:因为|由于)|所以|因此|于是|从而|导致|就会|的话|时",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not(?! only| just)|no(?! matter)|never|none|neither|nor|hardly|cannot|instead of|rather than"
    r"|doubt|myth|some (?:say|think|believe|claim)|\w+n't)\b"
    r"|不(?!同|断|仅|但|过|管|论|只是|再|得不|稳)|没|无(?!论|限|穷)|非(?!常|线性|负|零)|未(?!来|必)|以为|误(?!差)|有人",
    re.IGNORECASE,
)
#: A negation after one of these concerns the condition, not the conclusion.
_CONDITION = re.compile(r"\b(?:if|when|with|without|unless)\b|如果|假如|要是|若|当|一旦", re.IGNORECASE)
_DENIAL = re.compile(
    r"\b(?:false|wrong|untrue|incorrect|not true|not right|not the case)\b|不对|不成立|是错|错误|错的|不正确",
    re.IGNORECASE,
)


def _said(patterns: Sequence[str], text: str) -> tuple[bool, bool]:
    """Whether some pattern is found and not denied; and whether some is denied outside of such matches."""
    clear: list[Span] = []
    denied: list[Span] = []
    for sentence in _SENTENCE.finditer(text):
        for pattern in patterns:
            for start, end in _patterns.search(pattern, sentence[0]):
                spans = denied if _denied(pattern, sentence[0], start, end) else clear
                spans.append((sentence.start() + start, sentence.start() + end))
    apart = [span for span in denied if not any(span[0] < end and start < span[1] for start, end in clear)]
    return bool(clear), bool(apart)


def _denied(pattern: str, sentence: str, start: int, end: int) -> bool:
    """Whether ``sentence`` negates the match at ``start:end``, calls it wrong, or is a question."""
    clause = max((found.end() for found in _CLAUSE.finditer(sentence, 0, start)), default=0)
    before, after = sentence[clause:start], _CLAUSE.split(sentence[end:])[0]
    negated = _NEGATION.search(before) and not _CONDITION.search(before)
    inside = _NEGATION.search(sentence, start, end) and not _NEGATION.search(re.sub(r"\\.", " ", pattern))
    refused = _DENIAL.search(before) or _DENIAL.search(after)
    return bool(negated or inside or refused or sentence.endswith("?"))
