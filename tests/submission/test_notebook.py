"""Notebooks as sources: their code cells, without what only IPython understands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.core.errors import SubmissionError
from grader.core.model import Call, Job, Program, Raised, Returned, Submission
from grader.sandbox import Sandbox
from grader.submission import read
from grader.submission.files import MAX_SOURCE
from grader.submission.notebook import MAX_BRACKETS, MAX_CELLS
from tests.helpers import PATIENT

CODE = "def softmax(x):\n    return x"


def code(source: str | list[str], **more: Any) -> dict[str, Any]:
    """A code cell."""
    return {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": source, **more}


def notebook(*cells: Any, **more: Any) -> dict[str, Any]:
    """A notebook of format 4.5."""
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}


def store(folder: Path, content: Any, name: str = "q05.ipynb") -> Path:
    """Writes a notebook, or a text in the place of one."""
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def of_cells(folder: Path, *sources: str) -> Submission:
    """The submission that a notebook with these code cells makes."""
    return read(store(folder, notebook(*map(code, sources))))


def test_one_part_per_code_cell(tmp_path: Path) -> None:
    """Code cells keep their order and number; text, raw and blank cells give no part."""
    cells = [
        {"cell_type": "markdown", "source": "def no(): pass"},
        code("import torch"),
        code(""),
        {"cell_type": "raw", "source": "!"},
        code(["def softmax(x):\n", "    return '注意力'\n"]),
    ]
    (file,) = read(store(tmp_path, notebook(*cells))).files
    assert (file.path, file.module, file.imports_torch) == ("q05.ipynb", "q05", True)
    assert [part.label for part in file.parts] == ["q05.ipynb cell 1", "q05.ipynb cell 3"]
    assert file.parts[1].text == "def softmax(x):\n    return '注意力'\n"


def test_lines_are_those_of_the_cell(tmp_path: Path) -> None:
    """A definition's line counts within its cell, and the last definition counts."""
    (file,) = of_cells(tmp_path, CODE + "\n\ng = 1", "# again\n\n" + CODE).files
    assert file.defines == (("g", 4), ("softmax", 3))


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("from __future__ import annotations\nx = 1", "pass\nx = 1"),
        ("x = 1\nfrom __future__ import annotations", "x = 1\npass"),
        ("'''注意'''; from __future__ import annotations; x = 1", "'''注意'''; pass; x = 1"),
        ("from __future__ import annotations; from __future__ import division", "pass; pass"),
        ("from __future__ import (\n    annotations,\n)\nx = 1", "pass\n\n\nx = 1"),
        ("%matplotlib inline\nfrom __future__ import annotations", "pass\npass"),
    ],
)
def test_the_future_holds_for_the_whole_notebook(tmp_path: Path, source: str, kept: str) -> None:
    """Wherever it is imported; the lines keep their numbers."""
    (file,) = of_cells(tmp_path, "y = 1", source, CODE).files
    assert "annotations" in file.futures
    assert [part.text for part in file.parts] == ["y = 1", kept, CODE]


def test_names_of_later_are_no_error_in_any_cell(tmp_path: Path, sandbox: Sandbox) -> None:
    """Annotations are not evaluated, in cells before and after the import; without it they are."""
    late = "def f(x: Later = 7) -> Later:\n    return x"
    program = Program("q05", (Call("f"), Call("g")), (0, 1))
    seen = []
    for cell in ("x = 1\nfrom __future__ import annotations", "x = 1"):
        found = of_cells(tmp_path, late, cell, late.replace("f(", "g("))
        seen += sandbox.observe(Job(found.files, (program,)), PATIENT).observations
    assert isinstance(seen[0], Returned) and isinstance(seen[1], Raised)


