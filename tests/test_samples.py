"""Wrong sample solutions that are written as edits of right ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.samples import EDITS, SampleError, sample, samples

RIGHT = '''"""Plain."""

import torch


def f(x):
    y = x + 1
    y = 2 * y
    return y


def g(x):
    return f(x)
'''
SCALE = "# plain\n\n## scaled (caught-by: values, dtype)\nHalf of it.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Sample solutions of one exercise, with a right one and a wrong one in files of their own."""
    for name, text in (("right/plain", RIGHT), ("wrong/whole", '"""All wrong.\n\ncaught-by: values\n"""\n')):
        path = tmp_path / "f" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def write(folder: Path, edits: str) -> Path:
    """Writes the file of edits; returns the folder."""
    (folder / "f" / EDITS).write_text(edits, "utf-8")
    return folder


@pytest.mark.parametrize(
    ("edits", "before", "after"),
    [
        ("-    y = 2 * y\n+    y = y / 2\n", "    y = 2 * y\n", "    y = y / 2\n"),
        ("-    y = 2 * y\n", "    y = 2 * y\n", ""),
        (" def g(x):\n+    x = 2 * x\n", "def g(x):\n", "def g(x):\n    x = 2 * x\n"),
        ("+@torch.no_grad()\n def g(x):\n", "def g(x):\n", "@torch.no_grad()\ndef g(x):\n"),
        ("-import torch\n+import math\n+\n+import torch\n", "import torch\n", "import math\n\nimport torch\n"),
        (" def f(x):\n-...\n+    return x\n", RIGHT.partition("def f(x):\n")[2], "    return x\n"),
        ("-    y = 2 * y\n-    return y\n+    return y / 2\n", "    y = 2 * y\n    return y\n", "    return y / 2\n"),
    ],
)
def test_one_place(edits: str, before: str, after: str, folder: Path) -> None:
    """Lines are replaced, removed and added; everything else stays, and the docstring says what is wrong."""
    expected = RIGHT.replace('"""Plain."""', '"""Half of it.\n\ncaught-by: values, dtype\n"""').replace(before, after)
    made = sample("f/wrong/scaled", write(folder, SCALE + edits))
    assert made.text == expected
    assert (made.about, made.caught_by) == ("Half of it.", {"values", "dtype"})
    (file,) = made.submission.files
    assert (file.path, file.imports_torch) == ("scaled.py", True)


@pytest.mark.parametrize("between", ["", "\n"])
def test_several_places(between: str, folder: Path) -> None:
    """A removed line after an added one, or after an empty line, begins the next place."""
    edits = f"-    y = x + 1\n+    y = x\n{between}-    return f(x)\n+    return 3 * f(x)\n"
    text = sample("f/wrong/scaled", write(folder, SCALE + edits)).text
    assert "    y = x\n    y = 2 * y\n" in text
    assert text.endswith("    return 3 * f(x)\n")


def test_files_and_edits_together(folder: Path) -> None:
    """Both kinds of wrong solutions are listed by name; right ones are files."""
    another = "\n## angry (caught-by: values)\nNo result.\n-    return y\n"
    write(folder, f"{SCALE}-    return y\n{another}")
    names = [str(each) for each in samples("wrong", folder=folder)]
    assert names == ["f/wrong/angry", "f/wrong/scaled", "f/wrong/whole"]
    assert sample("f/wrong/whole", folder).caught_by == {"values"}
    assert sample("f/right/plain", folder).text == RIGHT


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ("-    y = 3 * y\n+    y = y\n", "f/wrong.edits, scaled, edit of right/plain.py: these lines are not there"),
        ("+    y = y\n", "these lines are not there; correct them"),
        (" \n+    y = y\n", "these lines are there 6 times; add a line around them"),
    ],
)
def test_stale_edits(edits: str, message: str, folder: Path) -> None:
    """An edit that does not fit the right solution exactly once says so when its text is needed."""
    made = sample("f/wrong/scaled", write(folder, SCALE + edits))
    with pytest.raises(SampleError, match=message):
        _ = made.text


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ("# plane\n\n## a (caught-by: values)\nWrong.\n-x\n", "f/wrong.edits, line 1: write .* there are plain"),
        ("## a (caught-by: values)\nWrong.\n-x\n", "line 1: write '# NAME' of a right solution"),
        ("Wrong.\n", "line 1: write '# NAME' of a right solution"),
        ("# plain\n\n## a\nWrong.\n-x\n", "line 3: write .*, then '## NAME"),
        ("# plain\n## a (caught-by: values)\n", "line 2: say what is wrong"),
        ("# plain\n## a (caught-by: values)\nWrong.\nx\n", "line 2: say what is wrong, then mark each line"),
        ("# plain\n## whole (caught-by: values)\nWrong.\n-x\n", "Two sample solutions are called f/wrong/whole"),
    ],
)
def test_files_of_edits_that_cannot_be_read(edits: str, message: str, folder: Path) -> None:
    """The message names the line and says what to write."""
    with pytest.raises(SampleError, match=message):
        samples("wrong", folder=write(folder, edits))


def test_a_wrong_solution_says_what_catches_it(folder: Path) -> None:
    """A file without the line is not accepted."""
    (folder / "f" / "wrong" / "whole.py").write_text('"""All wrong."""\n', "utf-8")
    with pytest.raises(SampleError, match="f/wrong/whole: add a line 'caught-by: CHECK, …'"):
        _ = sample("f/wrong/whole", folder).caught_by


def test_every_wrong_solution_can_be_made() -> None:
    """Every edit fits the right solution that it names, gives Python, and names checks."""
    for each in samples("wrong"):
        compile(each.text, str(each), "exec")
        assert each.about
        assert each.caught_by
