"""Helpers that call a cache or a step repeatedly: what they pass in, and what they return."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from grader.sandbox.inside import helpers, programs
from grader.sandbox.inside.errors import InvalidResult

ROWS = np.arange(24.0).reshape(2, 4, 3)


@pytest.mark.parametrize("array", [np.array, torch.tensor])
def test_a_cache_of_the_graders_own(array: Any) -> None:
    """It keeps everything in order, in either library, and is empty at first."""
    k, v = array(ROWS), array(ROWS + 100)
    empty, *seen = helpers.appends(helpers.kv_cache, k, v, [1, 2, 1])
    assert empty == 0
    assert [length for _, length in seen] == [1, 3, 4]
    for ((keys, values), length), end in zip(seen, (1, 3, 4), strict=True):
        assert length == end
        assert np.array_equal(keys, ROWS[:, :end])
        assert np.array_equal(values, ROWS[:, :end] + 100)


def test_a_second_cache_is_filled_with_something_else() -> None:
    """Whoever keeps things for all caches alike gives that away."""
    shared: list[Any] = []

    class Shared:
        def append(self, k: Any, v: Any) -> int:
            shared.append(k)
            return len(shared)

        def __len__(self) -> int:
            return len(shared)

    assert helpers.appends(Shared, ROWS, ROWS, [2, 2], beside=True) == [0, [2, 2], [4, 4]]
    assert np.array_equal(shared[0], -ROWS[:, :2])


def test_a_filled_cache_has_a_past() -> None:
    """Or none, where nothing is given."""
    assert len(helpers.filled_cache(helpers.kv_cache)) == 0
    assert len(helpers.filled_cache(helpers.kv_cache, ROWS, ROWS)) == 4


def test_token_by_token() -> None:
    """One row at a time, always the same cache; of (output, weights) the output counts."""

    def step(x_t: Any, cache: Any, *weights: float) -> Any:
        keys, _ = cache.append(x_t, x_t)
        output = x_t * 0 + keys.shape[-2]
        return (output, weights) if len(cache) > 1 else output

    outputs, length = helpers.token_by_token(step, ROWS, helpers.kv_cache(), 1.0, 2.0, 3.0)
    assert [output.shape for output in outputs] == [(2, 1, 3)] * 4
    assert [output.max() for output in outputs] == [1, 2, 3, 4]
    assert length == 4


@pytest.mark.parametrize("as_rows", [False, True])
def test_row_by_row(as_rows: bool) -> None:
    """The state is handed on; with an axis of its own for the row, or without."""
    shapes = set()

    def step(state: Any, q: Any, k: Any, v: Any) -> Any:
        shapes.add(q.shape)
        total = k if state is None else state + k
        return total * v, total

    outputs = helpers.row_by_row(step, ROWS, ROWS, ROWS, as_rows=as_rows)
    assert shapes == {(2, 1, 3) if as_rows else (2, 3)}
    assert np.array_equal(np.stack(outputs, axis=1), ROWS.cumsum(axis=1) * ROWS)


def test_a_state_may_be_used_twice() -> None:
    """Whoever changes the state that came in gives that away."""

    def careless(state: Any, q: Any, k: Any, v: Any) -> Any:
        state = np.zeros_like(k) if state is None else state
        state += k
        return state.copy(), state

    plain = helpers.row_by_row(careless, ROWS, ROWS, ROWS)
    again = helpers.row_by_row(careless, ROWS, ROWS, ROWS, again=True)
    assert np.array_equal(plain[0], again[0])
    assert not np.array_equal(plain[1], again[1])


def test_a_step_returns_output_and_state() -> None:
    """An array of two rows is no pair."""
    with pytest.raises(InvalidResult) as refused:
        helpers.row_by_row(lambda *_: ROWS, ROWS, ROWS, ROWS)
    assert (refused.value.reason, refused.value.detail) == ("state", ["ndarray"])


def test_names_of_the_submission(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the file that is run, else in the one that has them, else the helper; without one they have to be there."""
    other = ModuleType("attncheck_test_other")
    vars(other)["KVCache"] = "theirs"
    monkeypatch.setitem(sys.modules, other.__name__, other)
    step = ["own", "KVCache", "kv_cache", other.__name__]
    for names, given, expected in (
        ({"KVCache": "mine"}, step, "mine"),
        ({}, step, "theirs"),
        ({}, [*step[:3], None], helpers.kv_cache),
        ({}, [*step[:3], "attncheck_test_not_loaded"], helpers.kv_cache),
    ):
        assert programs.run(names, "torch", 0, [given], [0]) == [expected]
    with pytest.raises(KeyError):
        programs.run({}, "torch", 0, [["own", "decode_step", None, None]], [0])
