"""Jobs and their observations in the real sandbox: every way in which code can end, and its effect on others."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from grader.core.errors import SandboxError, SandboxKilled
from grader.core.model import (
    Apply,
    Array,
    Call,
    Died,
    Job,
    Limits,
    MissingModule,
    NotRun,
    Observation,
    Observed,
    Part,
    Program,
    Raised,
    Ref,
    ResourceUsage,
    Returned,
    SourceFile,
    TimedOut,
    TooBig,
    Unreadable,
    Value,
)
from grader.sandbox import Sandbox, launch, zygote
from grader.sandbox.children import Child, ChildEnded, ChildFactory, Frame, MalformedFrame, OversizedFrame
from grader.sandbox.inside import frames
from grader.sandbox.launch import observe
from grader.sandbox.wire import StepsPacker, decode_value, encode_value, loads_late

Look = Callable[..., tuple[Observation, ...]]
GOOD = "\n\ndef good():\n    return 42\n"
FINE = Returned((42,))


def function(body: str) -> str:
    """A file in which ``f`` misbehaves and ``good`` does not."""
    lines = "\n    ".join(body.splitlines())
    return f"import os, sys, time, threading\nimport numpy as np\nimport torch\ndef f():\n    {lines}{GOOD}"


# ------------------------------------------------------------------------------------ values that come


@pytest.mark.parametrize(
    "value", [None, True, -3, 10**30, 2.5, float("inf"), "text, 文字", [1, [2.0]], (1, ("a",)), {"a": {"b": [None]}}]
)
def test_values_go_in_and_come_back(look: Look, value: Any) -> None:
    """Every kind of value in the contract passes unchanged in both directions."""
    assert look("def f(x): return x", Call("f", (value,))) == (Returned((value,)),)


@pytest.mark.parametrize("kind", ["numpy", "torch"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
def test_arrays_go_in_and_come_back(look: Look, kind: Any, dtype: str) -> None:
    """Arrays keep shape, dtype, values and library."""
    sent = np.array([[0, 1], [2, 3], [4, 5]]).astype(dtype)
    program = Program("unit", (Call("f", (Array(sent),)),), (0,), array_type=kind)
    (seen,) = look("def f(x): return x", program)
    assert isinstance(seen, Returned)
    (got,) = seen.values
    assert (got.container, got.dtype, got.values.dtype) == (kind, dtype, np.dtype(dtype))
    assert np.array_equal(got.values, sent)


def test_programs_refer_to_their_own_results(look: Look) -> None:
    """One object can be passed twice; instances and their state stay in the child until the program ends."""
    source = """
        class Counter:
            def __init__(self): self.seen = []
            def __call__(self, x, also=None):
                self.seen.append(x)
                return [len(self.seen), x is also, x.is_contiguous(), x.requires_grad]
    """
    array = Array(np.ones((3, 4), "f4"), layout="strided", requires_grad=True)
    steps = (
        Value(array),
        Call("Counter"),
        Call(Ref(1), (Ref(0),), (("also", Ref(0)),)),
        Apply("forward", (Ref(1), Ref(0))),
        Apply("require_grad", (Ref(0),)),
    )
    (seen,) = look(source, Program("unit", steps, (3, 2)))
    assert seen == Returned(([2, False, False, True], [1, True, False, True]))


@pytest.mark.parametrize("kind", ["numpy", "torch"])
def test_strided_arguments_are_not_contiguous(look: Look, kind: Any) -> None:
    """The values are equal, and no two axes can be merged without a copy."""
    source = """
        def f(x):
            if hasattr(x, "flags"):
                return [x.flags.c_contiguous, x.flags.f_contiguous, np_shares(x), x]
            try:
                x.view(-1)
            except RuntimeError:
                return [x.is_contiguous(), False, False, x]
        def np_shares(x):
            import numpy as np
            return np.shares_memory(x, x.reshape(-1))
    """
    values = np.arange(12.0).reshape(3, 4)
    program = Program("unit", (Call("f", (Array(values, layout="strided"),)),), (0,), array_type=kind)
    (seen,) = look(source, program)
    assert isinstance(seen, Returned)
    *flags, got = seen.values[0]
    assert flags == [False, False, False]
    assert np.array_equal(got.values, values)


def test_random_numbers_follow_the_seed(look: Look) -> None:
    """Programs with one seed draw the same numbers in any child; with another seed, others."""
    source = """
        import random, torch, numpy as np
        def f(): return [random.random(), float(np.random.rand()), float(torch.rand(()))]
    """
    programs = [Program("unit", (Call("f"),), (0,), seed=seed) for seed in (1, 1, 2)]
    first, again, other = look(source, *programs)
    assert first == again == look(source, programs[0])[0]
    assert isinstance(first, Returned) and isinstance(other, Returned)
    assert all(a != b for a, b in zip(first.values[0], other.values[0], strict=True))


def test_switches_do_not_leak_into_the_next_program(look: Look) -> None:
    """A changed default dtype or disabled autograd is reset before the next call."""
    source = """
        import torch
        def f():
            torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False)
            return good()
        def good(): return [str(torch.ones(1).dtype), torch.is_grad_enabled()]
    """
    assert look(source, "f", "good") == (Returned((["torch.float64", False],)), Returned((["torch.float32", True],)))


# ----------------------------------------------------------------------------------- ways to end badly


def raised(kind: str, **fields: Any) -> Callable[[Observation], bool]:
    """Whether an observation is this exception with these fields."""
    return lambda seen: (
        isinstance(seen, Raised) and seen.type == kind and {name: getattr(seen, name) for name in fields} == fields
    )


BUSY = TimedOut(0.3, "cpu")
IGNORING = """
import signal
for n in range(1, 32):
  try: signal.signal(n, signal.SIG_IGN)
  except OSError: pass
