"""``check`` and ``quiz`` in a notebook, with a real Jupyter kernel."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grader import notebook
from grader.commands import run as run_command
from grader.core.errors import LibrariesChanged, UsageError
from grader.core.model import Status
from grader.core.text import same
from grader.notebook import NotebookError, check, quiz, submit

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
    (folder / "q03.ipynb").write_text(nbformat.writes(made))  # type: ignore[no-untyped-call]
    client = nbclient.NotebookClient(
        made, kernel_name="here", timeout=300, allow_errors=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return [cell.outputs for cell in made.cells]


@pytest.mark.prove
def test_check_in_a_notebook(kernel: Path) -> None:
    """``check`` grades what the cells that were run define, and shows a report in HTML and in text.

    A cell that was edited after its run is named; a wrong name is an error of one line; ``%%check`` runs the cell, then
    checks it; results are saved in the learner's log. The quiz is shown as widgets.
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
    )
    shown = outputs[2][-1]  # after what says that it takes a while
    assert ">1000<" in shown["data"]["text/html"] and "<style>@scope (.attncheck)" in shown["data"]["text/html"]
    assert "q03.ipynb:" in shown["data"]["text/plain"] and "exp(1000)" in shown["data"]["text/plain"]
    assert all("quiz(" in shown["data"][kind] for kind in ("text/plain", "text/html"))
    for cell, part in ((3, "did you mean softmax?"), (4, "Run the cell that defines it")):
        error = outputs[cell][-1]
        assert error["ename"] == "NotebookError" and len(error["traceback"]) == 1 and part in error["traceback"][0]
    stale = outputs[6][-1]
    assert "was changed after its last run" in stale["data"]["text/html"] and "(cell 2)" in stale["data"]["text/html"]
    checked = outputs[8][-1]
    assert "Everything that is graded here is correct" in checked["data"]["text/plain"]
    passed = outputs[9][-1]
    assert passed["data"]["text/plain"] == "True"
    (asked,) = outputs[10]
    assert "application/vnd.jupyter.widget-view+json" in asked["data"]
    log = (kernel.parent / "state.jsonl").read_text()
    assert log.count('"softmax"') == 2 and Status.PASSED.value in log


def typing(*lines: str) -> Callable[..., str]:
    """A stand-in for ``input`` that gives these lines; then nobody can type, as where programs run notebooks."""
    left = iter(lines)

    def typed(prompt: str = "") -> str:
        for line in left:
            return line
        raise NotImplementedError

    return typed


class Shell:
    """What ``check`` needs of an IPython shell."""

    def __init__(self, *cells: str) -> None:
        self.history_manager = types.SimpleNamespace(input_hist_raw=["", *cells])
        self.user_ns: dict[str, object] = {}
        self.magics: dict[str, Any] = {}
        self.shown: list[str] = []
        self.display_pub = types.SimpleNamespace(publish=lambda data, **_: self.shown.append(data["text/plain"]))

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
    importlib.import_module("ipywidgets")  # it needs all of IPython
    found = Shell("import torch", WRONG)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: found))
    monkeypatch.setenv("ATTNCHECK_STATE", str(tmp_path / "state.jsonl"))
    monkeypatch.setattr("builtins.input", typing("Ada"))
    monkeypatch.chdir(tmp_path)
    yield found
    notebook._grader().close()
    notebook._grader.cache_clear()


def test_check_in_this_process(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The magics, a function in place of its name, libraries that change in between, a changed cell, and progress."""
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
    shell.shown.clear()
    monkeypatch.setattr(notebook, "_QUIET", 0)
    with notebook._saying(same("it takes long"), "en"):
        while not shell.shown:
            time.sleep(0.001)
    assert shell.shown == ["it takes long", ""]


def test_quiz_in_this_process(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With ipywidgets a box is returned; without it, the quiz reads typed lines until there are none.

    The name is asked for once, whatever asks first.
    """
    assert quiz("Q5").children and not check("softmax", lang="en").passed
    assert (tmp_path / "state.jsonl").read_text().count('"Ada"') == 1
    with pytest.raises(UsageError, match="no question") as refused:
        quiz("Q5.nothing")
    assert refused.value._render_traceback_() == [f"attncheck: {refused.value}"]
    monkeypatch.setitem(sys.modules, "grader.learning.quiz_widgets", None)
    monkeypatch.setattr("builtins.input", typing(":skip"))
    assert quiz("Q5", lang="en") is None
    said = capsys.readouterr().out
    assert "Skipped" in said and "Items left: 18. Continue with `quiz()`." in said


def test_what_a_notebook_hands_in(shell: Shell, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``submit`` packs what exercises need, and answers, for ``attncheck submit``; nothing if a part cannot be read."""
    (tmp_path / "helper.py").write_text("one = 1\n")
    shell.run_cell("import helper\ndef causal_mask(n):\n    return helper.one")
    (tmp_path / "answers.yaml").write_text("learner: your-name\nanswers:\n  Q3.shift: b\n  Q3.unit: null\n")
    packed = submit(lang="en")
    (tmp_path / "inbox").mkdir()
    assert run_command(["submit", str(packed.path), "--to", str(tmp_path / "inbox")]) == 0
    taken = capsys.readouterr().out
    assert f"Receipt: {packed.receipt.digest}" in taken and packed.receipt.answers == ("Q3.shift",)
    assert [file.name for file in packed.receipt.files] == ["answers.yaml", "helper.py", "notebook.ipynb"]
    assert "Submitted for Ada" in taken and packed.receipt.learner == "Ada"
    assert packed.receipt.digest in repr(packed) and "notebook-submission.zip</a>" in packed._repr_html_()
    before = packed.path.read_bytes()
    for name, text, why in (("helper.py", "one =", "helper.py"), ("answers.yaml", "a: [", "answers.yaml")):
        (tmp_path / name).write_text(text)
        with pytest.raises(UsageError, match=why):
            submit(lang="en")
    (tmp_path / "answers.yaml").unlink()
    shell.history_manager.input_hist_raw[1:] = ["x = 1"]
    with pytest.raises(NotebookError, match="nothing to submit"):
        submit(lang="en")
    assert packed.path.read_bytes() == before


def test_check_outside_a_notebook() -> None:
    """In a script, ``check`` says which command to use instead."""
    with pytest.raises(NotebookError, match="attncheck grade"):
        check("softmax", lang="en")