@pytest.mark.parametrize(
    ("source", "kept", "lines"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1", ["line 1 (%matplotlib inline)"]),
        ("!pip install torch\nx = 1", "pass\nx = 1", ["line 1 (!pip install torch)"]),
        ("x = 1\nfiles = !ls", "x = 1\npass", ["line 2 (files = !ls)"]),
        ("t = %timeit -o f()\nx = 1", "pass\nx = 1", ["line 1 (t = %timeit -o f())"]),
        ("?softmax\nx = 1", "pass\nx = 1", ["line 1 (?softmax)"]),
        ("torch.nn.Linear??\nx = 1", "pass\nx = 1", ["line 1 (torch.nn.Linear??)"]),
        ("pip install einops\nx = 1", "pass\nx = 1", ["line 1 (pip install einops)"]),
        ("if True:\n    !ls\n    x = 1", "if True:\n    pass\n    x = 1", ["line 2 (!ls)"]),
        ("!ls \\\n  -l\nx = 1", "pass\n\nx = 1", ["line 1 (!ls \\)"]),
        ("!echo \"it's (\nx = 1", "pass\nx = 1", ["line 1"]),
        ("%%time\nx = 1", "\nx = 1", ["line 1 (%%time)"]),
        ("\n%%capture out\n%%timeit -n 3\nx = 1", "\n\n\nx = 1", ["line 2 (%%capture out)", "line 3 (%%timeit -n 3)"]),
        ("%time y = f()\nx = (7\n%2)", "pass\nx = (7\n%2)", ["line 1 (%time y = f())"]),
        ("!ls\ns = '''\n%no\n!no\n'''\nx = 1", "pass\ns = '''\n%no\n!no\n'''\nx = 1", ["line 1 (!ls)"]),
        ('!ls\ns = """a\\"""\n!no"""\nx = 1', 'pass\ns = """a\\"""\n!no"""\nx = 1', ["line 1 (!ls)"]),
        ("!ls\nx = 7 \\\n% 2", "pass\nx = 7 \\\n% 2", ["line 1 (!ls)"]),
        ("!ls\nx = '(' # [\n%pwd", "pass\nx = '(' # [\npass", ["line 1 (!ls)", "line 3 (%pwd)"]),
        ("!ls\nprint('x = %d' % 3, 'a?')\nx = 1", "pass\nprint('x = %d' % 3, 'a?')\nx = 1", ["line 1 (!ls)"]),
        ("!ls\r\nx = 1", "pass\nx = 1", ["line 1 (!ls)"]),
    ],
)
def test_magics_are_dropped(tmp_path: Path, source: str, kept: str, lines: list[str]) -> None:
    """IPython's own lines go, all others keep their numbers and text, and a notice says which."""
    found = of_cells(tmp_path, "y = 1", source)
    assert found.files[0].parts[1].text == kept
    (notice,) = found.notices
    assert notice.where == "q05.ipynb"
    assert all(f"cell 2 {line}" in notice.text.en for line in lines)
    assert notice.text.en.count("cell 2") == len(lines)


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%writefile a.py", "%%javascript", "%%R -i x", "%%"])
def test_cells_in_other_languages_are_dropped_whole(tmp_path: Path, magic: str) -> None:
    """A cell that a magic hands elsewhere is no Python, and is named."""
    found = of_cells(tmp_path, f"{magic}\nx = 1", CODE)
    assert [part.label for part in found.files[0].parts] == ["q05.ipynb cell 2"]
    (notice,) = found.notices
    assert f"left out: cell 1 ({magic})." in notice.text.en


def test_valid_python_is_left_alone(tmp_path: Path) -> None:
    """A cell that parses is not searched for magics."""
    source = "s = '''\n%%time\n!ls\n'''\nx = (8\n% 3)\nprint('?')  # what?"
    found = of_cells(tmp_path, source)
    assert found.files[0].parts[0].text == source and not found.notices


def test_a_broken_cell_does_not_sink_the_notebook(tmp_path: Path) -> None:
    """A cell with a syntax error is left out with its label; all cells broken is an error."""
    found = of_cells(tmp_path, CODE, "def g(:", "x = '\ud800'", "h = 1")
    assert [name for name, _ in found.files[0].defines] == ["softmax", "h"]
    assert [notice.where for notice in found.notices] == ["q05.ipynb cell 2", "q05.ipynb cell 3"]
    assert "line 1, column 7" in found.notices[0].text.en
    with pytest.raises(SubmissionError, match=r"q05.ipynb cell 1: line 2, column 7: .*`def g\(:`"):
        of_cells(tmp_path, "!ls\ndef g(:")


@pytest.mark.parametrize(("version", "minor"), [(4, 0), (4, 2), (4, 4), (4, 5), (4, 9)])
def test_versions_of_format_4(tmp_path: Path, version: int, minor: int) -> None:
    """Every minor version of format 4 is read, with or without cell ids, and without nbformat."""
    assert read(store(tmp_path, notebook(code(CODE), nbformat=version, nbformat_minor=minor))).files[0].defines


