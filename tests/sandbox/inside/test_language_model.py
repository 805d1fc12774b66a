"""The substitute for a language model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from grader.sandbox.inside.helpers import next_logits, taught

TABLE = np.arange(28.0).reshape(7, 4)


@pytest.mark.parametrize(
    "tokens", [[1, 2, 3], (1, 2, 3), np.array([1, 2, 3]), torch.tensor([1, 2, 3]), [torch.tensor(1), np.int64(2), 3]]
)
def test_ids_come_in_any_sequence(tokens: Any) -> None:
    """The row is the number with these digits, after a 1, modulo the number of rows; in the array type of the table."""
    at = (((1 * 31 + 1) * 31 + 2) * 31 + 3) % 7
    for table in (TABLE, torch.tensor(TABLE)):
        logits = next_logits(table)(tokens)
        assert type(logits) is type(table)
        assert logits.tolist() == TABLE[at].tolist()


def test_everything_that_was_read_counts() -> None:
    """Unless the base is 0: then the last id is all that does."""
    hashed, last = next_logits(TABLE), next_logits(TABLE, base=0)
    assert hashed([1, 2, 3]).tolist() != hashed([2, 2, 3]).tolist()
    assert hashed([0, 2, 3]).tolist() != hashed([2, 3]).tolist()
    assert last([1, 2, 3]).tolist() == last([3]).tolist() == TABLE[3].tolist()


@pytest.mark.parametrize("table", [TABLE, torch.tensor(TABLE)])
def test_the_table_stays_as_it_is(table: Any) -> None:
    """Neither ids that never come nor callers that write into their logits change it."""
    step = next_logits(table, base=0, never=[0, 2])
    step([1])[:] = 5
    assert step([1]).tolist() == [-30, 5, -30, 7]
    assert table.tolist() == TABLE.tolist()


@pytest.mark.parametrize("tokens", [np.array([[1, 2]]), torch.tensor([[1]])])
def test_a_batch_is_refused(tokens: Any) -> None:
    """The contract says one sequence."""
    with pytest.raises(ValueError, match="1-D"):
        next_logits(TABLE)(tokens)


@pytest.mark.parametrize("table", [TABLE, torch.tensor(TABLE)])
def test_all_positions_at_once_are_as_one_by_one(table: Any) -> None:
    """Row t of the logits knows the ids up to t, and no more."""
    tokens, seen = np.array([[1, 2, 3], [4, 0, 6]]), []
    taught(lambda step, tokens, bos_id: seen.append(step(tokens)), table, tokens, 0)
    step = next_logits(table)
    for row, logits in zip(tokens, seen[0], strict=True):
        for t in range(3):
            assert logits[t].tolist() == step(row[: t + 1]).tolist()


def test_passes_are_counted() -> None:
    """And the result is handed on where they are not asked for."""

    def own(step: Any, tokens: Any, bos_id: int) -> str:
        step(tokens)
        step(tokens[:, :2])
        return f"from {bos_id}"

    tokens = np.array([[1, 2, 3]])
    assert taught(own, TABLE, tokens, 5) == "from 5"
    assert taught(own, TABLE, tokens, 5, passes=True) == 2


def test_gradients_arrive_at_the_table() -> None:
    """As they would at the weights of a model."""
    table = torch.tensor(TABLE, requires_grad=True)
    taught(lambda step, tokens, bos_id: step(tokens).sum(), table, torch.tensor([[1, 2]]), 0).backward()
    assert table.grad is not None
    assert table.grad.sum() == 8
