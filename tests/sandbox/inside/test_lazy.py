"""Modules without shapes get them before the grader's weights are set, and nothing else changes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from grader.sandbox.inside import helpers, layers

D = 6
WEIGHTS = {f"w_{letter}": torch.full((D, D), float(at)) for at, letter in enumerate("qkvo")}


class Attention(nn.Module):
    """Everything lazy, in a list or under names, with running statistics and numbers drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.w_q, self.w_k = nn.LazyLinear(D), nn.LazyLinear(D, bias=False)
        self.rest = nn.ModuleDict({"w_v": nn.LazyLinear(D), "w_o": nn.LazyLinear(D)})
        self.w_v, self.w_o = self.rest["w_v"], self.rest["w_o"]
        self.register_buffer("seen", torch.zeros(()))
        self.drawn: Any = None

    def forward(self, query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        """No attention, but of its shape."""
        assert mask is None
        self.seen += 1
        self.drawn = (random.random(), np.random.rand(), torch.rand(()))
        return self.w_o(self.w_q(query) + self.w_k(key) + self.w_v(value))


def drawn() -> tuple[float, float, float]:
    """The next number of every generator."""
    return random.random(), np.random.rand(), torch.rand(()).item()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_weights_land_in_lazy_layers(dtype: str) -> None:
    """In the precision of the case; what a forward pass changes besides is put back."""
    instance = helpers.ready(Attention(), dtype)
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    before = drawn()
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    given = {role: weight.to(getattr(torch, dtype)) for role, weight in WEIGHTS.items()}
    filled = helpers.projections(instance, given)
    assert drawn() == before
    assert instance.seen == 0
    assert filled.describe()["registered"] == dict.fromkeys(WEIGHTS, True)
    assert all(parameter.requires_grad and parameter.grad is None for parameter in instance.parameters())
    x = torch.ones(1, 2, D, dtype=getattr(torch, dtype))
    expected = (x @ given["w_q"] + x @ given["w_k"] + x @ given["w_v"]) @ given["w_o"]
    assert torch.equal(helpers.forward(instance, x, x, x), expected)


def test_a_plain_class_may_hold_lazy_layers() -> None:
    """They are found there as other layers are."""

    class Plain:
        def __init__(self) -> None:
            self.w_q, self.w_k, self.w_v, self.w_o = (nn.LazyLinear(D) for _ in range(4))

        def forward(self, query: Any, key: Any, value: Any) -> Any:
            return self.w_o(self.w_q(query) + self.w_k(key) + self.w_v(value))

    assert helpers.projections(Plain(), WEIGHTS).describe()["attributes"]["w_o"] == "w_o.weight"


def test_where_nothing_is_lazy_nothing_is_run() -> None:
    """An ordinary module is not called before its turn, and a plain object may hold anything."""

    class Never(nn.Module):
        def forward(self, *given: Any) -> Any:
            raise AssertionError

    layers.initialize_lazy(Never(), D, torch.zeros(1), 1)
    layers.initialize_lazy(object(), D, torch.zeros(1), 1)


def test_what_the_pass_raises_is_the_learners() -> None:
    """An exception comes through as from any call, and the generators are left as they were."""

    class Broken(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w_q = nn.LazyLinear(D)

        def forward(self, query: Any, key: Any, value: Any) -> Any:
            return self.w_q(query).nothing

    with pytest.raises(AttributeError, match="nothing"):
        helpers.projections(Broken(), WEIGHTS)
