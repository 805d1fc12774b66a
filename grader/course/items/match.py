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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.core.faults import Fault, unexpected
from grader.core.model import Lang, Status, Text
from grader.course.items import Asked, Choice, Context, Judged, _ids, shuffled
from grader.course.items._ids import Thing
from grader.course.items._options import plain, short

_MOST = 10

_HOW = Text(
    "Answer with a partner for each, such as {example}. {times}", "为每一项选一个对应项，例如 {example}。{times}"
)
_ONCE = Text("No partner is needed twice.", "同一个对应项不会用到两次。")
_OFTEN = Text("Several may have the same partner.", "几项可以对应同一项。")
_UNPAIRED = Text(
    "“{said}” has no partner; write pairs such as {example}.", "「{said}」没有配对；请写成 {example} 的形式。"
)
_NOTHING = Text("Write pairs such as {example}.", "请写成 {example} 这样的配对。")
_TWICE = Text("“{said}” has two partners; give it one.", "「{said}」配了两个；只能配一个。")
_COUNT = Text("Pairs that are right: {right} of {all}.", "{all} 对中有 {right} 对正确。")


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong pair (left, right) that shows what was thought."""

    pair: tuple[str, str]
    misconception: str


@dataclass(frozen=True, slots=True)
class Spec:
    """``pairs`` gives each of ``left`` its partner of ``right``; with ``reuse``, several may have the same."""

    left: tuple[Thing, ...]
    right: tuple[Thing, ...]
    pairs: Mapping[str, str]
    reuse: bool = False
    wrong: tuple[Wrong, ...] = ()


class _NoPairs(ValueError):
    """What was written are no pairs; ``text`` says why."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


# --------------------------------------------------------------------------------------------- in the bank


def faults(spec: Spec) -> Iterator[Fault]:
    """Everything on the left has one partner, ids do not give it away, and wrong pairs are wrong."""
    found = [*_ids.faults("left", spec.left, 2, _MOST), *_ids.faults("right", spec.right, 2, _MOST)]
    for index, thing in enumerate(spec.left):
        if not thing.id[:1].isalpha():
            what = "an id that begins with a letter, such as a (it is a key in answers.yaml)"
            found.append(unexpected(("left", index, "id"), thing.id, what))
    for index, thing in enumerate(spec.right):
        if plain(thing.id) in _names(spec.left):
            found.append(unexpected(("right", index, "id"), thing.id, "an id that nothing on the left has, such as 1"))
    yield from found or itertools.chain(_pairs(spec), _wrong(spec))


def _pairs(spec: Spec) -> Iterator[Fault]:
    for name, partner in spec.pairs.items():
        yield from _ids.stranger(("pairs", name), name, spec.left, "an id of `left`")
        yield from _ids.stranger(("pairs", name), partner, spec.right, "an id of `right`")
    missing = [thing.id for thing in spec.left if thing.id not in spec.pairs]
    if missing:
        yield Fault(("pairs",), f"expected a partner for {', '.join(missing)}, too")
    partners = [spec.pairs.get(thing.id) for thing in spec.left]
    if not spec.reuse and len(set(partners)) < len(partners):
        yield Fault(("pairs",), "one partner stands there twice; expected each once, or `reuse: true`")
    if partners == [thing.id for thing in spec.right]:
        yield Fault(("right",), "every partner stands at the place of what it belongs to; expected another order")


def _wrong(spec: Spec) -> Iterator[Fault]:
    for index, wrong in enumerate(spec.wrong):
        left, right = wrong.pair
        path = ("wrong", index, "pair")
        yield from _ids.stranger((*path, 0), left, spec.left, "an id of `left`")
        yield from _ids.stranger((*path, 1), right, spec.right, "an id of `right`")
        if spec.pairs.get(left) == right:
            yield unexpected(path, list(wrong.pair), "a pair that is not right")


def _names(things: Sequence[Thing]) -> list[str]:
    return [plain(thing.id) for thing in things]


# ------------------------------------------------------------------------------------------------- answers


