"""Answering with keys: the options selected, moved or paired so far. Pure; ``grader.learning.keyboard`` reads keys."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from grader.course.items import Form, Prompt, numbers

#: Forms that are answered by selecting options; the others are typed.
CHOICE_FORMS: tuple[Form, ...] = ("one", "many", "order", "pairs")


@dataclass(frozen=True, slots=True)
class ChoiceState:
    """What is selected so far.

    ``ids`` and ``partners`` are in the order shown, and ``digits`` the keys that choose them, by id. ``cursor`` is the
    row that keys act on (-1: none yet) and ``marked`` are the ids selected. ``order`` holds the ids in their current
    order; digits have placed the first ``placed`` of them, and a ``held`` row moves with the cursor. ``pairs`` is the
    partner of each row, or None.
    """

    form: Form
    ids: tuple[str, ...]
    partners: tuple[str, ...] = ()
    digits: Mapping[str, str] = field(default_factory=dict)
    cursor: int = 0
    marked: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()
    placed: int = 0
    held: bool = False
    pairs: tuple[str | None, ...] = ()


def begin(asked: Prompt, last: str = "") -> ChoiceState:
    """An empty selection, or the one that the answer ``last`` stands for.

    In the form "one" the cursor starts on no row, so that Enter alone does not submit anything.
    """
    ids = tuple(choice.id for choice in asked.choices)
    partners = tuple(choice.id for choice in asked.partners)
    words = re.findall(r"\w+", last)
    paired = dict(zip(words[::2], words[1::2], strict=False)) if asked.form == "pairs" else {}
    return ChoiceState(
        form=asked.form,
        ids=ids,
        partners=partners,
        digits=numbers(asked.partners or asked.choices),
        cursor=-1 if asked.form == "one" else 0,
        marked=frozenset(words) & frozenset(ids),
        order=tuple(words) if sorted(words) == sorted(ids) else ids,
        pairs=tuple(paired[name] if paired.get(name) in partners else None for name in ids),
    )


def press(selection: ChoiceState, key: str) -> ChoiceState:
    """The picker after ``key``: "up", "down", "left", "right", "space", "backspace" or a character."""
    if key in ("up", "down"):
        return _step(selection, -1 if key == "up" else 1)
    match selection.form:
        case "one":
            return replace(selection, cursor=_row(selection, selection.ids, key, selection.cursor))
        case "many":
            row = selection.cursor if key == "space" else _row(selection, selection.ids, key, -1)
            marked = selection.marked ^ {selection.ids[row]}
            return selection if row < 0 else replace(selection, cursor=row, marked=marked)
        case "order":
            return _order(selection, key)
        case _:
            return _pairs(selection, key)


def answer(selection: ChoiceState) -> str | None:
    """The answer in ids, as in a file; None while it is incomplete."""
    if selection.form == "one":
        return selection.ids[selection.cursor] if selection.cursor >= 0 else None
    if selection.form == "many":
        return ", ".join(sorted(selection.marked)) or None
    if selection.form == "order":
        return " ".join(selection.order)
    if None in selection.pairs:
        return None
    pairs = sorted(zip(selection.ids, selection.pairs, strict=True))
    return ", ".join(f"{name}-{partner}" for name, partner in pairs)


def _step(selection: ChoiceState, by: int) -> ChoiceState:
    count = len(selection.ids)
    if not selection.held:
        start = selection.cursor if selection.cursor >= 0 or by > 0 else count
        return replace(selection, cursor=(start + by) % count)
    to = selection.cursor + by
    if not 0 <= to < count:
        return selection
    order = list(selection.order)
    order[selection.cursor], order[to] = order[to], order[selection.cursor]
    return replace(selection, order=tuple(order), cursor=to, placed=0)


def _row(selection: ChoiceState, ids: tuple[str, ...], key: str, otherwise: int) -> int:
    """The row of ``ids`` that the digit ``key`` stands for; digits may be full-width."""
    digits = [selection.digits[name] for name in ids]
    digit = unicodedata.normalize("NFKC", key)
    return digits.index(digit) if digit in digits else otherwise


def _order(selection: ChoiceState, key: str) -> ChoiceState:
    if key == "space":
        return replace(selection, held=not selection.held, placed=0)
    if key == "backspace":
        return replace(selection, placed=max(0, selection.placed - 1))
    row = _row(selection, selection.order, key, -1)
    if row < selection.placed:  # an unknown key, or a row already placed
        return selection
    rest = [name for name in selection.order if name != selection.order[row]]
    rest.insert(selection.placed, selection.order[row])
    return replace(selection, order=tuple(rest), cursor=selection.placed, placed=selection.placed + 1, held=False)


def _pairs(selection: ChoiceState, key: str) -> ChoiceState:
    if key in ("left", "right", "space"):
        now = selection.pairs[selection.cursor]
        column = selection.partners.index(now) if now is not None else -1 if key != "left" else 0
        return _paired(selection, selection.partners[(column + (-1 if key == "left" else 1)) % len(selection.partners)])
    if key == "backspace":
        return _paired(selection, None)
    partner = _row(selection, selection.partners, key, -1)
    if partner < 0:
        return selection
    done = _paired(selection, selection.partners[partner])
    free = [column for column, with_ in enumerate(done.pairs) if with_ is None]
    after = [column for column in free if column > selection.cursor]
    return replace(done, cursor=(after or free or [selection.cursor])[0])


def _paired(selection: ChoiceState, partner: str | None) -> ChoiceState:
    pairs = list(selection.pairs)
    pairs[selection.cursor] = partner
    return replace(selection, pairs=tuple(pairs))
