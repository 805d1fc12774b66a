"""Scripts that reproduce one public case: they run, in the learner's own Python, and show the difference."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.commands import run
from grader.core.errors import UsageError
from grader.grading import courses
from grader.grading.debug_script import public_case, script
from grader.grading.inputs import Drawn
from grader.submission import read
from tests.commands.test_bank import course  # noqa: F401  (the fixture: commands find the course they are told)
from tests.helpers import case, exercise
from tests.samples import sample

SOLUTIONS = Path(__file__).parents[1] / "solutions"
ROOT = Path(__file__).parents[2]


def reproduced(tmp_path: Path, path: Path, *asked: str) -> str:
    """What the script prints that ``debug`` writes."""
    target = tmp_path / "script.py"
    assert run(["debug", str(path), *asked, "--to", str(target)]) == 0
    command = [sys.executable, str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    return done.stdout


ATTENTION, LONG = "scaled_dot_product_attention", pytest.mark.prove


@pytest.mark.parametrize(
    ("solution", "case_name", "said"),
    [
        pytest.param(f"{ATTENTION}/right/torch_plain", "by hand", "0 of 2 entries differ", marks=LONG),
        (f"{ATTENTION}/wrong/no_scale", "by hand", "first difference at [1, 0]"),
        pytest.param("MultiHeadAttention/right/numpy_class", "self-attention", "0 of 72 entries differ", marks=LONG),
        pytest.param("KVCache/wrong/fixed_room", "a prompt first", "0 of 1 entries differ", marks=LONG),
        pytest.param("decode_step/right/torch_plain", "after a prompt", "0 of 6 entries differ", marks=LONG),
    ],
)
def test_scripts(tmp_path: Path, solution: str, case_name: str, said: str) -> None:
    """For functions and classes, torch and NumPy, right and wrong."""
    submitted = tmp_path / "q.py"
    submitted.write_text(sample(solution).text, "utf-8")
    assert said in reproduced(tmp_path, submitted, "-e", solution.partition("/")[0], "--case", case_name)


def test_notebook(tmp_path: Path) -> None:
    """The code of a notebook is written out in the script, and what it imports from the future holds there, too."""
    code = (SOLUTIONS / "scaled_dot_product_attention/right/numpy_plain.py").read_text()
    blank = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    sources = ("def late(x: Later): ...\nfrom __future__ import annotations", code)
    cells = [{**blank, "source": source} for source in sources]
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}
    path = tmp_path / "q05.ipynb"
    path.write_text(json.dumps(notebook))
    assert "0 of 2" in reproduced(tmp_path, path, "-e", ATTENTION, "--case", "by hand")


CODE = """\
# 注意力
from __future__ import annotations
import sys

def doubled(x: Later): return 2 * x  # 乘以二

if __name__ == "__main__":
    sys.exit("the learner's own demo ran")
"""


def _zipped(path: Path) -> Path:
    with zipfile.ZipFile(path / "work.zip", "w") as made:
        made.writestr("q01.py", CODE)
    return path / "work.zip"


def _encoded(encoding: str, code: str = CODE) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        (path / "q01.py").write_bytes(code.encode(encoding))
        return path / "q01.py"

    return write


@pytest.mark.parametrize(
    "make",
    [
        _zipped,
        _encoded("utf-8"),
        _encoded("utf-8-sig"),
        _encoded("gbk"),
        _encoded("gbk", "# coding: gbk\n" + CODE),
        _encoded("utf-16"),
    ],
    ids=["zip", "utf-8", "utf-8 with a mark", "undeclared gbk", "declared gbk", "utf-16"],
)
def test_whatever_can_be_graded_can_be_debugged(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """The script runs whatever the file's encoding, and from a zip: with its future imports, without its main block."""
    path = make(tmp_path)
    assert "0 of 1 entries differ" in doubled(tmp_path, path)


def doubled(tmp_path: Path, path: Path) -> str:
    """What a script prints that calls ``doubled`` in ``q01`` of the submission ``path``."""
    files = sorted(read(path).files, key=lambda file: file.module != "q01")
    text = script(exercise("doubled(x)", case("one")), case("one"), Drawn((("x", 3),), (), ()), 6, tuple(files), path)
    assert "个元素，其中" in text.zh
    (tmp_path / "script.py").write_text(text.en, encoding="utf-8")
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


