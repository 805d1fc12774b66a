"""Damaged examples: strategies for bytes, texts and plain data that are nearly what a reader expects.

Random bytes find nothing, since readers refuse them at once. Each strategy takes a real example and damages it. All
choices are small numbers, so that hypothesis shrinks a finding to what matters.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

from hypothesis import strategies as st

#: What is to be done: which edit, where, how much, and with which of the things at hand.
Edit: TypeAlias = tuple[int, int, int, int]

_NUMBER = st.integers(0, 1 << 16)
_EDITS = st.lists(st.tuples(_NUMBER, _NUMBER, _NUMBER, _NUMBER), max_size=6)
#: No example becomes longer than this by repeating parts of it.
_MOST = 200_000
_TIMES = (2, 3, 40, 1200)
_DEPTHS = (1, 30, 300, 6000)

#: Words, numbers, blanks, and every other sign by itself.
_TOKEN = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)?|[ \t]+|\s|.", re.DOTALL)

SPICE: tuple[str, ...] = (
    "", "\0", "\ufeff", "\u202e", "\u200b", "e\u0301", "\ud800", "\udc80", "Ａ１", "ﬁ", "𝟙", "٣", "²", "½", "ſ", "İ",
    "ß", "中文", "，", "：", "「", "\u3000", "\x85", "\u2028", "\x1b[31m", "\x7f", "\r", "\r\n", "\n", "\t", "\x0c",
    " ", "'", '"', '"""', "\\", "\\\n", "#", "{", "}", "[", "]", "(", ")", ": ", "- ", ", ", ";", ".", "..", "../",
    "/", "=", "@", "%", "!", "?", "|", "<", "&a ", "*a", "<<", "---\n", "...\n", "!!python/name:os.system ", "~",
    "null", "true", "-1", "0", "-0", "1e5", "1e999", "nan", ".inf", "1_0", "0x1F", "2026-13-45",
    "2026-11-20T12:00:00+00:00", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "9" * 30, "9" * 400,
    "9" * 5000, "a" * 300, "a" * 10_000, "__proto__", "None", "{x}",
)  # fmt: skip

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 2**31, 2**63, -(2**63) - 1, 2**64, 10**30, 10**400, 0.5, -0.0, 1e308, -1e308,
    5e-324, float("nan"), float("inf"), float("-inf"), [], {}, [[]], [None], {"": ""}, {"a": {"b": []}},
    [1, "a", None], *SPICE,
)  # fmt: skip

BYTES: tuple[bytes, ...] = (
    *(text.encode("utf-8", "surrogatepass") for text in SPICE), b"\xff", b"\xff\xfe", b"\x80", b"\xc3",
    b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x01\0\0\0", b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07",
    b"\x80\x05", b"SQLite format 3\0",
)  # fmt: skip

_ENCODINGS = ("utf-8",) * 8 + ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "gb18030", "cp1252", "utf-7")


def _range(length: int, at: int, much: int) -> tuple[int, int]:
    """A range within a given length: often short, sometimes to the end."""
    start = at % (length + 1)
    size = (much % 7 if much % 3 else much) % (length - start + 1)
    return start, start + size


