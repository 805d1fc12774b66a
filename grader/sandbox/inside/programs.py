"""Runs a straight-line program on a learner's names, and packs its results into wire values."""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import torch
from numpy.typing import NDArray

from . import counting, forbidding, frames
from .errors import InvalidResult, ResultTooBig
from .helpers import HELPERS

ArrayType: TypeAlias = Literal["numpy", "torch"]


def reset(seed: int) -> None:
    """Resets every global setting that an earlier call may have changed."""
    counting.clear()
    forbidding.lift()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    np.seterr(all="warn")
    np.set_printoptions(edgeitems=3, threshold=1000, precision=8, suppress=False)
    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(1000)
    torch.default_generator.manual_seed(seed)  # torch.manual_seed records a traceback for each absent device
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    torch.set_printoptions(profile="default")  # type: ignore[no-untyped-call]
    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)
    if torch.are_deterministic_algorithms_enabled():
        torch.use_deterministic_algorithms(False)


def run(
    names: dict[str, Any],
    array_type: ArrayType,
    seed: int,
    steps: list[Any],
    send: list[int],
    results: list[Any] | None = None,
) -> list[Any]:
    """The results of the steps whose numbers are in ``send``, as they are. Raises what the learner's code raises.

    ``results``, if given, is an empty list, to which the result of every step is appended.
    """
    reset(seed)
    results = [] if results is None else results

    def argument(value: Any) -> Any:
        match value:
            case frames.Block():
                return unwrap(value, array_type)
            case frames.StepRef():
                return results[value.step]
            case list():
                return [argument(entry) for entry in value]
            case tuple():
                return tuple(argument(entry) for entry in value)
            case dict():
                return {key: argument(entry) for key, entry in value.items()}
        return value

    for op, *rest in steps:
        if op == "value":
            results.append(argument(rest[0]))
            continue
        if op == "own":
            results.append(_own(names, *rest))
            continue
        target, args, kwargs = rest
        if op == "apply":
            function: Callable[..., Any] = HELPERS[target]
        else:
            function = results[target.step] if isinstance(target, frames.StepRef) else names[target]
        results.append(function(*argument(args), **argument(kwargs)))
    return [results[at] for at in send]


def _own(names: dict[str, Any], name: str, otherwise: str | None, module: str | None) -> Any:
    """The submission's ``name``, from this file, or from ``module`` if that was loaded; else the helper."""
    if name not in names and module in sys.modules:
        names = vars(sys.modules[module])
    return HELPERS[otherwise] if otherwise and name not in names else names[name]


def unwrap(block: frames.Block, array_type: ArrayType) -> Any:
    """A fresh, writable array of the learner's type."""
    array = _strided(block.array) if block.flags & frames.STRIDED else np.array(block.array)
    if array_type == "numpy":
        return array
    tensor = torch.from_numpy(array)
    if block.flags & frames.REQUIRES_GRAD:
        tensor.requires_grad_()
    return tensor


def _strided(array: NDArray[Any]) -> NDArray[Any]:
    """The same values with gaps along every axis, so that no two axes can be merged without a copy."""
    if not array.ndim:
        return np.array(array)
    *outer, last = array.shape
    room = np.zeros((*(size + 1 for size in outer), 2 * last + 1), array.dtype)
    view = room[(*(slice(size) for size in outer), slice(0, 2 * last, 2))]
    view[...] = array
    return view


def pack(value: Any, limit: int) -> Any:
    """``value`` as wire values: numbers, strings, arrays and containers of these.

    Raises ``InvalidResult`` for anything else, and ``ResultTooBig`` beyond ``limit`` bytes. Sizes are checked before
    anything large is copied: an expanded tensor can claim terabytes.
    """
    return _Packer(limit).pack(value, 0)


class _Packer:
    """Turns one result into wire values. ``limit`` is in bytes."""

    def __init__(self, limit: int) -> None:
        self._bytes_left = limit
        self._values_left = frames.MAX_VALUES - 100  # the frame needs some for itself

    def pack(self, value: Any, depth: int) -> Any:
        self._values_left -= 1
        self._charge(frames.VALUE_BYTES)
        if self._values_left < 0:
            raise InvalidResult("entries")
        if depth > frames.MAX_DEPTH - 4:
            raise InvalidResult("nested")
        match value:
            case np.generic():
                return self._array(np.asarray(value), frames.SCALAR)
            case np.ndarray():
                return self._array(value, 0)
            case torch.Tensor():
                return self._tensor(value)
            case list() | tuple():
                if len(value) * frames.VALUE_BYTES > self._bytes_left:
                    raise ResultTooBig
                entries = [self.pack(entry, depth + 1) for entry in list(value)]
                return entries if isinstance(value, list) else tuple(entries)
            case dict():
                if not all(type(key) is str for key in value):
                    raise InvalidResult("keys")
                self._charge(sum(map(len, value)) + len(value) * frames.VALUE_BYTES)
                return {key: self.pack(entry, depth + 1) for key, entry in value.items()}
        return self._plain(value)

    def _plain(self, value: Any) -> bool | int | float | str | None:
        """A number, a string or None, of exactly that type: a subclass may do anything."""
        kind = type(value)
        if kind is str:
            self._charge(len(value))
        elif kind is int and abs(value) >= 10**300:
            raise InvalidResult("integer")
        elif kind not in (type(None), bool, float, int):
            raise InvalidResult("type", kind.__name__)
        return value  # type: ignore[no-any-return]

    def _array(self, value: NDArray[Any], flags: int) -> frames.Block:
        plain = value.view(np.ndarray)
        self._check_dimensions(plain.ndim)
        if plain.dtype.kind not in "biuf" or plain.dtype.itemsize > 8:
            raise InvalidResult("dtype", str(plain.dtype))
        self._charge(frames.ARRAY_BYTES + plain.size * plain.dtype.itemsize)
        return frames.Block(np.ascontiguousarray(plain).reshape(plain.shape), flags)

    def _tensor(self, value: torch.Tensor) -> frames.Block:
        bare = torch.Tensor.detach(value)
        if bare.layout is not torch.strided or bare.is_quantized or bare.device.type != "cpu":
            raise InvalidResult("tensor", f"{bare.layout}, {bare.device}")
        plain = bare.as_subclass(torch.Tensor)
        self._check_dimensions(plain.ndim)
        if plain.is_complex():
            raise InvalidResult("dtype", str(plain.dtype))
        self._charge(frames.ARRAY_BYTES + plain.numel() * plain.element_size())
        flags = frames.TORCH
        if plain.dtype is torch.bfloat16:
            plain, flags = plain.contiguous().view(torch.uint16), flags | frames.BFLOAT16
        try:
            return frames.Block(plain.resolve_neg().contiguous().numpy(), flags)
        except (TypeError, RuntimeError):
            raise InvalidResult("dtype", str(plain.dtype)) from None

    def _check_dimensions(self, count: int) -> None:
        if count > frames.MAX_NDIM:
            raise InvalidResult("dimensions", str(count))

    def _charge(self, size: int) -> None:
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise ResultTooBig


def as_array_type(word: str) -> ArrayType:
    """``word`` as the type of array that learners receive; torch for anything unknown."""
    return cast("ArrayType", word if word == "numpy" else "torch")
