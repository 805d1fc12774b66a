"""Every kind and command is documented and tested, and the generated pages are up to date."""

from __future__ import annotations

from typing import Any

import pytest

from tests import documentation
from tests.documentation import problems_of_command


@pytest.mark.parametrize("path", documentation.pages(), ids=lambda path: path.name)
def test_pages_are_up_to_date(path: Any) -> None:
    """A page says what docstrings and commands say today."""
    assert documentation.pages()[path] == path.read_text("utf-8"), "run `make docs`"


def test_every_kind_documents_itself_and_has_a_test() -> None:
    """Under the headings of its family, with each of its options; its test has its name."""
    assert list(documentation.problems()) == []


def test_every_command_documents_itself_and_has_a_test() -> None:
    """With a help text for each option, examples and exit codes."""
    found = [text for _, name, command in documentation.commands() for text in problems_of_command(name, command)]
    assert found == []
