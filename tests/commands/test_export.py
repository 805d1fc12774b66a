"""The formats that ``attncheck export`` knows; ``tests/instructor/export/test_command.py`` writes some of them."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from grader.commands import run
from grader.instructor.export import format_module, format_names

CONTRACT = {
    "gradescope", "csv", "json", "junit", "canvas", "moodle", "html", "qti", "gift", "gradescope-autograder",
}  # fmt: skip


def test_every_format_is_there() -> None:
    """Those of the contract; each says what it is, from what, and what may be asked of it."""
    assert set(format_names()) >= CONTRACT
    for name in format_names():
        module = format_module(name)
        assert re.fullmatch(r"[^\n]{20,110}\.", format_module(name).ABOUT.en)
        assert module.SOURCE in ("gradebook", "course")
        assert callable(module.write)


def test_help_lists_the_formats(capsys: pytest.CaptureFixture[str]) -> None:
    """With a sentence for each, under what they are made from."""
    assert run(["export", "--help"]) == 0
    out = capsys.readouterr().out
    assert all(re.search(rf"^  {name}\s+\S", out, re.MULTILINE) for name in format_names())
    assert (
        out.index("from a results folder")
        < out.index("\n  moodle")
        < out.index("from a course (")
        < out.index("\n  qti")
    )


def test_help_needs_nothing_heavy() -> None:
    """Listing the formats imports no numbers, no pages, no models."""
    code = (
        "import sys; from grader.instructor.export import format_module, format_names; "
        "[format_module(name) for name in format_names()]; "
        "print(*sorted({'numpy', 'torch', 'pydantic', 'rich', 'jinja2'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