while True: pass
"""
ENDINGS: dict[str, tuple[str, Observation | Callable[[Observation], bool]]] = {
    "raises": ("raise ValueError('no')", raised("ValueError", text="no", line=5)),
    "SystemExit": ("sys.exit(3)", raised("SystemExit")),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", raised("KeyboardInterrupt")),
    "recursion": ("return f()", raised("RecursionError")),
    "reads input": ("return input()", raised("EOFError")),
    "forks": ("os.fork()", raised("PermissionError")),
    "raises a limit": ("import resource as r\nr.setrlimit(r.RLIMIT_CPU, (9, 9))", raised("ValueError")),
    "memory": ("return len(bytearray(1 << 32))", raised("MemoryError")),
    "memory of torch": ("return torch.ones(1 << 32)", raised("RuntimeError")),
    "memory bit by bit": ("kept = []\nwhile True: kept.append(np.empty(1 << 23))", raised("MemoryError")),
    "segfault": ("import ctypes\nctypes.string_at(0)", Died(11, None)),
    "abort": ("os.abort()", lambda o: isinstance(o, Died) and o.signal in (6, 11)),
    "exits": ("os._exit(7)", Died(None, 7)),
    "exits as if all were well": ("os._exit(0)", Died(None, 0)),
    "exits in a thread": ("threading.Thread(target=os._exit, args=(3,)).start()\ntime.sleep(9)", Died(None, 3)),
    "loop": ("while True: pass", BUSY),
    "loop that catches all": ("while True:\n  try:\n    while True: pass\n  except BaseException: pass", BUSY),
    "loop that ignores signals": (IGNORING.strip(), BUSY),
    "loop in a regex": ("import re\nre.match('(a+)+$', 'a' * 40 + 'b')", BUSY),
    "loop in an integer": ("return 3 ** 3 ** 20", BUSY),
    "loop in sum": ("return sum(range(10 ** 12))", BUSY),
    "loop in torch": ("x = torch.ones(3000, 3000)\nfor _ in range(100): x = x @ x", BUSY),
    "loop in NumPy": ("x = np.ones((3000, 3000))\nfor _ in range(100): x = x @ x", BUSY),
    "loop in a thread": ("def spin():\n  while True: pass\nthreading.Thread(target=spin).start()\ntime.sleep(9)", BUSY),
    "sleeps": ("time.sleep(60)", TimedOut(0.7, "wall")),
    "waits for a lock": ("threading.Event().wait()", TimedOut(0.7, "wall")),
    "closes the channel": ("os.close(3)\nreturn 1", lambda o: isinstance(o, Died)),
    "closes the channel and goes on": ("os.close(3)\ntime.sleep(60)", TimedOut(0.7, "wall")),
    "closes everything": ("os.closerange(0, 100)\nwhile True: pass", BUSY),
    "kills itself": ("os.kill(os.getpid(), 9)", raised("PermissionError")),
    "kills its group": ("os.killpg(0, 9)", raised("PermissionError")),
    "raises SIGKILL": ("import signal\nsignal.raise_signal(9)", raised("PermissionError")),
    "kills its thread": ("import signal\nsignal.pthread_kill(threading.get_ident(), 9)", raised("PermissionError")),
    "kills itself by pidfd": ("import signal\nsignal.pidfd_send_signal(0, 9)", raised("PermissionError")),
}  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), ENDINGS.values(), ids=ENDINGS)
def test_only_what_ends_badly_is_lost(look: Look, quick: Limits, body: str, expected: Any) -> None:
    """Each way to end is reported as what it is, and the next program of the submission runs normally."""
    limits = replace(quick, group_wall=0.7) if "wall" in str(expected) else quick
    bad, good = look(function(body), "f", "good", limits=limits)
    assert expected(bad) if callable(expected) else bad == expected
    assert good == FINE


QUANTISED = "torch.quantize_per_tensor(torch.ones(2), 1.0, 0, torch.quint8)"
RESULTS: dict[str, tuple[str, Observation]] = {
    "expanded tensor": ("torch.zeros(1).expand(1 << 40)", TooBig(1 << 20)),
    "broadcast array": ("np.broadcast_to(0.0, (1 << 30, 1 << 10))", TooBig(1 << 20)),
    "large array": ("np.zeros(1 << 18)", TooBig(1 << 20)),
    "many arrays": ("[np.zeros(1 << 14)] * 10", TooBig(1 << 20)),
    "long list": ("[0] * 100_000", TooBig(1 << 20)),
    "long string": ("'x' * (1 << 21)", TooBig(1 << 20)),
    "long string of wide characters": ("'文' * (1 << 20)", TooBig(1 << 20)),
    "list in itself": ("(lambda x: x.append(x) or x)([])", Unreadable("nested")),
    "generator": ("(x for x in ())", Unreadable("type", ("generator",))),
    "function": ("f", Unreadable("type", ("function",))),
    "set": ("{1, 2}", Unreadable("type", ("set",))),
    "bytes": ("b'x'", Unreadable("type", ("bytes",))),
    "complex": ("1j", Unreadable("type", ("complex",))),
    "complex array": ("np.zeros(2, complex)", Unreadable("dtype", ("complex128",))),
    "complex tensor": ("torch.zeros(2, dtype=torch.complex64)", Unreadable("dtype", ("torch.complex64",))),
    "object array": ("np.array([None])", Unreadable("dtype", ("object",))),
    "array of strings": ("np.array(['a'])", Unreadable("dtype", ("<U1",))),
    "structured array": ("np.zeros(2, 'f4,f4')", Unreadable("dtype", ("[('f0', '<f4'), ('f1', '<f4')]",))),
    "sparse tensor": ("torch.eye(2).to_sparse()", Unreadable("tensor", ("torch.sparse_coo, cpu",))),
    "quantised tensor": (QUANTISED, Unreadable("tensor", ("torch.strided, cpu",))),
    "tensor without data": ("torch.empty(2, device='meta')", Unreadable("tensor", ("torch.strided, meta",))),
    "nine dimensions": ("np.zeros((1,) * 9)", Unreadable("dimensions", ("9",))),
    "integer keys": ("{1: 2}", Unreadable("keys")),
    "huge integer": ("10 ** 1000", Unreadable("integer")),
    "missing name": ("", Unreadable("undefined", ("missing",))),
}  # fmt: skip


def test_results_that_cannot_be_read_are_told_by_name(look: Look) -> None:
    """Each unreadable result is reported by its kind; none affects another, and no child is lost."""
    names = {name: f"f{at}" for at, name in enumerate(RESULTS)}
    lines = [f"def {names[name]}(): return {body}" for name, (body, _) in RESULTS.items() if body]
    source = "import numpy as np, torch\nf = print\n" + "\n".join(lines) + GOOD
    asked = [names[name] if body else "missing" for name, (body, _) in RESULTS.items()]
    *seen, good = look(source.replace("return f\n", "return good\n"), *asked, "good")
    assert dict(zip(RESULTS, seen, strict=True)) == {name: expected for name, (_, expected) in RESULTS.items()}
    assert good == FINE


def test_what_a_subclass_says_about_itself_is_not_believed(look: Look) -> None:
    """A tensor that claims to equal everything arrives as its values."""
    source = """
        import torch, numpy as np
        class Liar(torch.Tensor):
            def __eq__(self, other): return torch.tensor(True)
            def __ge__(self, other): return torch.tensor(True)
        class Fibber(np.ndarray):
            def __eq__(self, other): return True
            @property
            def shape(self): return (7,)
        def f(): return [torch.zeros(2).as_subclass(Liar), np.zeros(2).view(Fibber)]
    """
    (seen,) = look(source, "f")
    assert isinstance(seen, Returned)
    for got in seen.values[0]:
        assert type(got.values) is np.ndarray and got.values.tolist() == [0, 0]


# -------------------------------------------------------------------------------------- forged frames


def forged(kind: int, value: object) -> str:
    """Code that writes a frame of its own."""
    return f"os.write(3, {frames.frame(kind, value)!r})"


PROTOCOL = Unreadable("protocol")
SPELT = {"task": 1, "type": "E", "text": "", "bases": [], "file": None, "line": 1, "during": "call"}
HEADER = "import struct\nos.write(3, struct.pack('<BQ', {kind}, {length})); time.sleep(60)"
FORGED: dict[str, tuple[str, Observation | None]] = {
    "another task": (forged(frames.RETURNED, {"task": 7, "values": [1]}), PROTOCOL),
    "a task before it": (forged(frames.RETURNED, {"task": 0, "values": [1]}), PROTOCOL),
    "a negative task": (forged(frames.RETURNED, {"task": -1, "values": [1]}), PROTOCOL),
    "no task": (forged(frames.RETURNED, {"values": [1]}), PROTOCOL),
    "no values": (forged(frames.RETURNED, {"task": 1}), PROTOCOL),
    "too many values": (forged(frames.RETURNED, {"task": 1, "values": [1, 2]}), PROTOCOL),
    "values that are none": (forged(frames.RETURNED, {"task": 1, "values": None}), PROTOCOL),
    "a reference": (forged(frames.RETURNED, {"task": 1, "values": [frames.StepRef(0)]}), PROTOCOL),
    "bytes": (forged(frames.RETURNED, {"task": 1, "values": [b"raw"]}), PROTOCOL),
    "no dict": (forged(frames.RETURNED, ["task", 1]), PROTOCOL),
    "an array": (forged(frames.RETURNED, frames.Block(np.ones(3))), PROTOCOL),
    "a number": (forged(frames.RETURNED, 1), PROTOCOL),
    "loaded": (forged(frames.LOADED, {"task": 1}), PROTOCOL),
    "a new greeting": (forged(frames.HELLO, {"layers": [], "versions": {}}), PROTOCOL),
    "a failure of ours": (forged(frames.FAILED, "the sandbox broke"), PROTOCOL),
    "a job": (forged(frames.JOB, {"files": [], "tasks": []}), PROTOCOL),
    "an exception without fields": (forged(frames.RAISED, {"task": 1}), PROTOCOL),
    "an exception of numbers": (
        forged(frames.RAISED, {"task": 1, "type": 1, "text": 2, "bases": [3], "file": 4, "line": 5, "during": 6}),
        PROTOCOL,
    ),
    "bases that are a number": (forged(frames.RAISED, SPELT | {"bases": 9}), PROTOCOL),
    "a reason that is a list": (forged(frames.UNREADABLE, {"task": 1, "reason": [], "detail": []}), PROTOCOL),
    "noise": ("os.write(3, os.urandom(100) + b'x' * 100); time.sleep(60)", None),
    "pickles": ("import pickle\nos.write(3, pickle.dumps(os.system)); time.sleep(60)", PROTOCOL),
    "kind 0": (HEADER.format(kind=0, length=1), PROTOCOL),
    "kind 255": (HEADER.format(kind=255, length=1), PROTOCOL),
    "an empty frame": (HEADER.format(kind=frames.RETURNED, length=0), PROTOCOL),
    "a frame of exabytes": (HEADER.format(kind=frames.RETURNED, length=1 << 60), TooBig(1 << 20)),
    "a frame a little too large": (HEADER.format(kind=frames.RETURNED, length=(2 << 20) + 1), TooBig(1 << 20)),
    "a frame that never comes": (HEADER.format(kind=frames.RETURNED, length=9), TimedOut(0.7, "wall")),
    "a slow drip": (
        "import struct\nos.write(3, struct.pack('<BQ', 5, 1 << 20))\nwhile True: os.write(3, b'x'); time.sleep(0.01)",
        TimedOut(0.7, "wall"),
    ),
    "a flood": ("while True: os.write(3, b'\\5' * 65536)", TooBig(1 << 20)),
    "a flood of frames": (
        "import struct\npiece = struct.pack('<BQ', 4, 0) * 5000\nwhile True: os.write(3, piece)",
        PROTOCOL,
    ),
}


@pytest.mark.parametrize(("body", "expected"), FORGED.values(), ids=FORGED)
def test_forged_frames_gain_nothing(look: Look, quick: Limits, body: str, expected: Observation | None) -> None:
    """Whatever code writes into the channel is noticed, and costs only its own program."""
    waits = "sleep" in body
    limits = replace(quick, group_wall=0.7) if waits else quick
    bad, good = look(function(f"{body}\nreturn 1"), "f", "good", limits=limits)
    if expected is None:
        assert isinstance(bad, (Unreadable, TooBig, TimedOut))
    else:
        assert bad == expected
    assert good == FINE


def test_answering_for_oneself_is_only_another_return(look: Look) -> None:
    """A well-formed answer to the current task is accepted like a return value; the real answer after it is refused."""
    body = forged(frames.RETURNED, {"task": 1, "values": [1]})
    assert look(function(f"{body}\nreturn 2"), "f", "good", "good") == (Returned((1,)), PROTOCOL, FINE)


def test_forged_exceptions_are_cut_to_size(look: Look) -> None:
    """Long texts are cut; files and lines that do not exist, and another phase, are dropped."""
    value = {
        "task": 1, "type": "E" * 999, "text": "x" * 9999, "bases": ["B" * 999] * 99, "file": "f" * 999,
        "line": 10**30, "during": "import",
    }  # fmt: skip
    (seen, _) = look(function(forged(frames.RAISED, value)), "f", "good")
    assert seen == Raised("E" * 80, "x" * 600, None, None, "call", ("B" * 80,) * 20)


# -------------------------------------------------------------------------------------------- budgets


def test_a_group_shares_its_time(look: Look) -> None:
    """What one program uses is missing for the rest of its group; when nothing is left, the rest is not run."""
    source = """
        import time
        def f(seconds):
            until = time.process_time() + seconds
            while time.process_time() < until: pass
            return seconds
    """
    ask = [
        Program("unit", (Call("f", (s,)),), (0,), group=group)
        for group, s in (("a", 0.2), ("a", 0.2), ("a", 0.0), ("b", 0.0), ("a", 0.0))
    ]
    assert look(source, *ask) == (Returned((0.2,)), BUSY, NotRun("group"), Returned((0.0,)), NotRun("group"))


@pytest.mark.parametrize("more", ["bytearray(1 << 24)", "np.ones(1 << 21)", "torch.ones(1 << 22)"])
def test_a_group_that_fills_the_memory_is_not_tried_again(look: Look, more: str) -> None:
    """After a MemoryError the rest of the group is not run; other groups are.

    How often memory can be filled within the group's time depends on the machine's load. Here there is so little memory
    and so much time that once is always possible.
    """
    source = function(f"held = []\nwhile True: held.append({more})")
    asked = [
        Program("unit", (Call(name),), (0,), group=group) for name, group in (("f", "a"), ("f", "a"), ("good", "b"))
    ]
    first, again, other = look(source, *asked, limits=Limits(memory=1 << 26, group_cpu=60, group_wall=60))
    assert isinstance(first, Raised) and first.out_of_memory
    assert (again, other) == (NotRun("memory"), FINE)


def test_wall_time_is_shared_as_well(look: Look, quick: Limits) -> None:
    """Sleeping uses up a group's time, too."""
    source = "import time\ndef f(s): time.sleep(s); return s"
    ask = [
        Program("unit", (Call("f", (s,)),), (0,), group=group)
        for group, s in (("a", 0.2), ("a", 60.0), ("a", 0.0), ("b", 0.1))
    ]
    seen = look(source, *ask, limits=replace(quick, group_wall=0.4))
    assert seen == (Returned((0.2,)), TimedOut(0.4, "wall"), NotRun("group"), Returned((0.1,)))


