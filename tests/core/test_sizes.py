from __future__ import annotations

import pytest

from grader.core import sizes


@pytest.mark.parametrize(
    ("size", "value"),
    [
        (3, 3),
        (0, 0),
        ("4", 4),
        ("n", 5),
        ("n + 2", 7),
        ("h * d_k - 1", 23),
        ("n // 2", 2),
        ("2 * (n + 1)", 12),
        (" n ", 5),
    ],
)
def test_sizes_are_integer_arithmetic(size: int | str, value: int) -> None:
    """A size is a number, or what its arithmetic gives for the drawn symbols."""
    assert sizes.evaluate(size, {"n": 5, "h": 3, "d_k": 8}) == value


@pytest.mark.parametrize(
    ("size", "fragment"),
    [
        ("m", "'m' is not drawn"),
        ("n // (n - n)", "divides by zero"),
        ("n / 2", "'n / 2' is not allowed"),
        ("n ** n", "not allowed"),
        ("-n", "not allowed"),
        ("1.5", "not allowed"),
        ("True", "not allowed"),
        ("f(n)", "not allowed"),
        ("n.real", "not allowed"),
        ("n if n else 1", "not allowed"),
        ("n +", "not arithmetic"),
        ("", "not arithmetic"),
        ("n; n", "not arithmetic"),
        ("\0", "not arithmetic"),
        ("n+" * 200 + "n", "longer than 200"),
    ],
)
def test_nothing_else_is_evaluated(size: str, fragment: str) -> None:
    """Whatever is not in the grammar is refused with a sentence, and never run."""
    with pytest.raises(ValueError, match=r".") as caught:
        sizes.evaluate(size, {"n": 5})
    assert fragment in str(caught.value)


def test_names_are_the_symbols_used() -> None:
    """The symbols of a size are known without values for them."""
    assert sizes.names("h * (d_k + 1) // h") == {"h", "d_k"}
    assert sizes.names(7) == sizes.names("7") == frozenset()
    with pytest.raises(ValueError, match="not allowed"):
        sizes.names("len(x)")
