"""Global settings are reset before each program; only results that the contract allows are sent."""

from __future__ import annotations

import collections
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from grader.sandbox.inside import frames, programs
from grader.sandbox.inside.errors import InvalidResult, ResultTooBig
from grader.sandbox.inside.frames import Block, StepRef

ROOM = 1 << 20


# ------------------------------------------------------------------------------------------- running


def test_references_reach_results_by_their_step() -> None:
    """A step may call a name, an earlier result or a helper, with earlier results anywhere in its arguments."""
    names = {"make": lambda a: lambda b, c: [a, b, c]}
    steps: list[Any] = [
        ["value", 5],
        ["call", "make", [StepRef(0)], {}],
        ["call", StepRef(1), [{"k": (StepRef(0), 1)}], {"c": [StepRef(0)]}],
    ]
    assert programs.run(names, "torch", 0, steps, [2, 0]) == [[5, {"k": (5, 1)}, [5]], 5]


def test_an_unknown_helper_is_no_name_of_the_submission() -> None:
    """``apply`` looks in the table of helpers only."""
    with pytest.raises(KeyError):
        programs.run({"mine": print}, "torch", 0, [["apply", "mine", [], {}]], [0])


def drawn() -> list[Any]:
    """One number from each generator."""
    return [random.random(), float(np.random.rand()), float(torch.rand(())), float(torch.randn(()))]


def test_random_generators_start_where_the_seed_says() -> None:
    """Equal seeds give equal numbers, other seeds others, in all three libraries."""
    steps = [["call", "drawn", [], {}]]
    first, again, other = (programs.run({"drawn": drawn}, "torch", seed, steps, [0])[0] for seed in (1, 1, 2))
    assert first == again
    assert all(a != b for a, b in zip(first, other, strict=True))


def test_seeds_beyond_32_bits_are_fine() -> None:
    """NumPy's old generator takes 32 bits only."""
    programs.run({}, "torch", 2**40 + 1, [], [])


@pytest.mark.parametrize(
    ("change", "value"),
    [
        (lambda: torch.set_default_dtype(torch.float64), torch.get_default_dtype),
        (lambda: torch.set_grad_enabled(False), torch.is_grad_enabled),
        (lambda: torch.set_printoptions(precision=1), lambda: str(torch.tensor([1.23456]))),
        (lambda: np.set_printoptions(precision=1, suppress=True), lambda: str(np.array([1.23456, 1e9]))),
        (lambda: np.seterr(all="raise"), lambda: np.geterr()),
        (lambda: sys.setrecursionlimit(123456), sys.getrecursionlimit),
    ],
)
def test_switches_do_not_leak_into_the_next_program(change: Callable[[], Any], value: Callable[[], Any]) -> None:
    """What one call leaves behind is put back before the next."""
    programs.reset(0)
    before = value()
    change()
    assert value() != before
    programs.reset(0)
    assert value() == before


