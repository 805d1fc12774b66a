"""The zip that Canvas makes; ``test_kinds`` tells it from other kinds."""

from __future__ import annotations

from tests.classroom.intake.examples import people


def test_the_example_of_the_documentation() -> None:
    """Learners are known by their numbers, and Canvas's own number in a file's name is gone."""
    assert people("canvas") == {
        "canvas-1234": ("doejane", ["q05.py", "answers.yaml"]),
        "canvas-77": ("quizbo", ["q05.py"]),
    }
