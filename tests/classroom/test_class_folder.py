"""class.yaml: what it may say, and what is said about everything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.class_folder import ClassSettings, read_settings
from grader.core.errors import UsageError


def test_everything_that_it_may_say(tmp_path: Path) -> None:
    """All keys; addresses lose a slash at their end."""
    (tmp_path / "class.yaml").write_text(
        "address: https://Quiz.example.edu/\ncourse: ../course\nroster: class.csv\nseed_file: SEED\n"
        "questions: [Q1, Q5]\ninstructors: {grace: Grace Hopper}\nassistants:\n  bob: 鲍勃\nlink_days: 7\n",
        "utf-8",
    )
    assert read_settings(tmp_path) == ClassSettings(
        address="https://quiz.example.edu",
        course="../course",
        roster="class.csv",
        seed_file="SEED",
        questions=("Q1", "Q5"),
        instructors={"grace": "Grace Hopper"},
        assistants={"bob": "鲍勃"},
        link_days=7,
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected keys"),
        ("[a]", "expected keys"),
        ("a: [", "this is not YAML"),
        ("addres: https://a.b", "unknown key “addres”; expected one of address, course"),
        ("roster: a\naddress: quiz.example.edu", "class.yaml:2: address: expected the address"),
        ("address: https://a.b/quiz", "without a path"),
        ("address: https://a.b@evil", "without a path"),
        ("questions: Q1", "a list such as [Q1, Q5]"),
        ("instructors: [grace]", "ids with names"),
        ("instructors: {grace: }", "ids with names"),
        ("link_days: 0", "a whole number from 1 to 400"),
        ("link_days: true", "a whole number from 1 to 400"),
        ("roster: ''", "roster: expected text"),
        ("instructors: {g: G}\nassistants: {g: G}", "class.yaml:2: g is both"),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    """The file, the line, what was expected and what was found."""
    (tmp_path / "class.yaml").write_text(text)
    with pytest.raises(UsageError) as error:
        read_settings(tmp_path)
    assert said in str(error.value) and "class.yaml" in str(error.value)


def test_no_class(tmp_path: Path) -> None:
    """A folder without the file, and a file that is not text."""
    with pytest.raises(UsageError, match=r"No such file.*docs/serve\.md"):
        read_settings(tmp_path)
    (tmp_path / "class.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_settings(tmp_path)