def test_the_whole_submission_has_a_budget(look: Look, quick: Limits) -> None:
    """When it is used up, the reported limit is the submission's, and the rest is not run."""
    seen = look(function("while True: pass"), "f", "f", "good", limits=replace(quick, total_cpu=0.5))
    assert seen == (TimedOut(0.3, "cpu"), TimedOut(0.5, "cpu"), NotRun("budget"))
    seen = look(function("time.sleep(9)"), "f", "f", "good", limits=replace(quick, group_wall=0.5, total_wall=0.8))
    assert seen == (TimedOut(0.5, "wall"), TimedOut(0.8, "wall"), NotRun("budget"))


def test_what_torch_loads_late_is_not_charged(look: Look) -> None:
    """It takes more than these limits allow, and is loaded before the clocks start."""
    uses = "import torch\nfrom torch.func import grad\ndef f():\n    return float(grad(torch.sin)(torch.zeros(())))\n"
    assert look(uses, "f") == (Returned((1.0,)),)


@pytest.mark.parametrize(
    ("files", "late"),
    [
        ({"unit": "import torch", "other": "from torch.func import grad"}, False),
        ({"unit": "from torch.utils.checkpoint import checkpoint", "other": ""}, True),
        ({"unit": "import a.b", "a.b": "from . import c", "a.c": "import functorch"}, True),
        ({"unit": "import a.b", "a.b": "import unit", "a.c": "import functorch"}, False),
    ],
)
def test_more_of_torch_is_loaded_where_it_can_be_used(
    make_job: Callable[..., Job], files: dict[str, str], late: bool
) -> None:
    """Loading it takes a second of CPU time, and each search for an explanation starts several children."""
    assert loads_late(make_job(files, "f")) is late


