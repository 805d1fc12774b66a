"""Counts the work of a call outside the operations of torch: the arrays that NumPy makes, and lines of Python.

An array counts by its bytes when NumPy asks for its memory, whatever made it; ``numpy.einsum`` and ``@`` count every
product, because they may make no array of that size. A line counts each time it runs. Threads that start during the
call are followed. Not seen: what NumPy writes into arrays that exist, and what a built-in function does with a list.
"""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import functools
import math
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any, cast

import numpy as np
import torch

#: Bytes of a number: float32, which learner code is given. Wider numbers count twice, at every size.
_NUMBER = 4
#: Code whose lines do not count: its work is that of the operations it calls.
_LIBRARIES = tuple(os.path.dirname(file) + os.sep for file in (str(np.__file__), str(torch.__file__), __file__))
_STARTING = ("start_new_thread", "start_new", "start_joinable_thread", "_start_new_thread", "_start_joinable_thread")


class _Handler(ctypes.Structure):
    """NumPy's ``PyDataMem_Handler`` (NEP 49), version 1."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


#: ``PyDataMem_GetHandler`` in the table of NumPy's C functions.
_GET_HANDLER = 305
_MALLOC = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_CALLOC = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)


def _handler() -> _Handler:
    """What allocates NumPy's arrays in this process, in every thread."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    functions = ctypes.cast(pointer(_core()._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    capsule = ctypes.PYFUNCTYPE(ctypes.py_object)(cast("int", functions[_GET_HANDLER]))()
    return _Handler.from_address(pointer(capsule, b"mem_handler"))


def _core(module: str = "_multiarray_umath") -> Any:
    """A module of NumPy's core, whose name changed with NumPy 2."""
    return sys.modules.get(f"numpy._core.{module}") or sys.modules[f"numpy.core.{module}"]


class _Ufunc(ctypes.Structure):
    """The beginning of NumPy's ``PyUFuncObject``, up to its loops, one for each choice of dtypes."""

    _fields_ = (
        ("head", ctypes.c_byte * object.__basicsize__),
        *((name, ctypes.c_int) for name in ("inputs", "outputs", "arguments", "identity")),
        ("loops", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.c_void_p),
        ("types", ctypes.c_int),
    )


_LOOP = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_ssize_t), ctypes.c_void_p, ctypes.c_void_p)