def test_format_3(tmp_path: Path) -> None:
    """The older format with worksheets and ``input`` is converted by nbformat."""
    cells = [
        {"cell_type": "heading", "level": 1, "metadata": {}, "source": ["Title"]},
        {
            "cell_type": "code",
            "metadata": {},
            "language": "python",
            "outputs": [],
            "input": ["def f(x):", "  return x"],
        },
        {"cell_type": "code", "metadata": {}, "language": "python", "outputs": [], "input": "%pylab\ng = 1"},
    ]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]}
    found = read(store(tmp_path, old))
    assert found.files[0].defines == (("f", 1), ("g", 2))
    assert [part.label for part in found.files[0].parts] == ["q05.ipynb cell 1", "q05.ipynb cell 2"]


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"kernelspec": {"language": "python", "name": "python3"}},
        {"language_info": {"name": "ipython"}},
        {"kernelspec": {"name": "xpython"}, "language_info": {"name": "Python"}},
        {"kernelspec": None, "language_info": []},
        [],
    ],
)
def test_python_notebooks(tmp_path: Path, metadata: Any) -> None:
    """A notebook is Python's unless it says otherwise."""
    assert read(store(tmp_path, notebook(code(CODE), metadata=metadata))).files


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (CODE, "line 1 is not valid JSON"),
        ('{"nbformat": 4,\n "cells": [', "line 2 is not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('{"nbformat": 4, "x": ' + "1" * 5000 + "}", "not valid JSON"),
        ("[]", "not a notebook"),
        ("{}", "no “nbformat” number"),
        ('{"nbformat": "4"}', "no “nbformat” number"),
        ('{"nbformat": true}', "no “nbformat” number"),
        ('{"nbformat": 5}', "its format 5 is newer than 4"),
        ('{"nbformat": 4}', "no list of cells"),
        ('{"nbformat": 4, "cells": {}}', "no list of cells"),
        ('{"nbformat": 3, "worksheets": 7}', "its old format cannot be converted"),
        ('{"nbformat": 3, "worksheets": [{}]}', "its old format cannot be converted"),
        ('{"nbformat": 1}', "its old format cannot be converted"),
        (notebook(7), "its cell 1 has no readable source"),
        (notebook(code(CODE), code([1])), "its cell 2 has no readable source"),
        (notebook({"cell_type": "code"}), "its cell 1 has no readable source"),
        (notebook(), "no cell of this notebook has code"),
        (notebook(code(" \n"), code("%%bash\nls")), "no cell of this notebook has code"),
        (notebook(code("x"), metadata={"kernelspec": {"language": "R"}}), "this notebook is for R; expected one for"),
        (notebook(code("x"), metadata={"language_info": {"name": "julia"}}), "this notebook is for julia"),
        (notebook(*[code("")] * (MAX_CELLS + 1)), "more than 2000 code cells"),
        (notebook(code("#" * (MAX_SOURCE + 1))), "the code cells of one notebook"),
        ("[" + "{}," * MAX_BRACKETS + "{}]", "Clear the outputs"),
        ("\ufeff[]", "not a notebook"),
    ],
)
def test_notebooks_refused(tmp_path: Path, content: Any, expected: str) -> None:
    """What is not a Python notebook is refused with what is wrong with it, and never with a traceback."""
    path = store(tmp_path, content)
    with pytest.raises(SubmissionError, match=expected) as caught:
        read(path)
    assert str(caught.value).startswith("q05.ipynb: ") and len(str(caught.value)) < 500


def test_not_utf8(tmp_path: Path) -> None:
    """A notebook saved in another encoding is told so; Chinese that can be nothing else is read with a remark."""
    path = tmp_path / "q05.ipynb"
    path.write_bytes(json.dumps(notebook(code("# caf\xe9 \xe9")), ensure_ascii=False).encode("latin-1"))
    with pytest.raises(SubmissionError, match="byte 0xE9 on line 1 is not valid UTF-8"):
        read(path)
    path.write_bytes(json.dumps(notebook(code("# 注意力")), ensure_ascii=False).encode("gbk"))
    found = read(path)
    assert found.files[0].parts[0].text == "# 注意力" and "read as GB18030" in found.notices[0].text.en


def test_pictures_in_outputs_are_fine(tmp_path: Path) -> None:
    """Megabytes of plots within the limit do not matter."""
    output = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBOR" * 1_000_000}}
    found = read(store(tmp_path, notebook(code(CODE, outputs=[output] * 3))))
    assert found.files[0].defines == (("softmax", 1),)


def test_names_of_notebooks_in_folders(tmp_path: Path) -> None:
    """A .py file keeps its name before a notebook does; nobody imports a notebook, so it shadows nothing."""
    for name in ("q05.ipynb", "random.ipynb", "hw 3.ipynb"):
        store(tmp_path, notebook(code(CODE)), name)
    (tmp_path / "q05.py").write_text("x = 1")
    (tmp_path / "notes.ipynb").write_text("{")
    found = read(tmp_path)
    assert {file.path: file.module for file in found.files} == {
        "hw 3.ipynb": "hw_3",
        "q05.ipynb": "q05_2",
        "q05.py": "q05",
        "random.ipynb": "random_notebook",
    }
    assert [notice.where for notice in found.notices] == ["notes.ipynb"]


@pytest.mark.parametrize(
    "source",
    [
        '"' + '\\"' * 400_000,
        "!\n" + " " * 800_000 + "x",
        "!\n" + "'''\\" * 200_000,
        "!\n" + "a " * 400_000,
        "!\n" + "'\\",
    ],
)
def test_hostile_cells_cost_little(tmp_path: Path, source: str) -> None:
    """Looking for magics is linear in the length of a cell."""
    with pytest.raises(SubmissionError):
        of_cells(tmp_path, source)
