"""Arithmetic as people type it → the characters that Python knows."""

from __future__ import annotations

import re
import unicodedata

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SIGNS = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "⁄": "/", "∕": "/"})


def normalize(text: str) -> str:
    """``text`` in plain characters: no full width, ``^2`` for superscripts, ASCII signs for minus, times and divide."""
    text = re.sub("[⁰¹²³⁴-⁹⁻]+", lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text)
    text = re.sub("[½⅓⅔¼¾⅕-⅞]", lambda match: f"({unicodedata.numeric(match[0])})", text)
    return unicodedata.normalize("NFKC", text).translate(_SIGNS).strip()
