"""Names of files and folders are portable, tell people apart, and never change."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.core.files import portable, portable_folder, shortened


@pytest.mark.parametrize(
    ("text", "file", "folder"),
    [
        ("ada", "ada", "ada"),
        ("O'Brien", "O_Brien-e6e62496", "O_Brien-e6e624964c8327e4"),
        ("con.txt", "con_.txt", "_con.txt-d3bde286fd271ed6"),
        ("class", "class_", "class"),
        ("", "learner-e3b0c442", "learner-e3b0c44298fc1c14"),
        ("李雷", "李雷", "李雷"),
    ],
)
def test_names_stay_the_same(text: str, file: str, folder: str) -> None:
    """Inboxes and results folders of earlier versions have these names."""
    assert portable(text, {}) == file
    assert portable_folder(text) == folder


def test_long_parts_of_paths_are_shortened() -> None:
    """What kind of file it is can still be seen, and short parts stay."""
    folder, name = shortened(f"src/{'注意' * 60}.ipynb").split("/")
    assert folder == "src"
    assert name.startswith("注意") and name.endswith(".ipynb") and len(name.encode()) < 255
    assert shortened("x" * 300) != shortened("x" * 301)


@pytest.mark.parametrize("name", ["ada", "Ada Lovelace-Byron", "李雷", "ada@example.org", "a.b"])
def test_ordinary_names_are_folders(name: str) -> None:
    """So that a person finds them."""
    assert portable_folder(name) == name


@pytest.mark.parametrize("name", ["../up", "a/b", "a\\b", "con", ".hidden", "x" * 300, "", "a\nb", "..."])
def test_other_names_are_made_safe(name: str) -> None:
    """One folder, below the inbox, and no other learner's."""
    folder = portable_folder(name)
    assert Path(folder).name == folder
    assert 0 < len(folder) < 80
    assert portable_folder(name + "x") != folder
    assert not folder.startswith(".")


@settings(deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_two_learners_never_share_a_folder(one: str, other: str) -> None:
    """Also if the second is called what the folder of the first is called."""
    for name in (other, portable_folder(one), portable_folder(portable_folder(one)), f"{one} ", f".{one}"):
        assert name == one or portable_folder(name) != portable_folder(one)
