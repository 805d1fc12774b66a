"""Plain folders; ``test_kinds`` has what is told apart from them."""

from __future__ import annotations

from tests.classroom.intake.examples import people


def test_the_example_of_the_documentation() -> None:
    """Whoever handed in the wrong thing is somebody all the same; the instructor's notes are nobody's."""
    assert people("folders") == {
        "ada": ("ada", ["answers.yaml", "q05.py"]),
        "bo.ipynb": ("bo", ["bo.ipynb"]),
        "cy.zip": ("cy", ["cy.zip"]),
        "dia.pdf": ("dia", ["dia.pdf"]),
    }
