"""Arithmetic as people type it, in characters that Python knows."""

from __future__ import annotations

import re
import unicodedata

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SIGNS = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "⁄": "/", "∕": "/"})


def normalize(text: str) -> str:
    """``text`` without full width, superscripts (``^2`` instead) and other signs for minus, times and divided by."""
    text = re.sub("[⁰¹²³⁴-⁹⁻]+", lambda found: "^" + found[0].translate(_SUPERSCRIPTS), text)
    text = re.sub("[½⅓⅔¼¾⅕-⅞]", lambda found: f"({unicodedata.numeric(found[0])})", text)
    return unicodedata.normalize("NFKC", text).translate(_SIGNS).strip()
