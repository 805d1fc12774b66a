"""The zip that Moodle makes; ``test_kinds`` tells it from other kinds."""

from __future__ import annotations

from tests.classroom.intake.examples import people


def test_the_example_of_the_documentation() -> None:
    """Folders and subfolders belong to the participant with that number."""
    assert people("moodle") == {
        "moodle-657768": ("Jane Doe", ["q05.py"]),
        "moodle-657769": ("Bo Invented", ["lib/q06.py", "q05.py"]),
    }
