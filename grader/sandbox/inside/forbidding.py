"""Forbids some of the library's functions and classes while a program runs.

A closed function raises ``Forbidden`` however it is reached: under another name, as a tensor method, through
``functools.partial``, in another thread, or from library code built on it. Operations of torch are replaced in the
dispatcher, where all calls arrive. Functions written in Python get another body. Anything else (most of NumPy's C
code) is replaced only under its name.

All this happens in the learner's own process, so it cannot stop code that tries to undo it, and most operations can be
built from other parts of the library.
"""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import torch

#: Operations in the dispatcher whose names do not contain that of the function that they compute.
_KERNELS = {
    "scaled_dot_product_attention": "_scaled_dot_product_",
    "multi_head_attention_forward": "_native_multi_head_attention",
    "MultiheadAttention": "_native_multi_head_attention",
    "TransformerEncoderLayer": "_transformer_encoder_layer_fwd",
}
#: Prefixes that names have in the dispatcher, besides underscores: ``_softmax``, ``native_layer_norm``, ``relu_``.
_AROUND = ("native_", "special_", "safe_", "fused_", "masked_", "sparse_")
#: Methods of a class that are closed in addition to its public ones.
_METHODS = {"__init__", "__new__", "__call__"}
#: Dispatch keys: plain, with gradients, under vmap, and the other layouts on a CPU.
_KEYS = (
    *("CPU", "AutogradCPU", "FuncTorchVmapMode", "FuncTorchBatched", "NestedTensorCPU", "AutogradNestedTensor"),
    *("SparseCPU", "SparseCsrCPU", "MkldnnCPU", "QuantizedCPU", "AutogradOther"),
)


class Forbidden(Exception):
    """Raised by a call to a closed name. Code may catch it and do something else."""


#: The names that were refused.
_REFUSED: list[str] = []
#: Functions that undo what was closed.
_UNDO: list[Callable[[], object]] = []


def forbid(names: list[str]) -> None:
    """Closes the dotted ``names`` until ``lift``. Raises LookupError if one does not exist or cannot be closed."""
    for name in names:
        _close(name)


def lift() -> None:
    """Reopens all closed names, and clears the list of refused ones."""
    while _UNDO:
        _UNDO.pop()()
    _REFUSED.clear()


def refused() -> str | None:
    """The first name that was refused; None if there is none."""
    return next(iter(_REFUSED), None)


def _close(name: str) -> None:
    holder, found = find(name)
    last = name.rpartition(".")[2]

    def refuse(*args: object, **kwargs: object) -> None:
        _REFUSED.append(name)
        raise Forbidden(f"{name} may not be used in this exercise")

    functions = tuple(_functions(found))
    for function in functions:
        _close_function(function, refuse)
    operations = _operations(last, name.split(".")[-2], isinstance(found, type)) if name.startswith("torch.") else ()
    _close_operations(operations, refuse)
    if not functions and not operations:
        try:
            setattr(holder, last, refuse)
        except TypeError:
            raise LookupError(f"{name} cannot be closed") from None
        _UNDO.append(functools.partial(setattr, holder, last, found))


def find(name: str) -> tuple[Any, Any]:
    """The object that a dotted name is an attribute of, and the attribute. Raises LookupError if there is none."""
    parts = name.split(".")
    holder: Any = importlib.import_module(parts[0])
    for at, part in enumerate(parts[1:-1], 2):
        if not hasattr(holder, part):
            importlib.import_module(".".join(parts[:at]))
        holder = getattr(holder, part)
    if len(parts) < 2 or not hasattr(holder, parts[-1]):
        raise LookupError(f"there is no {name}")
    return holder, getattr(holder, parts[-1])


def _functions(found: Any) -> Iterator[FunctionType]:
    """The Python functions of ``found``: itself, the implementation of a NumPy function, or the methods of a class."""
    if isinstance(found, type):
        members = [member for name, member in vars(found).items() if name[0] != "_" or name in _METHODS]
    else:
        members = [getattr(found, "_implementation", found)]
    for member in members:
        plain = getattr(member, "__func__", member)
        if isinstance(plain, FunctionType):
            yield plain


def _body(*args: object, _refuse: Callable[..., None], **kwargs: object) -> None:
    _refuse()


def _close_function(function: FunctionType, refuse: Callable[..., None]) -> None:
    """Gives ``function`` a body that refuses, so that it does so under every name."""
    code, defaults, named = function.__code__, function.__defaults__, function.__kwdefaults__

    def reopen() -> None:
        function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, named

    _UNDO.append(reopen)
    function.__code__ = _body.__code__.replace(co_freevars=code.co_freevars)  # as many as it has cells
    function.__defaults__, function.__kwdefaults__ = None, {"_refuse": refuse}


@functools.cache
def _all_operations() -> tuple[str, ...]:
    return tuple(torch._C._dispatch_get_all_op_names())


@functools.cache
def _operations(last: str, above: str, is_class: bool) -> tuple[str, ...]:
    """The dispatcher's names of the torch operations that compute the function ``last`` of ``above``."""
    wanted = {last, f"{above}_{last}"} if not is_class else set()
    kernels = _KERNELS.get(last)
    return tuple(
        full.removeprefix("aten::")
        for full in _all_operations()
        if full.startswith("aten::") and _computes(full[6:].partition(".")[0], wanted, kernels)
    )


def _computes(operation: str, wanted: set[str], kernels: str | None) -> bool:
    if kernels is not None and operation.startswith(kernels):
        return True
    plain = operation.strip("_")
    for word in _AROUND:
        plain = plain.removeprefix(word)
    return plain in wanted or operation in wanted


def _close_operations(operations: tuple[str, ...], refuse: Callable[..., None]) -> None:
    """Replaces every kernel of these operations by ``refuse``."""
    if not operations:
        return
    library: Any = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
    _UNDO.append(library._destroy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns about every kernel that is replaced
        for operation in operations:
            for key in _KEYS:
                library.impl(operation, refuse, key)
