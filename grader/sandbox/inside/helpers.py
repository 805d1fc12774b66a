"""Functions that a program may apply in addition to the learner's own. None of them solves an exercise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from .counting import counted, counter, watch
from .errors import InvalidResult
from .forbidding import forbid
from .layers import adapted, decoder_layer, encoder_layer, forward, initialize_lazy
from .projections import Piece, Projections


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


def describe(filled: Projections) -> dict[str, Any]:
    """Where the weights were copied to, as plain data."""
    return filled.describe()


def collect_gradients(filled: Projections) -> None:
    """Makes the tensors of a plain class require gradients. What a module has frozen stays frozen."""
    for leaf in () if isinstance(filled.instance, torch.nn.Module) else filled.leaves():
        if leaf.is_leaf:
            leaf.requires_grad_()


def gradients(output: Any, arguments: list[Any], filled: Projections | None = None) -> list[Any] | None:
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


def sublayer(w: Any, mixes: bool = False) -> Callable[[Any], Any]:
    """A function for use inside a residual connection: x → tanh(x @ w); if it ``mixes``, of x plus its mean token."""

    def applied(x: Any) -> Any:
        product = (x + x.mean(-2)[..., None, :] if mixes else x) @ _like(x, w)
        return torch.tanh(product) if isinstance(product, torch.Tensor) else np.tanh(product)

    return applied


def _like(x: Any, part: Any) -> Any:
    """``part`` with the array type and dtype of ``x``, which the learner's code chose."""
    return torch.as_tensor(part).to(x) if isinstance(x, torch.Tensor) else np.asarray(part, dtype=x.dtype)


def require_grad(value: Any) -> Any:
    """The same value; a floating-point tensor then requires gradients."""
    return value.requires_grad_() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


# ----------------------------------------------------------------- code that keeps state between calls
# A growing cache, or a step that takes the state of the previous step.


def attention_output(value: Any) -> Any:
    """The output from a result that is ``output`` or ``(output, weights)``."""
    return value[0] if isinstance(value, (tuple, list)) and len(value) >= 2 else value


class _Cache:
    """A simple cache of keys and values, for submissions without one of their own."""

    def __init__(self) -> None:
        self.k: Any = None
        self.v: Any = None

    def append(self, k: Any, v: Any) -> tuple[Any, Any]:
        """Appends rows; returns all keys and values so far."""
        self.k, self.v = _joined(self.k, k), _joined(self.v, v)
        return self.k, self.v

    def __len__(self) -> int:
        return 0 if self.k is None else int(self.k.shape[-2])


def _joined(before: Any, new: Any) -> Any:
    if before is None:
        return new
    return torch.cat((before, new), -2) if isinstance(new, torch.Tensor) else np.concatenate((before, new), -2)


def kv_cache() -> Any:
    """An empty cache."""
    return _Cache()


def filled_cache(own: Callable[[], Any], k: Any = None, v: Any = None) -> Any:
    """A new cache from ``own``, filled with k and v if given."""
    cache = own()
    if k is not None:
        cache.append(k, v)
    return cache


def appends(own: Callable[[], Any], k: Any, v: Any, sizes: list[int], beside: bool = False) -> list[Any]:
    """The results and lengths of a cache while rows of k and v are appended, ``sizes[i]`` rows in call i.

    ``beside``: a second cache is filled with other values at the same time.
    """
    cache, other = own(), own()
    seen: list[Any] = [len(cache)]
    at = 0
    for size in sizes:
        rows = slice(at, at + size)
        if beside:
            other.append(-k[..., rows, :], -v[..., rows, :])
        seen.append([cache.append(k[..., rows, :], v[..., rows, :]), len(cache)])
        at += size
    return seen


def token_by_token(own: Callable[..., Any], x_t: Any, cache: Any, w_q: Any, w_k: Any, w_v: Any) -> list[Any]:
    """The outputs for the rows of x_t (..., n, d), one step each, and the length of the cache after them."""
    tokens = [x_t[..., t : t + 1, :] for t in range(x_t.shape[-2])]
    return [[attention_output(own(token, cache, w_q, w_k, w_v)) for token in tokens], len(cache)]


def row_by_row(
    own: Callable[..., Any], q: Any, k: Any, v: Any, as_rows: bool = False, again: bool = False
) -> list[Any]:
    """The outputs of steps that pass on a state, one for each row of q, k and v.

    Rows have the shape (..., d), or with ``as_rows`` (..., 1, d). ``again``: each state is first used in another step
    with other values, whose result is discarded.
    """
    state, outputs = None, []
    for t in range(q.shape[-2]):
        parts = [x[..., t : t + 1, :] if as_rows else x[..., t, :] for x in (q, k, v)]
        if again:
            own(state, *[-part for part in parts])
        result = own(state, *parts)
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise InvalidResult("state", type(result).__name__)
        output, state = result
        outputs.append(output[..., 0, :] if as_rows else output)
    return outputs


