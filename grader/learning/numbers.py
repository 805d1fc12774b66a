"""Options by number: learners choose by the digits that a screen shows, and files get the ids.

Each learner sees options in a different order, so a digit says nothing about other items or other learners. The ids
are letters that are the same for all; they are names in files, and no screen shows or reads them. Every front end
that reads typed answers translates them here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from grader.core.model import Text
from grader.core.tables import texts
from grader.core.text import name_list
from grader.course import items
from grader.course.items import Prompt

#: Words that say nothing: an answer is still a list of numbers with them.
_WORDS = re.compile(
    r"\b(?:and|then|first|next|last|lastly|finally|options?|numbers?|lines?|answers?|the|is|are|to|with)\b|[一-鿿]",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_PAIR = re.compile(r"(\d)\s*(?:-+>?|=+>?|[–—−→⇒:>])\s*(\d)")
#: What only stands between two pairs.
_BETWEEN = re.compile(r"[\s,、;。.()\[\]{}]*")


class _UnreadNumbers(ValueError):
    """The line is no answer by number; ``text`` says why: a row of ``words.yaml``, filled in."""

    def __init__(self, why: str, **values: object) -> None:
        super().__init__(why)
        self.text = texts(__file__, "words.yaml", "unread")[why].fill(**values)


def asked_by_number(asked: Prompt) -> Prompt:
    """``asked`` with the instruction to answer by number; unchanged if there are no options."""
    how = texts(__file__, "words.yaml", "how").get(asked.form)
    return asked if how is None else replace(asked, how=how.fill(example=_example(asked)))


def by_number(asked: Prompt) -> Text:
    """What to say to somebody who typed a letter."""
    return _UnreadNumbers("letters", numbers=_listed(asked.partners or asked.choices)).text


def read(asked: Prompt, typed: str) -> str | Text:
    """The answer in ids, as `answers.yaml` has it, that ``typed`` stands for; or what is wrong with it.

    Numbers may stand side by side (``31``, ``3 1``, ``3, 1``). For pairs, they are the matches of the lines in the
    order shown; ``1-3, 2-1`` names the lines, too, and may leave some out.
    """
    text = unicodedata.normalize("NFKC", typed)
    digits = re.findall(r"[0-9]", text)
    try:
        if _LETTER.search(_WORDS.sub(" ", text)) or not digits:
            raise _UnreadNumbers("letters", numbers=_listed(asked.partners or asked.choices))
        match asked.form:
            case "one":
                return _one(asked, digits)
            case "many":
                return ", ".join(sorted({_id(asked.choices, digit) for digit in digits}))
            case "order":
                return _order(asked, digits)
            case _:
                return _pairs(asked, text, digits)
    except _UnreadNumbers as error:
        return error.text


def _one(asked: Prompt, digits: Sequence[str]) -> str:
    if len(digits) > 1:
        raise _UnreadNumbers("several", numbers=_listed(asked.choices))
    return _id(asked.choices, digits[0])


def _order(asked: Prompt, digits: Sequence[str]) -> str:
    ids = [_id(asked.choices, digit) for digit in digits]
    numbers = _listed(asked.choices)
    for place, digit in enumerate(digits):
        if digit in digits[:place]:
            raise _UnreadNumbers("twice", said=digit, numbers=numbers)
    missing = [number for number in items.numbers(asked.choices).values() if number not in digits]
    if missing:
        raise _UnreadNumbers("missing", numbers=numbers, missing=name_list(missing))
    return " ".join(ids)


def _pairs(asked: Prompt, text: str, digits: Sequence[str]) -> str:
    pairs = _PAIR.findall(text)
    if not pairs or not _BETWEEN.fullmatch(_WORDS.sub(" ", _PAIR.sub(" ", text))):
        lines = list(items.numbers(asked.choices).values())
        if len(digits) != len(lines):
            raise _UnreadNumbers("count", lines=len(lines), example=_example(asked), found=len(digits))
        pairs = list(zip(lines, digits, strict=True))
    partners: dict[str, str] = {}
    for line, match in pairs:
        choice, partner = _id(asked.choices, line), _id(asked.partners, match)
        if partners.get(choice, partner) != partner:
            raise _UnreadNumbers("two_matches", line=line)
        partners[choice] = partner
    return ", ".join(f"{choice}-{partner}" for choice, partner in sorted(partners.items()))


def _id(choices: Sequence[items.Choice], digit: str) -> str:
    for name, number in items.numbers(choices).items():
        if number == digit:
            return name
    raise _UnreadNumbers("no_such", said=digit, numbers=_listed(choices))


def _listed(choices: Sequence[items.Choice]) -> Text:
    return name_list(items.numbers(choices).values())


def _example(asked: Prompt) -> str:
    """An answer of the right form: the numbers, with the first at the end."""
    numbers = list(items.numbers(asked.choices).values())
    digits = list(items.numbers(asked.partners or asked.choices).values())
    return " ".join(digits[(place + 1) % min(len(digits), len(numbers))] for place in range(len(numbers)))