def test_deterministic_algorithms_are_switched_off_where_they_were_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking torch takes no time; telling it loads half of its compiler."""
    told: list[bool] = []
    monkeypatch.setattr(torch, "use_deterministic_algorithms", told.append)
    for on in (False, True):
        monkeypatch.setattr(torch, "are_deterministic_algorithms_enabled", lambda on=on: on)
        programs.reset(0)
    assert told == [False]


def test_warnings_are_not_errors_in_the_next_program() -> None:
    """A filter that raises would blame whoever comes next."""
    warnings.simplefilter("error")
    programs.reset(0)
    warnings.warn("harmless", stacklevel=1)


@pytest.mark.parametrize(("word", "kind"), [("numpy", "numpy"), ("torch", "torch"), ("jax", "torch")])
def test_there_are_two_array_types(word: str, kind: str) -> None:
    """Anything that is not NumPy is torch."""
    assert programs.as_array_type(word) == kind


# ----------------------------------------------------------------------------------------- arguments


@pytest.mark.parametrize("shape", [(), (1,), (5,), (0,), (2, 3), (2, 0, 3), (2, 3, 4, 5)])
@pytest.mark.parametrize("flags", [0, frames.STRIDED])
@pytest.mark.parametrize("dtype", frames.DTYPES)
def test_arguments_arrive_whole_and_writable(shape: tuple[int, ...], flags: int, dtype: str) -> None:
    """Values, shape and dtype are the sender's; the array is the learner's to write to."""
    values = (np.arange(np.prod(shape)) % 2).astype(dtype).reshape(shape)
    values.flags.writeable = False
    array = programs.unwrap(Block(values, flags), "numpy")
    assert type(array) is np.ndarray
    assert array.dtype == values.dtype and array.shape == shape and np.array_equal(array, values)
    array[...] = 1
    tensor = programs.unwrap(Block(values, flags), "torch")
    assert type(tensor) is torch.Tensor
    assert tuple(tensor.shape) == shape and np.array_equal(tensor.numpy(), values)
    tensor.fill_(1)
    assert values.sum() == np.arange(np.prod(shape)).astype("u1").__mod__(2).sum()


@pytest.mark.parametrize("shape", [(5,), (2, 3), (2, 3, 4), (1, 2, 3, 4)])
def test_strided_arguments_are_not_contiguous(shape: tuple[int, ...]) -> None:
    """No two axes can be merged, and neighbours are no neighbours in memory, with NumPy and with torch."""
    block = Block(np.ones(shape, "f4"), frames.STRIDED)
    array, tensor = programs.unwrap(block, "numpy"), programs.unwrap(block, "torch")
    assert not array.flags.c_contiguous and not array.flags.f_contiguous
    assert not tensor.is_contiguous()
    assert tensor.stride(-1) == 2
    if len(shape) > 1:
        with pytest.raises(RuntimeError, match="view size"):
            tensor.view(-1)


def test_leaves_ask_for_gradients() -> None:
    """The flag makes a torch leaf, contiguous or not; NumPy arrays know nothing of it."""
    for flags in (frames.REQUIRES_GRAD, frames.REQUIRES_GRAD | frames.STRIDED):
        block = Block(np.ones((2, 3), "f4"), flags)
        tensor = programs.unwrap(block, "torch")
        assert tensor.requires_grad and tensor.is_leaf
        assert isinstance(programs.unwrap(block, "numpy"), np.ndarray)


# ------------------------------------------------------------------------------------------- results


class Tensor(torch.Tensor):
    """A subclass, as learners may make one."""


class Array(np.ndarray[Any, Any]):
    """Likewise."""


@pytest.mark.parametrize(
    ("value", "packed"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (2.5, 2.5),
        ("text", "text"),
        ([1, (2, {"a": [None]})], [1, (2, {"a": [None]})]),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.namedtuple("Pair", "a b")(1, 2), (1, 2)),
        (type("Mine", (list,), {})([1]), [1]),
        (10**300 - 1, 10**300 - 1),
    ],
)
def test_plain_values_travel_as_they_are(value: Any, packed: Any) -> None:
    """Containers of the learner's making become plain ones."""
    got = programs.pack(value, ROOM)
    assert got == packed and type(got) is type(packed)
    frames.encode(got)


@pytest.mark.parametrize(
    ("value", "values", "flags"),
    [
        (np.float32(1.5), np.float32(1.5), frames.SCALAR),
        (np.True_, np.True_, frames.SCALAR),
        (np.array(2), np.array(2), 0),
        (np.arange(6).reshape(2, 3)[::-1, ::2], np.array([[3, 5], [0, 2]]), 0),
        (np.arange(3, dtype=">i4"), np.arange(3), 0),
        (np.broadcast_to(1.0, (2, 2)), np.ones((2, 2)), 0),
        (np.ma.masked_array([1, 2], [0, 1]), np.array([1, 2]), 0),
        (np.arange(2).view(Array), np.arange(2), 0),
        (np.zeros((0, 3)), np.zeros((0, 3)), 0),
        (torch.tensor(2.5), np.float32(2.5), frames.TORCH),
        (torch.ones(2, 3, requires_grad=True).T, np.ones((3, 2), "f4"), frames.TORCH),
        (torch.nn.Parameter(torch.ones(2)), np.ones(2, "f4"), frames.TORCH),
        (torch.ones(2).as_subclass(Tensor), np.ones(2, "f4"), frames.TORCH),
        (torch.ones(1).expand(3), np.ones(3, "f4"), frames.TORCH),
        (torch.tensor([True]), np.array([True]), frames.TORCH),
        (torch.ones(2, dtype=torch.float16), np.ones(2, "f2"), frames.TORCH),
        (torch.ones(2, dtype=torch.bfloat16), np.full(2, 0x3F80, "u2"), frames.TORCH | frames.BFLOAT16),
        (torch.tensor([1 + 2j]).imag, np.array([2], "f4"), frames.TORCH),
        (torch._neg_view(torch.ones(2)), -np.ones(2, "f4"), frames.TORCH),
        (torch.zeros(0, 3), np.zeros((0, 3), "f4"), frames.TORCH),
    ],
)
def test_arrays_travel_as_their_values(value: Any, values: Any, flags: int) -> None:
    """Whatever the layout, the class and the graph behind it: shape, dtype and numbers arrive."""
    sent = frames.decode(frames.encode(programs.pack(value, ROOM)))
    assert isinstance(sent, Block) and sent.flags == flags
    assert sent.array.shape == np.shape(values) and np.array_equal(sent.array, values)
    if not flags & frames.BFLOAT16:
        dtype = value.dtype if isinstance(value, (np.ndarray, np.generic)) else np.asarray(values).dtype
        assert sent.array.dtype == np.dtype(dtype).newbyteorder("<")


