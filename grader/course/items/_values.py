"""Shared by the kinds whose answers are single values: arithmetic as people type it, and known wrong answers."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from grader.core.arithmetic import Number
from grader.core.constraints import MisconceptionId

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SIGNS = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "⁄": "/", "∕": "/"})


def normalize(text: str) -> str:
    """``text`` in plain characters: no full width, ``^2`` for superscripts, ASCII signs for minus, times and divide."""
    text = re.sub("[⁰¹²³⁴-⁹⁻]+", lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text)
    text = re.sub("[½⅓⅔¼¾⅕-⅞]", lambda match: f"({unicodedata.numeric(match[0])})", text)
    return unicodedata.normalize("NFKC", text).translate(_SIGNS).strip()


@dataclass(frozen=True, slots=True)
class KnownWrongAnswer:
    """A wrong answer that reveals a misconception."""

    answer: Number | str
    misconception: MisconceptionId
