"""One correct option among several.

## What it asks

To choose one option. Each learner sees the options in a different order. A wrong option can name the misconception
that leads to it.

## Keys

- `options`: 2 to 10 of `{id, text}`, with `correct: true` for exactly one of them. A wrong one may name a
  `misconception`.

## Example

```yaml
kind: choice
options:
  - {id: a, text: {en: the scores, zh: 分数}, misconception: output-is-scores}
  - {id: b, text: {en: a mean of values, zh: 值的加权平均}, correct: true}
```

## Answer

The id of an option, as written here and in `answers.yaml` (the quiz numbers the options in an order of its own):

```text
b
```

## Points

All or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.core.model import Message, Status, Text
from grader.core.text import EMPTY, LINE_BREAK, join
from grader.course.items import Context, Judgment, Parts, Prompt, QuizItem, _options, unreadable
from grader.course.items._options import Option, as_id_text, excerpt, normalize_id, typed_id
from grader.course.problems import ValueProblem

_HOW = Message("Answer with the letter of one option.")
_OTHER = Message("Answer with the letter of one option: {ids}.")


@dataclass(frozen=True, slots=True)
class Spec:
    """The options, in the order of the bank."""

    options: tuple[Option, ...]


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with the options. Exactly one must be correct."""
    yield from _options.validate(spec.options)
    correct = [option.id for option in spec.options if option.correct]
    if len(correct) != 1:
        marked = ", ".join(correct) or "none"
        text = f"found {marked} marked as correct; expected exactly one option with `correct: true`"
        yield ValueProblem(("options",), text, "correct-options")


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """``value`` is the id of an option; case does not matter."""
    option = _option(spec, value)
    if option is not None and option.correct:
        return Judgment(Status.PASSED, 1.0)
    if option is not None:
        return Judgment(Status.FAILED, 0.0, misconception=option.misconception, place=option.id)
    written = as_id_text(value)
    said = "" if written is None else excerpt(written)
    message = _OTHER if written is None else _options.UNKNOWN
    return unreadable(message.fill(said=said, ids=_options.join_ids(spec.options)))


def chosen(spec: Spec, value: object) -> Parts:
    """The option that was chosen."""
    option = _option(spec, value)
    return {} if option is None else {option.id: ""}


def right(spec: Spec) -> Parts:
    """The correct option, or options."""
    return {option.id: "" for option in spec.options if option.correct}


def _option(spec: Spec, value: object) -> Option | None:
    """The option that ``value`` names; None if there is none."""
    written = as_id_text(value)
    if written is None:
        return None
    name = typed_id(written, spec.options)
    return next((option for option in spec.options if normalize_id(option.id) == name), None)


def prompt(spec: Spec, context: Context) -> Prompt:
    """Choose one of the options."""
    return Prompt("one", _HOW, _options.choices(spec.options, context))


def key(spec: Spec, context: Context) -> Text:
    """The correct option, or options."""
    return named_key(spec, {})


def named_key(spec: Spec, names: Mapping[str, str]) -> Text:
    """The correct option, or options, one per line, by ``names``."""
    rows = sorted((names.get(option.id, option.id), option.text) for option in spec.options if option.correct)
    return join([join([f"{name}: ", text], EMPTY) for name, text in rows], LINE_BREAK)


def counted(answer: object) -> tuple[str, ...]:
    """The option that was chosen."""
    return (_options.counted(answer),) if isinstance(answer, str | int) else ()


def quiz_item(spec: Spec, context: Context) -> QuizItem:
    """One of the options."""
    return QuizItem("one", options=spec.options)


def without_key(spec: Spec) -> Spec:
    """The options, without saying which is correct."""
    return Spec(tuple(Option(option.id, option.text) for option in spec.options))
