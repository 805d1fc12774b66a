"""Gradescope's export; ``test_kinds`` has what can be wrong with its metadata."""

from __future__ import annotations

from tests.classroom.intake.examples import people


def test_the_example_of_the_documentation() -> None:
    """The metadata say whose a folder is; a group has several names."""
    assert people("gradescope") == {
        "gradescope-submission_1": ("Ada Invented, Bo Invented", ["q05.py"]),
        "gradescope-submission_2": ("Cy Invented", ["q05.py"]),
    }
