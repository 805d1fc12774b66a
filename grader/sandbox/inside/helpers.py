"""Functions that a program may apply in addition to the learner's own. None of them solves an exercise."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from .counting import counted, counter, watch
from .errors import InvalidResult
from .forbidding import forbid
from .language_model import next_logits, taught
from .layers import decoder_layer, encoder_layer
from .lazy import forward, initialize_lazy
from .lora import adapted
from .projections import Projections
from .stateful import appends, attention_output, filled_cache, kv_cache, row_by_row, token_by_token
from .table import FilledTable


def ready(instance: Any, dtype: str | None = None) -> Any:
    """The instance as it is graded: a module in eval mode, with the dtype of the case.

    Raises ``InvalidResult`` if it cannot be called and has no ``forward``.
    """
    if not callable(instance) and not hasattr(instance, "forward"):
        raise InvalidResult("no-forward", type(instance).__name__)
    if isinstance(instance, torch.nn.Module):
        instance.eval()
        if dtype is not None:
            instance.to(getattr(torch, dtype))
    return instance


def projections(instance: Any, weights: dict[str, Any]) -> Projections:
    """Copies ``weights`` (role → array (d_in, d_out)) to where the instance keeps its projections."""
    initialize_lazy(instance, len(weights["w_q"]), weights["w_q"], 3)
    return Projections.fill(instance, weights)


def table(instance: Any, weights: dict[str, Any]) -> FilledTable:
    """Copies ``weights["table"]`` to where the instance keeps its table of positions."""
    return FilledTable.fill(instance, weights)


def describe(filled: Projections | FilledTable) -> dict[str, Any]:
    """Where the weights were copied to, as plain data."""
    return filled.describe()


def collect_gradients(filled: Projections | FilledTable) -> None:
    """Makes the tensors of a plain class require gradients. What a module has frozen stays frozen."""
    for leaf in () if isinstance(filled.instance, torch.nn.Module) else filled.leaves():
        if leaf.is_leaf:
            leaf.requires_grad_()


def gradients(output: Any, arguments: list[Any], filled: Projections | FilledTable | None = None) -> list[Any] | None:
    """Gradients of a nonlinear loss of ``output`` with respect to the arguments, then to each projection.

    The loss is Σ c·y + y²/2 with c = cos(1, 2, 3, …); a plain sum would say nothing about query and key. An entry is
    None if no gradient arrives. The result is None if ``output`` has no graph. Several outputs are concatenated.
    """
    parts = [part.reshape(-1) for part in _floats(output)]
    if not any(part.requires_grad for part in parts):
        return None
    output = torch.cat(parts)
    ramp = torch.arange(1, output.numel() + 1, dtype=torch.float64).cos().to(output.dtype)
    leaves = [leaf for leaf in arguments if isinstance(leaf, torch.Tensor)]
    leaves += filled.leaves() if filled is not None else []
    wanted = list({id(leaf): leaf for leaf in leaves if leaf.requires_grad}.values())
    got = torch.autograd.grad((ramp * output + output * output / 2).sum(), wanted, allow_unused=True)
    by_leaf = {id(leaf): gradient for leaf, gradient in zip(wanted, got, strict=True)}
    result = [by_leaf.get(id(leaf)) for leaf in arguments]
    return result + (filled.gradients(by_leaf) if filled is not None else [])


def _floats(output: Any) -> list[torch.Tensor]:
    """The floating-point tensors in a result, in order."""
    if isinstance(output, (tuple, list)):
        return [tensor for part in output for tensor in _floats(part)]
    return [output] if isinstance(output, torch.Tensor) and output.is_floating_point() else []


def gradient_norms(output: Any, layers: list[Projections], role: str) -> list[float] | None:
    """Norms of the gradients of one loss of ``output`` with respect to the weight ``role`` of each layer.

    The loss is Σ c·y / |y| with c = cos(1, 2, 3, …), so it does not depend on the scale of ``output``. None if
    ``output`` has no graph, or if a gradient does not arrive.
    """
    if not isinstance(output, torch.Tensor) or not output.requires_grad:
        return None
    ramp = torch.arange(1, output.numel() + 1, dtype=torch.float64).cos().reshape(output.shape).to(output.dtype)
    places = [[piece.base for piece in filled.places[role]] for filled in layers]
    flat = [base for place in places for base in place]
    if not all(base.requires_grad for base in flat):
        return None
    got = torch.autograd.grad((ramp * output).sum() / output.norm(), flat, allow_unused=True)
    if any(gradient is None for gradient in got):
        return None
    by_base = {id(base): gradient for base, gradient in zip(flat, got, strict=True)}
    return [math.hypot(*(float(by_base[id(base)].norm()) for base in place)) for place in places]


def parameters(instance: Any, output: Any) -> list[Any] | None:
    """For each parameter of a module: [name, shape, trainable, reached by a gradient of ``output``]; else None."""
    if not isinstance(instance, torch.nn.Module):
        return None
    named = list(instance.named_parameters())
    trainable = [parameter for _, parameter in named if parameter.requires_grad]
    reached: set[int] = set()
    if trainable and isinstance(output, torch.Tensor) and output.requires_grad:
        got = torch.autograd.grad(output.square().sum(), trainable, allow_unused=True)
        reached = {id(p) for p, gradient in zip(trainable, got, strict=True) if gradient is not None}
    return [[name, list(p.shape), bool(p.requires_grad), id(p) in reached] for name, p in named]


def attend(a: Any, b: Any, positions: Any = None) -> Callable[[Any], Any]:
    """A function that mixes the rows of x as attention does, but is not attention: x @ a + mean(x) @ b.

    It treats all rows alike, except that ``positions``, if given, are added to x first.
    """

    def mixed(x: Any) -> Any:
        x = x if isinstance(x, torch.Tensor) else np.asarray(x)
        x = x if positions is None else x + _like(x, positions)
        return x @ _like(x, a) + x.mean(-2, keepdims=True) @ _like(x, b)

    return mixed


def sublayer(w: Any) -> Callable[[Any], Any]:
    """A function for use inside a residual connection: x → tanh(x @ w)."""

    def applied(x: Any) -> Any:
        product = x @ _like(x, w)
        return torch.tanh(product) if isinstance(product, torch.Tensor) else np.tanh(product)

    return applied


def _like(x: Any, part: Any) -> Any:
    """``part`` with the array type and dtype of ``x``, which the learner's code chose."""
    return torch.as_tensor(part).to(x) if isinstance(x, torch.Tensor) else np.asarray(part, dtype=x.dtype)


def require_grad(value: Any) -> Any:
    """The same value; a floating-point tensor then requires gradients."""
    return value.requires_grad_() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


HELPERS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            attention_output,
            ready,
            forward,
            projections,
            table,
            encoder_layer,
            decoder_layer,
            describe,
            collect_gradients,
            gradients,
            gradient_norms,
            parameters,
            attend,
            sublayer,
            kv_cache,
            filled_cache,
            appends,
            token_by_token,
            row_by_row,
            next_logits,
            taught,
            adapted,
            require_grad,
            counter,
            watch,
            counted,
            forbid,
        )
    }
)
