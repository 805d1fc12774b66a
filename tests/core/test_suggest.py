"""Names that a misspelt one is close to."""

from __future__ import annotations

import pytest

from grader.core.text import close_names, nearest, suggestion


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("softmx", "softmax"),
        ("SOFTMX", "softmax"),
        ("kvcache", "KVCache"),
        ("entirely different", None),
        ("", None),
        ("softmax" * 12, None),
    ],
)
def test_the_nearest_name(name: str, found: str | None) -> None:
    """Whatever its case; none for what is like nothing, or far too long to be a name."""
    assert nearest(name, ["attend", "softmax", "KVCache"]) == found
    assert nearest(name, []) is None


def test_names_that_are_too_long_are_not_compared() -> None:
    """On either side: what learners hand in can be as long as they like."""
    assert nearest("x" * 80, ["x" * 81]) is None
    assert nearest("x" * 81, ["x" * 80]) is None


def test_several_names_come_in_order() -> None:
    """The nearest first, as many as asked for, and as alike as asked for."""
    assert close_names("q05.py", ["q50.py", "q5.py", "notes"], most=2) == ("q5.py", "q50.py")
    assert nearest("attend", ["attention"], cutoff=0.9) is None


@pytest.mark.parametrize(
    ("name", "listed", "most", "expected"),
    [
        ("Q55", None, None, "Did you mean Q5?"),
        ("heads", None, None, "There are: Q5, Q6, Q7."),
        ("heads", None, 2, "There are: Q5, Q6, …."),
        ("heads", None, 3, "There are: Q5, Q6, Q7."),
        ("heads", ("attention",), None, "There are: attention."),
        ("q6", ("attention",), None, "Did you mean Q6?"),
    ],
)
def test_a_hint_is_a_sentence(name: str, listed: tuple[str, ...] | None, most: int | None, expected: str) -> None:
    """The nearest name where there is one, else those to choose from."""
    assert suggestion(name, ["Q5", "Q6", "Q7"], listed, most=most).en == expected