# ----------------------------------------------------------- a substitute for a trained language model
# Logits come from a table, whose row is computed from all tokens so far.


_NEVER = -30.0


def next_logits(table: Any, base: int = 31, never: Sequence[int] = ()) -> Callable[[Any], Any]:
    """A function from the ids so far (1-D) to the logits of the next one: a copy of a row of ``table``.

    With ``base`` 0, the row depends only on the last id. The ids in ``never`` have a probability of nearly 0.
    """
    table = table * 1
    if never:
        table[:, list(never)] = _NEVER

    def step(tokens: Any) -> Any:
        if getattr(tokens, "ndim", 1) != 1:
            raise ValueError("step takes a 1-D sequence of ids, such as [bos_id, 5, 7]")
        ids = np.array([int(token) for token in tokens], dtype=np.int64)
        return table[int(_rows(ids, base, len(table))[-1])] * 1

    return step


def taught(own: Callable[..., Any], table: Any, tokens: Any, bos_id: int, base: int = 31, passes: bool = False) -> Any:
    """The result of ``own(step, tokens, bos_id)``, where step: (batch, n) → logits (batch, n, vocabulary) in one pass.

    Row t of the logits depends on the ids up to t, as in ``next_logits``. ``passes``: how often step was called.
    """
    calls = 0

    def step(inputs: Any) -> Any:
        nonlocal calls
        calls += 1
        return table[_rows(np.asarray(inputs).astype(np.int64), base, len(table))[..., 1:]]

    result = own(step, tokens, bos_id)
    return calls if passes else result


def _rows(ids: NDArray[np.int64], base: int, size: int) -> NDArray[np.int64]:
    """For every prefix of ``ids``, also the empty one: the number with digits 1, ids… in ``base``, mod ``size``."""
    row = np.ones(ids.shape[:-1], dtype=np.int64)
    rows = [row]
    for at in range(ids.shape[-1]):
        row = (row * base + ids[..., at]) % size
        rows.append(row)
    return np.stack(rows, axis=-1)


# --------------------------------------------------------------------------------- tables of positions
# Finds the table of a positional encoding by its size, whatever its name and wherever it is kept.
#
# It may be an ``nn.Parameter``, the weight of an ``nn.Embedding``, a buffer or a plain tensor, with or without leading
# axes of length 1. Whether it is registered is for the grader to judge.


def _tensors(instance: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors in the instance, the likeliest first: parameters, buffers, other attributes."""
    held = vars(instance) if hasattr(instance, "__dict__") else {}
    modules = {name: value for name, value in held.items() if isinstance(value, torch.nn.Module)}
    if isinstance(instance, torch.nn.Module):
        modules = {"": instance}
    for name, module in modules.items():
        yield from module.named_parameters(name)
    for name, module in modules.items():
        yield from module.named_buffers(name)
    for name, module in modules.items():
        for path, part in module.named_modules(prefix=name):
            plain = {key: value for key, value in vars(part).items() if isinstance(value, torch.Tensor)}
            yield from ((f"{path}.{key}".lstrip("."), value) for key, value in plain.items())
    yield from ((name, value) for name, value in held.items() if isinstance(value, torch.Tensor))


@dataclass(frozen=True, slots=True)
class _Held(Piece):
    """A table in the instance, used as (max_len, d_model) whatever its leading axes."""

    tensor: Any = None

    @property
    def base(self) -> Any:
        """The table as stored."""
        return self.tensor

    def view(self, matrix: Any) -> Any:
        """``matrix`` (stored like the table) without its leading axes."""
        return matrix.reshape(matrix.shape[-2:])


def table(instance: Any, weights: dict[str, Any]) -> Projections:
    """Copies ``weights["table"]`` to the instance's table of positions. Raises ``InvalidResult`` if there is none."""
    if not weights:
        return Projections(instance, {}, shared=[], biased=False)
    wanted = torch.as_tensor(weights["table"])
    rows = list(_tensors(instance))
    for path, held in rows:
        if held.shape[-2:] == wanted.shape and held.numel() == wanted.numel():
            values = wanted.reshape(held.shape)
            if held.dtype == values.dtype:
                held.data.copy_(values)  # in place, for anything that shares its memory
            else:
                held.data = values.clone()
            place = _Held(instance, "", path, transposed=False, tensor=held)
            return Projections(instance, {"table": (place,)}, shared=[], biased=False)
    raise InvalidResult("table", str(tuple(wanted.shape)), *(f"{path} {tuple(held.shape)}" for path, held in rows))


HELPERS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            *(attention_output, ready, forward, projections, table, encoder_layer, decoder_layer, describe),
            *(collect_gradients, gradients, gradient_norms, parameters, require_grad, attend, sublayer),
            *(kv_cache, filled_cache, appends, token_by_token, row_by_row, next_logits, taught, adapted),
            *(counter, watch, counted, forbid),
        )
    }
)
