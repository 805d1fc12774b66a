"""What holds for every exporter, whoever adds it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from grader.instructor.export import ExportOptions, format_module, format_names
from tests.instructor.export.conftest import Made
from tests.instructor.export.quiz_course import make

#: Formats that fill in a file from elsewhere; their own tests have such files.
_NEED_TEMPLATE = ("canvas", "canvas-feedback", "moodle")


@pytest.mark.parametrize("name", format_names())
def test_what_it_declares(name: str) -> None:
    """The source is one of two, and every option exists."""
    module = format_module(name)
    assert module.SOURCE in ("gradebook", "course")
    assert isinstance(module.OPTIONS, frozenset)
    assert {field.name for field in dataclasses.fields(ExportOptions)} >= module.OPTIONS


@pytest.mark.parametrize("name", [name for name in format_names() if name not in _NEED_TEMPLATE])
def test_it_writes_something(name: str, small: Made, tmp_path: Path) -> None:
    """From a small class or a small course, one file or a folder of files."""
    to = tmp_path / "out"
    if format_module(name).SOURCE == "gradebook":
        small.export(name, to)
    else:
        make(name, to)
    files = [path for path in (to.rglob("*") if to.is_dir() else [to]) if path.is_file()]
    assert files and all(path.stat().st_size for path in files)
