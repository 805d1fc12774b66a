"""The folder that ``attncheck submit`` writes to; ``tests/classroom/test_inbox.py`` has its receipts."""

from __future__ import annotations

from tests.classroom.intake.examples import people


def test_the_example_of_the_documentation() -> None:
    """It is recognised by its receipts; what has none that can be read belongs to nobody."""
    assert people("inbox") == {}
