"""The child's loop, run in this process over two pipes."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.sandbox.inside import frames, serve
from grader.sandbox.inside.frames import Block, StepRef

Serving = Callable[..., list[tuple[int, Any]]]


def run(
    module: str, *steps: list[Any], send: list[int] | None = None, kind: str = "torch", limit: int = 1 << 20
) -> Any:
    """A task that runs ``steps`` and sends the last one's result, unless told otherwise."""
    return ["run", module, kind, 0, list(steps), [len(steps) - 1] if send is None else send, limit]


def call(name: str | StepRef, *args: Any, **kwargs: Any) -> list[Any]:
    """A step that calls a name of the submission."""
    return ["call", name, list(args), kwargs]


def test_tasks_are_answered_in_their_order(serving: Serving) -> None:
    """One frame for each task, numbered, each after the one before."""
    answers = serving(
        {"unit_a": "def f(x): return x + 1"},
        ["load", "unit_a"],
        run("unit_a", call("f", 1)),
        run("unit_a", call("f", 2.5)),
    )
    assert answers == [
        (frames.LOADED, {"task": 0, "failures": [], "absent": []}),
        (frames.RETURNED, {"task": 1, "values": [2]}),
        (frames.RETURNED, {"task": 2, "values": [3.5]}),
    ]


def test_only_the_steps_that_are_asked_for_are_sent(serving: Serving) -> None:
    """Instances stay in the child; their methods can be called by reference."""
    source = (
        "class Counter:\n    def __init__(self): self.n = 0\n    def __call__(self, by): self.n += by; return self.n"
    )
    answers = serving(
        {"unit_b": source},
        run("unit_b", call("Counter"), call(StepRef(0), 2), ["apply", "forward", [StepRef(0), 3], {}], send=[2, 1]),
    )
    assert answers == [(frames.RETURNED, {"task": 0, "values": [5, 2]})]


def test_the_same_array_can_be_given_twice(serving: Serving) -> None:
    """A value step makes one object, to which every argument may refer."""
    answers = serving(
        {"unit_c": "def f(a, b=None): return [a is b[0], a.tolist()]"},
        run("unit_c", ["value", Block(np.array([1.0, 2.0]))], call("f", StepRef(0), b=[StepRef(0)])),
    )
    assert answers == [(frames.RETURNED, {"task": 0, "values": [[True, [1.0, 2.0]]]})]


def test_arguments_of_every_kind_arrive(serving: Serving) -> None:
    """Lists, tuples and dicts keep their kind, with arrays of the submission's type inside."""
    source = (
        "def f(*args, **kwargs): return str([type(a).__name__ for a in args]) + str(kwargs) + type(args[1][0]).__name__"
    )
    for kind, name in (("torch", "Tensor"), ("numpy", "ndarray")):
        answers = serving(
            {"unit_d": source},
            run("unit_d", call("f", [1], (Block(np.zeros(2)), 2), {"a": 1}, None, "s", key=True), kind=kind),
        )
        said = "['list', 'tuple', 'dict', 'NoneType', 'str']{'key': True}" + name
        assert answers == [(frames.RETURNED, {"task": 0, "values": [said]})]


@pytest.mark.parametrize(
    ("body", "kind", "fields"),
    [
        ("raise ValueError('no')", frames.RAISED, {"type": "ValueError", "text": "no", "line": 2}),
        ("raise SystemExit(3)", frames.RAISED, {"type": "SystemExit", "text": "3"}),
        ("raise KeyboardInterrupt", frames.RAISED, {"type": "KeyboardInterrupt"}),
        ("raise GeneratorExit", frames.RAISED, {"type": "GeneratorExit"}),
        ("return f", frames.UNREADABLE, {"reason": "type", "detail": ["function"]}),
        ("return {1: 2}", frames.UNREADABLE, {"reason": "keys"}),
        ("return [0] * 100_000", frames.TOO_BIG, {"limit": 1 << 20}),
        ("return 'x' * (1 << 21)", frames.TOO_BIG, {"limit": 1 << 20}),
        ("return {'x' * (1 << 21): 0}", frames.TOO_BIG, {"limit": 1 << 20}),
    ],
)
def test_what_a_call_does_becomes_one_frame(serving: Serving, body: str, kind: int, fields: dict[str, Any]) -> None:
    """Exceptions of every kind and results that cannot travel are answers like any other; the next task is run."""
    answers = serving(
        {"unit_e": f"def f():\n    {body}\ndef g(): return 1"}, run("unit_e", call("f")), run("unit_e", call("g"))
    )
    assert answers[0][0] == kind
    assert fields.items() <= answers[0][1].items()
    assert answers[1:] == [(frames.RETURNED, {"task": 1, "values": [1]})]


