"""Patterns that authors write to search learners' texts: a subset of regular expressions with bounded cost."""

from __future__ import annotations

import re
import unicodedata

#: Ways in which a pattern may match at one position; the engine tries all of them before it gives up.
MOST_WAYS = 8_000
#: In characters. Longer texts are not searched; * and + count as this many repetitions.
MAX_LENGTH = 2000

_TOKEN = re.compile(
    r"(?P<open>\((?:\?(?:[:=!]|<[=!]))?)|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<many>[*+?]|\{(?:\d{1,9}(?:,\d{0,9})?|,\d{1,9})\})\??"
    r"|(?P<one>\[\^?\]?(?:\\.|[^\]\\])*\]|\\[^\d]|[^\\*+?()|\[])",
    re.DOTALL,
)


def explain_invalid(pattern: str) -> str | None:
    """What is wrong with a pattern, as words that follow “expected”; None if it is valid."""
    try:
        found = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"a regular expression, but {error}"
    plain = unicodedata.normalize("NFKC", pattern)
    if plain != pattern:
        return f"it in the normalized form of answers: '{plain}'"
    if found.search(""):
        return "a pattern that does not match an empty text"
    ways = _ways(pattern)
    if ways is None:
        return "plain regular expressions: groups ( ) and (?: ), look-around, [ ], |, ? * + {m,n}; nothing else"
    if ways > MOST_WAYS:
        many = "too many" if ways == float("inf") else f"{ways:,.0f}"
        return (
            f"at most {MOST_WAYS:,} ways to match ({many} here); bound its gaps, as in .{{0,30}}, and use few of them"
        )
    return None


def normalize(text: str) -> str:
    """``text`` as it is searched: without full width, curly quotes, line breaks or invisible characters."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    return " ".join("".join(char for char in text if char.isprintable() or char.isspace()).split())


def search(pattern: str, text: str) -> list[tuple[int, int]]:
    """The spans of ``pattern`` in a normalized text; case does not matter."""
    return [found.span() for found in re.finditer(pattern, text, re.IGNORECASE)]


def _ways(pattern: str) -> float | None:
    """An upper bound for the ways in which ``pattern`` can match at one position; None for unsupported syntax."""
    levels = [_Level()]
    place = 0
    while place < len(pattern):
        token = _TOKEN.match(pattern, place)
        if token is None:
            return None
        place = token.end()
        match token.lastgroup:
            case "open":
                levels.append(_Level())
            case "close":
                inner = levels.pop()
                levels[-1].add(inner.total())
            case "bar":
                levels[-1].alternative()
            case "one":
                levels[-1].add(1.0)
            case _:
                if not levels[-1].repeat(*_bounds(token["many"])):
                    return None
    return levels[0].total()


class _Level:
    """One pair of brackets: alternatives add up, a sequence multiplies."""

    def __init__(self) -> None:
        self.done, self.product, self.last = 0.0, 1.0, 1.0
        self.repeatable = False

    def add(self, ways: float) -> None:
        self.product, self.last, self.repeatable = self.product * self.last, ways, True

    def repeat(self, least: int, most: int) -> bool:
        """Repeats the last part ``least`` to ``most`` times; False if there is nothing to repeat."""
        ready, self.repeatable = self.repeatable, False
        ways = 0.0
        for times in range(least, most + 1):
            try:
                ways += self.last**times
            except OverflowError:
                ways = float("inf")
            if ways > 1e12:
                ways = float("inf")
                break
        self.last = ways
        return ready

    def alternative(self) -> None:
        self.done, self.product, self.last, self.repeatable = self.total(), 1.0, 1.0, False

    def total(self) -> float:
        return self.done + self.product * self.last


def _bounds(many: str) -> tuple[int, int]:
    if many in "*+?":
        return (many == "+"), (1 if many == "?" else MAX_LENGTH)
    least, comma, most = many[1:-1].partition(",")
    low = int(least or 0)
    return min(low, MAX_LENGTH), min(int(most or MAX_LENGTH) if comma else low, MAX_LENGTH)
