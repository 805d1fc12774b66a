"""Answers of the quiz reach a file that has others already, and nothing else in it changes."""

from __future__ import annotations

import pytest

from grader.core.errors import UsageError
from grader.core.yaml_positions import parse_document
from grader.learning.answers_file import ConflictingAnswer, find, merge, new_answers_file

STARTED = """\
# Write your answers after the colons.
format: 1
learner: your-name
answers:

  # Q5.a (1 point)
  # What comes out?
  Q5.a: null

  Q5.b: 7   # as in the paper
  # Q5.c
  Q5.c:
  Q5.d: [c, a]
  Q5.e: |
    x
    = y
# the end
"""


def merged(text: str, given: dict[str, str], replace: tuple[str, ...] = ()) -> str:
    """The file of ada with these answers."""
    return merge(find("answers.yaml", text, "ada"), "ada", given, replace)


def test_empty_places_are_filled_and_the_rest_stays() -> None:
    """Comments, order and answers stay; the placeholder gets the name; what is new stands behind the last entry."""
    expected = (
        STARTED.replace("your-name", '"ada"')
        .replace("Q5.a: null", 'Q5.a: "b"')
        .replace("Q5.c:\n", 'Q5.c: "1: 2"\n')
        .replace("    = y\n", '    = y\n  Q5.f: "new"\n')
    )
    assert merged(STARTED, {"Q5.a": "b", "Q5.b": "8", "Q5.c": "1: 2", "Q5.f": "new"}) == expected


def test_only_what_is_named_is_replaced() -> None:
    """Values of one line and of several; comments behind them stay."""
    expected = (
        STARTED.replace("your-name", '"ada"')
        .replace("Q5.b: 7   #", 'Q5.b: "8"   #')
        .replace("Q5.d: [c, a]", 'Q5.d: "a, c"')
        .replace("Q5.e: |\n    x\n    = y\n", 'Q5.e: "x"\n')
    )
    given = {"Q5.b": "8", "Q5.d": "a, c", "Q5.e": "x"}
    assert merged(STARTED, given, ("Q5.b", "Q5.d", "Q5.e")) == expected


def test_what_differs() -> None:
    """The same answer written in another way is no other answer."""
    found = find("answers.yaml", STARTED, "ada")
    given = {"Q5.a": "b", "Q5.b": "8", "Q5.d": "c a", "Q5.e": "x\n= y", "Q5.z": "1"}
    assert found.different(given) == (ConflictingAnswer("Q5.b", "7", "8"),)
    assert found.new(given) == ("Q5.a", "Q5.z")


@pytest.mark.parametrize(
    "text",
    [
        "format: 1\nlearner: Ada\nanswers: {}\n",
        "format: 1\nlearner: ada\nanswers:\n",
        "format: 1\nlearner: ada\nanswers: null  # none yet\n",
        "format: 1\nlearner: ada\n",
        "format: 1\nanswers: {}",
        "answers:\n    Q5.b: 1\nlearner: ada\nformat: 1\n",
        "format: 1\r\nlearner: ada\r\nanswers:\r\n  Q5.b: 1\r\n",
        "{}",
        new_answers_file("ada", {"Q5.b": "1"}),
    ],
)
def test_every_form_of_a_file(text: str) -> None:
    """What comes out has the new answer and all the old ones, or the file is refused as it is."""
    before = parse_document(text).value.get("answers") or {}
    try:
        after = parse_document(merged(text, {"Q5.a": "é — “x”\n2"})).value
    except UsageError:
        assert text == "{}"
        return
    assert after["answers"] == {**before, "Q5.a": "é — “x”\n2"}
    assert str(after["learner"]).lower() == "ada"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("answers: {Q5.b: 1}\n", "left as it is"),
        ("learner: bo\nanswers: {}\n", "the answers of bo"),
        ("- 1\n", "no answers.yaml"),
        ("answers: [1]\n", "no answers.yaml"),
        ("answers: {Q5.b: 1", "line 1"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    """With the reason; the file is not touched."""
    with pytest.raises(UsageError) as caught:
        merged(text, {"Q5.a": "b"})
    assert said in caught.value.of("en")
