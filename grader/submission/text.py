"""Decodes bytes: UTF-8, an encoding that Python source declares, UTF-16 with a byte-order mark, or Chinese GB18030.

Data that is not text is recognised by its signature, so that messages can say what it is.
"""

from __future__ import annotations

import codecs
import io
import itertools
import re
import tokenize
import unicodedata

from grader.core.model import Notice, Text
from grader.core.tables import texts
from grader.submission import messages as say
from grader.submission.messages import Unusable, printable

#: Encodings that PEP 263 would allow but nobody writes in; some take quadratic time to decode.
_NOT_FOR_SOURCE = re.compile(r"utf-?(7|16|32)|punycode|idna|undefined|(raw-)?unicode-escape")

#: How files of a kind begin.
_BY_MAGIC: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("pdf", (b"%PDF-",)),
    ("image", (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF89a")),
    ("office", (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",)),
    ("rtf", (b"{\\rtf",)),
    ("archive", (b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")),
    ("program", (b"\x7fELF", b"MZ\x90\x00")),
    ("data", (b"\x93NUMPY", b"\x80\x04\x95")),
)
#: How a tar archive goes on, after the name and the rights of its first file.
_TAR, _TAR_AT = b"ustar", 257
#: Byte-order marks with encoding and name; UTF-32 comes first, because its mark begins with that of UTF-16.
_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
#: Subsets of GB18030.
_IN_GB18030 = re.compile(r"gb-?2312|euc-?cn|gbk|cp-?936|936|ms936|gb-?18030", re.IGNORECASE)
_UNASSIGNED = ("Cn", "Co", "Cs")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
#: How many non-ASCII characters are examined to tell Chinese from other text.
_SAMPLE = 4000


def looks_like(data: bytes) -> tuple[Text, Text] | None:
    """What ``data`` is if it is clearly not text, and what to do about it; None if it may be text."""
    kind = _kind(data)
    if kind is None:
        return None
    advice = {"zip": say.RENAME_IT.fill(suffix=".zip"), "rtf": say.PLAIN_TEXT}
    return texts(__file__, "kinds.yaml")[kind], advice.get(kind, say.THE_CODE_ITSELF)


def _kind(data: bytes) -> str | None:
    if data.startswith(b"PK\x03\x04"):
        return "office" if b"[Content_Types].xml" in data[:4096] else "zip"
    for kind, magics in _BY_MAGIC:
        if data.startswith(magics) or (kind == "archive" and data.startswith(_TAR, _TAR_AT)):
            return kind
    return "page" if data[:200].lstrip().lower().startswith((b"<!doctype html", b"<html")) else None


def decode(data: bytes, where: str, expected: Text, *, python: bool = False) -> tuple[str, tuple[Notice, ...]]:
    """``data`` as text with ``\\n`` line ends, and a notice if it is not UTF-8.

    ``python`` respects a declared encoding. Raises Unusable, with ``where`` and ``expected`` in the message, if the
    data cannot be decoded.
    """
    if (other := looks_like(data)) is not None:
        raise Unusable(where, say.LOOKS_LIKE.fill(expected=expected, what=other[0], advice=other[1]))
    encoding, name = _wide(data)
    if encoding is None:
        if name is not None:
            raise Unusable(where, _said("wide", encoding=name))
        if (index := data.find(b"\0")) >= 0:
            raise Unusable(where, _said("nul", line=_line(data, index)))
        encoding = _declared(data, where) if python else "utf-8"
        name = encoding.upper()
        data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("gb18030" if _IN_GB18030.fullmatch(encoding) else encoding)
    except UnicodeDecodeError as error:
        chinese = None if data.startswith(tuple(mark for mark, *_ in _WIDE_MARKS)) else _chinese(data)
        if chinese is None:
            byte, line = f"0x{data[error.start]:02X}", _line(data, error.start)
            raise Unusable(where, _said("invalid", byte=byte, line=line, encoding=name)) from None
        text, name = chinese, "GB18030"
    except (LookupError, ValueError) as error:
        raise Unusable(where, say.BAD_COOKIE.fill(reason=printable(str(error)))) from None
    plain = name in ("UTF-8", "ASCII") or text.isascii()
    notices = () if plain else (Notice(where, _said("read-as", encoding=name)),)
    return text.replace("\r\n", "\n").replace("\r", "\n"), notices


def _said(problem: str, **values: object) -> Text:
    """What is wrong with the encoding, and how to save the file as UTF-8."""
    said = texts(__file__, "encoding.yaml")
    return said[problem].fill(**values, remedy=said["remedy"])


def _wide(data: bytes) -> tuple[str | None, str | None]:
    """The encoding and name that a byte-order mark declares; (None, "UTF-16") if it looks like that without a mark."""
    for mark, encoding, name in _WIDE_MARKS:
        if data.startswith(mark):
            return encoding, name
    head = data[:1024]
    every_second = max(head[0::2].count(0), head[1::2].count(0))
    return None, "UTF-16" if every_second > 0 and every_second * 3 > len(head) else None


def _chinese(data: bytes) -> str | None:
    """``data`` decoded as GB18030 if nearly all of its characters of two bytes are common Chinese; else None.

    Characters of four bytes, such as rare ones in names, must be assigned code points, and count neither way. Common
    characters are Chinese punctuation and the 3755 characters of GB 2312 level 1, which are sorted by pronunciation;
    Korean text in EUC-KR would use only the first half of that range.
    """
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return None
    characters = [match[0] for match in itertools.islice(_NOT_ASCII.finditer(text), _SAMPLE)]
    codes = [character.encode("gb18030") for character in characters]
    long = [character for character, code in zip(characters, codes, strict=True) if len(code) == 4]
    if any(unicodedata.category(character) in _UNASSIGNED for character in long):
        return None
    doubles = [code for code in codes if len(code) == 2]
    pairs = [(code[0], code[1]) for code in doubles if code[1] >= 0xA1]
    common = [first for first, _ in pairs if 0xB0 <= first <= 0xD7]
    marks = sum(first in (0xA1, 0xA3) for first, _ in pairs)
    late = sum(first >= 0xCA for first in common)
    if len(common) < 2 or (len(common) + marks) * 10 < len(doubles) * 9 or late * 10 < len(common):
        return None
    return text


def _line(data: bytes, index: int) -> int:
    return len(data[: index + 1].splitlines()) or 1


def _declared(data: bytes, where: str) -> str:
    """The encoding that the first two lines declare (PEP 263), or UTF-8."""
    if b"coding" not in b"".join(data[:4096].splitlines(keepends=True)[:2]):
        return "utf-8"
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        if "invalid or missing" in str(error):  # not UTF-8: decoding will say where
            return "utf-8"
        raise Unusable(where, say.BAD_COOKIE.fill(reason=printable(str(error)))) from None
    if _NOT_FOR_SOURCE.match(codecs.lookup(encoding).name.replace("_", "-")):  # under any of its aliases
        raise Unusable(where, say.BAD_COOKIE.fill(reason=encoding))
    return "utf-8" if encoding == "utf-8-sig" else encoding
