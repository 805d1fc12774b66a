"""Helpers that programs may apply."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest
import torch

from grader.sandbox.inside import helpers
from grader.sandbox.inside.errors import InvalidResult
from grader.sandbox.inside.helpers import HELPERS


@pytest.mark.parametrize(
    ("value", "output"),
    [(1, 1), ((1, 2), 1), ([1, 2, 3], 1), ((1,), (1,)), ([], []), ("ab", "ab"), (None, None), ({"a": 1}, {"a": 1})],
)
def test_the_output_is_the_first_of_several(value: Any, output: Any) -> None:
    """``(output, weights)`` is accepted where ``output`` is asked for; nothing else is taken apart."""
    assert helpers.attention_output(value) == output


def test_an_array_is_not_taken_apart() -> None:
    """An array of several rows is one result."""
    rows = torch.ones(3, 2)
    assert helpers.attention_output(rows) is rows


def test_modules_are_made_ready() -> None:
    """Dropout off, precision as asked; what is no module stays as it is."""
    module = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
    assert helpers.ready(module, "float64") is module
    assert not module[1].training
    assert module[0].weight.dtype is torch.float64
    assert helpers.ready(module)[0].weight.dtype is torch.float64
    plain = types.SimpleNamespace(forward=1)
    assert helpers.ready(plain, "float64") is plain
    with pytest.raises(InvalidResult, match="no-forward"):
        helpers.ready("nothing to call")


def test_instances_are_called_or_their_forward_is() -> None:
    """A plain class may have ``__call__`` or ``forward``."""

    class Called:
        def __call__(self, x: int, by: int = 1) -> int:
            return x + by

    class Forward:
        def forward(self, x: int, by: int = 1) -> int:
            return x * by

    assert helpers.forward(Called(), 3, by=2) == 5
    assert helpers.forward(Forward(), 3, by=2) == 6
    with pytest.raises(AttributeError, match="forward"):
        helpers.forward(object(), 1)


# ----------------------------------------------------------------------------------------- gradients


def test_gradients_are_those_of_the_loss() -> None:
    """Σ c·y + y²/2 by hand: c + y for the identity, in the order of the arguments, shared ones included."""
    x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
    ramp = torch.arange(1, 4, dtype=torch.float64).cos().float()
    got = helpers.gradients(x * 1.0, [x, 5, x])
    assert got is not None
    assert torch.allclose(got[0], ramp + x.detach())
    assert got[1] is None
    assert torch.equal(got[0], got[2])


def test_several_results_have_one_loss() -> None:
    """In their order, however they are nested; numbers among them are no matter, and a part without a graph is one."""
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    whole = helpers.gradients(torch.cat([x.flatten(), (x * x).flatten()]), [x])
    parts = helpers.gradients([0, (x, [x * x, 4]), "text"], [x])
    assert whole is not None
    assert parts is not None
    assert torch.allclose(whole[0], parts[0])
    cut = helpers.gradients([x.detach(), x * x], [x])
    assert cut is not None
    assert not torch.equal(cut[0], parts[0])
    assert helpers.gradients([x.detach(), 3], [x]) is None


def test_gradients_of_a_transposed_result_differ() -> None:
    """The weights of the loss belong to places: a permuted result has other gradients."""
    x = torch.arange(4.0).reshape(2, 2).requires_grad_()
    straight, turned = helpers.gradients(x * 1, [x]), helpers.gradients(x.T * 1, [x])
    assert straight and turned and not torch.allclose(straight[0], turned[0])


def test_tensors_of_a_plain_class_collect_gradients() -> None:
    """They have no optimiser to be registered with; what a module keeps frozen stays frozen."""
    roles = ("w_q", "w_k", "w_v", "w_o")
    plain = type("Attention", (), {})()
    plain.__dict__.update({role: torch.zeros(2, 2) for role in roles})
    module = torch.nn.Module()
    for role in roles:
        setattr(module, role, torch.nn.Linear(2, 2).requires_grad_(False))
    for instance, collects in ((plain, True), (module, False)):
        filled = helpers.projections(instance, {role: torch.ones(2, 2) for role in roles})
        helpers.collect_gradients(filled)
        assert [leaf.requires_grad for leaf in filled.leaves()] == [collects] * 4


@pytest.mark.parametrize("output", [None, 3.0, np.ones(2), torch.ones(2), (torch.ones(2),)])
def test_without_a_graph_there_are_no_gradients(output: Any) -> None:
    """A result that is detached, or no tensor, is told as None."""
    assert helpers.gradients(output, [torch.ones(2, requires_grad=True)]) is None


def test_arguments_that_do_not_matter_have_none() -> None:
    """An argument that never enters the result, or that takes no gradients, has None."""
    used, unused = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    got = helpers.gradients(used * 2, [used, unused, torch.ones(2)])
    assert got is not None and got[0] is not None and got[1:] == [None, None]


def test_gradients_of_projections_come_by_role() -> None:
    """After the arguments, one matrix (d_in, d_out) for each role in alphabetical order, fused or not."""

    class Fused(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv = torch.nn.Linear(2, 6, bias=False)
            self.w_o = torch.nn.Parameter(torch.zeros(2, 2))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            q, k, v = self.qkv(x).chunk(3, dim=-1)
            return (1 * q + 2 * k + 3 * v) @ self.w_o

    class Apart(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for role in "qkvo":
                setattr(self, f"w_{role}", torch.nn.Parameter(torch.zeros(2, 2)))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (1 * x @ self.w_q + 2 * x @ self.w_k + 3 * x @ self.w_v) @ self.w_o

    generator = torch.Generator().manual_seed(0)
    weights = {f"w_{role}": torch.randn(2, 2, generator=generator) for role in "qkvo"}
    x, found = torch.randn(3, 2, generator=generator), []
    for module in (Fused(), Apart()):
        filled = helpers.projections(module, weights)
        got = helpers.gradients(module(x), [], filled)
        assert got is not None and len(got) == 4
        found.append(got)
    for one, other in zip(*found, strict=True):
        assert one.shape == (2, 2)
        assert torch.allclose(one, other, atol=1e-5)
    assert not torch.allclose(found[0][0], found[0][2])


# ---------------------------------------------------------------------------------------- parameters


def test_parameters_are_listed_with_what_reaches_them() -> None:
    """Name, shape, whether it learns, and whether the result depends on it."""

    class Some(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.used = torch.nn.Parameter(torch.ones(2, 3))
            self.idle = torch.nn.Parameter(torch.ones(4))
            self.frozen = torch.nn.Parameter(torch.ones(2, 3), requires_grad=False)
            self.hidden = torch.ones(2)

        def forward(self) -> torch.Tensor:
            return self.used * self.frozen * 1

    module = Some()
    listed = [["used", [2, 3], True, True], ["idle", [4], True, False], ["frozen", [2, 3], False, False]]
    assert helpers.parameters(module, module()) == listed
    unreached = [[name, shape, learns, False] for name, shape, learns, _ in listed]
    assert helpers.parameters(module, torch.ones(2)) == unreached
    assert helpers.parameters(module, None) == unreached


def test_a_plain_class_and_an_empty_module_have_no_parameters() -> None:
    """None says that there is no such thing, an empty list that there is none."""
    assert helpers.parameters(object(), torch.ones(1)) is None
    assert helpers.parameters(torch.nn.ReLU(), torch.ones(1, requires_grad=True)) == []


def test_leaves_are_made_of_float_tensors_only() -> None:
    """Integers and arrays cannot collect gradients, and are left alone."""
    tensor = torch.ones(2)
    assert helpers.require_grad(tensor) is tensor and tensor.requires_grad
    assert not helpers.require_grad(torch.ones(2, dtype=torch.int64)).requires_grad
    array = np.ones(2)
    assert helpers.require_grad(array) is array


# ------------------------------------------------------------------------------- things that are made

A, B, P = np.eye(2) + 1, np.ones((2, 2)), np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@pytest.mark.parametrize("positions", [None, P])
def test_a_stand_in_for_attention(positions: Any) -> None:
    """x @ a + mean(x) @ b, in the array type and precision of x, whatever those of the parts are."""
    shifted = X if positions is None else X + P
    expected = shifted @ A + shifted.mean(0) @ B
    parts = {"a": torch.tensor(A), "b": B} | ({} if positions is None else {"positions": torch.tensor(P)})
    made = helpers.attend(**parts)
    for x in (X, X.astype(np.float32), X.tolist()):
        assert np.allclose(made(x), expected)
        assert made(x).dtype == np.asarray(x).dtype
    for dtype in (torch.float32, torch.float64):
        result = made(torch.tensor(X, dtype=dtype))
        assert isinstance(result, torch.Tensor) and result.dtype is dtype
        assert np.allclose(result, expected)


def test_the_stand_in_sees_order_only_by_positions() -> None:
    """Reordering commutes with it, unless its rows are told apart."""
    perm = np.array([1, 2, 0])
    for positions, same in ((None, True), (P, False)):
        made = helpers.attend(A, B, positions)
        assert np.allclose(made(X[perm]), made(X)[perm]) is same


def test_the_table_of_helpers_is_closed() -> None:
    """Helpers go by their function's name, and nobody adds one at run time."""
    assert all(function.__name__ == name for name, function in HELPERS.items())
    with pytest.raises(TypeError):
        HELPERS["more"] = print  # type: ignore[index]
