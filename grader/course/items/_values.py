"""Shared by the kinds whose answers are single values: numbers as people type them, units, and known wrong answers."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from grader.core.arithmetic import Number
from grader.core.constraints import MisconceptionId
from grader.core.model import Text
from grader.core.tables import table
from grader.core.text import join, same

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


# ------------------------------------------------------------------------------------ numbers in words
# ``seven point five``, ``minus 3``, ``164 million``, ``七点五``, ``百分之四``.


_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ENGLISH = {word: value for value, word in enumerate(_SMALL)} | {
    word: 10 * value for value, word in enumerate(_TENS, 2)
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_CHINESE = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CHINESE_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
#: These multiply all that was said since the one before: 三百二十万 is (3·100 + 2·10)·10000.
_GROUPS = {"thousand", "million", "billion", "trillion", "万", "亿"}

_NAMES = "|".join(sorted((*_ENGLISH, *_SCALES, "point"), key=len, reverse=True))
_ENGLISH_NUMBER = re.compile(rf"(?<![\w.])(?:{_NAMES})(?:(?:[\s-]+(?:and\s+)?)(?:{_NAMES}))*(?![\w.])", re.IGNORECASE)
_DIGITS = "".join(_CHINESE)
#: Only where no other Chinese word is beside it: 一共 is no 1, and 一半 is half.
_CHINESE_NUMBER = re.compile(
    rf"(?:(?<![\u3400-\u9fff])|(?<=百分之)|(?<=负))[{_DIGITS}十百千万亿]*[{_DIGITS}十][{_DIGITS}十百千万亿点]*"
    r"(?=$|[^\u3400-\u9fff]|[个层步条次种份位块行列头项组句段轮对张倍]|字节)"
)
#: After digits: 164.352 million.
_SCALED = re.compile(rf"(?<=\d)\s*({'|'.join(_SCALES)})\b", re.IGNORECASE)
_MINUS = re.compile(r"^\s*(?:minus|negative)\s+", re.IGNORECASE)
_MINUS_ZH = re.compile(r"负\s*(?=[\d.(√])")


def english_in_digits(text: str) -> str:
    """``text`` in digits if it is a number in words, or digits before or after such words: ``164 million``."""
    text = _MINUS.sub("-", text)
    sign = "-" if text.startswith("-") else ""
    if _ENGLISH_NUMBER.fullmatch(text.removeprefix("-").strip()):
        text = sign + _english(text.removeprefix("-").strip())
    return _SCALED.sub(lambda found: f"*{_SCALES[found[1].lower()]}", text)


def chinese_in_digits(text: str) -> str:
    """``text`` with Chinese numbers in digits, where they stand alone, and with a minus for 负."""
    return _MINUS_ZH.sub("-", _CHINESE_NUMBER.sub(lambda found: _chinese(found[0]), text))


def _english(words: str) -> str:
    """A number in English words, in digits; the words as they are if they are none, such as “hundred five million”."""
    whole, _, decimals = words.lower().partition("point")
    names = [name for name in re.split(r"[\s-]+", whole) if name and name != "and"]
    after = re.split(r"[\s-]+", decimals.strip()) if decimals else []
    if not names or any(_ENGLISH.get(digit, 10) > 9 for digit in after):
        return words
    value = _total([_ENGLISH.get(name, name) for name in names], _SCALES)
    return f"{value}{'.' if after else ''}{''.join(str(_ENGLISH[digit]) for digit in after)}"


def _chinese(number: str) -> str:
    """A number in Chinese characters, in digits: 三百二十, 七点五, 二零四八."""
    whole, _, decimals = number.partition("点")
    after = "".join(str(_CHINESE.get(char, "")) for char in decimals)
    if not set(whole) & set(_CHINESE_SCALES):  # digit by digit
        before = "".join(str(_CHINESE[char]) for char in whole)
    else:
        before = str(_total([_CHINESE.get(char, char) for char in whole], _CHINESE_SCALES))
    return f"{before}.{after}" if after else before


def _total(parts: list[int | str], scales: dict[str, int]) -> int:
    """The value of digits and scales in the order in which they are said."""
    total = group = digit = 0
    for part in parts:
        if isinstance(part, int):
            digit += part
        elif part in _GROUPS:
            total, group, digit = total + (group + digit or 1) * scales[part], 0, 0
        else:
            group, digit = group + (digit or 1) * scales[part], 0
    return total + group + digit


# ----------------------------------------------------------------------------------------------- units


@dataclass(frozen=True, slots=True)
class Family:
    """Spellings (in lower case) with their sizes; ``shown`` are examples for learners."""

    sizes: Mapping[str, float]
    shown: tuple[str, ...]


@functools.cache
def _unit_families() -> tuple[Family, ...]:
    """The families of ``units.yaml``."""
    known = table(__file__, "units.yaml")
    families = []
    for row in known["families"]:
        sizes: dict[str, float] = dict(row["sizes"])
        for name, which in row["prefixed"].items():
            sizes |= {prefix + name: size for prefix, size in known["prefixes"][which].items()}
        families.append(Family(sizes, tuple(row["shown"])))
    return tuple(families)


#: Chinese names that stand for powers of 1000 and of 1024: an answer means those of the item.
_EITHER = {"千字节": "k", "兆字节": "m", "吉字节": "g", "太字节": "t"}


def unit_family(unit: Text | str | None) -> Family | None:
    """The family of ``unit``; None if it cannot be converted."""
    spellings = unit_spellings(unit)
    return next((family for family in _unit_families() if family.sizes.keys() & spellings), None)


def unit_spellings(unit: Text | str | None) -> tuple[str, ...]:
    """The spellings of ``unit``, in lower case."""
    written = (unit.en, unit.zh) if isinstance(unit, Text) else (unit or "",)
    return tuple(_plain_unit(name) for name in written if name.strip())


def split_unit(text: str, unit: Text | str | None) -> tuple[str, float]:
    """``text`` without the unit at its end, and the size of that unit in ``unit``s (1 if there is none)."""
    family, own = unit_family(unit), unit_spellings(unit)
    known = family.sizes if family else {}
    scale = next((known[name] for name in own if name in known), 1.0)
    sizes = {name: size / scale for name, size in known.items()} | dict.fromkeys(own, 1.0)
    binary = "i" if any(name.endswith("ib") for name in own) else ""
    sizes |= {name: sizes[f"{prefix}{binary}b"] for name, prefix in _EITHER.items() if f"{prefix}b" in sizes}
    for name in sorted(sizes, key=len, reverse=True):
        number = text[: len(text) - len(name)].rstrip()
        if text.casefold().endswith(name) and not (number[-1:].isascii() and number[-1:].isalpha()):
            return number, sizes[name]
    return text, 1.0


def with_unit(shown: str, unit: Text | str | None) -> Text:
    """``shown`` with its unit, if it has one."""
    return join([shown, unit], same(" ")) if unit else same(shown)


def other_units(unit: Text | str | None) -> tuple[str, ...]:
    """Up to three units that are converted to ``unit``."""
    family = unit_family(unit)
    shown = family.shown if family else ()
    return tuple(name for name in shown if _plain_unit(name) not in unit_spellings(unit))[:3]


def _plain_unit(name: str) -> str:
    return normalize(name).casefold()


# ------------------------------------------------------------------------------------- what was counted


def listed(words: str) -> str:
    """A list of ``words.yaml`` as a regular expression."""
    return "|".join(sorted(map(re.escape, table(__file__, "words.yaml")[words]), key=len, reverse=True))


@functools.cache
def _counted() -> re.Pattern[str]:
    """The words that say what was counted, at the end of a text: a measure word and a noun in Chinese."""
    per = r"(?:\s+(?:per|in)\s+[a-z ]+|\s*/\s*(?:bytes?|tokens?|seconds?|s))?"
    counted = re.sub(r"s?(?=\||$)", "s?", listed("counted"))
    words = rf"(?<![A-Za-z_])(?:{counted}){per}|(?:[个次条项种组层]\s*)?(?:{listed('counted_zh')})"
    return re.compile(rf"(?:{words})$", re.IGNORECASE)


def without_counted(text: str) -> str:
    """``text`` without the words at its end that say what was counted: ``210 weights``, ``3 倍``."""
    shorter = _counted().sub("", text.rstrip(" .。"))
    return shorter.rstrip() if shorter.strip() else text
