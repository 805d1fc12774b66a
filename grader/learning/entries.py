"""What a learner has entered in the fields of a form, and an answer as it is shown with what is right.

An ``Entry`` maps the names of fields to their values: ``answer`` to the text or the ids that were chosen or put in
order, and ``partner-ID`` to the partner of a choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from grader.core.model import Item, Lang, Status
from grader.course import items
from grader.course.items import Form, Prompt
from grader.learning.quiz_session import ItemRecord

Entry: TypeAlias = Mapping[str, tuple[str, ...]]


def entry_from_answer(item: Item, asked: Prompt, value: str) -> Entry:
    """The fields that would give the answer ``value``, wherever it was typed; empty if they cannot hold it."""
    if not asked.choices:
        return {"answer": (value,)}
    parts = items.chosen(item, value)
    if asked.form == "pairs":
        return {partner_field(name): (partner,) for name, partner in parts.items()}
    return {"answer": tuple(parts)}


def answer_text(asked: Prompt, entry: Entry) -> str:
    """The answer in ``entry``, empty if nothing was chosen or typed, or an order is not complete."""
    values = entry.get("answer", ())
    match asked.form:
        case "many":
            return ", ".join(values)
        case "order":
            return " ".join(values) if len(set(values)) == len(asked.choices) else ""
        case "pairs":
            partners = {choice.id: entry.get(partner_field(choice.id), ()) for choice in asked.choices}
            return ", ".join(f"{name}-{given[0]}" for name, given in partners.items() if given and given[0])
    return values[0].strip() if values else ""


def described(asked: Prompt, entry: Entry, lang: Lang) -> tuple[str, ...]:
    """``entry`` in words, a text for each line, choice or pair."""
    texts = {choice.id: choice.text.of(lang) for choice in (*asked.choices, *asked.partners)}
    if asked.form == "pairs":
        given = [(choice, entry.get(partner_field(choice.id), ("",))[0]) for choice in asked.choices]
        return tuple(f"{texts[choice.id]} – {texts[name]}" for choice, name in given if name in texts)
    if asked.choices:
        return tuple(texts[name] for name in entry.get("answer", ()) if name in texts)
    return tuple("\n".join(entry.get("answer", ())).strip().split("\n"))


def partner_field(choice: str) -> str:
    """The field for the partner of the choice with this id."""
    return f"partner-{choice}"


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """A choice on a page. ``label`` is its digit; ``partner``, its partner in the answer, has the text ``matched``.

    ``good`` says of a settled item whether this choice, or pair, is right; None if that is not said. ``wanted`` is the
    text of the right partner.
    """

    id: str
    label: str
    text: str
    chosen: bool = False
    partner: str = ""
    matched: str = ""
    good: bool | None = None
    wanted: str = ""


def shown_choices(asked: Prompt, entry: Entry, lang: Lang, right: items.Parts | None = None) -> list[ShownChoice]:
    """The choices of ``asked`` as they are shown, with those of ``entry`` chosen, and with marks if ``right`` is given.

    An order is shown as it was given, if it is complete.
    """
    partners = {choice.id: choice.text.of(lang) for choice in asked.partners}
    chosen, shown, labels = entry.get("answer", ()), [], items.numbers(asked.choices)
    for choice in asked.choices:
        partner = next(iter(entry.get(partner_field(choice.id), ())), "")
        good = None if right is None or asked.form == "order" else right.get(choice.id) == partner
        shown.append(
            ShownChoice(
                id=choice.id,
                label=labels[choice.id],
                text=choice.text.of(lang),
                chosen=choice.id in chosen,
                partner=partner,
                matched=partners.get(partner, ""),
                good=good,
                wanted=partners.get((right or {}).get(choice.id, ""), ""),
            )
        )
    if asked.form == "order" and {each.id for each in shown} == set(chosen):
        shown.sort(key=lambda each: chosen.index(each.id))
    return shown


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The answer to a settled item, as choices or as ``text``.

    ``wanted`` is a right order, if one may be shown; entries of a group of ``free`` may change places in it.
    """

    form: Form
    choices: tuple[ShownChoice, ...]
    text: str
    wanted: tuple[str, ...] = ()
    free: tuple[tuple[str, ...], ...] = ()


def given_answer(item: Item, asked: Prompt, record: ItemRecord, lang: Lang) -> GivenAnswer:
    """The last answer to ``item`` with what is right, unless the item is sealed."""
    entry = entry_from_answer(item, asked, record.answers[-1]) if record.answers else {}
    right = None if item.sealed else items.right(item)
    choices, text = tuple(shown_choices(asked, entry, lang, right)), answer_text(asked, entry)
    if asked.form != "order" or right is None or record.status is Status.PASSED:
        return GivenAnswer(asked.form, choices, text)
    texts = {choice.id: choice.text.of(lang) for choice in asked.choices}
    free = tuple(tuple(texts[name] for name in group) for group in items.interchangeable(item))
    return GivenAnswer(asked.form, choices, text, tuple(texts[name] for name in right), free)