def test_the_time_of_a_child_that_died_counts(observed: Callable[..., Observed]) -> None:
    """Time used before a death stays charged."""
    seen = observed(
        function("end = time.process_time() + 0.2\nwhile time.process_time() < end: pass\nos._exit(1)"), "f", "f"
    )
    assert seen.observations == (Died(None, 1), Died(None, 1))
    assert seen.cpu_seconds >= 0.4


def test_fresh_children_are_not_without_end(look: Look, quick: Limits) -> None:
    """A submission that kills every child gets only a limited number of them."""
    seen = look(function("os._exit(1)"), *["f"] * 5, "good", limits=replace(quick, fresh_children=3))
    assert seen == (*[Died(None, 1)] * 3, *[NotRun("children")] * 3)


def test_all_results_together_are_bounded(look: Look, quick: Limits) -> None:
    """A submission that fills every result is refused after some, however many children it has."""
    limits = replace(quick, total_bytes=1 << 20)
    seen = look("import numpy as np\ndef f(): return np.zeros(1 << 16)", *["f"] * 12, limits=limits)
    assert isinstance(seen[0], Returned)
    assert seen[-3:] == (TooBig(1 << 20),) * 3


def test_a_child_that_lives_is_used_on(look: Look, quick: Limits) -> None:
    """Well-behaved programs share one child, however many they are and whatever they raise."""
    bad, *rest = look(function("raise ValueError"), "f", *["good"] * 20, limits=replace(quick, fresh_children=1))
    assert isinstance(bad, Raised) and rest == [FINE] * 20


# ------------------------------------------------------------------------------- what arrives when

PEEKING = """
    import gc, select, time
    SECRET = 40490.0
    def waiting():
        time.sleep(0.1)
        return select.select([4], [], [], 0)[0] != []
    def present():
        lists = [found for found in gc.get_objects() if type(found) is list]
        return any(type(x) is float and x == SECRET + 1 for found in lists for x in found)
    at_import = waiting() or present()
    kept = []
    def public(x): return [at_import, waiting(), present(), bool(kept)]
    def hidden(x, y):
        kept.append(str(x))
        return [at_import, x == SECRET + 1]
"""


def test_hidden_inputs_come_last(look: Look) -> None:
    """Hidden inputs are not in the child at import or in public cases, whatever the order of programs."""
    hidden = [Program("unit", (Call("hidden", (40491.0, [40491.0])),), (0,), hidden=True)] * 2
    public = [Program("unit", (Call("public", (1.0,)),), (0,))] * 2
    first, second, third, fourth = look(PEEKING, hidden[0], public[0], hidden[1], public[1])
    assert second == fourth == Returned(([False, False, False, False],))
    assert first == third == Returned(([False, True],))


def test_answering_ahead_gains_nothing(look: Look) -> None:
    """Code that answers all public cases early gets the hidden ones early, but can no longer answer for public ones."""
    forge = "".join(
        f"os.write(3, {frames.frame(frames.RETURNED, {'task': task, 'values': [0]})!r}); " for task in (1, 2)
    )
    source = f"import os, time\ndef f(x):\n    {forge}time.sleep(0.2)\n    raise ValueError(os.read(4, 1 << 16).hex())"
    programs = [Program("unit", (Call("f", ("input",)),), (0,), group=str(at), hidden=at == 2) for at in range(3)]
    public, other, hidden = look(source, *programs)
    assert (public, other) == (Returned((0,)), Returned((0,)))
    assert not isinstance(hidden, Returned)


