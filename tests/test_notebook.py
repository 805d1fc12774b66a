"""``check`` and ``quiz`` in a notebook, with a real Jupyter kernel."""

from __future__ import annotations

import json
import os
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbclient
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grader import notebook
from grader.core.errors import LibrariesChanged, UsageError
from grader.core.model import Status
from grader.core.text import same
from grader.core.typesetting.html import formula
from grader.notebook import NotebookError, check, quiz

WRONG = "def softmax(x, axis=-1):\n    e = torch.exp(x)\n    return e / e.sum(axis, keepdim=True)"
RIGHT = "%%check softmax\ndef softmax(x, axis=-1):\n    return torch.softmax(x, dim=axis)"


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run notebooks in, with a kernel that is this Python and a learner's log of its own."""
    spec = tmp_path / "jupyter" / "kernels" / "here"
    spec.mkdir(parents=True)
    started = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": started, "display_name": "here", "language": "python"}))
    for name, value in {
        "JUPYTER_PATH": tmp_path / "jupyter",
        "JUPYTER_RUNTIME_DIR": tmp_path / "runtime",
        "IPYTHONDIR": tmp_path / "ipython",
        "ATTNCHECK_STATE": tmp_path / "state.jsonl",
        "ATTNCHECK_LANG": "en",
        "PYTHONPATH": os.getcwd(),
    }.items():
        monkeypatch.setenv(name, str(value))
    work = tmp_path / "work"
    work.mkdir()
    return work


def run(folder: Path, *sources: str) -> list[list[dict[str, Any]]]:
    """The outputs of the cells of a notebook, run one after the other."""
    made = new_notebook(cells=[new_code_cell(source) for source in sources])  # type: ignore[no-untyped-call]
    client = nbclient.NotebookClient(
        made, kernel_name="here", timeout=300, allow_errors=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return [cell.outputs for cell in made.cells]


#: What a learner does with the widgets of a quiz, and sees.
CLICKING = """
shown = []
def parts(widget):
    yield widget
    for child in getattr(widget, "children", ()):
        yield from parts(child)
def fill(box, text):
    next(w for w in parts(box) if type(w).__name__ in ("Text", "Textarea")).value = text
def click(box, label):
    next(w for w in parts(box) if getattr(w, "description", "") == label).click()
    shown.extend(w.value for w in parts(box) if type(w).__name__ == "HTML")
def said(box):
    print("\\n".join([*shown, *(w.description for w in parts(box) if type(w).__name__ == "Button")]))
"""


def test_check_in_a_notebook(kernel: Path) -> None:
    """``check`` grades what the cells that were run define, and shows a report in HTML and in text.

    A cell that was edited after its run is named; a wrong name is an error of one line; ``%%check`` runs the cell, then
    checks it; results are saved in the learner's log. The quiz compares own words
    with key points, and confirms a formula as it was read.
    """
    edit = (
        "import json, os, time\n"
        f"nb = {{'nbformat': 4, 'cells': [{{'cell_type': 'code', 'source': {WRONG + '  # edited'!r}}}]}}\n"
        "open('mine.ipynb', 'w').write(json.dumps(nb))\n"
        "os.utime('mine.ipynb', (time.time() + 60,) * 2)\n"
        "os.environ['JPY_SESSION_NAME'] = os.path.abspath('mine.ipynb')"
    )
    outputs = run(
        kernel,
        "import torch\nfrom attncheck import check, quiz\nx = undefined_name",
        WRONG,
        "result = check('softmax')\nresult",
        "check('sofmax')",
        "check('scaled_dot_product_attention')",
        edit,
        "check(softmax)",
        "del os.environ['JPY_SESSION_NAME']\n%load_ext attncheck",
        RIGHT,
        "check().passed",
        "quiz('Q5')",
        CLICKING,
        "box = quiz('Q1.correct-it')\nfill(box, 'it compares tokens with one another')\n"
        "click(box, 'Submit')\nclick(box, 'Compare')\nsaid(box)",
        "box = quiz('Q4.share')\nfill(box, 'the share is n/(n + d)')\nclick(box, 'Submit')\nsaid(box)",
    )
    (shown,) = outputs[2]
    assert ">1000<" in shown["data"]["text/html"] and "<style>@scope (.attncheck)" in shown["data"]["text/html"]
    assert "notebook.ipynb" in shown["data"]["text/plain"] and "exp(1000)" in shown["data"]["text/plain"]
    for cell, part in ((3, "did you mean softmax?"), (4, "Run the cell that defines it")):
        (error,) = outputs[cell]
        assert error["ename"] == "NotebookError" and len(error["traceback"]) == 1 and part in error["traceback"][0]
    (stale,) = outputs[6]
    assert "was changed after its last run" in stale["data"]["text/html"] and "(cell 2)" in stale["data"]["text/html"]
    (checked,) = outputs[8]
    assert "Everything that is graded here is correct" in checked["data"]["text/plain"]
    (passed,) = outputs[9]
    assert passed["data"]["text/plain"] == "True"
    (asked,) = outputs[10]
    assert "application/vnd.jupyter.widget-view+json" in asked["data"]
    assert "Sample answer" in outputs[12][0]["text"] and "You made 0 of" in outputs[12][0]["text"]
    assert f"I read: {formula('n/(n + d)')}" in outputs[13][0]["text"] and "Yes, that is it" in outputs[13][0]["text"]
    log = (kernel.parent / "state.jsonl").read_text()
    assert log.count('"softmax"') == 2 and Status.PASSED.value in log


def test_quiz_without_widgets(kernel: Path) -> None:
    """Without ipywidgets the quiz asks in text; where nobody can type, it ends and says what is left."""
    (output,) = run(kernel, "import sys; sys.modules['ipywidgets'] = None\nimport attncheck; attncheck.quiz('Q5')")
    text = "".join(part.get("text", "") for part in output) + "".join(part.get("evalue", "") for part in output)
    assert "1/" in text and "input" in text


def typing(*lines: str) -> Callable[[], str]:
    """A stand-in for ``input`` that gives these lines, then ends."""
    left = iter(lines)

    def typed() -> str:
        for line in left:
            return line
        raise EOFError

    return typed


class Shell:
    """What ``check`` needs of an IPython shell."""

    def __init__(self, *cells: str) -> None:
        self.history_manager = types.SimpleNamespace(input_hist_raw=["", *cells])
        self.user_ns: dict[str, object] = {}
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: Any, kind: str, name: str) -> None:
        """Keeps the magic."""
        self.magics[name] = function

    def run_cell(self, source: str) -> Any:
        """Puts the cell into the history; one that says so fails."""
        self.history_manager.input_hist_raw.append(source)
        return types.SimpleNamespace(success="fails" not in source)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Shell]:
    """A notebook in this process, with a learner's log of its own."""
    found = Shell("import torch", WRONG)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: found))
    monkeypatch.setenv("ATTNCHECK_STATE", str(tmp_path / "state.jsonl"))
    monkeypatch.chdir(tmp_path)
    yield found
    notebook._grader().close()
    notebook._grader.cache_clear()


