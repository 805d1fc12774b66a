"""What learners submit (sources, notebooks, zips and answers), each nearly correct."""

from __future__ import annotations

import ast
import io
import json
import stat
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from grader import submission
from grader.core import yaml_positions
from grader.core.errors import SubmissionError
from grader.core.marks import plain
from grader.core.model import Submission
from grader.grading import definitions
from grader.instructor.analysis import similarity
from grader.submission import answers
from grader.submission.files import RawFile
from tests.fuzz import bending
from tests.fuzz.reading import Reader, fuzzing, read
from tests.submission import test_answers_files

ROOT = Path(__file__).parents[2]


def handed_in(path: Path) -> Submission | None:
    """The submission at ``path``, or None. All messages can be printed, and reading it again gives the same."""
    found = read(lambda: submission.read(path), SubmissionError)
    if found is None:
        return None
    for notice in found.notices:
        for said in (notice.where, notice.text.en, notice.text.zh):
            assert said.encode() is not None and len(said) < 20_000
            assert plain(said).isprintable(), said
    found.learner.encode()
    assert found.learner.isprintable() and found.learner
    modules = [file.module for file in found.files]
    assert len(set(modules)) == len(modules)
    for file in found.files:
        file.path.encode()
        names = {name for name, _ in file.defines}
        lines = [part.text.count("\n") + 1 for part in file.parts]
        assert all(0 < line <= max(lines) for _, line in file.defines)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trees = [ast.parse(part.text) for part in file.parts]
        top = [node for tree in trees for node in tree.body]
        assert {node.name for node in top if isinstance(node, ast.FunctionDef | ast.ClassDef)} <= names
        for part in file.parts:
            part.label.encode()
    for file in found.files:
        for name, _ in file.defines[:3]:
            definitions.first_use(name, ("torch.nn.functional.softmax", "numpy.linalg.norm"), file, found.files)
    similarity.reduce_sample(
        similarity.CodeSample("k", ("ada",), found.files), [name for f in found.files for name, _ in f.defines]
    )
    assert submission.read(path) == found
    assert submission.fingerprint(path) == found.digest
    return found


def file(name: str) -> Callable[[bytes, Path], None]:
    """Writes a submission with this file name."""

    def check(data: bytes, scratch: Path) -> None:
        path = scratch / name
        path.write_bytes(data)
        handed_in(path)

    return check


# -------------------------------------------------------------------------------------------- sources

PROGRAMS = (
    *(path.read_text("utf-8") for path in sorted((ROOT / "tests" / "solutions").glob("*/right/*.py"))[::12]),
    "# -*- coding: utf-8 -*-\nimport torch\n\ndef f(x, /, *, mask=None):\n    '''Doc.'''\n    return x @ x.T\n",
    "#!/usr/bin/env python\n# coding: gb18030\nfrom .q05 import f\nasync def g(): ...\n@dec\nclass A(B, meta=C): x = 1",
    'match x:\n    case [1, *_]: f"{x!r:>{width}}"\n    case {"a": A(b=1)}: pass\n',
    'if __name__ == "__main__":\n    f()\nelse:\n    g = 1\n',
    "x = y = (a, [b, *c]) = 1\nwith a as b, c: pass\ntry: 1\nexcept* E as e: 2\nfinally: 3\nwhile (n := f()): del n\n",
    "def f(x):\n\treturn 'a' 'b' rb'\\x00' 0x_ff 1e5j\nprint 'old'\nlambda *a, k=1, **b: (yield)\n",
)
PYTHON = (
    "def ", "class ", "return ", "lambda ", "import torch\n", "from . import ", "from ..a import b\n", "async ",
    "await ", "try:\n", "finally:\n", "if x:\n", "else:\n", "elif ", "    ", "\t", "*", "**", ":=", "->", "f'{",
    "f'{x!r:{", "'''", "# coding: utf-7\n", "# coding: latin-1\n", "# -*- coding: rot13 -*-\n",
    "# vim: set fileencoding=cp037 :\n", "# coding: big5\n", "# coding: utf_16\n", "# coding: utf-8-sig\n",
    "# coding: no such\n", "# coding: gb18030\n", "__import__('os')", "importlib.import_module('torch')",
    "0x" + "f" * 300, "1" * 4301, "1_000", "1e400", "1j", "\\\n", "<<<<<<< HEAD\n", "%matplotlib inline\n",
    "!pip install x\n", "\\N{DIGIT ONE}", "'\\ud800'", "b'\\xff'", ".a" * 499, "__debug__", "None = 1\n",
    "a" * 5000 + "." * 3, "x if y else " * 50, "not " * 90, "try:\n  1\n" * 40, "(" * 90,
)  # fmt: skip
SOURCES = bending.encoded(bending.texts(PROGRAMS, PYTHON))

# ------------------------------------------------------------------------------------------ notebooks


