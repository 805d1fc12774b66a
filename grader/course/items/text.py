"""An answer in one's own words, marked by a person.

## What it asks

For a sentence or two. Patterns cannot judge who does what to whom, so attncheck never decides: in the quiz, learners
see the model answer and its key points and say which of them they made; a submitted answer waits for a person
(`pending`), who marks it by the same key points (`attncheck override DIR --pending`).

## Keys

- `key_points`: two to four points that a complete answer makes, `{en, zh}` each.
- `answer`: a model answer in both languages, which makes all of them.
- `wrong`: `{misconception}` for each one that the answer should not be confused with. Learners see its `truth`.
- `least`: the smallest length in words. Two Chinese characters count as one word.
- `most`: the greatest length in words.

## Example

```yaml
kind: text
key_points:
  - {en: The variance of the scores grows with d_k., zh: 分数的方差随 d_k 增大。}
  - {en: The softmax then puts nearly all the weight on one key., zh: softmax 于是把几乎全部权重放在一个键上。}
wrong:
  - {misconception: overflow-is-the-reason}
answer:
  en: The variance of q·k grows with d_k, so the softmax gives nearly all the weight to one key.
  zh: q·k 的方差随 d_k 增大，softmax 便把几乎全部权重给了一个键。
```

## Answer

```text
The scores get larger and larger with d_k, until one key has all the weight.
d_k 越大，分数的方差也越大，softmax 几乎只看一个键
```

## Points

A person decides, with one equal share of the points for each key point:

| answer | |
|---|---|
| less than `least` | not an answer: asked again |
| anything else | pending |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.core.constraints import MisconceptionId
from grader.core.model import LANGUAGES, Message, Status, Text
from grader.course.items import Context, Judgment, Prompt, unreadable
from grader.course.problems import ValueProblem, unexpected

#: A person reads the answer, however long it is.
ANY_LENGTH = True
BY_HAND = True
#: Characters of an answer whose words are counted.
MAX_LENGTH = 2000
_FEWEST, _MOST = 2, 4

_HOW = Message("Answer in your own words, in a sentence or two ({least} to {most} words, in either language).")
_SHORT = Message("Write a full sentence of at least {least} words.")
_LONG = Message("Your instructor will mark this answer. It is longer than {most} words.")


@dataclass(frozen=True, slots=True)
class Confusion:
    """A misconception that the right answer should not be confused with."""

    misconception: MisconceptionId


@dataclass(frozen=True, slots=True)
class Spec:
    """``answer`` makes all ``key_points``. ``least`` and ``most`` limit the length of an answer (see ``_length``)."""

    key_points: tuple[Text, ...]
    answer: Text
    wrong: tuple[Confusion, ...] = ()
    least: int = 4
    most: int = 120


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with the limits, the number of key points, and the length of the model answer."""
    if not 1 < spec.least < spec.most <= 250:
        text = f"found {spec.least} to {spec.most} words; expected from 2 or more to 250 or fewer"
        yield ValueProblem(("least",), text, "out-of-range")
    if not _FEWEST <= len(spec.key_points) <= _MOST:
        expected = f"{_FEWEST} to {_MOST} key points"
        yield unexpected(("key_points",), len(spec.key_points), expected, "wrong-length")
    for lang in LANGUAGES:
        length = _length(spec.answer.of(lang))
        if not spec.least <= length <= spec.most:
            text = f"found {length} words; expected {spec.least} to {spec.most}"
            yield ValueProblem(("answer", lang), text, "own-answer")


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """Pending, unless it is too short to be an answer. ``value`` is a text, or a list of lines."""
    if isinstance(value, (list, tuple)) and all(isinstance(line, str) for line in value):
        value = "\n".join(value)
    length = _length(value[:MAX_LENGTH]) if isinstance(value, str) else 0
    if length < spec.least:
        return unreadable(_SHORT.fill(least=_words(spec.least)))
    if length > spec.most:
        return Judgment(Status.PENDING, 0.0, _LONG.fill(most=_words(spec.most)))
    return Judgment(Status.PENDING, 0.0, Message("Your instructor will mark this answer."))


def prompt(spec: Spec, context: Context) -> Prompt:
    """One line, in the learner's own words."""
    return Prompt("line", _HOW.fill(least=_words(spec.least), most=_words(spec.most)))


def key(spec: Spec, context: Context) -> Text:
    """The model answer."""
    return spec.answer


def without_key(spec: Spec) -> Spec:
    """The limits on length."""
    return Spec((), Message("…"), least=spec.least, most=spec.most)


def _words(words: int) -> Text:
    """A number of words, which is twice as many Chinese characters."""
    return Text(str(words), str(2 * words))


_CHINESE = re.compile(r"[\u3400-\u9fff]")


def _length(text: str) -> int:
    """The number of words; two Chinese characters count as one."""
    return len(re.findall(r"\w+", _CHINESE.sub(" ", text))) + len(_CHINESE.findall(text)) // 2
