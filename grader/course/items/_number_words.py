"""Numbers in words: ``seven point five``, ``minus 3``, ``164 million``, ``七点五``, ``百分之四``."""

from __future__ import annotations

import re

_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ENGLISH = {word: value for value, word in enumerate(_UNITS)} | {
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
    r"(?=$|[^\u3400-\u9fff]|[倍个次]|字节)"
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
    value = _counted([_ENGLISH.get(name, name) for name in names], _SCALES)
    return f"{value}{'.' if after else ''}{''.join(str(_ENGLISH[digit]) for digit in after)}"


def _chinese(number: str) -> str:
    """A number in Chinese characters, in digits: 三百二十, 七点五, 二零四八."""
    whole, _, decimals = number.partition("点")
    after = "".join(str(_CHINESE.get(char, "")) for char in decimals)
    if not set(whole) & set(_CHINESE_SCALES):  # digit by digit
        before = "".join(str(_CHINESE[char]) for char in whole)
    else:
        before = str(_counted([_CHINESE.get(char, char) for char in whole], _CHINESE_SCALES))
    return f"{before}.{after}" if after else before


def _counted(parts: list[int | str], scales: dict[str, int]) -> int:
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