MAIN = "from parts.factor import FACTOR\nimport helper\n\ndef doubled(x): return helper.times(x, FACTOR)\n"
OTHERS = {
    "helper.py": "from __future__ import annotations\nimport q01\n# 乘\ndef times(x: Later, y): return x * y\n",
    "parts/factor.py": "from .two import TWO as FACTOR\n",
    "parts/two.py": "TWO = 2\n",
    "unrelated.py": "raise ValueError('not imported')\n",
}


def cell(source: str) -> dict[str, object]:
    """A cell of a notebook."""
    return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}


@pytest.mark.parametrize("form", ["zip", "gbk", "notebook", "folder"])
def test_code_that_imports_other_files_of_the_submission(tmp_path: Path, form: str) -> None:
    """The script finds them whether they are in a zip, in an undeclared encoding, or beside a notebook."""
    path = tmp_path / "work"
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell(MAIN)]}
    main = {"q01.ipynb": json.dumps(notebook)} if form == "notebook" else {"q01.py": MAIN}
    other = {name: text.replace("乘", "乘以二") for name, text in OTHERS.items()}
    for name, text in {**main, **other}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(text.encode("gbk" if form == "gbk" else "utf-8"))
    if form == "zip":
        with zipfile.ZipFile(tmp_path / "work.zip", "w") as made:
            for file in path.rglob("*.py"):
                made.write(file, file.relative_to(path))
        path = tmp_path / "work.zip"
    assert "0 of 1 entries differ" in doubled(tmp_path, path)


@pytest.mark.prove
@pytest.mark.parametrize(
    ("solution", "asked", "said"),
    [
        ("wrong/no_scale", [], "first difference at [1, 0]"),
        ("wrong/no_scale", ["-e", "q5", "--case", "mask per sample"], "22 of 24 entries differ"),
    ],
)
def test_what_is_debugged_without_a_name(tmp_path: Path, solution: str, asked: list[str], said: str) -> None:
    """The first public case with wrong results, of what is named or of everything there."""
    (tmp_path / "q05.py").write_text(sample(f"{ATTENTION}/{solution}").text, "utf-8")
    assert said in reproduced(tmp_path, tmp_path, *asked)


@pytest.mark.parametrize(("solution", "passes"), [("right/torch_plain", True), ("wrong/no_scale", False)])
def test_public_tests(tmp_path: Path, solution: str, passes: bool, capfd: pytest.CaptureFixture[str]) -> None:
    """They can be run beside the code that they are about, and tell nothing of hidden cases."""
    (tmp_path / "q05.py").write_text(sample(f"{ATTENTION}/{solution}").text, "utf-8")
    assert run(["show", "Q5", "--tests"]) == 0
    text = capfd.readouterr().out
    (tmp_path / "test_q05.py").write_text(text, "utf-8")
    done = subprocess.run([sys.executable, tmp_path / "test_q05.py"], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is passes, done.stderr
    asked = courses.load(ROOT).exercise(ATTENTION)
    assert asked is not None and [c.public for c in asked[1].cases if f': {c.name}"""' in text] == [True] * 3


def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Hidden and unknown cases, unknown exercises, missing code, files in the way: said, with what there is."""
    path = str(SOLUTIONS / "scaled_dot_product_attention/right/torch_plain.py")
    taken = tmp_path / "taken.py"
    taken.write_text("mine = 1")
    for arguments, code, said in (
        (["-e", ATTENTION, "--case", "large scores"], 2, "has no public case 'large scores'"),
        ([], 2, "nothing to debug"),
        (["-e", "Q5.output"], 2, "has no code"),
        (["-e", "scaled_dot_product", "--case", "by hand"], 2, "Did you mean scaled_dot_product_attention?"),
        (["-e", "MultiHeadAttention", "--case", "self-attention"], 3, "does not define MultiHeadAttention"),
        (["-e", ATTENTION, "--case", "by hand", "--to", str(taken)], 2, "already exists"),
    ):
        assert run(["debug", path, *arguments]) == code
        assert said in capsys.readouterr().err
    assert taken.read_text() == "mine = 1"


def test_public_case() -> None:
    """Only public cases that return can be reproduced. They are known by both names, and listed in the language."""
    some = exercise("f(x)", replace(case("open"), zh="公开的例子"), case("closed", public=False))
    assert public_case(some, "open").name == public_case(some, "公开的例子").name == "open"
    with pytest.raises(UsageError, match="available: 'open'") as caught:
        public_case(some, "closed")
    assert "可用的有：'公开的例子'" in caught.value.of("zh")
