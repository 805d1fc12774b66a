"""Choosing with keys: what is marked, moved or paired so far. Pure; the keyboard is in ``grader.learning.keyboard``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from grader.course.items import Form, Prompt

#: Forms that are answered by choosing; the others are written.
CHOSEN: tuple[Form, ...] = ("one", "many", "order", "pairs")


@dataclass(frozen=True, slots=True)
class Picker:
    """``cursor`` is the row that keys act on (-1: none yet).

    ``marked`` are chosen ids. ``order`` is how rows stand, of which letters have placed the first ``placed``;
    a ``held`` row moves with the cursor. ``pairs`` says for each row which partner it has.
    """

    form: Form
    ids: tuple[str, ...]
    partners: tuple[str, ...] = ()
    cursor: int = 0
    marked: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()
    placed: int = 0
    held: bool = False
    pairs: tuple[str | None, ...] = ()


def begin(asked: Prompt, last: str = "") -> Picker:
    """Nothing chosen yet, or what the answer ``last`` had chosen.

    With one to choose there is no row to begin with, so that Enter alone says nothing.
    """
    ids = tuple(choice.id for choice in asked.choices)
    partners = tuple(choice.id for choice in asked.partners)
    words = re.findall(r"\w+", last)
    paired = dict(zip(words[::2], words[1::2], strict=False)) if asked.form == "pairs" else {}
    return Picker(
        form=asked.form,
        ids=ids,
        partners=partners,
        cursor=-1 if asked.form == "one" else 0,
        marked=frozenset(words) & frozenset(ids),
        order=tuple(words) if sorted(words) == sorted(ids) else ids,
        pairs=tuple(paired[name] if paired.get(name) in partners else None for name in ids),
    )


def press(picker: Picker, key: str) -> Picker:
    """The picker after ``key``: up, down, left, right, space, backspace, or a character."""
    if key in ("up", "down"):
        return _step(picker, -1 if key == "up" else 1)
    match picker.form:
        case "one":
            return replace(picker, cursor=_row(picker.ids, key, picker.cursor))
        case "many":
            row = picker.cursor if key == "space" else _row(picker.ids, key, -1)
            return picker if row < 0 else replace(picker, cursor=row, marked=picker.marked ^ {picker.ids[row]})
        case "order":
            return _order(picker, key)
        case _:
            return _pairs(picker, key)


def answer(picker: Picker) -> str | None:
    """What is chosen, as one would type it; None as long as something is missing."""
    if picker.form == "one":
        return picker.ids[picker.cursor] if picker.cursor >= 0 else None
    if picker.form == "many":
        return ", ".join(name for name in picker.ids if name in picker.marked) or None
    if picker.form == "order":
        return " ".join(picker.order)
    if None in picker.pairs:
        return None
    return ", ".join(f"{name}-{partner}" for name, partner in zip(picker.ids, picker.pairs, strict=True))


def _step(picker: Picker, by: int) -> Picker:
    count = len(picker.ids)
    if not picker.held:
        start = picker.cursor if picker.cursor >= 0 or by > 0 else count
        return replace(picker, cursor=(start + by) % count)
    to = picker.cursor + by
    if not 0 <= to < count:
        return picker
    order = list(picker.order)
    order[picker.cursor], order[to] = order[to], order[picker.cursor]
    return replace(picker, order=tuple(order), cursor=to, placed=0)


def _row(ids: tuple[str, ...], key: str, otherwise: int) -> int:
    folded = [name.casefold() for name in ids]
    return folded.index(key.casefold()) if key.casefold() in folded else otherwise


def _order(picker: Picker, key: str) -> Picker:
    if key == "space":
        return replace(picker, held=not picker.held, placed=0)
    if key == "backspace":
        return replace(picker, placed=max(0, picker.placed - 1))
    row = _row(picker.order, key, -1)
    if row < picker.placed:  # unknown, or in its place already
        return picker
    rest = [name for name in picker.order if name != picker.order[row]]
    rest.insert(picker.placed, picker.order[row])
    return replace(picker, order=tuple(rest), cursor=picker.placed, placed=picker.placed + 1, held=False)


def _pairs(picker: Picker, key: str) -> Picker:
    if key in ("left", "right", "space"):
        now = picker.pairs[picker.cursor]
        at = picker.partners.index(now) if now is not None else -1 if key != "left" else 0
        return _paired(picker, picker.partners[(at + (-1 if key == "left" else 1)) % len(picker.partners)])
    if key == "backspace":
        return _paired(picker, None)
    partner = _row(picker.partners, key, -1)
    if partner >= 0:
        done = _paired(picker, picker.partners[partner])
        free = [at for at, with_ in enumerate(done.pairs) if with_ is None]
        after = [at for at in free if at > picker.cursor]
        return replace(done, cursor=(after or free or [picker.cursor])[0])
    return replace(picker, cursor=_row(picker.ids, key, picker.cursor))


def _paired(picker: Picker, partner: str | None) -> Picker:
    pairs = list(picker.pairs)
    pairs[picker.cursor] = partner
    return replace(picker, pairs=tuple(pairs))