def code(source: Any, **more: Any) -> dict[str, Any]:
    """A code cell of format 4."""
    return {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": source, **more}


_OLD = {
    "cell_type": "code",
    "collapsed": False,
    "input": "def f(x):\n    return x",
    "language": "python",
    "outputs": [],
}
_PYTHON = {"kernelspec": {"language": "python", "name": "python3"}, "language_info": {"name": "python"}}
_OUTPUT = {"output_type": "stream", "name": "stdout", "text": ["a\n"]}
NOTEBOOKS = (
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": _PYTHON,
        "cells": [
            code("import torch\n%time x = 1\n!ls\nx?\n"),
            {"cell_type": "markdown", "source": ["# a\n"], "metadata": {}},
            code(["def f(x):\n", "    return '''\n", "%no'''\n"], outputs=[_OUTPUT]),
            code("%%bash\nls"),
            code("%%time\ny = 2"),
        ],
    },
    {"nbformat": 4, "nbformat_minor": 0, "metadata": {"language_info": {"name": "R"}}, "cells": []},
    {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": "x"},
        "worksheets": [
            {
                "metadata": {},
                "cells": [
                    _OLD,
                    {"cell_type": "heading", "level": 1, "source": "T"},
                    {"cell_type": "markdown", "source": "t"},
                    {
                        **_OLD,
                        "outputs": [
                            {"output_type": "pyout", "prompt_number": 1, "text": "1", "png": "aa"},
                            {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": ["t"]},
                        ],
                    },
                ],
            }
        ],
    },
    {"nbformat": 2, "worksheets": [{"cells": [_OLD, {"cell_type": "text", "source": "t"}]}]},
    {"nbformat": 1, "cells": [{"cell_type": "code", "code": "def f(): return 1", "prompt_number": 1}]},
    {"nbformat": 5, "cells": []},
)
SHAPED = bending.data(NOTEBOOKS, (*bending.VALUES, *NOTEBOOKS, 3, 2, 4, code("x = 1"), *PYTHON)).map(json.dumps)
WRITTEN = bending.texts([json.dumps(each, indent=1) for each in NOTEBOOKS], ('"', "\\n", "\\ud800", "\\u0000", "{}"))
NOTEBOOK_FILES = bending.encoded(SHAPED | SHAPED | WRITTEN)

# ----------------------------------------------------------------------------------------------- zips

NAMES = (
    "q05.py", "hw/q05.py", "hw/answers.yaml", "answers.yaml", "hw/q05.ipynb", "../q05.py", "/q05.py", "C:/q05.py",
    "a\\b.py", "hw/../../x.py", "./q05.py", "hw//q05.py", "hw/", "hw", "hw/q05.py/x.py", "", ".", "..", "q05.py/",
    "Q05.PY", "中文.py", "é.py", "e\u0301.py", "\u202eyp.py", "a\0b.py", "a" * 300 + ".py",
    "/".join("d" * 90) + "/q.py", "__MACOSX/._q05.py", ".git/config", "torch.py", "numpy/__init__.py", "__init__.py",
    "inner.zip", "data.npz", "con.py", "q05 (1).py", "1.py", "class.py", "q05.py\n", " q05.py", "~/q05.py",
    "hw/q05.pyc", "-.py", "ａ.py", "\ufeffq.py", "q\x1b[31m.py",
)  # fmt: skip
CONTENTS = (
    b"def f(x):\n    return x\n", b"", b"import torch\n", b"\0" * 3000, b"\xff\xfe", b"0" * (1 << 21),
    b"x = 1\n" * 40_000, b"{format: 1, learner: ada, answers: {Q1.a: b}}\n", json.dumps(NOTEBOOKS[0]).encode(),
    b"PK\x03\x04" + b"\0" * 30, b"[" * 9999,
)  # fmt: skip
_FIELD = st.integers(0, 30)
MEMBERS = st.lists(
    st.tuples(
        st.sampled_from(NAMES[:5]) | st.sampled_from(NAMES), st.sampled_from(CONTENTS), _FIELD, _FIELD, st.booleans()
    ),
    max_size=6,
)
_MODES = (stat.S_IFLNK | 0o777, stat.S_IFDIR | 0o755, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFREG | 0o7777, 0, 0xFFFF)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


class _Stream(io.BytesIO):
    """Like a pipe: zipfile has to write sizes after the content, in data descriptors."""

    def seekable(self) -> bool:
        """False."""
        return False


def packed(members: list[tuple[str, bytes, int, int, bool]], streamed: bool, edits: list[tuple[int, int]]) -> bytes:
    """A zip of these members; ``edits`` replace bytes of its directory and headers."""
    out = _Stream() if streamed else io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")
        for name, content, mode, method, deep in members:
            info = zipfile.ZipInfo("x")
            info.filename = name
            info.create_system = 3 if mode < 25 else 0
            info.external_attr = (_MODES[mode] if mode < len(_MODES) else stat.S_IFREG | 0o644) << 16
            info.compress_type = _METHODS[method] if method < len(_METHODS) else zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=deep and mode % 2 == 0) as entry:
                entry.write(
                    packed([("q05.py", content, 30, 30, False)], False, []) if deep and mode % 5 == 0 else content
                )
    data = bytearray(out.getvalue())
    marks = [at for mark in (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06") for at in found(data, mark)]
    for where, what in edits:
        data[min(len(data) - 1, marks[where % len(marks)] + where // 64 % 64)] = what % 256
    return bytes(data)


def found(data: bytes | bytearray, mark: bytes) -> list[int]:
    """All positions of ``mark``."""
    places, at = [], data.find(mark)
    while at >= 0:
        places.append(at)
        at = data.find(mark, at + 1)
    return places


_PLACES = st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 255)), max_size=3)
WHOLE_ZIPS = st.builds(packed, MEMBERS, st.booleans(), _PLACES)
_PLAIN = [(name, content, 30, 30, False) for name, content in zip(NAMES[1:5], CONTENTS[:4], strict=True)]
ZIPS = WHOLE_ZIPS | WHOLE_ZIPS | bending.byte_strings([packed(_PLAIN, False, []), packed(_PLAIN, True, [])])

# -------------------------------------------------------------------------------------------- answers

ANSWERS = (
    "format: 1\nlearner: Ada L.\nanswers:\n  Q5.output: b\n  Q5.scale: [a, c]\n  Q5.var: |\n    Var(q·k)\n    = d_k\n",
    '{"format": 1, "answers": {"Q1.a": ["x", 1.5, null, true], "Q2.b": {"a": 1}}}',
    "format: 1\nlearner: 0123\nanswers:\n- a\n- 'b''c'\n- \"d\\u00e9\\n\"\n- >-\n  folded\n  text\n",
    "%YAML 1.2\n---\nformat: 1\nanswers: {}\n...\n",
)
#: Files of answers as people break them.
BROKEN = tuple(f"format: 1\nlearner: ada\nanswers:\n{text}" for _, text, *_ in test_answers_files.BROKEN)
YAML = (
    ": ", "：", "Q1.a: ", "\n  Q1.a: ", "\n\tQ1.b: ", "\n- Q1.c: ",
    "- ", "? ", "|\n", ">\n", "|2-\n", "&a ", "*a", "<<: *a\n", "!!str ", "!<tag:x> ", "--- ", "...", "{", "}",
    "[", "]", ", ", "'", '"', "\\x00", "\\ud800", "\\U0010FFFF", "yes", "0o17", "0x1f", "1:30", "=", "~", "@", "`",
    "  ", "\n", "\t", "format: 1\n", "answers:\n", "learner: ", "[" * 45, "- " * 45, "{a: " * 45, "? " * 30, "# c\n",
    "1" * 120, ".nan",
)  # fmt: skip
ANSWER_FILES = bending.encoded(bending.texts(ANSWERS, YAML))


def entries(data: bytes, scratch: Path) -> None:
    """Every answer has its item once and a line of the file; what was refused is text, with the reason."""
    raw = RawFile("answers.yaml", "answers", data)
    found = read(lambda: answers.read(raw), SubmissionError)
    if found is None:
        return
    assert len({answer.item for answer in found.answers}) == len(found.answers)
    for answer in found.answers:
        assert answer.line >= 1
        if answer.problem is not None:
            assert isinstance(answer.value, str) and answer.value
            assert all(said and plain(said).isprintable() for said in (answer.problem.en, answer.problem.zh))


def yaml(text: str, scratch: Path) -> None:
    """Whatever is accepted is plain data, and every part of it has a line in the text."""
    document = read(lambda: yaml_positions.parse(text, "x.yaml", SubmissionError), SubmissionError)
    if document is None:
        return
    count = len(text.splitlines()) + 1
    paths = [()]
    while paths:
        path = paths.pop()
        value = document.value
        for step in path:
            value = value[step]
        assert 1 <= document.lines[path] <= count
        assert type(value) in (dict, list, str, int, float, bool, type(None))
        if isinstance(value, dict):
            paths += [(*path, key) for key in value]
        elif isinstance(value, list):
            paths += [(*path, at) for at in range(len(value))]


def yaml_of_json(value: Any, scratch: Path) -> None:
    """JSON is YAML: what it contains is what is read, if it can be represented."""
    text = json.dumps({"a": value})
    if not any(word in text for word in ("NaN", "Infinity", "\\ud", "0" * 99, "9" * 99)):
        document = read(lambda: yaml_positions.parse(text, "x.yaml", SubmissionError), SubmissionError)
        assert document is None or json.dumps(document.value) == text


test_sample, test_long = fuzzing(
    Reader("sources", SOURCES, file("q05.py"), sample=10),
    Reader("notebooks", NOTEBOOK_FILES, file("q05.ipynb"), sample=10),
    Reader("zips", ZIPS, file("hw.zip")),
    Reader("answers", ANSWER_FILES, file("answers.yaml")),
    Reader("broken answers", bending.encoded(bending.texts(BROKEN, YAML)), entries),
    Reader("yaml", bending.texts(ANSWERS, YAML), yaml),
    Reader("yaml of json", bending.data([{"a": [1, "b", {"c": 2.5}], "d": "e"}]), yaml_of_json),
)
