"""Counts what a call does: the work of torch, the largest tensor, and the peak of Python's memory.

Work is the arithmetic of matrix products plus the number of elements that each operation writes (a reduction: reads).
Fused attention is disabled, so that the library's own attention is counted, too. ``elsewhere`` counts NumPy and Python.
Code under ``_disable_current_modes`` is not seen.
"""

from __future__ import annotations

import functools
import math
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._ops import HigherOrderOperator
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode
from torch.utils.flop_counter import flop_registry

from . import elsewhere

#: Functions that convert tensors to something else, after which no operation of torch is counted.
_EXITS = {"numpy", "__array__", "__dlpack__", "tolist", "untyped_storage", "data_ptr"}
#: The index of the left factor of a matrix product. Torch's own formulas give the same, but take half of all time.
_FACTORS = {"mm": 0, "bmm": 0, "addmm": 1, "baddbmm": 1}
#: Operations that read more than they write. By name: torch 2.4 does not tag reductions, and no version tags all.
_READS = {
    "all", "amax", "amin", "aminmax", "any", "argmax", "argmin", "count_nonzero", "linalg__powsum",
    "linalg_vector_norm", "logsumexp", "max", "mean", "min", "nansum", "norm", "prod", "std", "std_mean", "sum",
    "var", "var_mean", "_unique2", "allclose", "bincount", "dist", "equal", "histc", "kthvalue", "median", "mode",
    "nanmedian", "segment_reduce", "topk", "trace", "avg_pool2d", "avg_pool3d", "max_pool2d_with_indices",
    "max_pool3d_with_indices", "_embedding_bag", "_embedding_bag_forward_only", "binary_cross_entropy", "huber_loss",
    "mse_loss", "nll_loss_forward", "nll_loss2d_forward", "smooth_l1_loss", "mv", "dot", "vdot", "addmv",
    "_local_scalar_dense", "addbmm", "_addmm_activation", "_int_mm", "conv_tbc", "masked_select", "nonzero",
    "_foreach_norm", "_foreach_max", "_foreach_powsum",
}  # fmt: skip
#: Names of operations that torch itself defines. Those of others may do anything, where this mode is not active.
_OWN = ("aten", "prim", "profiler")
#: How tensors compute that do not do it by themselves.
_USUAL = torch._C._disabled_torch_dispatch_impl
_COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd


@dataclass(frozen=True, slots=True)
class _Operation:
    """How an operation is counted.

    ``writes``: for each result, whether it is written (others are views); ``changes``: whether it writes into its first
    argument and has no result; ``partly``: only parts of it are written. ``reads``: it reads more than it writes.
    ``hidden``: what it does cannot be counted. ``leaves``: it gives a number of Python's.
    """

    writes: tuple[bool, ...] = ()
    changes: bool = False
    composite: bool = False
    partly: bool = False
    reads: bool = False
    fused: bool = False
    hidden: bool = False
    leaves: bool = False
    factor: int | None = None
    arithmetic: Callable[..., Any] | None = None

    @classmethod
    @functools.cache
    def of(cls, func: Any) -> _Operation:
        """The operation ``func``, from its declaration."""
        if isinstance(func, HigherOrderOperator):  # flex_attention, and loops whose body is not seen
            return cls(fused="attention" in str(func), hidden="attention" not in str(func))
        name = func._overloadpacket.__name__
        returned = [declared.alias_info for declared in func._schema.returns]
        return cls(
            writes=tuple(alias is None or alias.is_write for alias in returned),
            changes=func._schema.is_mutable and not returned,
            composite=torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), _COMPOSITE),
            partly=func._schema.is_mutable and any(word in name for word in ("index", "scatter", "put_")),
            reads=name in _READS,
            fused="attention" in name or "transformer" in name,
            hidden=func.namespace not in _OWN,
            leaves=name == "_local_scalar_dense",
            factor=_FACTORS.get(name),
            arithmetic=_trilinear if name == "_trilinear" else flop_registry.get(func._overloadpacket),
        )


def _trilinear(*factors: Any, out_val: Any) -> int:
    """The products of ``torch._trilinear``: three tensors, then the axes that each lacks."""
    shapes = []
    for tensor, lacking in zip(factors[:3], factors[3:6], strict=True):
        for axis in lacking:
            tensor = tensor.unsqueeze(axis)
        shapes.append(tensor.shape)
    return math.prod(max(sizes) for sizes in zip(*shapes, strict=True))


@dataclass(slots=True)
class _Seen:
    """What the operations of torch did, in all threads. ``blind``: some of it could not be counted."""

    work: int = 0
    largest: int = 0
    blind: bool = False


