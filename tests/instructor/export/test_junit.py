"""A document of JUnit XML for each learner."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.core.errors import UsageError
from tests.tiny import give

if TYPE_CHECKING:
    from conftest import Made


def test_junit_for_each(small: Made, tmp_path: Path) -> None:
    """Documents that can be parsed, with points by hand."""
    folder = small.export("junit", tmp_path / "out")
    assert sorted(path.name for path in folder.iterdir()) == ["ada.xml", "bo.xml"]
    root = ET.parse(folder / "ada.xml").getroot()
    suites = {suite.get("name"): suite for suite in root}
    earned = suites["Q5"].find("properties/property[@name='earned']")
    assert earned is not None
    assert earned.get("value") == "2"
    small.change(
        lambda book: give(book.gradebook, replace(book.gradebook.overrides()[0], part="attention", points=3.5))
    )
    changed = ET.parse(small.export("junit", tmp_path / "out") / "ada.xml")
    assert changed.find("testsuite[@name='Q5.attention']/properties/property[@value='3.5']") is not None
    single = small.export("junit", tmp_path / "bo.xml", learner="bo")
    assert single.read_bytes() == (folder / "bo.xml").read_bytes()


def test_junit_of_what_could_not_be_graded(small: Made, tmp_path: Path) -> None:
    """Is refused: a document without tests would look like one in which all passed."""
    with pytest.raises(UsageError, match="No submission of dee could be graded"):
        small.export("junit", tmp_path / "dee.xml", learner="dee")
    assert not (tmp_path / "dee.xml").exists()


def test_junit_of_hostile_names(hostile: Made, tmp_path: Path, names: tuple[str, ...]) -> None:
    """Every document is well-formed, and its file stands in the folder itself."""
    folder = hostile.export("junit", tmp_path / "out")
    assert len([ET.parse(path) for path in folder.iterdir()]) == len(names)
