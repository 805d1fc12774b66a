"""Whether a formula was read as something that looks different from what was written."""

from __future__ import annotations

import re

from grader.formulas.errors import ParseError
from grader.formulas.tokens import normalize

_BRACED = re.compile(r"([\^_])[{(]([^\W_]+)[})]")
_FRACTION = re.compile(r"\\frac\{([^\W_]+)\}\{([^\W_]+)\}")


def looks_alike(written: str, shown: str) -> bool:
    """Whether two formulas differ only in spaces, signs of multiplication, braces and ways to write a power."""
    try:
        return _plain(written) == _plain(shown)
    except ParseError:
        return False


def _plain(text: str) -> str:
    text = normalize(text.partition("#")[0]).replace("**", "^")
    text = re.sub(r"[\s\x1f·*]", "", text).strip("=.;")
    text = _FRACTION.sub(r"\1/\2", text)
    return _BRACED.sub(r"\1\2", text)
