"""The tree of nbgrader; ``test_kinds`` tells it from other kinds."""

from __future__ import annotations

from tests.classroom.intake.examples import people


def test_the_example_of_the_documentation() -> None:
    """Only what was handed in counts, not the timestamp and nbgrader's feedback."""
    assert people("nbgrader") == {"nbgrader-ada": ("ada", ["ps1.ipynb"]), "nbgrader-bo": ("bo", ["ps1.ipynb"])}
