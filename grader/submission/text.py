"""Bytes as text: UTF-8, or what Python source declares; what is not text is called by its name."""

from __future__ import annotations

import codecs
import re

from grader.model import Text
from grader.submission import messages as say
from grader.submission.messages import Unusable, printable

#: Encodings that a source may declare by PEP 263 but that nobody writes in; some take quadratic time to decode.
_NOT_FOR_SOURCE = re.compile(r"utf-?(7|16|32)|punycode|idna|undefined|(raw-)?unicode-escape")

_BY_MAGIC: tuple[tuple[int, bytes, Text, Text], ...] = (
    (0, b"%PDF-", say.PDF, say.THE_CODE_ITSELF),
    (0, b"\x89PNG\r\n", say.IMAGE, say.THE_CODE_ITSELF),
    (0, b"\xff\xd8\xff", say.IMAGE, say.THE_CODE_ITSELF),
    (0, b"GIF89a", say.IMAGE, say.THE_CODE_ITSELF),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", say.OFFICE, say.THE_CODE_ITSELF),
    (0, b"{\\rtf", say.RTF, say.PLAIN_TEXT),
    (0, b"\x1f\x8b", say.ARCHIVE, say.THE_CODE_ITSELF),
    (0, b"7z\xbc\xaf\x27\x1c", say.ARCHIVE, say.THE_CODE_ITSELF),
    (0, b"Rar!\x1a\x07", say.ARCHIVE, say.THE_CODE_ITSELF),
    (0, b"BZh9", say.ARCHIVE, say.THE_CODE_ITSELF),
    (0, b"\xfd7zXZ\x00", say.ARCHIVE, say.THE_CODE_ITSELF),
    (0, b"\x28\xb5\x2f\xfd", say.ARCHIVE, say.THE_CODE_ITSELF),
    (257, b"ustar", say.ARCHIVE, say.THE_CODE_ITSELF),
    (0, b"\x7fELF", say.PROGRAM, say.THE_CODE_ITSELF),
    (0, b"MZ\x90\x00", say.PROGRAM, say.THE_CODE_ITSELF),
    (0, b"\x93NUMPY", say.DATA, say.THE_CODE_ITSELF),
    (0, b"\x80\x04\x95", say.DATA, say.THE_CODE_ITSELF),
)
_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def looks_like(data: bytes) -> tuple[Text, Text] | None:
    """What ``data`` is when it is plainly not text, with what to do; None when it may be text."""
    if data.startswith(b"PK\x03\x04"):
        office = b"[Content_Types].xml" in data[:4096]
        return (say.OFFICE, say.THE_CODE_ITSELF) if office else (say.ZIP, say.RENAME_IT.fill(suffix=".zip"))
    for at, magic, what, advice in _BY_MAGIC:
        if data.startswith(magic, at):
            return what, advice
    start = data[:200].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return say.WEB_PAGE, say.THE_CODE_ITSELF
    return None


def decode(data: bytes, where: str, expected: Text, *, python: bool = False) -> str:
    """``data`` as text with ``\\n`` line ends; ``python`` respects a declared encoding."""
    if (other := looks_like(data)) is not None:
        raise Unusable(where, say.LOOKS_LIKE.fill(expected=expected, what=other[0], advice=other[1]))
    if (wide := _wide(data)) is not None:
        raise Unusable(where, say.WIDE.fill(encoding=wide, remedy=say.SAVE_AS_UTF8))
    if (at := data.find(b"\0")) >= 0:
        raise Unusable(where, say.NUL.fill(line=_line(data, at), remedy=say.SAVE_AS_UTF8))
    encoding = _declared(data, where) if python else "utf-8"
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode(encoding)
    except UnicodeDecodeError as error:
        byte, line = f"0x{data[error.start]:02X}", _line(data, error.start)
        name = encoding.upper()
        raise Unusable(where, say.NOT_UTF8.fill(byte=byte, line=line, encoding=name, remedy=say.SAVE_AS_UTF8)) from None
    except (LookupError, ValueError) as error:
        raise Unusable(where, say.BAD_COOKIE.fill(reason=printable(str(error)))) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _wide(data: bytes) -> str | None:
    for mark, name in _WIDE_MARKS:
        if data.startswith(mark):
            return name
    head = data[:1024]
    every_second = max(head[0::2].count(0), head[1::2].count(0))
    return "UTF-16" if every_second > 0 and every_second * 3 > len(head) else None


def _line(data: bytes, at: int) -> int:
    return len(data[: at + 1].splitlines()) or 1


def _declared(data: bytes, where: str) -> str:
    """The encoding that the first two lines declare (PEP 263), else UTF-8."""
    if b"coding" not in b"".join(data[:4096].splitlines(keepends=True)[:2]):
        return "utf-8"
    import io
    import tokenize

    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        if "invalid or missing" in str(error):  # a line that is not UTF-8: decoding says which
            return "utf-8"
        raise Unusable(where, say.BAD_COOKIE.fill(reason=printable(str(error)))) from None
    if _NOT_FOR_SOURCE.match(encoding.lower().replace("_", "-")):
        raise Unusable(where, say.BAD_COOKIE.fill(reason=encoding))
    return "utf-8" if encoding == "utf-8-sig" else encoding
