"""Layers with two thin matrices of their own, however they keep them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from grader.sandbox.inside.errors import InvalidResult
from grader.sandbox.inside.layers import adapted

W, A, B = torch.arange(12.0).reshape(4, 3), torch.ones(4, 2), torch.arange(6.0).reshape(2, 3)
X = torch.tensor([[1.0, 2.0, 3.0, 4.0]])


class Raw(nn.Module):
    """As the contract has it."""

    def __init__(self, weight: torch.Tensor, r: int, alpha: float) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.a, self.b = nn.Parameter(torch.ones(weight.shape[0], r)), nn.Parameter(torch.zeros(r, weight.shape[1]))
        self.scale = alpha / r

    def merge(self) -> torch.Tensor:
        """One matrix."""
        return self.weight + self.scale * self.a @ self.b

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Through that matrix."""
        return x @ self.merge()


class Linears(Raw):
    """Two linear layers instead, beside a frozen one."""

    def __init__(self, weight: torch.Tensor, r: int, alpha: float) -> None:
        nn.Module.__init__(self)
        d_in, d_out = weight.shape
        self.base = nn.Linear(d_in, d_out, bias=False).requires_grad_(False)
        self.base.weight.copy_(weight.T)
        self.down, self.up = nn.Linear(d_in, r, bias=False), nn.Linear(r, d_out, bias=False)
        nn.init.zeros_(self.up.weight)
        self.scale = alpha / r

    def merge(self) -> torch.Tensor:
        """Linear layers keep theirs the other way round."""
        return (self.base.weight + self.scale * self.up.weight @ self.down.weight).T


class Inherits(nn.Linear):
    """A linear layer itself, with two matrices besides."""

    def __init__(self, weight: torch.Tensor, r: int, alpha: float) -> None:
        super().__init__(*weight.shape, bias=False)
        self.weight.requires_grad_(False).copy_(weight.T)
        self.a, self.b = nn.Parameter(torch.ones(weight.shape[0], r)), nn.Parameter(torch.zeros(r, weight.shape[1]))
        self.scale = alpha / r

    def merge(self) -> torch.Tensor:
        """The linear layer keeps its own the other way round."""
        return self.weight.T + self.scale * self.a @ self.b

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Through that matrix."""
        return x @ self.merge()


class Plain:
    """No module at all."""

    def __init__(self, weight: torch.Tensor, r: int, alpha: float) -> None:
        self.weight, self.scale = weight, alpha / r
        self.a = torch.ones(weight.shape[0], r, requires_grad=True)
        self.b = torch.zeros(r, weight.shape[1], requires_grad=True)

    merge, forward = Raw.merge, Raw.forward


@pytest.mark.parametrize("own", [Raw, Linears, Inherits, Plain])
def test_the_matrices_are_exchanged(own: Any) -> None:
    """Output and merged matrix are made of those that were given, and gradients arrive at them."""
    merged = W + 3 * A @ B
    assert torch.allclose(adapted(own, W, 2, 6.0, X, A, B), X @ merged)
    first, matrices, last = adapted(own, W, 2, 6.0, X, A, B, merges=3)
    assert torch.allclose(first, X @ merged)
    assert torch.allclose(last, X @ merged)
    assert len(matrices) == 3
    assert all(torch.allclose(matrix, merged) for matrix in matrices)
    a, b = A.clone().requires_grad_(), B.clone().requires_grad_()
    adapted(own, W, 2, 6.0, X, a, b).sum().backward()
    assert a.grad is not None
    assert torch.allclose(a.grad, 3 * X.T @ torch.ones(1, 3) @ B.T)
    assert b.grad is not None


@pytest.mark.parametrize("own", [Raw, Linears, Inherits, Plain])
def test_how_it_begins(own: Any) -> None:
    """The output, how many numbers are trained, and what is zero."""
    output, trained, zero = adapted(own, W.double(), 2, 6.0, X.double())
    assert torch.allclose(output, (X @ W).double())
    assert trained == 2 * (4 + 3)
    assert zero == [False, True]


def test_a_missing_matrix_is_told() -> None:
    """With the shape that was looked for, and with what there is."""

    class Turned(Raw):
        def __init__(self, weight: torch.Tensor, r: int, alpha: float) -> None:
            super().__init__(weight, r, alpha)
            self.a = nn.Parameter(torch.ones(r, weight.shape[0]))

    with pytest.raises(InvalidResult) as caught:
        adapted(Turned, W, 2, 6.0, X, A, B)
    assert caught.value.reason == "layer"
    assert caught.value.detail[:2] == ["a", "4 → 2"]
    assert "b" in caught.value.detail