def test_check_in_this_process(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The magics, a function in place of its name, libraries that change in between, and a changed cell."""
    notebook.load_ipython_extension(shell)
    result = shell.magics["check"]("softmax")
    assert not result.passed and "exp(1000)" in repr(result) and ">1000<" in result._repr_html_()
    assert shell.magics["check"]("softmax", "this fails") is None

    def softmax() -> None:
        """Only its name counts."""

    sandbox, failed = notebook._grader()._checker._sandbox, []

    def changes(job: Any, limits: Any, observe: Any = sandbox.observe) -> Any:
        if not failed:
            failed.append(job)
            raise LibrariesChanged(same("numpy was updated"))
        return observe(job, limits)

    monkeypatch.setattr(sandbox, "observe", changes)
    shell.user_ns["__vsc_ipynb_file__"] = str(tmp_path / "mine.ipynb")
    assert not check(softmax).passed and failed
    saved = {"nbformat": 4, "cells": [{"cell_type": "code", "source": RIGHT}]}
    (tmp_path / "mine.ipynb").write_text(json.dumps(saved))
    os.utime(tmp_path / "mine.ipynb", (time.time() + 60,) * 2)
    assert "单元格 2" in repr(check("softmax", lang="zh"))
    shell.history_manager.input_hist_raw[1:] = ["x = 1"]
    with pytest.raises(NotebookError, match="defines an exercise"):
        check()
    assert notebook.NotebookError(same("no"))._render_traceback_() == ["attncheck: no"]


def test_quiz_in_this_process(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With ipywidgets a box is returned; without it, the quiz reads typed lines until there are none."""
    assert quiz("Q5").children
    with pytest.raises(UsageError, match="no question") as refused:
        quiz("Q5.nothing")
    assert refused.value._render_traceback_() == [f"attncheck: {refused.value}"]
    monkeypatch.setitem(sys.modules, "grader.learning.quiz_widgets", None)
    monkeypatch.setattr("builtins.input", typing(":skip"))
    assert quiz("Q5", lang="en") is None
    assert "Skipped" in capsys.readouterr().out


def test_check_outside_a_notebook() -> None:
    """In a script, ``check`` says which command to use instead."""
    with pytest.raises(NotebookError, match="attncheck grade"):
        check("softmax", lang="en")
