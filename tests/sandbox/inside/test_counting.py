"""Counting finds what grows with the square of the length, however it is written."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from grader.sandbox.inside import counting, programs

Attention = Callable[[Tensor, Tensor, Tensor], Any]
SMALL, LARGE = 64, 128


@pytest.fixture(autouse=True)
def _cleared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing goes on being counted, and threads of the test runner are left out: the child has none of them."""
    monkeypatch.setattr(sys, "_current_frames", dict)
    yield
    counting.clear()


def count(function: Attention, n: int = SMALL, memory: bool = False) -> dict[str, Any]:
    """What a call on n queries and keys of width 4 costs."""
    q, k, v = torch.linspace(-1, 1, 12 * n).reshape(3, n, 4)
    counter = counting.counter(memory)
    counting.watch(counter)
    function(q, k, v)
    return counting.counted(counter)


def phi(x: Tensor) -> Tensor:
    """The feature map of linear attention."""
    return functional.elu(x) + 1


def plain(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Softmax attention."""
    return torch.softmax(q @ k.mT, -1) @ v


def step_by_step(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Linear attention as a recurrence, written into an array by index tensors."""
    q, k = phi(q), phi(k)
    state, output = torch.zeros(4, 4), torch.zeros_like(v)
    for t in range(len(q)):
        state += torch.outer(k[t], v[t])
        output[torch.tensor([t])] = (q[t] @ state)[None]
    return output


def prefixes(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The same, but every sum over the past is taken anew: little is written, much is read."""
    products = k[:, :, None] * v[:, None]
    return torch.stack([q[t] @ products[: t + 1].sum(0) for t in range(len(q))])


def dots(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Long dot products, whose result is one number."""
    return torch.stack([torch.dot(q[:, 0], v[:, 1]) for _ in k])


def library(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The library's attention on four axes, which is fused by default."""
    return functional.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None])


def insisting(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The same, switched to the fused kernel."""
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return library(q, k, v)


def module(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The library's multi-head attention with its fast path."""
    with torch.no_grad():
        return torch.nn.MultiheadAttention(4, 2, batch_first=True).eval()(q[None], k[None], v[None])[0]


LINEAR: list[tuple[str, Attention]] = [
    ("keys and values first", lambda q, k, v: phi(q) @ (phi(k).mT @ v)),
    ("einsum", lambda q, k, v: torch.einsum("nd,de->ne", phi(q), torch.einsum("nd,ne->de", phi(k), v))),
    ("cumulative sums", lambda q, k, v: (q[:, None] @ (k[:, :, None] * v[:, None]).cumsum(0))[:, 0]),
    ("recurrence", step_by_step),
    ("without autograd", torch.inference_mode()(lambda q, k, v: phi(q) @ (phi(k).mT @ v))),
    ("a large view", lambda q, k, v: q.expand(len(q), len(q), 4)[0] * 2),
]
QUADRATIC: list[tuple[str, Attention]] = [
    ("plain", plain),
    ("without autograd", torch.inference_mode()(plain)),
    ("under vmap", lambda q, k, v: torch.vmap(lambda row: torch.softmax(k @ row, 0) @ v)(q)),
    ("query by query", lambda q, k, v: torch.stack([torch.softmax(k @ row, 0) @ v for row in q])),
    ("in place", lambda q, k, v: torch.zeros(len(q), len(k)).addmm_(q, k.mT).exp_() @ v),
    ("into an array", lambda q, k, v: torch.matmul(q, k.mT, out=torch.empty(len(q), len(k)))),
    ("number by number", lambda q, k, v: [k[0, 0].item() for _ in range(len(q) ** 2 // 8)]),
    ("the past anew", prefixes),
    ("long dot products", dots),
    ("copied in a loop", lambda q, k, v: [torch.cat([v[:t], v[t:]]) for t in range(len(v))]),
    ("library", library),
    ("library, fused", insisting),
    ("library's module", module),
]


@pytest.mark.parametrize(("function", "ratio"), [
    *(pytest.param(function, 2.0, id=name) for name, function in LINEAR),
    *(pytest.param(function, 4.0, id=name) for name, function in QUADRATIC),
])  # fmt: skip
def test_twice_the_length_costs_what_it_costs(function: Attention, ratio: float) -> None:
    """Twice for linear code, about four times for quadratic code."""
    small, large = count(function), count(function, LARGE)
    assert not small["exits"]
    assert large["work"] / small["work"] == pytest.approx(ratio, rel=0.12)


@pytest.mark.parametrize(
    ("function", "largest"),
    [
        (plain, SMALL * SMALL),
        (library, SMALL * SMALL),
        (insisting, SMALL * SMALL),
        (lambda q, k, v: q @ k.mT > 0, SMALL * SMALL),
        (lambda q, k, v: torch.empty(0).resize_(SMALL, SMALL), SMALL * SMALL),
        (lambda q, k, v: q.expand(SMALL, SMALL, 4), 0),
        (lambda q, k, v: q * 2, 4 * SMALL),
        (lambda q, k, v: torch.cat([q[i : i + 8] @ k.mT for i in range(0, SMALL, 8)])[:0], SMALL * SMALL),
    ],
)
def test_the_largest_array_is_found(function: Attention, largest: int) -> None:
    """Whatever makes or fills it; a view takes no room."""
    assert count(function)["largest"] == largest


REDUCTIONS: dict[str, Attention] = {
    **{name: lambda q, k, v, name=name: getattr(q, name)() for name in ("sum", "mean", "amax", "norm", "prod", "std")},
    **{name: lambda q, k, v, name=name: getattr(q, name)(0) for name in ("median", "mode", "logsumexp", "argmin")},
    "any": lambda q, k, v: q.any(),
    "equal": lambda q, k, v: torch.equal(q, q),
    "dist": lambda q, k, v: torch.dist(q, k),
    "topk": lambda q, k, v: q.topk(1, 0),
    "pooling": lambda q, k, v: functional.max_pool1d(q.T[None], len(q)),
    "mse_loss": lambda q, k, v: functional.mse_loss(q, k),
    "huber_loss": lambda q, k, v: functional.huber_loss(q, k),
}


@pytest.mark.parametrize("reduce", REDUCTIONS.values(), ids=REDUCTIONS)
def test_a_reduction_costs_what_it_reads(reduce: Attention) -> None:
    """However little it writes, and with every version of torch."""
    assert count(reduce)["work"] >= 4 * SMALL


@pytest.mark.skipif(not hasattr(torch.Tag, "reduction"), reason="this torch does not tag reductions yet")
def test_every_reduction_that_torch_knows_is_known() -> None:
    """The names that are kept for older versions lack nothing that the newest one marks."""
    names = [name.removeprefix("aten::").partition(".") for name in torch._C._dispatch_get_all_op_names()]
    found = [
        (name, getattr(getattr(torch.ops.aten, name, None), overload or "default", None)) for name, _, overload in names
    ]
    tagged = {name for name, operation in found if torch.Tag.reduction in getattr(operation, "tags", ())}
    assert "sum" in tagged
    assert tagged <= counting._READS


@pytest.mark.parametrize(
    "leave",
    [
        lambda q, k, v: q.numpy(),
        lambda q, k, v: np.asarray(q),
        lambda q, k, v: np.exp(q.detach()),
        lambda q, k, v: np.from_dlpack(q),
        lambda q, k, v: q.tolist(),
        lambda q, k, v: q.untyped_storage(),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_ways_out_of_torch_are_noted(leave: Attention) -> None:
    """Behind them nothing is counted."""
    assert count(leave)["exits"]
    assert not count(plain)["exits"]


def test_memory_sees_what_is_no_tensor() -> None:
    """NumPy's arrays and Python's lists."""
    assert count(plain, memory=True)["peak"] < 4 * SMALL * SMALL
    assert count(lambda q, k, v: q.numpy() @ k.numpy().T, memory=True)["peak"] >= 4 * SMALL * SMALL
    assert count(lambda q, k, v: [float(i) for i in range(SMALL * SMALL)], memory=True)["peak"] >= 8 * SMALL * SMALL
    assert count(lambda q, k, v: q.numpy() @ k.numpy().T, memory=True).keys() == {"peak"}


class Left(TorchDispatchMode):
    """Changes every result."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return 0 * func(*args, **kwargs or {})


class Behind(TorchFunctionMode):
    """Lets nothing through."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise RuntimeError


def test_a_call_that_raises_ends_the_counting() -> None:
    """And so does whatever mode it left on: the next program starts as always."""

    def bad() -> None:
        Left().__enter__()
        torch.set_default_device("meta")
        Behind().__enter__()
        raise ValueError

    ref = programs.frames.StepRef
    steps: list[Any] = [["apply", "counter", [memory], {}] for memory in (True, False)]
    steps += [["apply", "watch", [ref(0)], {}], ["apply", "watch", [ref(1)], {}]]
    with pytest.raises(ValueError):
        programs.run({"bad": bad}, "torch", 0, [*steps, ["call", "bad", [], {}]], [4])
    assert programs.run({"good": lambda: torch.ones(2).sum()}, "torch", 0, [["call", "good", [], {}]], [0]) == [2]
    assert _get_current_dispatch_mode() is None
    assert torch._C._len_torch_function_stack() == 0
    assert not tracemalloc.is_tracing()
    assert torch.backends.mha.get_fastpath_enabled()
    assert torch.backends.cuda.flash_sdp_enabled()


def test_a_call_between_two_steps_is_counted() -> None:
    """As a check writes it."""
    ref = programs.frames.StepRef
    steps: list[Any] = [
        ["apply", "counter", [False], {}],
        ["apply", "watch", [ref(0)], {}],
        ["call", "good", [], {}],
        ["apply", "counted", [ref(0)], {}],
    ]
    (found,) = programs.run({"good": lambda: torch.ones(5, 5)}, "torch", 0, steps, [3])
    assert found.pop("elsewhere") < 25
    assert found == {"work": 25, "largest": 25, "exits": False, "unseen": False}