def _bend(thing: Any, other: Any, spice: Any, edit: Edit) -> Any:
    """One edit of a sequence (bytes, or a list of tokens); ``other`` is a second example, ``spice`` goes in whole."""
    what, at, much, which = edit
    start, end = _range(len(thing), at, much)
    part = thing[start:end]
    match what % 9:
        case 0:
            return thing[:start] + thing[end:]
        case 1:
            return thing[:start] + spice + thing[end:]
        case 2:
            return thing[:start] + spice + thing[start:]
        case 3:
            to = which % (len(thing) + 1)
            return thing[:to] + part + thing[to:]
        case 4:
            times = min(_TIMES[which % 4], max(1, _MOST // max(1, len(part))))
            return thing[:start] + part * times + thing[end:]
        case 5:
            return thing[:start]
        case 6:
            there = which % (len(other) + 1)
            return thing[:start] + other[there:]
        case 7:
            there, until = _range(len(other), which, much)
            return thing[:start] + other[there:until] + thing[end:]
        case _:
            return thing[:start] + thing[end:] + part


def _one_byte(data: bytes, other: bytes, edit: Edit) -> bytes:
    """One edit of bytes: a bit, a byte or a range."""
    what, at, much, which = edit
    if what % 3 == 0 and data:
        flipped = bytearray(data)
        flipped[at % len(data)] = flipped[at % len(data)] ^ (1 << much % 8) if which % 2 else which // 2 % 256
        return bytes(flipped)
    bent: bytes = _bend(data, other, BYTES[which % len(BYTES)], (what // 3, at, much, which))
    return bent


def _nested(tokens: list[str], edit: Edit) -> list[str]:
    """A range of a text in nested brackets, or after many signs."""
    _, at, much, which = edit
    start, end = _range(len(tokens), at, much)
    left, right = (("(", ")"), ("[", "]"), ("{", "}"), ("-", ""), ("{a: ", "}"), ("not ", ""), ("- ", ""), ("(", ""))[
        which % 8
    ]
    depth = _DEPTHS[which // 8 % 4]
    return [*tokens[:start], left * depth, *tokens[start:end], right * depth, *tokens[end:]]


def _short(tokens: list[str]) -> list[str]:
    """As many of the tokens as a text may have; some are long and may be repeated."""
    ends = accumulate(map(len, tokens))
    return tokens[: next((at for at, end in enumerate(ends) if end > _MOST), len(tokens))]


def byte_strings(examples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """One of ``examples``, damaged or not."""

    def bent(first: int, second: int, edits: list[Edit]) -> bytes:
        data = examples[first % len(examples)]
        for edit in edits:
            data = _one_byte(data, examples[second % len(examples)], edit)
        return data

    return st.builds(bent, _NUMBER, _NUMBER, _EDITS)


def texts(examples: Sequence[str], spice: Sequence[str] = ()) -> st.SearchStrategy[str]:
    """One of ``examples`` with words and signs removed, doubled, moved or replaced; ``spice`` are fitting words."""
    split = [_TOKEN.findall(example) for example in examples]
    extra = (*spice, *spice, *SPICE) if spice else SPICE

    def bent(first: int, second: int, edits: list[Edit]) -> str:
        tokens = split[first % len(split)]
        for edit in edits:
            if edit[0] % 10 == 9:
                tokens = _nested(tokens, edit)
            else:
                tokens = _bend(tokens, split[second % len(split)], [extra[edit[3] % len(extra)]], edit)
            tokens = _short(tokens)
        return "".join(tokens)

    return st.builds(bent, _NUMBER, _NUMBER, _EDITS)


def encoded(text: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    """``text`` as bytes, usually UTF-8; lone surrogates are kept."""

    def written(said: str, encoding: str, edits: list[Edit]) -> bytes:
        try:
            data = said.encode(encoding, "surrogatepass")
        except UnicodeEncodeError:
            data = said.encode("utf-8", "surrogatepass")
        for edit in edits:
            data = _one_byte(data, data, edit)
        return data

    some = st.lists(st.tuples(_NUMBER, _NUMBER, _NUMBER, _NUMBER), max_size=1)
    return st.builds(written, text, st.sampled_from(_ENCODINGS), some)


# ------------------------------------------------------------------------------------------ plain data

_Put: TypeAlias = Callable[[Any], None]


def _places(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every part of plain data as (container, key or index)."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        found.append((value, key))
        _places(value[key], found)
    return found


def _bend_data(root: list[Any], other: Any, values: Sequence[Any], edit: Edit) -> None:
    """Makes one edit of the plain data in ``root[0]``, in place."""
    what, at, much, which = edit
    places = _places(root, [])
    inside, key = places[at % len(places)]
    old, new = inside[key], copy.deepcopy(values[which % len(values)])
    match what % 9:
        case 0 if inside is not root:
            del inside[key]
        case 1 if isinstance(inside, list):
            inside.insert(key, copy.deepcopy(old))
        case 2 if isinstance(inside, dict):
            inside[SPICE[much % len(SPICE)]] = inside.pop(key)
        case 3:
            inside[key] = [old] if which % 2 else {"a": old}
        case 4:
            there = _places([other], [])
            container, name = there[which % len(there)]
            inside[key] = copy.deepcopy(container[name])
        case 5 if isinstance(old, str):
            inside[key] = _bend(old, old, SPICE[which % len(SPICE)], (much, at, much, which))
        case 6 if isinstance(old, list) and len(places) < 500:
            inside[key] = [copy.deepcopy(each) for _ in range(_TIMES[which % 3]) for each in old]
        case 7 if isinstance(old, int | float):
            inside[key] = (str(old), -old, old + 1, old * 1000, [old], not old, old - 1)[which % 7]
        case 8 if which % 4 == 0:
            deep: Any = old
            for _ in range((20, 60, 150)[much % 3]):
                deep = [deep] if which % 8 else {"a": deep}
            inside[key] = deep
        case _:
            inside[key] = new


def data(examples: Sequence[Any], values: Sequence[Any] = VALUES) -> st.SearchStrategy[Any]:
    """One of ``examples`` (plain data) with parts removed, doubled, of other types, or moved."""

    def bent(first: int, second: int, edits: list[Edit]) -> Any:
        root = [copy.deepcopy(examples[first % len(examples)])]
        for edit in edits:
            _bend_data(root, examples[second % len(examples)], values, edit)
        return root[0]

    return st.builds(bent, _NUMBER, _NUMBER, _EDITS)