def test_a_child_that_does_not_read_is_charged_for_it(
    look: Look, quick: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time spent on a full pipe that nobody empties is charged to the submission."""
    monkeypatch.setattr(zygote, "_SEND_SECONDS", 0.4)
    forge = f"os.write(3, {frames.frame(frames.LOADED, {'task': 0, 'failures': [], 'absent': []})!r})"
    source = f"import os, time\n{forge}\ntime.sleep(60)"
    much = Array(np.ones(1 << 16))
    programs = [Program("unit", (Call("f", (much,)),), (0,), group=str(at)) for at in range(9)]
    seen = look(source, *programs, limits=replace(quick, group_wall=0.2, total_wall=0.3))
    assert seen[-1] == NotRun("budget")


# --------------------------------------------------------------------------------------- bad imports


class Recording:
    """A ChildFactory that records its tasks."""

    unsafe = False

    def __init__(self, children: ChildFactory) -> None:
        self._children = children
        self.loads: list[str] = []
        self.jobs = 0

    def start(self, job: bytes, cpu_seconds: int, limits: Limits) -> Child:
        """See ``ChildFactory``."""
        self.jobs += 1
        child = self._children.start(job, cpu_seconds, limits)
        send = child.send

        def recorded(frame: bytes) -> None:
            self.loads += [task[1] for task in frames.unpack_tasks(frame[frames.HEADER.size :]) if task[0] == "load"]
            send(frame)

        child.send = recorded  # type: ignore[method-assign]
        return child


IMPORTS: dict[str, tuple[str, Observation | Callable[[Observation], bool]]] = {
    "raises": ("raise OSError('x')", raised("OSError", text="x", file="bad.py", line=1, during="import")),
    "does not compile": ("def f(:", raised("SyntaxError", line=1, during="import")),
    "exits": ("raise SystemExit(0)", raised("SystemExit")),
    "ends the process": ("import os; os._exit(0)", Died(None, 0, "import")),
    "crashes": ("import ctypes; ctypes.string_at(0)", Died(11, None, "import")),
    "computes": ("while True: pass", TimedOut(0.4, "cpu", "import")),
    "sleeps": ("import time; time.sleep(60)", TimedOut(0.6, "wall", "import")),
    "forges": (f"import os; os.write(3, {frames.frame(frames.RETURNED, {'task': 0, 'values': []})!r})", PROTOCOL),
    "forges being loaded": ("import os; os.write(3, b'\\4' + bytes(8)); os._exit(0)", PROTOCOL),
    "imports nothing there": ("from json import pytest", raised("ImportError")),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), IMPORTS.values(), ids=IMPORTS)
def test_a_file_that_cannot_be_loaded_loses_its_own_names(
    sandbox: Sandbox, make_job: Callable[..., Job], quick: Limits, text: str, expected: Any
) -> None:
    """All its programs report the reason, programs of other files run, and it is not loaded again."""
    files = {"bad": text, "fine": "import os\ndef good(): return 42\ndef die(): os._exit(5)"}
    ask = [("bad", "f"), ("fine", "good"), ("fine", "die"), ("bad", "f"), ("fine", "good"), ("bad", "g")]
    programs = [Program(module, (Call(name),), (0,), group=name) for module, name in ask]
    recording = Recording(sandbox.children())
    limits = replace(quick, import_wall=0.6) if "wall" in str(expected) else quick
    seen = observe(recording, make_job(files, *programs), limits).observations
    for at in (0, 3, 5):
        assert expected(seen[at]) if callable(expected) else seen[at] == expected
    assert (seen[1], seen[2], seen[4]) == (FINE, Died(None, 5), FINE)
    if isinstance(seen[0], Raised):  # the child lived on, until the other file ended it
        assert recording.jobs == 2
    else:
        assert recording.jobs == 3
        assert recording.loads.count("bad") == 1


def test_files_import_each_other_across_the_wall(look: Look) -> None:
    """The files of a submission can import each other in any order, and nothing else."""
    files = {"zeta": "from alpha import one\ndef f(): return one + 1", "alpha": "one = 1"}
    assert look(files, "f") == (Returned((2,)),)
    (seen,) = look("def f():\n    import grader", "f")
    assert isinstance(seen, Raised) and seen.type == "ModuleNotFoundError"


def test_a_cell_that_fails_is_the_reason_for_what_is_missing(sandbox: Sandbox, quick: Limits) -> None:
    """The other cells of a notebook count; for names that are missing, the first failing cell is reported."""
    cells = ("def f(): return 42", "from json import nowhere_at_all", "1 / 0", "def g(): return 43")
    parts = tuple(Part(f"unit.ipynb cell {at}", text) for at, text in enumerate(cells, 1))
    programs = tuple(Program("unit", (Call(name),), (0,)) for name in ("f", "g", "missing"))
    seen = sandbox.observe(Job((SourceFile("unit.ipynb", "unit", parts),), programs), quick).observations
    assert seen[:2] == (FINE, Returned((43,)))
    assert raised("ImportError", file="unit.ipynb cell 2", line=1, during="import")(seen[2])


def test_a_file_without_programs_is_not_run(look: Look) -> None:
    """A file that no program needs is not executed."""
    assert look({"unit": GOOD, "other": "while True: pass"}, "good") == (FINE,)


# ----------------------------------------------------------------------------------- what is around it


def test_the_report_says_what_it_was_confined_by(observed: Callable[..., Observed], sandbox: Sandbox) -> None:
    """Layers are those that were entered, versions those of the child."""
    seen = observed(GOOD, "good")
    assert seen.layers == sandbox.layers
    assert {"seccomp", "rlimits"} < set(seen.layers)
    assert not seen.unsafe and not sandbox.unsafe
    versions = dict(seen.versions)
    assert versions["numpy"] == np.__version__ and set(versions) == {"numpy", "python", "torch"}
    assert seen.cpu_seconds > 0


def test_a_child_knows_little(look: Look) -> None:
    """No environment, no arguments, five descriptors, no privileges, and only the standard library on the path."""
    source = """
        import os, sys
        def f():
            def there(fd):
                try: return os.fstat(fd) and True
                except OSError: return False
            return {
                "environment": sorted(os.environ),
                "arguments": sys.argv,
                "descriptors": [fd for fd in range(64) if there(fd)],
                "input": len(os.read(0, 9)),
                "folder": os.getcwd(),
                "root": 0 in (os.getuid(), os.geteuid()),
                "packages": [path for path in sys.path if "packages" in path],
                "leader": os.getsid(0) == os.getpid(),
                "modules": [name for name in sys.modules if name.startswith(("grader", "reference"))],
            }
    """
    (seen,) = look(source, "f")
    assert isinstance(seen, Returned)
    (known,) = seen.values
    assert not {name for name in known["environment"] if name.startswith(("ATTNCHECK", "PYTEST", "COVERAGE"))}
    assert known["arguments"] in ([], ["-c"], [""])
    assert known["descriptors"] == [0, 1, 2, 3, 4]
    assert (known["input"], known["folder"], known["root"], known["packages"], known["leader"]) == (
        0,
        "/",
        False,
        [],
        True,
    )
    assert known["modules"] == []


def test_what_it_prints_goes_nowhere(look: Look, capfd: pytest.CaptureFixture[str]) -> None:
    """Megabytes on both streams, buffered or not, have no effect."""
    source = """
        import os, sys
        def good():
            for stream in (sys.stdout, sys.stderr):
                print('secret' * 100_000, file=stream, flush=True)
            os.write(1, b'secret'); os.write(2, b'secret')
            return 42
    """
    assert look(source, "good") == (FINE,)
    assert capfd.readouterr() == ("", "")


def test_patched_libraries_are_nobody_elses(look: Look) -> None:
    """Changes to torch, NumPy and builtins end with the submission that made them."""
    vandal = """
        import builtins, random, torch, numpy as np
        torch.Tensor.__add__ = torch.Tensor.__matmul__ = lambda *a: torch.zeros(1)
        torch.softmax = torch.nn.functional.softmax = np.exp = np.sum = None
        torch.allclose = lambda *a, **k: True
        torch.manual_seed = random.seed = lambda *a: None
        builtins.len = builtins.sum = lambda *a: 0
        torch.set_default_dtype(torch.float64)
        def good(): return 42
    """
    honest = """
        import torch, numpy as np
        def f():
            x = torch.ones(2, 2)
            made = [(x + x).sum().item(), (x @ x).sum().item(), torch.softmax(x, -1).sum().item(), float(np.exp(0.0))]
            return made + [len("abc"), sum([1, 2]), str(x.dtype), bool(torch.allclose(x, 2 * x))]
    """
    look(vandal, "good")  # whatever it says: its own results may suffer
    assert look(honest, "f") == (Returned(([8.0, 8.0, 2.0, 1.0, 3, 3, "torch.float32", False],)),)


def test_patches_do_not_lame_the_childs_own_loop(look: Look) -> None:
    """A submission that breaks what sends its results loses only its own."""
    source = "import os\ndef good(): return 42\ndef f():\n    os.write = None\n    return 1"
    bad, good = look(source, "f", "good")
    assert isinstance(bad, Died) and good == FINE


# --------------------------------------------------------------------------------------- faults of ours


@dataclass(frozen=True)
class Looks:
    """The state of a silent child: wall seconds since the last look, and CPU seconds in total.

    ``stuck`` may be a number: it is stuck once its time has been up for that many seconds.
    """

    wall: float = 0.0
    cpu: float = 0.0
    stuck: bool | float = True


class Script:
    """A child that follows a script: frames to return, or exceptions to raise."""

    patience = 0.05
    received = 0

    def __init__(self, *script: Frame | Exception | Looks | tuple[Looks, Frame | Exception] | None) -> None:
        self._script = list(script)
        self._wall = 0.0
        self._now = Looks()

    def receive(self, timeout: float, limit: int) -> Frame | None:
        """The next entry of the script; if there is none, the clocks advance."""
        entry = self._script.pop(0)
        if isinstance(entry, tuple) and isinstance(entry[0], Looks):
            self._now, entry = entry
            self._wall += self._now.wall
        if isinstance(entry, Exception):
            raise entry
        if isinstance(entry, Looks | None):
            self._now = entry or Looks(wall=timeout)
            self._wall += self._now.wall
            return None
        return entry

    def cpu_seconds(self, default: float = 0.0) -> float:
        """As in the script."""
        return self._now.cpu

    def wall_seconds(self) -> float:
        """As in the script."""
        return self._wall

    def stuck(self, over: float = 0.0) -> bool:
        """As in the script."""
        return over >= self._now.stuck if isinstance(self._now.stuck, float) else self._now.stuck

    def send(self, frame: bytes) -> None:
        """Ignored: the answers are in the script."""

    def kill(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


class Scripts:
    """A ChildFactory whose children follow scripts, one after another."""

    unsafe = True

    def __init__(self, *children: Script) -> None:
        self._children = list(children)

    def start(self, job: bytes, cpu_seconds: int, limits: Limits) -> Child:
        """The next of them."""
        return self._children.pop(0)


HELLO: Frame = (frames.HELLO, {"layers": ["some"], "versions": {"torch": "2"}})


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ([None], "was not ready after 0.05 s"),
        ([ChildEnded(9, None)], "ended before it was ready .signal 9"),
        ([ChildEnded(None, 1)], "ended before it was ready .exit code 1"),
        ([MalformedFrame("noise")], "ended before it was ready .noise"),
        ([OversizedFrame()], "ended before it was ready"),
        ([(frames.FAILED, "seccomp: no")], "could not be confined: seccomp: no"),
        ([(frames.RETURNED, {"task": 0})], "could not be confined"),
    ],
)
def test_a_child_that_never_was_ready_is_our_fault(
    make_job: Callable[..., Job], quick: Limits, script: Any, said: str
) -> None:
    """No learner code runs before HELLO, so its absence costs no points."""
    with pytest.raises(SandboxError, match=said):
        observe(Scripts(Script(*script)), make_job(GOOD, "good"), quick)


LOADED_ALL: Frame = (frames.LOADED, {"task": 0, "failures": [], "absent": []})
ANSWER: Frame = (frames.RETURNED, {"task": 1, "values": [42]})
KILLED = ChildEnded(9, None, outside=True)
LATE = Looks(wall=4.5, cpu=4.5)  # of the 5 seconds that its group has


@pytest.mark.parametrize(
    "before",
    [
        [KILLED],  # before it was ready
        [HELLO, KILLED],  # while its file was loaded
        [HELLO, LOADED_ALL, (LATE, KILLED)],
    ],
)
def test_a_child_that_something_outside_kills_is_tried_again_once(
    make_job: Callable[..., Job], quick: Limits, before: list[Any]
) -> None:
    """Its task starts again with all of its time. The second time SandboxKilled is raised."""
    limits = replace(quick, group_cpu=5, group_wall=5)
    job = make_job(GOOD, "good")
    seen = observe(Scripts(Script(*before), Script(HELLO, LOADED_ALL, (LATE, ANSWER))), job, limits)
    assert seen.observations == (FINE,)
    assert seen.usage.cpu == 4.5
    with pytest.raises(SandboxKilled, match="short of memory"):
        observe(Scripts(Script(*before), Script(*before)), job, limits)


def test_what_was_answered_before_a_kill_stays(make_job: Callable[..., Job], quick: Limits) -> None:
    """Only the task that was running is repeated."""
    again: Frame = (frames.RETURNED, {"task": 1, "values": [43]})
    first, second = Script(HELLO, LOADED_ALL, ANSWER, KILLED), Script(HELLO, LOADED_ALL, again)
    seen = observe(Scripts(first, second), make_job(GOOD, "good", "good"), quick)
    assert seen.observations == (FINE, Returned((43,)))


def test_the_kernels_limit_on_cpu_time_is_a_timeout(make_job: Callable[..., Job], quick: Limits) -> None:
    """If a child's clock cannot be read, SIGXCPU still shows a timeout."""
    children = Scripts(
        Script(HELLO, (frames.LOADED, {"task": 0, "failures": [], "absent": []}), ChildEnded(24, None, cpu_limit=True))
    )
    seen = observe(children, make_job(GOOD, "good"), quick)
    assert seen.observations == (TimedOut(6.0, "cpu"),)
    assert (seen.layers, seen.unsafe, seen.versions) == (("some",), True, (("torch", "2"),))


LOST = {"task": 0, "type": "OSError", "text": "4.669201", "bases": [], "file": "unit.py", "line": 1, "during": "import"}


@pytest.mark.parametrize("hidden", [False, True])
def test_after_hidden_inputs_a_file_that_fails_to_load_has_no_words(
    make_job: Callable[..., Job], quick: Limits, hidden: bool
) -> None:
    """A dead child may have left a hidden input somewhere, so the text of later import errors is dropped."""
    loaded: Frame = (frames.LOADED, {"task": 0, "failures": [], "absent": []})
    children = Scripts(Script(HELLO, loaded, ChildEnded(9, None)), Script(HELLO, (frames.RAISED, LOST)))
    programs = [Program("unit", (Call("good"),), (0,), group=str(at), hidden=hidden) for at in range(2)]
    died, other = observe(children, make_job(GOOD, *programs), quick).observations
    assert died == Died(9, None)
    assert other == (NotRun("load") if hidden else Raised("OSError", "4.669201", "unit.py", 1, "import"))


def test_a_cell_that_fails_after_hidden_inputs_is_no_reason(make_job: Callable[..., Job], quick: Limits) -> None:
    """The exception of a cell in a later child is not reported, only that the name is missing."""
    failing: Frame = (frames.LOADED, {"task": 0, "failures": [LOST], "absent": []})
    missing: Frame = (frames.UNREADABLE, {"task": 1, "reason": "undefined", "detail": ["good"]})
    job = make_job(GOOD, "good")
    assert raised("OSError")(observe(Scripts(Script(HELLO, failing, missing)), job, quick).observations[0])
    again = replace(job, usage=ResourceUsage(hidden=True))
    seen = observe(Scripts(Script(HELLO, failing, missing)), again, quick).observations
    assert seen == (Unreadable("undefined", ("good",)),)


def test_without_a_wall_three_deaths_are_enough(make_job: Callable[..., Job], quick: Limits) -> None:
    """Each plain process imports torch, so only three are tried."""
    loaded: Frame = (frames.LOADED, {"task": 0, "failures": [], "absent": []})
    children = Scripts(*(Script(HELLO, loaded, ChildEnded(11, None)) for _ in range(5)))
    seen = observe(children, make_job(GOOD, *["good"] * 5), replace(quick, fresh_children=40))
    assert seen.observations == (*[Died(11, None)] * 3, *[NotRun("children")] * 2)
    assert seen.usage is not None and seen.usage.deaths == 3


# ---------------------------------------------------------------------------------- on a busy machine

LOADED: Frame = (frames.LOADED, {"task": 0, "failures": [], "absent": []})
ANSWER: Frame = (frames.RETURNED, {"task": 1, "values": [42]})
KEPT_WAITING = Looks(wall=9.0, cpu=0.1, stuck=False)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ([KEPT_WAITING, KEPT_WAITING, HELLO, KEPT_WAITING, LOADED, KEPT_WAITING, KEPT_WAITING, ANSWER], FINE),
        ([HELLO, LOADED, KEPT_WAITING, Looks(wall=9.0, cpu=0.1)], TimedOut(5.0, "wall")),
        ([HELLO, LOADED, Looks(wall=4.9), ANSWER], FINE),
        ([HELLO, LOADED, Looks(wall=4.9), Looks(wall=0.2)], TimedOut(5.0, "wall")),
        ([HELLO, LOADED, KEPT_WAITING, Looks(wall=9.0, cpu=0.4, stuck=False), None], TimedOut(0.3, "cpu")),
        ([HELLO, LOADED, Looks(wall=9.0, stuck=5.0), ANSWER], FINE),
        ([HELLO, LOADED, Looks(wall=9.0, stuck=5.0), Looks(wall=1.5, stuck=5.0)], TimedOut(5.0, "wall")),
        ([HELLO, LOADED, (Looks(cpu=0.2), ANSWER)], FINE),
        ([HELLO, LOADED, (Looks(cpu=0.4), ANSWER)], TimedOut(0.3, "cpu")),
        ([HELLO, LOADED, (Looks(cpu=0.4), ChildEnded(None, 1))], TimedOut(0.3, "cpu")),
        ([HELLO, (Looks(cpu=0.5), LOADED)], TimedOut(0.4, "cpu", "import")),
    ],
    ids=[
        "waits",
        "sleeps at last",
        "in time",
        "sleeps",
        "loops",
        "waits for a disk",
        "pretends to",
        "early",
        "too late",
        "ends too late",
        "loads too late",
    ],
)
def test_the_machine_does_not_decide(
    make_job: Callable[..., Job], quick: Limits, script: Any, expected: Observation
) -> None:
    """Code that the machine keeps waiting is waited for; code that sleeps or computes too long is ended."""
    (seen,) = observe(Scripts(Script(*script)), make_job(GOOD, "good"), quick).observations
    assert seen == expected


