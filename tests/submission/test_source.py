"""Python sources as text: encodings, syntax, and what they define and import."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from grader.submission import Unusable, read
from grader.submission.files import RawFile
from grader.submission.messages import listing, printable, size
from grader.submission.source import ParseBudget, SourceFacts, scan


def scanned(source: str | bytes) -> SourceFacts:
    """The facts about a source."""
    raw = RawFile("q05.py", "source", source.encode() if isinstance(source, str) else source)
    return scan(raw, ParseBudget(raw.path))


def refused(source: str | bytes) -> str:
    """The message with which a source is refused, said in both languages."""
    with pytest.raises(Unusable) as caught:
        scanned(source)
    assert "\x1b" not in str(caught.value) and caught.value.text.zh
    return str(caught.value)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(): pass", {"f": 1}),
        ("async def f(): pass\nclass C: pass", {"f": 1, "C": 2}),
        ("@staticmethod\n\ndef f(): pass", {"f": 3}),
        ("f = lambda x: x", {"f": 1}),
        ("a, (b, *c) = d = [1, [2]]", {"a": 1, "b": 1, "c": 1, "d": 1}),
        ("a: int = 1\nb: int", {"a": 1}),
        ("x.y = 1\nz[0] = 2", {}),
        ("import numpy as np\nfrom torch import softmax", {}),
        ("def f():\n    g = 1\n    def h(): pass", {"f": 1}),
        ("class C:\n    def m(self): pass\n    k = 1", {"C": 1}),
        ("if True:\n    def f(): pass\nelif 1:\n    g = 1\nelse:\n    h = 2", {"f": 2, "g": 4, "h": 6}),
        (
            "try:\n    a = 1\nexcept E:\n    b = 2\nelse:\n    c = 3\nfinally:\n    d = 4",
            {"a": 2, "b": 4, "c": 6, "d": 8},
        ),
        ("try:\n    a = 1\nexcept* E:\n    b = 2", {"a": 2, "b": 4}),
        ("with x:\n    a = 1", {"a": 2}),
        ("for i in x:\n    a = 1\nelse:\n    b = 2", {"a": 2, "b": 4}),
        ("while x:\n    a = 1", {"a": 2}),
        ("match x:\n    case 1:\n        a = 1", {"a": 3}),
        ("if __name__ == '__main__':\n    a = 1\nelse:\n    b = 2", {"b": 4}),
        ('if "__main__" == __name__:\n    a = 1', {}),
        ("if b'__main__' == __name__:\n    a = 1", {"a": 2}),
        ("if " + "-" * 1000 + "x == 1:\n    a = 1", {"a": 2}),
        ("def f(): pass\ng = 1\ndef f(x): pass", {"g": 2, "f": 3}),
        ("x = 1\r\ndef f():\r\n    pass\r\n", {"x": 1, "f": 2}),
        ("x = 1\rdef f(): pass\r", {"x": 1, "f": 2}),
        ("'''\n\n'''\n\x0c\ndef f(): pass", {"f": 5}),
    ],
)
def test_definitions(source: str, expected: dict[str, int]) -> None:
    """Top-level definitions and assignments are found with their last line, wherever at top level they stand."""
    found = scanned(source).defines
    assert dict(found) == expected
    assert list(found) == list(expected.items())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import torch", True),
        ("import torch as T", True),
        ("import os, torch.nn.functional as F", True),
        ("from torch import nn", True),
        ("from torch.nn import functional", True),
        ("def f():\n    class C:\n        def g(self):\n            import torch", True),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None", True),
        ("import importlib\nT = importlib.import_module('torch')", True),
        ("from importlib import import_module\nF = import_module('torch.nn.functional')", True),
        ("T = __import__('torch')", True),
        ("x = [lambda: __import__('torch').ones(3)]", True),
        ("import numpy as np", False),
        ("import torchvision, torch_utils", False),
        ("from .torch import nn\nfrom . import torch", False),
        ("import_module('.torch', 'pkg')", False),
        ("'import torch'  # import torch\ntorch = 1", False),
        ("from helpers import torch", False),
    ],
)
def test_imports_torch(source: str, expected: bool) -> None:
    """Torch counts as imported wherever in the file it is, and only when it is torch itself."""
    assert ("torch" in scanned(source).imports) is expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if __name__ == '__main__':\n    def f(): pass\n    if x:\n        g = 1\nelse:\n    h = 1", {"f": 2, "g": 4}),
        ("if '__main__' == __name__:\n    def f(): pass\ndef f(): pass", {}),
        ("if x:\n    if __name__ == '__main__':\n        class C: pass", {"C": 3}),
        ("def f():\n    if __name__ == '__main__':\n        g = 1", {}),
    ],
)
def test_what_stands_under_the_main_guard(source: str, expected: dict[str, int]) -> None:
    """It is known with its line, unless the same name is defined where it counts."""
    assert dict(scanned(source).guarded) == expected


def test_a_sibling_that_imports_torch_does_not_count(tmp_path: Path) -> None:
    """Every file speaks for itself."""
    (tmp_path / "a.py").write_text("import torch\nx = 1")
    (tmp_path / "b.py").write_text("from a import x")
    assert [(file.path, file.imports_torch) for file in read(tmp_path).files] == [("a.py", True), ("b.py", False)]


@pytest.mark.parametrize(
    "source",
    [
        "注意力 = '查询'\n".encode(),
        codecs.BOM_UTF8 + "注意力 = '查询'\n".encode(),
        codecs.BOM_UTF8 + "# coding: utf-8\n注意力 = '查询'\n".encode(),
        "# -*- coding: gbk -*-\n注意力 = '查询'\n".encode("gbk"),
        "#!/usr/bin/python3\n# vim: set fileencoding=big5 :\n注意力 = '查詢'\n".encode("big5"),
        "# coding=gb18030\n注意力 = '查询'\n".encode("gb18030"),
        "# coding=gb2312\n注意力 = '查询㐀'\n".encode("gb18030"),
        "注意力 = '查询'  # 缩放点积，掩码。\n".encode("gbk"),
        "注意力 = '查𠮷'\n".encode("gb18030"),
        "# -*- coding: utf-8 -*-\n注意力 = '查询'\n".encode("gbk"),
        "# 作业一\n# coding: gbk\n注意力 = '查询'\n".encode("gbk"),
        "注意力 = '查询'\n".encode("utf-16"),
        codecs.BOM_UTF16_BE + "# coding: gbk\n注意力 = '查询'\n".encode("utf-16-be"),
        "注意力 = '查询'\n".encode("utf-32"),
    ],
)
def test_encodings_that_work(source: bytes) -> None:
    """UTF-8, what the first two lines declare, marks, and what can only be Chinese; a remark on all but UTF-8.

    What is decoded is text, in which a declaration means nothing any more: it compiles as it is.
    """
    found = scanned(source)
    (name, _), *_ = found.defines
    assert name == "注意力"
    text = found.parts[0].text
    assert not text.startswith("\ufeff")
    space: dict[str, str] = {}
    exec(compile(text, "q05.py", "exec", dont_inherit=True), space)
    assert space["注意力"][:1] in "查"
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        assert "Save it as UTF-8" in found.notices[0].text.en
    else:
        assert not found.notices


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# caf\xe9\nx = 1".encode("latin-1"), "byte 0xE9 on line 1 is not valid UTF-8"),
        ("x = 1\r\ny = 2\r\n# 中\r\n".encode("gbk"), "byte 0xD6 on line 3 is not valid UTF-8. Save it as UTF-8"),
        ("# 주의 메커니즘\nx = 1".encode("euc-kr"), "on line 1 is not valid UTF-8"),
        ("# 注意機構の実装をここに書く\nx = 1".encode("shift-jis"), "on line 1 is not valid UTF-8"),
        ("# 注意機構の実装をここに書く\nx = 1".encode("euc-jp"), "on line 1 is not valid UTF-8"),
        ("# 注意力機制與權重矩陣\nx = 1".encode("big5"), "on line 1 is not valid UTF-8"),
        ("# механизм внимания и матрица\nx = 1".encode("cp1251"), "on line 1 is not valid UTF-8"),
        ("# механизм внимания и матрица\nx = 1".encode("koi8-r"), "on line 1 is not valid UTF-8"),
        ("# Größe, Übung, façade, naïve\nx = 1".encode("latin-1"), "on line 1 is not valid UTF-8"),
        ("# 注意".encode("gbk") + b"\xfd\x39\xfd\x39\nx = 1", "on line 1 is not valid UTF-8"),
        ("# 注意力机制的权重矩阵\n".encode()[:-5] + b"\nx = 1", "on line 1 is not valid UTF-8"),
        ("# 注意力\nx = 1\n".encode("utf-16")[:-1], "is not valid UTF-16"),
        (b"# coding \xff\nx = 1", "byte 0xFF on line 1"),
        (b"# encoding\n\nx = '\xff'", "byte 0xFF on line 3"),
        (b"x = '\xed\xa0\x80'", "byte 0xED on line 1"),
        (b"# coding: ascii\nx = '\xe9'", "byte 0xE9 on line 2 is not valid ASCII"),
        ("x = 1\n".encode("utf-16-le"), "saved as UTF-16"),
        ("x = 1\n".encode("utf-16-be"), "saved as UTF-16"),
        (b"x = 1\ny = 2\0\n", "NUL byte on line 2"),
        (b"# coding: klingon\nx = 1", "unknown encoding: klingon"),
        (codecs.BOM_UTF8 + b"# coding: gbk\nx = 1", "cannot be used (encoding problem: utf-8)"),
        (b"# coding: rot13\nk = 1", "not a text encoding"),
        (b"# coding: hex\nk = 1", "not a text encoding"),
        (b"# coding: punycode\n" + b"a" * 500_000, "cannot be used (punycode)"),
        (b"# coding: utf-7\nx = 1", "cannot be used (utf-7)"),
        (b"# coding: unicode_escape\nx = '\\q'", "cannot be used (unicode_escape)"),
        (b"# coding: utf_16\nx = 1", "cannot be used (utf_16)"),
    ],
)
def test_encodings_that_do_not(source: bytes, expected: str) -> None:
    """What is not text, or not in the encoding it should be in, is placed by byte and line."""
    assert expected in refused(source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(x)\n    return x", "q05.py: line 1, column 9: Python cannot parse this: `def f(x)` (expected ':')."),
        ("x = (1,\n", "line 1, column 5: Python cannot parse this: `x = (1,` ('(' was never closed)"),
        ("if x:\n", "line 1"),
        ("print 'a'", "This is Python 2"),
        ("try:\n    x\nexcept A, e:\n    y", "This is Python 2"),
        ("if x:\n        a\n\tb", "four spaces"),
        ("if x:\n    a\n  b", "four spaces"),
        ("x = 1\n  y = 2", "unexpected indent"),
        ("f（x）", "English"),
        ("%matplotlib inline\nx = 1", "in notebooks only"),
        ("!pip install torch", "in notebooks only"),
        ("<<<<<<< HEAD\nx = 1", "leftover merge conflict"),
        ("x = " + "1" * 5000, "Exceeds the limit"),
        ("x" * 300 + " y" + "z" * 300, "column 302: Python cannot parse this: `…x"),
        ("x = '\x1b[31m", "unterminated string literal"),
        ("'\\N{nothing}'", "unknown Unicode character name"),
        ("(" * 1000, "too many nested parentheses"),
        ("-" * 100_000 + "1", "parser cannot handle this"),
        ("x = 1" + "+1" * 50_000, "parser cannot handle this"),
        ("a" + ".b" * 50_000, "parser cannot handle this"),
        ("lambda:" * 50_000 + "1", "parser cannot handle this"),
        ("if a:b\n" + "elif a:b\n" * 20_000, "parser cannot handle this"),
    ],
)
def test_syntax_errors(source: str, expected: str) -> None:
    """What Python cannot parse is shown with line, column and the line itself, and a hint for the usual causes."""
    message = refused(source)
    assert expected in message and len(message) < 500


@pytest.mark.parametrize("source", [r"x = '\d'", "x = 1if 1 else 2", "x = 1 is 1", "assert (1, 'x')", "0x1for x in y"])
def test_warnings_stay_inside(source: str) -> None:
    """Questionable but valid source is read without a warning."""
    assert scanned(source).parts


def test_what_only_a_compiler_refuses_is_left_to_the_child() -> None:
    """Nested ``finally`` blocks would compile to exponentially much bytecode; reading them costs nothing."""
    source = "".join(f"{' ' * n}try: pass\n{' ' * n}finally:\n" for n in range(19)) + " " * 19 + "x = 1\nreturn\n"
    assert scanned(source).defines == (("x", 39),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("注意 力", "注意 力"), ("a\tb", "a b"), ("a\xa0b", "a b"), ("a\x1b[0m", "a\\x1b[0m"), ("a\u202eb", "a\\u202eb")],
)
def test_printable(text: str, expected: str) -> None:
    """Ordinary text in any script stays; what could deceive or steer a terminal is spelled out."""
    assert printable(text) == expected


def test_small_wording() -> None:
    """Long texts are cut, sizes are rounded, lists count what they leave out."""
    assert printable("x" * 300) == "x" * 199 + "…"
    assert [size(n) for n in (5, 1 << 10, 3 << 19, 1 << 30)] == ["5 bytes", "1 KiB", "1.5 MiB", "1 GiB"]
    assert listing(["a", "b", "c"], 2).zh == "a、b 等 3 项"
