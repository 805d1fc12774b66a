"""Things to pair up.

## What it asks

To give each thing on the left its partner on the right.

## Keys

- `left`: 2 to 10 of `{id, text}`. Ids begin with a letter.
- `right`: 2 to 10 of `{id, text}`; there may be more of them than on the left. Ids are texts, so numbers need quotes.
- `pairs`: `{a: "2", b: "1"}`: the partner of each one on the left.
- `reuse`: whether several may have the same partner.
- `wrong`: `{pair: [a, "1"], misconception}`. The first one that fits counts.

## Example

```yaml
kind: match
left:
  - {id: a, text: {en: RoPE, zh: RoPE}}
  - {id: b, text: {en: ALiBi, zh: ALiBi}}
right:
  - {id: "1", text: {en: adds to the scores, zh: 加到分数上}}
  - {id: "2", text: {en: turns queries and keys, zh: 旋转查询和键}}
  - {id: "3", text: {en: adds to the embeddings, zh: 加到嵌入上}}
pairs: {a: "2", b: "1"}
wrong:
  - {pair: [a, "3"], misconception: rope-acts-once}
```

## Answer

```text
{a: 2, b: 1}
a2 b1
a-2, b-1
a→2；b→1
2a 1b
```

With `reuse`, also `a, c → 2; b → 1`.

## Points

With n things on the left and m on the right, a correct pair earns 1/n and a wrong one takes 1/(n·(m − 1)) away, which
is what guessing would gain; a missing pair counts nothing. The total is never below 0.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.core.constraints import MisconceptionId
from grader.core.model import Message, Status, Text
from grader.core.text import EMPTY, LINE_BREAK, join, name_list
from grader.course.items import (
    Choice,
    Context,
    Judgment,
    Parts,
    Prompt,
    QuizItem,
    _options,
    drawn_first,
    shuffled,
    unreadable,
)
from grader.course.items._options import Arrangeable, excerpt, normalize_id
from grader.course.problems import ValueProblem, unexpected

_HOW = Message("Give each item its match, for example `{example}`.")
_ONCE = Message("Each match is used at most once.")
_OFTEN = Message("A match may be used more than once.")
_UNPAIRED = Message("“{said}” has no match; write pairs such as `{example}`.")
_COUNT = Message("Pairs that are right: {right} of {all}.")


@dataclass(frozen=True, slots=True)
class WrongPair:
    """A wrong pair (left, right) that reveals a misconception."""

    pair: tuple[str, str]
    misconception: MisconceptionId


#: Words between ids that change nothing: 查询 a 配 2.
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_NOT_SO = re.compile(r"[不非没错反]")


@dataclass(frozen=True, slots=True)
class Spec:
    """``pairs`` maps each id of ``left`` to one of ``right``; with ``reuse``, several may map to the same."""

    left: tuple[Arrangeable, ...]
    right: tuple[Arrangeable, ...]
    pairs: Mapping[str, str]
    reuse: bool = False
    wrong: tuple[WrongPair, ...] = ()


# --------------------------------------------------------------------------------------------- in the bank


def validate(spec: Spec) -> Iterator[ValueProblem]:
    """Problems with the entries and pairs: each of ``left`` needs a partner, and wrong pairs have to be wrong."""
    problems = [*_options.validate_things("left", spec.left, 2)]
    problems += _options.validate_things("right", spec.right, 2)
    for index, thing in enumerate(spec.left):
        if not thing.id[:1].isalpha():
            what = "an id that begins with a letter, such as a (it is a key in answers.yaml)"
            problems.append(unexpected(("left", index, "id"), thing.id, what, "duplicate-name"))
    for index, thing in enumerate(spec.right):
        if normalize_id(thing.id) in _options.names(spec.left):
            what = "an id that no entry of `left` has, such as 1"
            problems.append(unexpected(("right", index, "id"), thing.id, what, "duplicate-name"))
    yield from problems or itertools.chain(_pairs(spec), _wrong(spec))


def _pairs(spec: Spec) -> Iterator[ValueProblem]:
    for name, partner in spec.pairs.items():
        yield from _options.unknown_id(("pairs", name), name, spec.left, "an id of `left`")
        yield from _options.unknown_id(("pairs", name), partner, spec.right, "an id of `right`")
    missing = [thing.id for thing in spec.left if thing.id not in spec.pairs]
    if missing:
        yield ValueProblem(("pairs",), f"expected a partner for {', '.join(missing)} as well", "pairs")
    partners = [spec.pairs.get(thing.id) for thing in spec.left]
    if not spec.reuse and len(set(partners)) < len(partners):
        yield ValueProblem(("pairs",), "one partner is used twice; expected each once, or `reuse: true`", "pairs")
    if partners == [thing.id for thing in spec.right]:
        text = "every partner is in the same position as its entry of `left`; expected another order"
        yield ValueProblem(("right",), text, "given-away")


def _wrong(spec: Spec) -> Iterator[ValueProblem]:
    for index, wrong in enumerate(spec.wrong):
        left, right = wrong.pair
        path = ("wrong", index, "pair")
        yield from _options.unknown_id((*path, 0), left, spec.left, "an id of `left`")
        yield from _options.unknown_id((*path, 1), right, spec.right, "an id of `right`")
        if spec.pairs.get(left) == right:
            yield unexpected(path, list(wrong.pair), "a pair that is not right", "wrong-is-right")


# ------------------------------------------------------------------------------------------------- answers


def judge(spec: Spec, value: object, context: Context) -> Judgment:
    """``value`` is a mapping ``{a: 2, b: 1}``, a list of pairs, or a text such as ``a2 b1`` or ``a→2；b→1``."""
    pairs = _read(spec, value)
    if isinstance(pairs, Text):
        return unreadable(pairs)
    partners = {normalize_id(left): normalize_id(right) for left, right in spec.pairs.items()}
    right = sum(pairs.get(left) == partner for left, partner in partners.items())
    if right == len(partners):
        return Judgment(Status.PASSED, 1.0)
    # A guess is right once in len(right) times, so each wrong pair takes back what guesses gain on average.
    fraction = max(0.0, right - (len(pairs) - right) / (len(spec.right) - 1)) / len(partners)
    misread = next((wrong for wrong in spec.wrong if _has(pairs, wrong)), None)
    wrong_pairs = [name for name in pairs if pairs[name] != partners.get(name)]
    place = normalize_id(misread.pair[0]) if misread else drawn_first(wrong_pairs, context)
    spelt = next((thing.id for thing in spec.left if normalize_id(thing.id) == place), None)
    message = None if misread else _COUNT.fill(right=right, all=len(partners))
    return Judgment(Status.FAILED, fraction, message, misread.misconception if misread else None, place=spelt)


def chosen(spec: Spec, value: object) -> Parts:
    """The partner that each entry of ``left`` was given; those without one are left out."""
    pairs = _read(spec, value)
    if isinstance(pairs, Text):
        return {}
    partners = {normalize_id(thing.id): thing.id for thing in spec.right}
    given = {thing.id: pairs.get(normalize_id(thing.id)) for thing in spec.left}
    return {name: partners[partner] for name, partner in given.items() if partner is not None}


def right(spec: Spec) -> Parts:
    """The partner of each entry of ``left``."""
    return dict(spec.pairs)


def prompt(spec: Spec, context: Context) -> Prompt:
    """Both sides, shuffled independently."""
    left, right = ([Choice(thing.id, thing.text) for thing in side] for side in (spec.left, spec.right))
    how = _HOW.fill(example=_example(spec))
    other = dataclasses.replace(context, item=f"{context.item} right")
    times = _OFTEN if spec.reuse else _ONCE
    return Prompt("pairs", how, shuffled(left, context), shuffled(right, other), (times,))


def key(spec: Spec, context: Context) -> Text:
    """Each entry of ``left`` with its partner, in full."""
    return named_key(spec, {})


def named_key(spec: Spec, names: Mapping[str, str]) -> Text:
    """Each entry of ``left`` with its partner, by ``names``."""
    partners = {thing.id: thing.text for thing in spec.right}
    rows = []
    for thing in sorted(spec.left, key=lambda thing: names.get(thing.id, thing.id)):
        partner = spec.pairs[thing.id]
        ids = f"{names.get(thing.id, thing.id)}–{names.get(partner, partner)}: "
        rows.append(join([ids, thing.text, " – ", partners[partner]], EMPTY))
    return join(rows, LINE_BREAK)


def quiz_item(spec: Spec, context: Context) -> QuizItem:
    """The pairs, and the partners that belong to none."""
    partners = {thing.id: thing.text for thing in spec.right}
    pairs: list[tuple[Text | None, Text]] = [(thing.text, partners[spec.pairs[thing.id]]) for thing in spec.left]
    pairs += [(None, text) for name, text in partners.items() if name not in spec.pairs.values()]
    return QuizItem("pairs", pairs=tuple(pairs))


def without_key(spec: Spec) -> Spec:
    """Both sides, without the pairs."""
    return Spec(spec.left, spec.right, {}, spec.reuse)


def _example(spec: Spec) -> str:
    """How to write pairs, without giving any away."""
    first, second = sorted((thing.id for thing in spec.left), key=normalize_id)[:2]
    return f"{{{first}: …, {second}: …}}"


def _has(pairs: Mapping[str, str], wrong: WrongPair) -> bool:
    left, right = map(normalize_id, wrong.pair)
    return pairs.get(left) == right


# ------------------------------------------------------------------------------------------- reading pairs


def _read(spec: Spec, value: object) -> dict[str, str] | Text:
    """The partners that the answer gives, by ids of ``left``, or why it cannot be read.

    With ``reuse``, ``a, b → 1`` and ``1: a, b`` are two pairs each.
    """
    left, right = _options.names(spec.left), _options.names(spec.right)
    words = _options.split_words(_flat(value)) or []
    if not any(map(_NOT_SO.search, words)):
        words = [part for word in words for part in ([word] if word in left or word in right else _CHINESE.split(word))]
    parts = [part for word in words if word for part in _apart(word, left, right)]
    if not parts:
        return Message("Write pairs such as `{example}`.").fill(example=_example(spec))
    strange = next((part for part in parts if part not in left and part not in right), None)
    if strange is not None:
        return _options.UNKNOWN_THING.fill(said=excerpt(strange), ids=name_list([*left, *right]))
    partners: dict[str, str] = {}
    for ones, others in _groups(parts, left):
        lefts, rights = (ones, others) if parts[0] in left else (others, ones)
        if len(rights) != 1 or not lefts or (len(lefts) > 1 and not spec.reuse):
            return _UNPAIRED.fill(said=excerpt(ones[0]), example=_example(spec))
        for name in lefts:
            if partners.setdefault(name, rights[0]) != rights[0]:
                return Message("“{said}” has two matches; give it one.").fill(said=name)
    return partners


def _flat(value: object, depth: int = 3) -> list[object]:
    """Keys, values and elements of lists, flattened in order, down to ``depth`` levels."""
    if depth and isinstance(value, dict):
        value = list(value.items())
    if depth and isinstance(value, (list, tuple)):
        return [part for element in value for part in _flat(element, depth - 1)]
    return [value]


def _apart(word: str, left: Sequence[str], right: Sequence[str]) -> list[str]:
    """The ids in ``word``: ``a2`` and ``2a`` are a and 2; if all ids are single characters, ``a2b1`` is four ids."""
    if word in left or word in right:
        return [word]
    both = [pair for first, second in itertools.product(left, right) for pair in ([first, second], [second, first])]
    splits = [pair for pair in both if "".join(pair) == word]
    return splits[0] if len(splits) == 1 else _options.split_ids(word, [*left, *right])


def _groups(parts: Sequence[str], left: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """The ids of one side that stand together, each time with those of the other side that follow; maybe none."""
    groups = [list(group) for _, group in itertools.groupby(parts, key=lambda part: part in left)]
    yield from itertools.zip_longest(groups[::2], groups[1::2], fillvalue=[])