class Confined(Scripts):
    """The same, as if they were confined: their programs are sent together."""

    unsafe = False


class Counting(Script):
    """A child that notes how many tasks each message has. No message comes before all answers to the one before."""

    def __init__(self, *script: Any) -> None:
        super().__init__(*script)
        self.handed: list[int] = []
        self._answered = 0

    def send(self, frame: bytes) -> None:
        """Notes it."""
        assert sum(self.handed) == self._answered
        self.handed.append(len(frames.unpack_tasks(frame[frames.HEADER.size :])))

    def receive(self, timeout: float, limit: int) -> Frame | None:
        """As in the script."""
        got = super().receive(timeout, limit)
        self._answered += got is not None and got[0] != frames.HELLO
        return got


def fine(task: int) -> Frame:
    """An answer to the task."""
    return frames.RETURNED, {"task": task, "values": [42]}


@pytest.mark.parametrize(
    ("children", "script", "handed"),
    [
        (Scripts, "load run run run run run", [1] * 6),
        (Confined, "load run run load run run load run", [1, 2, 1, 2, 1, 1]),
    ],
)
def test_what_is_sent_in_one_message(
    children: type[Scripts], script: str, handed: list[int], make_job: Callable[..., Job], quick: Limits
) -> None:
    """The public programs of a group, then its hidden ones, if the child's clock can be read; else each on its own.

    Nothing is computed while the last answer waits to be read, so the clock is right however late it is read.
    """
    programs = [
        Program("unit", (Call("good"),), (0,), group=group, hidden=hidden)
        for group, hidden in (("a", False), ("a", True), ("a", False), ("a", True), ("b", True))
    ]
    numbers = itertools.count()
    answers = [again(next(numbers)) if one == "load" else fine(next(numbers)) for one in script.split()]
    child = Counting(HELLO, *answers)
    seen = observe(children(child), make_job(GOOD, *programs), quick)
    assert seen.observations == (FINE,) * 5
    assert child.handed == handed


