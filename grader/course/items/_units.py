"""Units that are multiples of each other: an answer in one of them is converted to the unit of the item.

Case does not matter, so ``b`` stands for bytes, bits are written out, and there is no milli for counts. Words that only
say what was counted (``210 weights``) are dropped.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from grader.core.model import Text
from grader.course.items._values import normalize

_THOUSANDS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}


@dataclass(frozen=True, slots=True)
class Family:
    """Spellings (in lower case) with their sizes; ``shown`` are examples for learners."""

    sizes: Mapping[str, float]
    shown: tuple[str, ...]


def _with(prefixes: Mapping[str, float], *names: str) -> dict[str, float]:
    return {prefix + name: size for name in names for prefix, size in prefixes.items()}


@functools.cache
def _families() -> tuple[Family, ...]:
    words = {"kilo": 1e3, "mega": 1e6, "giga": 1e9, "tera": 1e12}
    binary_words = {"kibi": 2.0**10, "mebi": 2.0**20, "gibi": 2.0**30, "tebi": 2.0**40}
    binary = {"ki": 2.0**10, "mi": 2.0**20, "gi": 2.0**30, "ti": 2.0**40, "pi": 2.0**50}
    times = {"": 1.0, "m": 1e-3, "μ": 1e-6, "u": 1e-6, "n": 1e-9}
    seconds = {"sec": 1.0, "second": 1.0, "seconds": 1.0, "秒": 1.0, "毫秒": 1e-3, "微秒": 1e-6, "纳秒": 1e-9}
    minutes = {"min": 60.0, "minute": 60.0, "minutes": 60.0, "分钟": 60.0, "h": 3600.0, "hours": 3600.0, "小时": 3600.0}
    radians = dict.fromkeys(("rad", "rads", "radian", "radians", "弧度"), 1.0)
    degrees = dict.fromkeys(("°", "deg", "degree", "degrees", "度"), math.pi / 180)
    counts = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
    operations = dict.fromkeys(
        ("floating point operations", "floating-point operations", "operations", "次浮点运算", "浮点运算", "次运算"),
        1.0,
    )
    parameters = ("parameters", "parameter", "params", "个参数", "参数")
    bare = {name: size for name, size in counts.items() if name}
    return (
        Family(
            {"byte": 1.0, "bytes": 1.0, "字节": 1.0, "个字节": 1.0}
            | dict.fromkeys(("bit", "bits", "比特"), 1 / 8)
            | {name: size for name, size in binary.items() if name}
            | _with(_THOUSANDS | binary, "b")
            | _with(words | binary_words, "byte", "bytes"),
            ("KiB", "MiB", "GiB", "MB", "GB"),
        ),
        Family(_with(_THOUSANDS, "flop", "flops") | operations, ("MFLOPs", "GFLOPs", "TFLOPs")),
        Family(_with(times, "s") | seconds | minutes, ("s", "ms", "µs")),
        Family(radians | degrees, ("rad",)),
        Family(
            _with(counts, *parameters) | _with(counts, *(f" {name}" for name in parameters)) | bare, ("K", "M", "B")
        ),
    )


#: Chinese names that stand for powers of 1000 and of 1024: an answer means those of the item.
_EITHER = {"千字节": "k", "兆字节": "m", "吉字节": "g", "太字节": "t"}


def family(unit: Text | str | None) -> Family | None:
    """The family of ``unit``; None if it cannot be converted."""
    return next((units for units in _families() if any(name in units.sizes for name in spellings(unit))), None)


def spellings(unit: Text | str | None) -> tuple[str, ...]:
    """The spellings of ``unit``, in lower case."""
    written = (unit.en, unit.zh) if isinstance(unit, Text) else (unit or "",)
    return tuple(_plain(name) for name in written if name.strip())


def split(text: str, unit: Text | str | None) -> tuple[str, float]:
    """``text`` without the unit at its end, and the size of that unit in ``unit``s (1 if there is none)."""
    measured = family(unit)
    own = next((measured.sizes[name] for name in spellings(unit) if name in measured.sizes), 1.0) if measured else 1.0
    sizes = {name: size / own for name, size in measured.sizes.items()} if measured else {}
    sizes |= dict.fromkeys(spellings(unit), 1.0)
    binary = "i" if any(name.endswith("ib") for name in spellings(unit)) else ""
    sizes |= {name: sizes[f"{prefix}{binary}b"] for name, prefix in _EITHER.items() if f"{prefix}b" in sizes}
    for name in sorted(sizes, key=len, reverse=True):
        number = text[: len(text) - len(name)].rstrip()
        if text.casefold().endswith(name) and not (number[-1:].isascii() and number[-1:].isalpha()):
            return number, sizes[name]
    return text, 1.0


def others(unit: Text | str | None) -> tuple[str, ...]:
    """Up to three units that are converted to ``unit``."""
    measured = family(unit)
    return tuple(name for name in measured.shown if _plain(name) not in spellings(unit))[:3] if measured else ()


def _plain(name: str) -> str:
    return normalize(name).casefold()


# ------------------------------------------------------------------------------------- what was counted

_COUNTED = (
    "additions", "bits per token", "blocks", "choices", "columns", "connections", "coordinates", "dimensions",
    "elements", "entries", "experts",
    "factors", "features", "flop", "flops", "heads", "keys", "layers", "maps", "matrices",
    "mults", "muls", "multiplications", "multiply-adds", "nats", "neurons", "numbers", "operations", "ops", "pairs",
    "params",
    "parameters", "paths", "positions", "products", "queries", "rows", "scalars", "scores", "sequences", "steps",
    "sublayers", "subsets", "terms", "times", "tokens", "units", "values", "vectors", "weights", "words",
)  # fmt: skip
_COUNTED_ZH = (
    "参数", "词元", "权重", "数", "数字", "位置", "元素", "分量", "标量", "分数", "向量", "矩阵", "头", "层", "维",
    "维度", "特征", "乘法", "加法", "浮点运算", "运算", "子集", "乘积", "步", "行", "列", "对", "条", "项", "次", "倍",
    "个", "组", "种", "奈特",
)  # fmt: skip
_EN = "|".join(sorted((re.escape(word.removesuffix("s")) + "s?" for word in _COUNTED), key=len, reverse=True))
_ZH = "|".join(sorted(_COUNTED_ZH, key=len, reverse=True))
#: The words that say what was counted, at the end of a text: a measure word and a noun in Chinese.
_PER = r"(?:\s+(?:per|in)\s+[a-z ]+|\s*/\s*(?:bytes?|tokens?|seconds?|s))?"
_WORDS = re.compile(rf"(?:(?<![A-Za-z_])(?:{_EN}){_PER}|(?:[个次条项种组层]\s*)?(?:{_ZH}))$", re.IGNORECASE)


def without_counted(text: str) -> str:
    """``text`` without the words at its end that say what was counted: ``210 weights``, ``3 倍``."""
    shorter = _WORDS.sub("", text.rstrip(" .。"))
    return shorter.rstrip() if shorter.strip() else text