def deep(depth: int) -> Any:
    """A list in a list."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def endless() -> Any:
    """A list that contains itself."""
    value: list[Any] = []
    value.append(value)
    return value


def bush() -> Any:
    """Few objects, and a result of ten to the fifteenth entries."""
    value: Any = 0
    for _ in range(15):
        value = [value] * 10
    return value


@pytest.mark.parametrize(
    ("value", "reason", "detail"),
    [
        (object(), "type", "object"),
        ((x for x in ()), "type", "generator"),
        (range(3), "type", "range"),
        ({1, 2}, "type", "set"),
        (b"bytes", "type", "bytes"),
        (1j, "type", "complex"),
        (type("Mine", (str,), {})("x"), "type", "Mine"),
        (type("Mine", (int,), {})(1), "type", "Mine"),
        (torch.float32, "type", "dtype"),
        (torch.nn.Linear(1, 1), "type", "Linear"),
        ({1: 2}, "keys", None),
        ({"a": 1, None: 2}, "keys", None),
        ({type("Mine", (str,), {})("x"): 2}, "keys", None),
        (10**300, "integer", None),
        (-(10**5000), "integer", None),
        (deep(40), "nested", None),
        (endless(), "nested", None),
        (bush(), "entries", None),
        ([0] * 250_000, "entries", None),
        (np.array([None]), "dtype", "object"),
        (np.array(["a"]), "dtype", "<U1"),
        (np.array([1j]), "dtype", "complex128"),
        (np.zeros(2, np.longdouble), "dtype", "float128"),
        (np.zeros(2, [("a", "f4")]), "dtype", "[('a', '<f4')]"),
        (np.array(["2020-01-01"], "M8[D]"), "dtype", "datetime64[D]"),
        (np.complex64(1), "dtype", "complex64"),
        (np.zeros((1,) * 9), "dimensions", "9"),
        (torch.zeros((1,) * 9), "dimensions", "9"),
        (torch.ones(2, dtype=torch.complex64), "dtype", "torch.complex64"),
        (torch.ones(2).to(torch.float8_e4m3fn), "dtype", "torch.float8_e4m3fn"),
        (torch.eye(2).to_sparse(), "tensor", "torch.sparse_coo, cpu"),
        (torch.empty(2, device="meta"), "tensor", "torch.strided, meta"),
        (torch.empty(1 << 60, device="meta"), "tensor", "torch.strided, meta"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_value_is_refused_with_a_reason(value: Any, reason: str, detail: str | None) -> None:
    """A result outside the contract is named; nothing of it is sent."""
    with pytest.raises(InvalidResult) as caught:
        programs.pack(value, 1 << 40)
    assert caught.value.reason == reason
    assert caught.value.detail == ([] if detail is None else [detail])


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_quantised_tensors_are_refused() -> None:
    """They have a dtype that no array has."""
    with pytest.raises(InvalidResult) as caught:
        programs.pack(torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8), ROOM)
    assert caught.value.reason == "tensor"


@pytest.mark.parametrize(
    "value",
    [
        torch.zeros(1).expand(1 << 40),
        torch.zeros(1, 1).expand(1 << 20, 1 << 20)[::2],
        np.broadcast_to(np.zeros(1), (1 << 30, 1 << 10)),
        np.zeros(ROOM // 8 + 1),
        [np.zeros(ROOM // 16)] * 3,
        [[torch.ones(ROOM // 16)] * 5, 1, 2],
        [0] * (ROOM // 16),
        ("x" * 1000,) * 2000,
        {f"{at:01000}": 0 for at in range(1100)},
        "é" * ROOM,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_too_large_is_refused_before_it_is_copied(value: Any) -> None:
    """An expanded tensor of terabytes is refused like a long list, by counting."""
    with pytest.raises(ResultTooBig):
        programs.pack(value, ROOM)


def test_the_limit_is_for_all_values_together() -> None:
    """Many results that fit one by one may be too much."""
    some = np.zeros(ROOM // 32)
    programs.pack([some] * 3, ROOM)
    with pytest.raises(ResultTooBig):
        programs.pack([some] * 4, ROOM)


def test_the_largest_result_can_be_read() -> None:
    """What may be sent is within what the decoder takes: depth, entries, bytes."""
    for value in (deep(frames.MAX_DEPTH - 5), [0] * (frames.MAX_VALUES - 200)):
        frames.decode(frames.encode({"task": 0, "values": programs.pack([value], 1 << 30)}))