TOGETHER = Program("unit", (Call("good"),), (0,), group="g")


def again(task: int) -> Frame:
    """An answer to the question whether the child is still there."""
    return frames.LOADED, {"task": task, "failures": [], "absent": []}


OUT_OF_MEMORY = {"task": 2, "type": "MemoryError", "text": "", "bases": [], "file": None, "line": None}


@pytest.mark.parametrize(
    "second",
    [
        [(Looks(cpu=0.26), fine(2)), fine(3), again(4)],
        [(Looks(wall=1.1), fine(2)), fine(3), again(4)],
        [fine(2), (Looks(cpu=0.26), fine(3)), again(4)],
        [fine(2), fine(3), (Looks(cpu=0.26), again(4))],
        [fine(2), fine(3), ChildEnded(None, 0)],
        [fine(2), fine(3), fine(4)],
        [Looks(cpu=0.26)],
        [Looks(wall=1.1)],
        [ChildEnded(None, 0)],
        [ChildEnded(11, None)],
        [MalformedFrame("noise")],
        [OversizedFrame()],
        [fine(3)],
        [(frames.RAISED, OUT_OF_MEMORY)],
        [(frames.TOO_BIG, {"task": 2, "limit": 1})],
    ],
    ids=[
        *(
            "slow",
            "asleep",
            "slow at last",
            "busy after all",
            "exits after all",
            "not there",
            "endless",
            "endless sleep",
            "exits",
            "crashes",
            "noise",
            "too large",
        ),
        *("another task", "out of memory", "too big"),
    ],
)
def test_what_is_slow_or_ends_the_child_runs_one_at_a_time(
    second: list[Any], make_job: Callable[..., Job], quick: Limits
) -> None:
    """Nothing counts of programs that were sent together: no answer, no time, no bytes, no death."""
    job = make_job(GOOD, *[TOGETHER] * 3)
    first = Counting(HELLO, LOADED, fine(1), *second)
    other = Counting(HELLO, LOADED, fine(1), (Looks(cpu=0.2), fine(2)), Looks(cpu=0.4), ChildEnded(None, 3))
    alone = Script(HELLO, LOADED, fine(1), (Looks(cpu=0.2), fine(2)), Looks(cpu=0.4), ChildEnded(None, 3))
    seen = observe(Confined(first, other), job, quick)
    assert (first.handed[:2], other.handed) == ([1, 3], [1, 1, 1, 1])
    expected = observe(Scripts(alone), job, quick)
    assert expected.usage is not None
    assert seen == replace(expected, unsafe=False, usage=replace(expected.usage, slow=True))
    assert seen.observations == (FINE, FINE, TimedOut(0.3, "cpu"))


def test_what_a_slow_child_did_is_repeated(make_job: Callable[..., Job], quick: Limits) -> None:
    """Programs of other groups, too, one at a time: the next child gets every call that the first one got."""
    programs = [Program("unit", (Call("good"),), (0,), group=group) for group in "aabbcc"]
    first = Counting(HELLO, LOADED, (Looks(cpu=0.2), fine(1)), fine(2), again(3), ChildEnded(None, 0))
    other = Counting(HELLO, LOADED, *map(fine, range(1, 7)))
    seen = observe(Confined(first, other), make_job(GOOD, *programs), quick)
    assert seen.observations == (FINE,) * 6
    assert (first.handed, other.handed) == ([1, 2, 1, 2], [1] * 7)
    assert seen.usage is not None and seen.usage.slow
    assert seen.usage.cpu < 0.2


def test_a_later_job_of_a_slow_submission_is_never_repeated(make_job: Callable[..., Job], quick: Limits) -> None:
    """What is repeated is not charged, so it happens once."""
    job = replace(make_job(GOOD, *[TOGETHER] * 3), usage=ResourceUsage(slow=True))
    child = Counting(HELLO, LOADED, *map(fine, range(1, 4)))
    seen = observe(Confined(child), job, quick)
    assert child.handed == [1] * 4
    assert seen.usage is not None and seen.usage.slow


