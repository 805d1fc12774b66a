from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grader.core.model import Array, Text
from grader.grading.compare import compare, describe, number
from tests.helpers import array

INF, NAN = float("inf"), float("nan")


def f(*values: float) -> Array:
    """A vector of float64."""
    return array(values, "float64")


EQUAL: list[tuple[Any, Any]] = [
    (f(1, 2), array([1, 2], "float32")),
    (f(1, 2), array([1, 2], "int64")),
    (array([1, 2], "int64"), array([1, 2], "int32")),
    (array([1, 2], "int64"), array([1, 2], "uint8")),
    (array([[1, 2]], "int64", "numpy"), array([[1, 2]], "int16", "torch")),
    ([1, 2], [1, array(2, "int64", "scalar")]),
    ([1, 2], (array(1, "int64"), array(2, "int32", "numpy"))),
    ([1, 2], array([1, 2], "int32", "torch")),
    ((1, 2), (1.0, array(2.0, "float64", "scalar"))),
    ((1, 2.5), f(1, 2.5)),
    ((), array([], "int64")),
    ([array([1], "int64"), f(0.5)], [array([1], "int32"), f(0.5)]),
    ([1, 2.0], [1, 2]),
    (4_000_000, 4e6),
    (4_000_000, array(4e6, "float32", "scalar")),
    (array(7, "int64"), array(7.0, "float64", "scalar")),
    (f(1000), f(1000.1)),
    (f(0), f(1e-5)),
    (f(INF, -INF, 1), f(INF, -INF, 1)),
    (f(NAN, 1), f(NAN, 1)),
    (f(), f()),
    (f(1, 2.5), [1, 2.5]),
    (array([1, 2], "int64"), [1, 2]),
    (array([True, False], "bool"), array([True, False], "bool")),
    (array(1.0), 1.0),
    (array(1.0), 1),
    (array(True, "bool"), True),
    (3, array(3, "int32", "scalar")),
    (3, 3.0),
    (True, True),
    ([f(1), f(2)], (f(1), f(2))),
    ((), []),
    ("a", "a"),
    (None, None),
]


@pytest.mark.parametrize(("expected", "actual"), EQUAL)
def test_equal_within_tolerance(expected: Any, actual: Any) -> None:
    """Width, container and the last digits do not count."""
    assert compare(expected, actual) is None


DIFFERENT: list[tuple[Any, Any, str, str]] = [
    (f(1000), f(1000.2), "values", "the values differ"),
    (f(0), f(2e-5), "values", "the values differ"),
    (f(1), f(-1), "values", "the values differ"),
    (f(-INF), f(3), "values", "the values differ"),
    (f(-INF), f(INF), "values", "the values differ"),
    (f(-INF), f(NAN), "values", "the values differ"),
    (f(NAN), f(1), "values", "the values differ"),
    (f(1, 1), f(1, NAN), "nan", "contains NaN"),
    (f(1, 1), f(INF, NAN), "nan", "contains NaN"),
    (f(1), f(INF), "inf", "contains inf"),
    (f(NAN, 1), f(NAN, INF), "inf", "contains inf"),
    (f(1), array(1.0), "shape", "has shape (); expected (1,)"),
    (array(1.0), f(1), "shape", "has shape (1,); expected ()"),
    (f(1, 1), f(1), "shape", "has shape (1,); expected (2,)"),
    (f(1, 1), 1.0, "kind", "is a number; expected an array"),
    (array(1.0), None, "kind", "None (is a return missing?); expected a number"),
    (array([1, 2], "int64"), f(1, 2), "kind", "contains floats; expected integers: these are ids"),
    (array([1, 2], "int64"), array([1, 2], "float16"), "kind", "contains floats; expected integers"),
    (array([1, 2], "int64"), [1, 2.0], "kind", "contains floats; expected integers"),
    (f(1, 2), [1, None], "kind", "a list of 2"),
    (f(1, 2), [1, 2, 3], "shape", "has shape (3,); expected (2,)"),
    (array([[1, 2]], "float64"), [[1, 2]], "kind", "a list of 1"),
    ([array([1], "int64")], [f(1)], "kind", "contains floats; expected integers"),
    ([1, 2], [1, 2.0], "kind", "contains floats; expected integers"),
    ([1, 2], [1, array(2.0, "float64", "scalar")], "kind", "contains floats; expected integers"),
    ([1, 2], [1, array(2.0, "float32")], "kind", "contains floats; expected integers"),
    ([1, 0], [1, False], "kind", "is booleans; expected integers"),
    (array([50_000], "int64"), array([50_001], "int64"), "values", "the values differ"),
    ([50_000], [50_001], "values", "the values differ"),
    (array([True], "bool"), array([1], "uint8"), "kind", "is integers; expected booleans"),
    (array([True], "bool"), array([1], "int64"), "kind", "is integers; expected booleans"),
    (array([1], "uint8"), array([True], "bool"), "kind", "is booleans; expected integers"),
    (array([True], "bool"), array([1.0], "float16"), "kind", "is floats; expected booleans"),
    (array([True, False], "bool"), array([True, True], "bool"), "values", "the values differ"),
    (True, 1, "kind", "is integers; expected booleans"),
    (1, True, "kind", "is booleans; expected integers"),
    ([f(1), f(2)], [f(1)], "shape", "the length of the result is 1; expected 2"),
    ([f(1), f(2)], f(1, 2), "kind", "is an array of shape (2,); expected 2 values"),
    ([f(1), f(2)], (f(1), f(3)), "values", "the values differ"),
    ([1, 2], array([1, 3], "int64"), "values", "the values differ"),
    ([1, 2], array([1, 2, 3], "int64"), "shape", "the length of the result is 3; expected 2"),
    ([1, 2], array([[1, 2]], "int64"), "kind", "is an array of shape (1, 2); expected 2 values"),
    ([1, 2], f(1, 2), "kind", "float"),
    ("a", "b", "values", "the values differ"),
    ("a", f(1), "kind", "an array of shape (1,); expected a string"),
    (None, "a", "kind", "is a string; expected None"),
]