def judge(spec: Spec, value: object, context: Context) -> Judged:
    """``value`` is a mapping ``{a: 2, b: 1}``, a list of pairs, or a text such as ``a2 b1`` or ``a→2；b→1``."""
    try:
        pairs = _read(spec, value)
    except _NoPairs as fault:
        return Judged(Status.FAILED, 0.0, fault.text, readable=False)
    partners = {plain(left): plain(right) for left, right in spec.pairs.items()}
    right = sum(pairs.get(left) == partner for left, partner in partners.items())
    if right == len(partners):
        return Judged(Status.PASSED, 1.0)
    # Whoever guesses finds one partner of so and so many, so each wrong one takes back what that is worth.
    fraction = max(0.0, right - (len(pairs) - right) / (len(spec.right) - 1)) / len(partners)
    misconception = next((wrong.misconception for wrong in spec.wrong if _has(pairs, wrong)), None)
    message = None if misconception else _COUNT.fill(right=right, all=len(partners))
    return Judged(Status.FAILED, fraction, message, misconception)


def asked(spec: Spec, context: Context) -> Asked:
    """Both sides, each in its own order."""
    left, right = ([Choice(thing.id, thing.text) for thing in side] for side in (spec.left, spec.right))
    how = _HOW.fill(example=_example(spec), times=_OFTEN if spec.reuse else _ONCE)
    other = dataclasses.replace(context, item=f"{context.item} right")
    return Asked("pairs", how, shuffled(left, context), shuffled(right, other))


def key(spec: Spec, context: Context) -> Text:
    """Each on the left with its partner, in words."""
    partners = {thing.id: thing for thing in spec.right}

    def lines(lang: Lang) -> str:
        return "\n".join(
            f"{thing.id}–{spec.pairs[thing.id]}: {thing.text.of(lang)} – {partners[spec.pairs[thing.id]].text.of(lang)}"
            for thing in spec.left
        )

    return Text(lines("en"), lines("zh"))


def unkeyed(spec: Spec) -> Spec:
    """Both sides, without a pair."""
    return Spec(spec.left, spec.right, {}, spec.reuse)


def _example(spec: Spec) -> str:
    """How pairs are written, without any of them."""
    first, second = sorted((thing.id for thing in spec.left), key=plain)[:2]
    return f"{{{first}: …, {second}: …}}"


def _has(pairs: Mapping[str, str], wrong: Wrong) -> bool:
    left, right = map(plain, wrong.pair)
    return pairs.get(left) == right


# ------------------------------------------------------------------------------------------- reading pairs


def _read(spec: Spec, value: object) -> dict[str, str]:
    """The partner of each on the left that has one."""
    left, right = _names(spec.left), _names(spec.right)
    words = _ids.words(_flat(value))
    parts = [part for word in words or () for part in _apart(word, left, right)]
    if not parts:
        raise _NoPairs(_NOTHING.fill(example=_example(spec)))
    strange = next((part for part in parts if part not in left and part not in right), None)
    if strange is not None:
        raise _NoPairs(_ids.UNKNOWN.fill(said=short(strange), ids=_ids.listed([*left, *right])))
    found: dict[str, str] = {}
    for one, partner in _grouped(spec, parts, left, right):
        if found.get(one, partner) != partner:
            raise _NoPairs(_TWICE.fill(said=one))
        found[one] = partner
    return found


def _flat(value: object, depth: int = 3) -> list[object]:
    """Keys and values, and what stands in lists, in their order."""
    if depth and isinstance(value, dict):
        value = list(value.items())
    if depth and isinstance(value, (list, tuple)):
        return [part for each in value for part in _flat(each, depth - 1)]
    return [value]


def _apart(word: str, left: Sequence[str], right: Sequence[str]) -> list[str]:
    """``a2`` is a and 2, and so is ``2a``; with single letters, ``a2b1`` is four."""
    if word in left or word in right:
        return [word]
    both = [pair for one, other in itertools.product(left, right) for pair in ([one, other], [other, one])]
    found = [pair for pair in both if "".join(pair) == word]
    return found[0] if len(found) == 1 else _ids.apart(word, [*left, *right])


def _grouped(spec: Spec, parts: Sequence[str], left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs; where partners are used several times, ``a, b → 1`` and ``1: a, b`` are two of them."""
    groups = [list(group) for _, group in itertools.groupby(parts, key=lambda part: part in left)]
    first = next(iter(groups), [])
    ones: list[str]
    others: list[str]
    for ones, others in itertools.zip_longest(groups[::2], groups[1::2], fillvalue=[]):
        lefts, rights = (ones, others) if first[0] in left else (others, ones)
        if len(rights) != 1 or not lefts or (len(lefts) > 1 and not spec.reuse):
            raise _NoPairs(_UNPAIRED.fill(said=short((ones or others)[0]), example=_example(spec)))
        yield from ((one, rights[0]) for one in lefts)