def test_a_file_that_fails_answers_its_programs_with_the_failure(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The load itself is answered; each program is told why it was not run, and the file is not run again."""
    monkeypatch.setattr(itertools, "runs", [], raising=False)
    answers = serving(
        {"unit_f": "import itertools\nitertools.runs.append(1)\nraise OSError(str(len(itertools.runs)))"},
        ["load", "unit_f"],
        run("unit_f", call("f")),
        run("unit_f", call("f")),
    )
    assert len(answers) == 3
    for task, (kind, value) in enumerate(answers):
        assert kind == frames.RAISED
        assert value["task"] == task
        assert (value["type"], value["text"], value["line"]) == ("OSError", "1", 3)


def test_a_name_that_is_gone_is_named(serving: Serving) -> None:
    """A file that deletes its function again is told which name is missing, and nothing is called."""
    answers = serving({"unit_g": "def f(): pass\ndel f"}, run("unit_g", call("f"), call("g", StepRef(0))))
    assert answers == [(frames.UNREADABLE, {"task": 0, "reason": "undefined", "detail": ["f", "g"]})]


MISUSED: dict[str, tuple[str, str, list[Any], tuple[str, list[str]] | None]] = {
    "a number": ("f", "def f(x): return x\nf = 3", [], ("not-callable", ["f", "int", "unit_m.py", "2"])),
    "nothing": ("f", "f = None", ["ready"], ("not-callable", ["f", "NoneType", "unit_m.py", "1"])),
    "a class": ("f", "class f:\n    def __init__(self, x): pass", [], ("class", ["f", "unit_m.py", "1"])),
    "a class of other arguments": ("f", "\nclass f:\n    pass", [], ("class", ["f", "unit_m.py", "2"])),
    "a module": ("f", "import torch\nclass f(torch.nn.Module):\n    pass", [], ("class", ["f", "unit_m.py", "2"])),
    "a class that breaks": ("f", "class f:\n    def __init__(s, x): x.y", [], ("class", ["f", "unit_m.py", "1"])),
    "a function of other arguments": (
        "A",
        "def A(q, k, v): return q",
        ["ready"],
        ("function", ["A", "unit_m.py", "1"]),
    ),
    "a function that runs": ("A", "def A(q): return 1", ["ready"], ("function", ["A", "unit_m.py", "1"])),
    "a function that breaks": ("A", "def A(q): return q.shape", ["ready"], ("function", ["A", "unit_m.py", "1"])),
    "no method": ("A", "class A:\n    def __init__(s, x): pass", ["ready"], ("no-forward", ["A"])),
    "a function": ("f", "def f(x): return x", [], None),
    "a class that is called like a function": ("f", "class f:\n    def __new__(cls, x): return x", [], None),
    "an object that can be called": ("f", "class F:\n    def __call__(self, x): return x\nf = F()", [], None),
    "a partial function": ("f", "import functools\nf = functools.partial(pow, 2)", [], None),
    "a class that can be called": ("A", "class A:\n  def __init__(s, n): pass\n  __call__ = pow", ["ready"], None),
    "a function that makes an object": ("A", "class B:\n  forward = 1\ndef A(n): return B()", ["ready"], None),
}


@pytest.mark.parametrize("name", MISUSED)
def test_what_is_not_of_the_kind_that_is_asked_for_is_told(serving: Serving, name: str) -> None:
    """A class instead of a function, the reverse, and what cannot be called; whatever works stays as it is."""
    called, text, helpers, found = MISUSED[name]
    steps = [call(called, 3), *(["apply", helper, [StepRef(0)], {}] for helper in helpers)]
    ((kind, value),) = serving({"unit_m": text}, run("unit_m", *steps, send=[] if helpers else [0]))
    if found is None:
        assert kind == frames.RETURNED
    else:
        assert (kind, value["reason"], value["detail"]) == (frames.UNREADABLE, *found)


def test_a_mistake_inside_a_class_or_its_factory_is_told_as_such(serving: Serving) -> None:
    """Once the object is made, an exception is an exception; and what raises ValueError may be meant to."""
    text = "class B:\n    def forward(self, x): return x.y\ndef A(n): return B()\ndef V(n): raise ValueError\n"
    steps = (call("A", 3), ["apply", "ready", [StepRef(0)], {}], ["apply", "forward", [StepRef(1), 1], {}])
    ((kind, value), (other, raised)) = serving(
        {"unit_n": text}, run("unit_n", *steps), run("unit_n", call("V", 3), ["apply", "ready", [StepRef(0)], {}])
    )
    assert (kind, value["type"], value["line"]) == (frames.RAISED, "AttributeError", 2)
    assert (other, raised["type"]) == (frames.RAISED, "ValueError")


def test_a_cell_that_failed_is_told_with_the_load(serving: Serving) -> None:
    """In a notebook, what the other cells define is there; the first failing cell is told when it is loaded."""
    cells = [
        ["book cell 1", "from json import nowhere_at_all"],
        ["book cell 2", "def f(): return 7"],
        ["book cell 3", "1 / 0"],
    ]
    answers = serving({"unit_h": cells}, ["load", "unit_h"], run("unit_h", call("f")), run("unit_h", call("g")))
    kind, value = answers[0]
    assert kind == frames.LOADED
    (failure,) = value["failures"]
    assert (failure["type"], failure["file"]) == ("ImportError", "book cell 1")
    assert answers[1] == (frames.RETURNED, {"task": 1, "values": [7]})
    assert answers[2] == (frames.UNREADABLE, {"task": 2, "reason": "undefined", "detail": ["g"]})


def test_something_else_than_what_is_expected_is_refused() -> None:
    """A frame of another kind on the job's pipe is no job; the end of the pipe is no frame."""
    read, write = os.pipe()
    os.write(write, frames.frame(frames.HELLO, {}))
    os.close(write)
    with pytest.raises(frames.FrameError, match="a frame of kind"):
        serve.read_frame(read, frames.JOB)
    assert serve.read_frame(read, frames.TASKS) is None
    os.close(read)


def test_reading_stops_at_the_end_of_the_pipe() -> None:
    """Fewer bytes than announced are returned as they are."""
    read, write = os.pipe()
    os.write(write, b"abc")
    os.close(write)
    assert serve.read_exactly(read, 2) == b"ab"
    assert serve.read_exactly(read, 9) == b"c"
    os.close(read)


def test_the_warm_up_leaves_nothing_behind() -> None:
    """The zygote's rehearsal runs through, without a word."""
    serve.warm_up()


def test_versions_are_those_of_this_process() -> None:
    """What the report says about versions is what the code runs on."""
    assert serve.versions()["numpy"] == np.__version__
    assert set(serve.versions()) == {"python", "numpy", "torch"}