@pytest.mark.parametrize(("expected", "actual", "kind", "said"), DIFFERENT)
def test_different(expected: Any, actual: Any, kind: str, said: str) -> None:
    """Kind before shape before finiteness before values, and never by broadcasting."""
    found = compare(expected, actual)
    assert found is not None
    assert found.kind == kind
    assert said in found.text.en


def test_tolerances_are_asymmetric() -> None:
    """Relative to what is expected, entry by entry."""
    assert compare(f(1), f(1.5), rtol=0.5) is None
    assert compare(f(1.5), f(0.7), rtol=0.5, atol=0) is not None
    assert compare(f(1), f(1.1), rtol=0, atol=0.2) is None


def test_the_first_difference_is_written_out() -> None:
    """Index, both entries, how many of how many."""
    found = compare(array([[1, 2], [3, 4]]), array([[1, 2], [3.5, NAN]]))
    assert found is not None
    assert found.difference is not None
    assert (found.difference.index, found.difference.expected, found.difference.actual) == ((1, 1), "4", "nan")
    assert (found.difference.differing, found.difference.size) == (2, 4)


def test_what_hidden_cases_say_has_no_numbers() -> None:
    """The secret sentences give neither shapes nor values away."""
    for expected, actual in ((f(1, 2), f(1, 3)), (f(1, 2), f(1)), (f(1, 2), f(1, NAN))):
        found = compare(expected, actual)
        assert found is not None
        assert not any(digit in found.secret.en + found.secret.zh for digit in "0123456789")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, Text("None (is a return missing?)", "None（是不是漏了 return？）")),
        (array([[1]]), Text("an array of shape (1, 1)", "形状为 (1, 1) 的数组")),
        (True, Text("a number", "一个数")),
        (2.5, Text("a number", "一个数")),
        ("x", Text("a string", "一个字符串")),
        ((1, 2), Text("a tuple of 2", "含 2 个元素的 tuple")),
        ([], Text("a list of 0", "含 0 个元素的 list")),
        ({}, Text("a dict", "一个 dict")),
        (object(), Text("something else", "别的类型")),
    ],
)
def test_things_have_names(value: object, words: Text) -> None:
    """What came back is called by a name that learners know, in both languages."""
    assert describe(value) == words


@pytest.mark.parametrize(
    ("value", "said"),
    [(np.float32(0.1), "0.1"), (1234567.0, "1.23457e+06"), (np.bool_(True), "True"), (10**6, "1000000")],
)
def test_entries_are_short(value: object, said: str) -> None:
    """Six digits, and booleans as Python writes them."""
    assert number(value) == said
    large = compare(10**6, 2.5)
    assert large and large.difference and large.difference.expected == "1000000"
