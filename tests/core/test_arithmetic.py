from __future__ import annotations

import math

import pytest

from grader.core.arithmetic import SIZES, evaluate, evaluate_size, names

SYMBOLS = {"d": 64, "n": 3, "half": 0.5}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (8, 8),
        (0.25, 0.25),
        ("8", 8),
        ("4 * n**2 * d", 2304),
        ("(n + 1) * -d", -256),
        ("+n", 3),
        ("d // n", 21),
        ("d / n", 64 / 3),
        ("sqrt(d)", 8),
        ("log(exp(n))", 3),
        ("d ** half", 8),
        ("2 ** -1", 0.5),
        ("2 ** 10", 1024),
        ("1.5e3", 1500),
        ("(-8) ** 3", -512),
        ("-2 ** 2", -4),
        ("10 ** 300", 1e300),
        (" n ", 3),
    ],
)
def test_arithmetic_has_its_value(expression: int | float | str, value: float) -> None:
    """Names, numbers, the six operators, signs, parentheses and three functions."""
    assert evaluate(expression, SYMBOLS) == pytest.approx(value)


def test_whole_numbers_stay_whole() -> None:
    """A count of parameters is exact, however large."""
    assert evaluate("12345678901234567 * 3", {}) == 37037036703703701
    assert isinstance(evaluate("7 // 2", {}), int)


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("n +", "is not arithmetic"),
        ("", "is not arithmetic"),
        ("(" * 150, "is not arithmetic"),
        ("n" * 201, "longer than 200 characters"),
        ("m", "'m' is not drawn"),
        ("n % 2", "'n % 2' is not allowed"),
        ("n @ n", "is not allowed"),
        ("~n", "is not allowed"),
        ("True", "is not allowed"),
        ("1j", "is not allowed"),
        ("'1'", "is not allowed"),
        ("n, n", "is not allowed"),
        ("n if n else d", "is not allowed"),
        ("n < d", "is not allowed"),
        ("1or 2", "is not allowed"),
        ("n.real", "is not allowed"),
        ("[1][0]", "is not allowed"),
        ("(lambda: 1)()", "is not allowed"),
        ("sqrt", "is not allowed"),
        ("abs(n)", "is not allowed"),
        ("__import__('os')", "is not allowed"),
        ("sqrt(n, d)", "is not allowed"),
        ("sqrt(x=n)", "is not allowed"),
        ("sqrt(*n)", "is not allowed"),
        ("1 / (n - 3)", "divides by zero"),
        ("1 // 0", "divides by zero"),
        ("0 ** -1", "0 to the power of -1 has no value"),
        ("(-1) ** half", "-1 to the power of 0.5 has no value"),
        ("sqrt(-n)", "sqrt has no value at -3"),
        ("log(0)", "log has no value at 0"),
        ("9 ** 9 ** 9", "is too large"),
        ("2 ** 2000", "is too large"),
        ("exp(1000)", "is too large"),
        ("10.0 ** 400", "is too large"),
        ("1e400", "is too large"),
        ("1e400 - 1e400", "or not a number"),
        (math.inf, "is too large"),
        (math.nan, "or not a number"),
        (10**400, "is too large"),
    ],
)
def test_everything_else_is_refused(expression: int | float | str, said: str) -> None:
    """What is not in the grammar, has no value, or would take long is a ValueError with a sentence."""
    with pytest.raises(ValueError, match=r".*") as caught:
        evaluate(expression, SYMBOLS)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("4 * n**2 * d", {"n", "d"}), ("sqrt(n) + log(-m)", {"n", "m"}), ("8", set()), (8, set()), ("0 / 0", set())],
)
def test_names(expression: int | str, expected: set[str]) -> None:
    """The symbols that are asked for; functions are none."""
    assert names(expression) == expected


@pytest.mark.parametrize("expression", ["n.real", "abs(n)", "sqrt", "sqrt + n", "[n]"])
def test_names_of_what_is_not_in_the_grammar(expression: str) -> None:
    """An author learns of it although nothing is drawn yet."""
    with pytest.raises(ValueError, match="is not allowed"):
        names(expression)


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
    assert evaluate_size(size, {"n": 5, "h": 3, "d_k": 8}) == value


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
def test_no_other_size_is_evaluated(size: str, fragment: str) -> None:
    """Whatever is not in the grammar is refused with a sentence, and never run."""
    with pytest.raises(ValueError, match=r".") as caught:
        evaluate_size(size, {"n": 5})
    assert fragment in str(caught.value)


def test_the_symbols_of_a_size() -> None:
    """The symbols of a size are known without values for them."""
    assert names("h * (d_k + 1) // h", SIZES) == {"h", "d_k"}
    assert names(7, SIZES) == names("7", SIZES) == frozenset()
    with pytest.raises(ValueError, match="not allowed"):
        names("len(x)", SIZES)
