"""Python source in colours: its comments, strings, numbers, keywords, and the names that it defines.

Pygments finds them. Whatever it cannot read is plain, and so is what would take it long.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from grader.core.tables import table

#: The most characters that are in colours: about 0.2 s.
_LONGEST = 20_000
#: For each of these spaces and line breaks, Pygments looks at all that follow.
_LONG_GAP = re.compile(r"\s{500}")


def parts(source: str, start: int = 0, end: int | None = None) -> Iterator[tuple[str, str]]:
    """``source[start:end]`` in parts, each with its kind, which all of ``source`` decides; "" is plain."""
    at = 0
    for kind, text in _lexed(source):
        shown = text[max(start - at, 0) : None if end is None else max(end - at, 0)]
        at += len(text)
        if shown:
            yield kind, shown


def _lexed(source: str) -> Iterator[tuple[str, str]]:
    if len(source) > _LONGEST or _LONG_GAP.search(source):
        yield "", source
        return
    from pygments.lexers.python import PythonLexer  # not everything has listings

    tokens = ((_kind(name), text) for _, name, text in PythonLexer().get_tokens_unprocessed(source))
    for kind, group in groupby(tokens, itemgetter(0)):
        yield kind, "".join(text for _, text in group)


@functools.cache
def _kind(name: tuple[str, ...]) -> str:
    kinds: dict[str, str] = table(__file__, "highlight.yaml")
    return kinds.get(".".join(name[:2])) or kinds.get(name[0], "") if name else ""
