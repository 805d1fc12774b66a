"""What is closed stays closed however it is called, and works as before once it is opened."""

from __future__ import annotations

import copy
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from grader.sandbox.inside import forbidding

X = torch.linspace(-1, 1, 64).reshape(2, 4, 8)
SDPA = "torch.nn.functional.scaled_dot_product_attention"
MHA = "torch.nn.MultiheadAttention"


class _Renamed(nn.MultiheadAttention):
    """The library's layer under another name."""


class _Bare(nn.MultiheadAttention):
    """It without its constructor, which is where one could have looked."""

    def __init__(self) -> None:
        nn.Module.__init__(self)


def _in_a_thread(call: Callable[[], Any]) -> Any:
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(call())
        except forbidding.Forbidden as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]


def _without_modes() -> Any:
    with torch._C.DisableTorchFunction(), torch.inference_mode():
        return X.softmax(-1)


_EARLY = F.multi_head_attention_forward
_LAYER = nn.MultiheadAttention(8, 2, bias=False)
_ENCODER = nn.TransformerEncoderLayer(8, 2, 4).eval()
_SOFTMAX = torch.jit.CompilationUnit("def g(x):\n    return torch.softmax(x, -1)\n")

#: What is closed, and a way to it.
WAYS: list[tuple[str, str, Callable[[], Any]]] = [
    (SDPA, "function", lambda: F.scaled_dot_product_attention(X, X, X)),
    (SDPA, "gradients", lambda: F.scaled_dot_product_attention(X.clone().requires_grad_(), X, X)),
    (SDPA, "float64", lambda: F.scaled_dot_product_attention(*[X.double()] * 3)),
    (SDPA, "binding", lambda: torch._C._nn.scaled_dot_product_attention(X, X, X)),
    (SDPA, "operation", lambda: torch.ops.aten.scaled_dot_product_attention.default(X, X, X)),
    (SDPA, "kernel", lambda: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(*[X[None]] * 3)),
    (SDPA, "vmap", lambda: torch.vmap(F.scaled_dot_product_attention)(X, X, X)),
    (SDPA, "thread", lambda: _in_a_thread(lambda: F.scaled_dot_product_attention(X, X, X))),
    (SDPA, "layer built on it", lambda: _LAYER(X, X, X, need_weights=False)),
    (SDPA, "partial", functools.partial(F.scaled_dot_product_attention, X, X, X)),
    ("torch.softmax", "method", lambda: X.softmax(-1)),
    ("torch.softmax", "functional", lambda: F.softmax(X, -1)),
    ("torch.softmax", "layer", lambda: nn.Softmax(-1)(X)),
    ("torch.softmax", "special", lambda: torch.special.softmax(X, -1)),
    ("torch.softmax", "below", lambda: torch._softmax(X, -1, False)),
    ("torch.softmax", "modes off", _without_modes),
    ("torch.nn.functional.softmax", "the other name", lambda: torch.softmax(X, -1)),
    ("torch.nn.functional.layer_norm", "below", lambda: torch.native_layer_norm(X, (8,), None, None, 1e-5)),
    ("torch.nn.functional.layer_norm", "layer", lambda: nn.LayerNorm(8)(X)),
    ("torch.nn.functional.relu", "in place", lambda: X.clone().relu_()),
    ("torch.linalg.svd", "by its module's name", lambda: torch.ops.aten.linalg_svd(X)),
    ("torch.nn.LayerNorm", "constructor", lambda: nn.LayerNorm(8)),
    (MHA, "constructor", lambda: nn.MultiheadAttention(8, 2)),
    (MHA, "subclass", lambda: _Renamed(8, 2)),
    (MHA, "its forward alone", lambda: _Bare()(X, X, X)),
    (MHA, "made before", lambda: copy.deepcopy(_LAYER)(X, X, X)),
    (MHA, "inside another layer", lambda: _ENCODER.self_attn(X, X, X)),
    ("torch.nn.functional.multi_head_attention_forward", "kept before", lambda: _EARLY(X)),
    ("torch.optim.Adam", "constructor", lambda: torch.optim.Adam([nn.Parameter(X)])),
    ("numpy.einsum", "NumPy", lambda: np.einsum("ij->i", np.eye(2))),
    ("numpy.linalg.norm", "NumPy", lambda: np.linalg.norm(np.eye(2))),
    ("numpy.exp", "in C, under its name", lambda: np.exp(1.0)),
]


@pytest.fixture(autouse=True)
def _open() -> Iterator[None]:
    """Nothing stays closed after a test."""
    yield
    forbidding.lift()


@pytest.mark.filterwarnings("ignore:There is a performance drop:UserWarning")  # of torch 2.4, about vmap
@pytest.mark.parametrize(("name", "way"), [(n, w) for n, _, w in WAYS], ids=[f"{n}: {t}" for n, t, _ in WAYS])
def test_no_way_leads_to_it(name: str, way: Callable[[], Any]) -> None:
    """The call refuses and is noted; once it is open again, it does what it did before."""
    forbidding.forbid([name])
    with pytest.raises(forbidding.Forbidden, match=f"^{name} may not be used"):
        way()
    assert forbidding.refused() == name
    forbidding.lift()
    assert forbidding.refused() is None
    try:
        way()
    except (AttributeError, TypeError):
        assert name == MHA or "multi_head" in name  # the two ways that need more than this to be right


def test_compiled_calls_fail_too() -> None:
    """TorchScript hides the exception behind its own, but the call has been noted."""
    forbidding.forbid(["torch.softmax"])
    with pytest.raises(RuntimeError):
        _SOFTMAX.g(X)
    assert forbidding.refused() == "torch.softmax"


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        (SDPA, lambda: torch.softmax(X, -1)),
        ("torch.softmax", lambda: torch.log_softmax(X, -1).exp()),
        ("torch.softmax", lambda: torch.exp(X) / torch.exp(X).sum(-1, keepdim=True)),
        ("torch.nn.LayerNorm", lambda: F.layer_norm(X, (8,))),
        (MHA, lambda: F.scaled_dot_product_attention(X, X, X)),
        ("numpy.einsum", lambda: np.exp(np.eye(2))),
    ],
)
def test_what_has_another_name_stays_open(name: str, allowed: Callable[[], Any]) -> None:
    """A function of another name is not closed with it, however near it is."""
    forbidding.forbid([name])
    allowed()
    assert forbidding.refused() is None


@pytest.mark.parametrize(
    "name",
    [
        "torch.nn.functional.scaled_dot",
        "torch.nothing.softmax",
        "numpy",
        "no_such_library.softmax",
        "numpy.ndarray.dot",
    ],
)
def test_a_name_that_cannot_be_closed_is_an_error(name: str) -> None:
    """A misspelt name would forbid nothing, and nobody would notice."""
    with pytest.raises((LookupError, ImportError)):
        forbidding.forbid([name])
    forbidding.lift()
    assert np.eye(2).dot(np.eye(2))[0, 0] == 1


def test_submodules_are_imported_for_their_names() -> None:
    """A name in a module that nobody has imported yet is found, too."""
    holder, found = forbidding.find("email.mime.text.MIMEText")
    assert found is holder.MIMEText