@pytest.mark.parametrize("used", [Looks(cpu=0.06), Looks(wall=0.06)])
def test_only_so_much_can_be_repeated(
    used: Looks, make_job: Callable[..., Job], quick: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child that has used more than this gets one program at a time."""
    monkeypatch.setattr(launch, "_REPEATED", launch._Clock(0.05, 0.05))
    programs = [Program("unit", (Call("good"),), (0,), group=group) for group in "aabb"]
    child = Counting(HELLO, LOADED, (used, fine(1)), fine(2), again(3), fine(4), fine(5))
    observe(Confined(child), make_job(GOOD, *programs), quick)
    assert child.handed == [1, 2, 1, 1, 1]


def test_no_limit_is_reached_together(make_job: Callable[..., Job], quick: Limits) -> None:
    """Near a limit of the group or of the submission, that limit counts, and one call at a time is told of it."""
    job = make_job(GOOD, *[TOGETHER] * 2)
    for limits in (replace(quick, group_cpu=0.1), replace(quick, total_cpu=0.1)):
        script = [HELLO, LOADED, fine(1), (Looks(cpu=0.11), fine(2))]
        seen = observe(Confined(Script(*script, again(3)), Script(*script)), job, limits)
        assert seen.observations == (FINE, TimedOut(0.1, "cpu"))


def test_code_that_ends_its_child_has_the_results_that_it_has_alone(sandbox: Sandbox, quick: Limits) -> None:
    """In the real sandbox, an exit and an endless loop among good calls are what happens in these calls alone."""
    text = "import os\ndef exits(): os._exit(3)\ndef endless():\n    while True: pass\ndef good(): return 42"
    file = SourceFile("unit.py", "unit", (Part("unit.py", text),))
    names = ["good", "good", "exits", "good", "endless", "good"]
    programs = tuple(Program("unit", (Call(name),), (0,), group="g") for name in names)
    seen = sandbox.observe(Job((file,), programs), replace(quick, group_cpu=0.1))
    assert seen.observations == (FINE, FINE, Died(None, 3), FINE, TimedOut(0.1, "cpu"), NotRun("group"))
    assert seen.usage is not None and seen.usage.deaths == 2


def test_code_that_keeps_something_sees_every_call(sandbox: Sandbox, quick: Limits) -> None:
    """What a function returns that counts its calls does not depend on whether some of them were slow."""
    text = (
        "import time\nCALLS = []\n"
        "def count(seconds=0.0):\n"
        "    CALLS.append(0)\n"
        "    end = time.process_time() + seconds\n"
        "    while time.process_time() < end: pass\n"
        "    return len(CALLS)\n"
    )
    file = SourceFile("unit.py", "unit", (Part("unit.py", text),))

    def counted(slow: float) -> tuple[Observation, ...]:
        calls = [("a", ()), ("a", ()), ("b", ()), ("b", (slow,)), ("c", ()), ("c", ())]
        programs = tuple(Program("unit", (Call("count", args),), (0,), group=group) for group, args in calls)
        return sandbox.observe(Job((file,), programs), replace(quick, group_cpu=2.0)).observations

    assert counted(0.3) == counted(0.0) == tuple(Returned((n,)) for n in range(1, 7))


def test_steps_are_packed_once() -> None:
    """Equal steps of another program are packed again, the same ones are not; the oldest are dropped first."""
    packer = StepsPacker(most=300)
    steps = [(Call("good", (at,)),) for at in range(20)]
    first = packer.pack(steps[0])
    assert packer.pack(steps[0]) is first
    assert packer.pack((Call("good", (0,)),)) == first
    for each in steps[1:]:
        packer.pack(each)
    assert packer.pack(steps[19]) is packer.pack(steps[19])
    assert packer.pack(steps[0]) is not first
    assert packer.pack(steps[0]) == first


# -------------------------------------------------------------------------------------- wire and model


@pytest.mark.parametrize(
    "value",
    [
        Array(np.arange(6.0).reshape(2, 3), "torch", dtype="float64"),
        Array(np.array(2.5, "f4"), "scalar", dtype="float32"),
        Array(np.array([1.5, -2.0], "f4"), "torch", dtype="bfloat16"),
        Array(np.array([True]), "numpy", dtype="bool"),
    ],
)
def test_observed_values_can_be_stored_and_read(value: Array) -> None:
    """Values survive encoding and decoding, containers included."""
    nested = [value, (1, {"a": value})]
    one, (_, mapping) = decode_value(frames.decode(frames.encode(encode_value(nested))))
    for got in (one, mapping["a"]):
        assert (got.container, got.dtype, got.values.dtype) == (value.container, value.dtype, value.values.dtype)
        assert np.array_equal(got.values, value.values)


def test_half_floats_arrive_as_their_numbers(look: Look) -> None:
    """bfloat16 values arrive as float32 with the dtype's name."""
    (seen,) = look("import torch\ndef f(): return torch.tensor([1.5, -3.0], dtype=torch.bfloat16)", "f")
    assert isinstance(seen, Returned)
    (got,) = seen.values
    assert (got.dtype, got.container, got.values.tolist()) == ("bfloat16", "torch", [1.5, -3.0])


def test_nothing_to_do_needs_no_child(make_job: Callable[..., Job], quick: Limits) -> None:
    """A job without programs starts no child."""
    assert observe(Scripts(), make_job(GOOD), quick).observations == ()


def test_what_is_absent_is_told_by_the_submissions_own_words_alone() -> None:
    """A module is reported absent only if the named line mentions it, and only before any child had inputs."""
    said = [["tqdm", "q.py", 2], ["other", "q.py", 2], ["a b", "q.py", 1], ["tqdm", "q.py", 9], ["tqdm", "p.py", 1]]
    said += [["numpy.nothing", "q.py", 1], ["x", 1, True], ["import", "q.py", None]]
    first = Script(HELLO, (frames.LOADED, {"task": 0, "failures": [], "absent": said}), ChildEnded(9, None))
    late = (frames.LOADED, {"task": 0, "failures": [], "absent": [["a", "q.py", 1]]})
    second = Script(HELLO, late, (frames.RETURNED, {"task": 1, "values": [1]}))
    file = SourceFile("q.py", "q", (Part("q.py", "import a, numpy.nothing\nfrom tqdm import tqdm"),))
    programs = tuple(Program("q", (Value(1),), (0,)) for _ in range(2))
    seen = observe(Scripts(first, second), Job((file,), programs), Limits())
    assert seen.observations == (Died(9, None), Returned((1,)))
    assert seen.absent == (MissingModule("tqdm", "q.py", 2), MissingModule("numpy.nothing", "q.py", 1))


@pytest.mark.parametrize("said", [None, 1, ["tqdm"], [["tqdm", "q.py"]], [[1, "q.py", 1]], {"tqdm": 1}])
def test_a_list_of_absent_modules_that_is_none(said: Any) -> None:
    """A malformed list is treated like any malformed frame."""
    child = Script(HELLO, (frames.LOADED, {"task": 0, "failures": [], "absent": said}))
    job = Job((SourceFile("q.py", "q", (Part("q.py", "import tqdm"),)),), (Program("q", (Value(1),), (0,)),))
    assert observe(Scripts(child), job, Limits()).observations == (Unreadable("protocol"),)
