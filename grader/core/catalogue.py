"""The Chinese of the program's own texts: a gettext catalogue, by the English text.

``locale/zh.po`` is what people edit, ``locale/zh.mo`` what is read; ``make messages`` writes both.
"""

from __future__ import annotations

import functools
import gettext
from pathlib import Path

COMPILED = Path(__file__).parents[1] / "locale" / "zh.mo"


@functools.cache
def _chinese() -> gettext.GNUTranslations:
    """Read on the first Chinese text: English output never needs it."""
    with COMPILED.open("rb") as file:
        return gettext.GNUTranslations(file)


def chinese(english: str, context: str = "") -> str:
    """The Chinese of ``english``; ``english`` itself if the catalogue lacks it, which a test finds.

    ``context`` tells texts apart that are the same in English alone, such as the heading “Points” of what somebody has
    and of what somebody gives.
    """
    if not english:
        return ""  # a catalogue keeps its own header under the empty text
    return _chinese().pgettext(context, english) if context else _chinese().gettext(english)