class _Work(TorchDispatchMode):
    """Counts every operation of torch below autograd, in the thread that enters it.

    It calls ``leave`` when a number becomes one of Python's.
    """

    supports_higher_order_operators = True

    @classmethod
    def is_infra_mode(cls) -> bool:
        """True, so that torch does not refuse to compile because of this mode."""
        return True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """False: hiding this mode from the compiler would import the compiler, which takes seconds."""
        return False

    def __init__(self, seen: _Seen, leave: Callable[[], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen = seen
        self.leave = leave

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if any(each.__torch_dispatch__ is not _USUAL for each in types):  # what it does itself is counted in there
            return NotImplemented
        operation, kwargs = _Operation.of(func), kwargs or {}
        if operation.composite:  # without autograd (inference_mode) it arrives whole
            with self:
                return func._op_dk(_COMPOSITE, *args, **kwargs)
        out = func(*args, **kwargs)
        self._count(operation, args, kwargs, out)
        if operation.leaves:
            self.leave()
        return out

    def _count(self, operation: _Operation, args: tuple[Any, ...], kwargs: Mapping[str, Any], out: Any) -> None:
        self.seen.blind |= operation.hidden
        results = args[:1] if operation.changes else out if isinstance(out, tuple) else (out,)
        for result, writes in zip(results, operation.writes or (operation.changes,), strict=False):
            for tensor in _tensors(result) if writes else ():
                written = tensor.numel()
                if operation.partly:  # only as many elements of a larger tensor as are given
                    written = sum(given.numel() for given in [*_tensors(args), *_tensors(kwargs)][1:])
                self.seen.work += written
                self.seen.largest = max(self.seen.largest, written)
        if operation.factor is not None:
            self.seen.work += 2 * out.numel() * args[operation.factor].shape[-1]
        elif operation.arithmetic is not None:
            self.seen.work += int(operation.arithmetic(*args, **kwargs, out_val=out))
        if operation.reads:
            self.seen.work += sum(tensor.numel() for tensor in _tensors(args))
        if operation.fused:  # the learner enabled it again
            query, key, *_ = [*_tensors(args), *_tensors(args)]
            scores = query.shape[:-1].numel() * key.shape[-2]
            self.seen.work += 4 * scores * query.shape[-1]
            self.seen.largest = max(self.seen.largest, scores)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from _tensors(entry)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


class _Exits(TorchFunctionMode):
    """Records whether tensors are converted to something else, and calls ``leave`` then."""

    def __init__(self, leave: Callable[[], None]) -> None:
        super().__init__()
        self.taken = False
        self.leave = leave

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if getattr(func, "__name__", "") in _EXITS:
            self.taken = True
            self.leave()
        return func(*args, **kwargs or {})


@dataclass(slots=True)
class OperationCounter:
    """Counts during one call: its operations, or with ``memory`` Python's memory, which includes NumPy's arrays.

    Both at once would take many times as long and include the counting itself. ``lines`` of Python count from the
    beginning, or (False) once a tensor has become something else.
    """

    memory: bool
    lines: bool = False
    seen: _Seen = field(default_factory=_Seen)
    exits: _Exits = field(init=False)
    elsewhere: elsewhere.Elsewhere = field(default_factory=elsewhere.Elsewhere)

    def __post_init__(self) -> None:  # noqa: D105
        self.exits = _Exits(self.elsewhere.count_lines)

    def start(self) -> None:
        """Starts counting; ``clear`` also stops it."""
        if self.memory:
            tracemalloc.start()
            return
        _fuse(False)
        self.exits.__enter__()  # type: ignore[no-untyped-call]
        self._operations().__enter__()  # type: ignore[no-untyped-call]
        self.elsewhere.start(self._operations, self.lines)

    def _operations(self) -> _Work:
        return _Work(self.seen, self.elsewhere.count_lines)

    def stop(self) -> dict[str, Any]:
        """Stops counting; returns what was counted, as plain data.

        ``work`` and ``largest`` are torch's; ``elsewhere`` is the work of NumPy and Python; ``exits``: tensors became
        something else; ``unseen``: some of the work could not be counted.
        """
        peak = tracemalloc.get_traced_memory()[1] if tracemalloc.is_tracing() else 0
        clear()
        if self.memory:
            return {"peak": peak}
        seen, work = self.seen, self.elsewhere.work
        unseen = seen.blind or self.elsewhere.unseen
        exits = self.exits.taken or unseen
        return {"work": seen.work, "largest": seen.largest, "elsewhere": work, "exits": exits, "unseen": unseen}


def _fuse(enabled: bool) -> None:
    torch.backends.mha.set_fastpath_enabled(enabled)
    torch.backends.cuda.enable_math_sdp(True)
    torch.backends.cuda.enable_flash_sdp(enabled)  # on the CPU as well
    torch.backends.cuda.enable_mem_efficient_sdp(enabled)
    torch.backends.cuda.enable_cudnn_sdp(enabled)


def clear() -> None:
    """Stops all counting, even after a call that raised, and every torch mode that learner code left active."""
    elsewhere.clear()
    if tracemalloc.is_tracing():
        tracemalloc.stop()
    while (mode := _get_current_dispatch_mode()) is not None:
        TorchDispatchMode.__exit__(mode, None, None, None)  # type: ignore[no-untyped-call]
    if torch._C._len_torch_function_stack():
        torch.set_default_device(None)
    for _ in range(torch._C._len_torch_function_stack()):
        torch._C._pop_torch_function_stack()
    _fuse(True)


def counter(memory: bool, lines: bool = False) -> OperationCounter:
    """A counter that has not been started."""
    return OperationCounter(memory, lines)


def watch(counter: OperationCounter) -> None:
    """Starts the counter for the next step."""
    counter.start()


def counted(counter: OperationCounter) -> dict[str, Any]:
    """Stops the counter; returns what was counted."""
    return counter.stop()