class _Switch:
    """Reports the elements of each array that NumPy makes, and each product of ``einsum`` and ``@``, while it is on."""

    def __init__(self) -> None:
        self.report: Callable[[int], None] | None = None
        self._handler = handler = _handler()
        self._usual = handler.malloc, handler.calloc
        self._einsum: dict[str, Any] = cast("Any", np.einsum)._implementation.__globals__
        self._products = self._einsum["c_einsum"]
        for place in (self._einsum, vars(_core()), vars(_core("multiarray"))):  # wherever learner code finds it
            place["c_einsum"] = self._counted
        self._matmul = _Ufunc.from_address(id(np.matmul))
        self._usual_loops = self._matmul.loops[: self._matmul.types]
        self._own_loops = [_LOOP(functools.partial(self._multiplied, _LOOP(each))) for each in self._usual_loops]
        malloc, calloc = _MALLOC(handler.malloc), _CALLOC(handler.calloc)

        def allocated(context: int, size: int) -> int | None:
            self._seen(size // _NUMBER)
            return cast("int | None", malloc(context, size))

        def zeroed(context: int, count: int, size: int) -> int | None:
            self._seen(count * size // _NUMBER)
            return cast("int | None", calloc(context, count, size))

        self._kept = _MALLOC(allocated), _CALLOC(zeroed)
        self._own = tuple(ctypes.cast(each, ctypes.c_void_p).value for each in self._kept)

    def turn(self, report: Callable[[int], None] | None) -> None:
        """On, with the function to report to, or off (None). NumPy frees in the same way what either allocated."""
        self.report = report
        self._handler.malloc, self._handler.calloc = self._usual if report is None else self._own
        for at, (usual, own) in enumerate(zip(self._usual_loops, self._own_loops, strict=True)):
            self._matmul.loops[at] = usual if report is None else ctypes.cast(own, ctypes.c_void_p).value

    def _seen(self, elements: int) -> None:
        if self.report is not None:
            self.report(elements)

    def _multiplied(self, loop: Callable[..., None], *arguments: Any) -> None:
        self._seen(math.prod(arguments[1][:4]))  # how many products of matrices, and their three sizes
        loop(*arguments)

    def _counted(self, *operands: Any, **options: Any) -> Any:
        with contextlib.suppress(ValueError, TypeError, IndexError):  # the call itself says what is wrong
            if self.report is not None:
                self.report(_products(*self._einsum["_parse_einsum_input"](operands)))
        return self._products(*operands, **options)


@functools.cache
def switch() -> _Switch:
    """The only one of this process."""
    return _Switch()


def _products(inputs: str, output: str, arrays: list[Any]) -> int:
    """How many combinations of indices there are."""
    sizes: dict[str, int] = {}
    for labels, array in zip(inputs.split(","), arrays, strict=True):
        for label, size in zip(labels, array.shape, strict=True):
            sizes[label] = max(size, sizes.get(label, 1))
    return math.prod(sizes.values())


@dataclass(slots=True)
class Elsewhere:
    """Counts from ``start`` to ``stop``: array elements, products and lines, in one sum."""

    work: int = 0
    living: int = 0
    others: bool = False
    _enter: Callable[[], contextlib.AbstractContextManager[object]] = contextlib.nullcontext
    _before: Any = None

    def start(self, enter: Callable[[], contextlib.AbstractContextManager[object]], lines: bool) -> None:
        """Begins, with ``lines`` or without. Each thread that starts meanwhile enters what ``enter`` returns.

        Threads that are there already cannot be followed, which ``unseen`` says.
        """
        self._enter, self._before = enter, sys.gettrace()
        self.others = len(sys._current_frames()) > 1
        _FOLLOWED.append(self)
        switch().turn(self._seen)
        if lines:
            self.count_lines()

    def stop(self) -> None:
        """Ends; does nothing if it has ended already."""
        if self in _FOLLOWED:
            sys.settrace(self._before)
            _FOLLOWED.remove(self)
            switch().turn(None)

    @property
    def unseen(self) -> bool:
        """Whether another thread may work uncounted: it was there before, or has not ended."""
        return self.others or self.living > 0

    def count_lines(self) -> None:
        """Counts lines from now on, because Python has the numbers. It is not done earlier, because it takes time."""
        if self not in _FOLLOWED or sys.gettrace() == self._trace:
            return
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if not frame.f_code.co_filename.startswith(_LIBRARIES):
                frame.f_trace = self._trace
            frame = frame.f_back
        sys.settrace(self._trace)

    def _seen(self, elements: int) -> None:
        self.work += elements

    def _trace(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "call" and frame.f_code.co_filename.startswith(_LIBRARIES):
            return None
        self.work += event in ("call", "line")
        return self._trace

    @contextlib.contextmanager
    def thread(self) -> Iterator[None]:
        """Counts what the current thread, which has just started, does."""
        sys.settrace(self._trace)
        try:
            with self._enter():
                yield
        finally:
            self.living -= 1
            sys.settrace(None)


#: What is counting now: one at most, or none.
_FOLLOWED: list[Elsewhere] = []


def clear() -> None:
    """Stops what is counting, even after a call that raised."""
    for each in list(_FOLLOWED):
        each.stop()


def follow_threads() -> None:
    """Makes every thread that starts while something is counted be counted, too. Call it before learner code runs."""
    for module in (_thread, threading):
        for name in _STARTING:
            if hasattr(module, name):
                setattr(module, name, _followed(getattr(module, name)))


def _followed(start: Callable[..., Any]) -> Callable[..., Any]:
    def begin(function: Any, *args: Any, **kwargs: Any) -> Any:
        if not _FOLLOWED or not callable(function):
            return start(function, *args, **kwargs)
        counting = _FOLLOWED[-1]

        def counted(*given: Any, **named: Any) -> Any:
            with counting.thread():
                return function(*given, **named)

        counting.living += 1
        try:
            return start(counted, *args, **kwargs)
        except BaseException:
            counting.living -= 1
            raise

    return begin
