from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.core.errors import CourseError
from grader.core.model import ArrayType, CheckSpec, Edit, Literal_, Misconception, Mistake, Normal, Returned, Status
from grader.grading.checks import operations
from grader.grading.grade import grade
from grader.grading.inputs import Seed, draw
from grader.grading.programs import Target
from grader.sandbox import Sandbox
from tests.attention import edit
from tests.helpers import PATIENT, WORDS, case, course, exercise, question, returned, seen, submission, verdicts

CODE: dict[str, str] = yaml.safe_load(Path(__file__).with_name("operations.yaml").read_text("utf-8"))
SIZES = CheckSpec("operations", 1.0, (), (("of", "n"), ("at", [128, 256]), ("growth", "linear")))
INPUTS = replace(case(q=Normal(("n", 4)), k=Normal(("n", 4)), v=Normal(("n", 4))), draw=(("n", (128,)),))
ROWS = replace(case(x=Normal((1, "n", 4))), construct=(("d", Literal_(4)),), draw=(("n", (128,)),))
EXERCISES = (
    exercise("attend(q, k, v)", INPUTS, checks=(SIZES,)),
    exercise("Layer(d)", ROWS, forward="forward(x)", checks=(SIZES,)),
    exercise("every(q, k)", replace(INPUTS, args=INPUTS.args[:2]), checks=(
        replace(SIZES, options=(*SIZES.options[:2], ("growth", "quadratic"))),
    )),
)  # fmt: skip
#: Products in the other order, running sums, a recurrence; in functions and classes.
PASSES = [
    ("keys and values first", CODE["linear"]),
    ("running sums", CODE["sums"]),
    ("a recurrence", CODE["steps"]),
    ("a module", CODE["layer"]),
    ("without gradients", edit(CODE["linear"], ("def attend", "@torch.inference_mode()\ndef attend"))),
    ("all pairs where they belong", "import torch\ndef every(q, k): return q @ k.T"),
]
PAIRS, ANEW = "torch.softmax(q @ k.T, -1) @ v", CODE["anew"]
MUCH, LITTLE = "more than linear in n; expected linear", "linear in n; expected quadratic"
UNSEEN = "could not be counted"
#: Whichever way it is written, the library's included.
CAUGHT = [
    ("all pairs", CODE["plain"], MUCH),
    ("all pairs of features", edit(CODE["linear"], ("q @ (k.T @ v)", "(q @ k.T) @ v")), MUCH),
    ("all pairs without gradients", edit(CODE["plain"], ("def attend", "@torch.inference_mode()\ndef attend")), MUCH),
    (
        "query by query",
        edit(
            CODE["plain"],
            (
                "return torch.softmax(q @ k.T, -1) @ v",
                "return torch.stack([torch.softmax(k @ row, -1) @ v for row in q])",
            ),
        ),
        MUCH,
    ),
    (
        "the past anew in each step",
        edit(CODE["steps"], ("state + torch.outer(k[t].exp(), v[t])", "k[: t + 1].exp().T @ v[: t + 1]")),
        MUCH,
    ),
    (
        "a copy in each step",
        edit(CODE["steps"], ("    state = state", "    output = output.clone()\n        state = state")),
        MUCH,
    ),
    (
        "the library",
        edit(
            CODE["plain"],
            (
                "torch.softmax(q @ k.T, -1) @ v",
                "torch.nn.functional.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None])",
            ),
        ),
        MUCH,
    ),
    ("all pairs, then NumPy", edit(CODE["plain"], (" @ v", ".numpy() @ v.numpy()")), MUCH),
    (
        "a module with attention",
        edit(
            CODE["layer"],
            ("nn.Linear(d, d)", "nn.MultiheadAttention(d, 2, batch_first=True)"),
            ("self.inner(x)", "self.inner(x, x, x)[0]"),
        ),
        MUCH,
    ),
    ("one row of all pairs", "import torch\ndef every(q, k): return q @ k[0]", LITTLE),
    (
        "an exception in a large case",
        edit(CODE["plain"], ("    return", "    assert len(q) < 200\n    return")),
        "AssertionError",
    ),
]
#: Linear work outside torch, and quadratic work.
ELSEWHERE = [
    ("NumPy inside", edit(CODE["plain"], (PAIRS, "torch.from_numpy(q.numpy() @ (k.numpy().T @ v.numpy()))"))),
    ("NumPy alone", "def attend(q, k, v): return q @ (k.T @ v)"),
    ("NumPy, its own copies", ("""
import numpy as np

def attend(q, k, v):
    q, k, v = np.asarray(q), np.array(k), np.array(v.tolist())
    return np.einsum("id,de->ie", q, np.einsum("jd,je->de", k, v))
""")),
    ("NumPy step by step", """
import numpy as np

def attend(q, k, v):
    state, output = np.zeros((k.shape[1], v.shape[1])), np.empty(v.shape)
    for t in range(len(q)):
        state = state + np.outer(np.asarray(k)[t], np.asarray(v)[t])
        output[t] = np.asarray(q)[t] @ state
    return output
"""),
    ("lists", edit(CODE["lists"], ("SUM", "[[dot(row, column) for column in zip(*v[:4])] for row in q]"))),
    ("in a thread", edit(CODE["thread"], ("WORK", "q @ (k.T @ v)"))),
    ("NumPy in place, one query", """
import numpy as np

def attend(q, k, v):
    scores = np.asarray(q)[-1] @ np.asarray(k).T
    np.exp(scores, out=scores)
    scores /= scores.sum()
    return scores @ np.asarray(v)
"""),
]  # fmt: skip
IN_NUMPY = "torch.from_numpy((q.numpy() @ k.numpy().T) @ v.numpy())"
TRILINEAR = "import torch\ndef attend(q, k, v): return torch._trilinear(q, k, v, [1, 3], [0, 3], [0, 2], [1, 2])"
HIDDEN = [
    ("NumPy, by the inner part of einsum", CODE["inner"], MUCH),
    ("an operation of its own in torch", CODE["own-operation"], UNSEEN),
    ("a tensor that computes by itself", CODE["own-tensor"], MUCH),
    ("sums of products anew", edit(ANEW, ("STATE", "empty.addbmm(k[: t + 1, :, None], v[: t + 1, None])")), MUCH),
    ("products with a bias anew", edit(ANEW, ("STATE", "torch._addmm_activation(empty, k[:t].T, v[:t])")), MUCH),
    ("lists of tensors in place", CODE["in-place"], MUCH),
    ("three factors at once", TRILINEAR, MUCH),
    ("NumPy and all pairs", "def attend(q, k, v): return q @ k.T @ v", MUCH),
    ("NumPy inside and all pairs", edit(CODE["plain"], (PAIRS, IN_NUMPY)), MUCH),
    ("NumPy, row by row", CODE["rows-of-pairs"], MUCH),
    ("NumPy, without an array of all pairs", CODE["products"], MUCH),
    ("NumPy, sums of products anew", CODE["sums-anew"], MUCH),
    ("lists of all pairs", edit(CODE["lists"], ("SUM", "[[dot(a, b) for b in k] for a in q]")), MUCH),
    ("all pairs in a thread", edit(CODE["thread"], ("WORK", PAIRS)), MUCH),
    ("all pairs in a thread, in NumPy", edit(CODE["thread"], ("WORK", IN_NUMPY)), MUCH),
    ("all pairs in a pool", CODE["pool"], MUCH),
    ("all pairs in a thread of the lowest level", CODE["raw"], MUCH),
    ("no work at all", "def attend(q, k, v): return q", UNSEEN),
    ("between linear and quadratic", edit(CODE["plain"], (PAIRS, "torch.ones(int(len(q) ** 1.5))")), MUCH),
]


@pytest.mark.parametrize("array_type", ["torch", "numpy"])
def test_work_outside_torch_counts_as_well(sandbox: Sandbox, array_type: ArrayType) -> None:
    """NumPy, lists and threads: linear work passes, quadratic work fails, and what is not seen earns nothing."""
    rows = [(name, text) for name, text in ELSEWHERE if array_type == "torch" or "tor" not in text]
    found = verdicts(sandbox.observe, "operations", EXERCISES, "", rows, array_type=array_type)
    assert found.keys() == {name for name, _ in rows}
    assert {name: verdict.message for name, verdict in found.items() if verdict.status is not Status.PASSED} == {}
    rows = [(name, text) for name, text, _ in HIDDEN if array_type == "torch" or "tor" not in text]
    words = {name: said for name, _, said in HIDDEN}
    found = verdicts(sandbox.observe, "operations", EXERCISES, "", rows, array_type=array_type)
    for name, verdict in found.items():
        assert (verdict.status, verdict.applies) == (Status.FAILED, True), name
        assert verdict.message is not None and words[name] in verdict.message.en, (name, verdict.message)


def test_a_thread_that_was_there_earns_nothing(sandbox: Sandbox) -> None:
    """It cannot be counted, whatever it does."""
    found = verdicts(sandbox.observe, "operations", EXERCISES, "", [("earlier", CODE["earlier"])])["earlier"]
    assert (found.status, found.applies) == (Status.FAILED, True)
    assert found.message is not None and UNSEEN in found.message.en


def test_torch_behind_numpy_arguments_is_counted(sandbox: Sandbox) -> None:
    """The second try with NumPy arrays is no way out for quadratic torch code."""
    rows = [
        ("quadratic", edit(CODE["plain"], ("    return", "    q, k, v = map(torch.as_tensor, (q, k, v))\n    return"))),
        ("linear", edit(CODE["linear"], ("    q, k =", "    q, k, v = map(torch.as_tensor, (q, k, v))\n    q, k ="))),
    ]
    found = verdicts(sandbox.observe, "operations", EXERCISES, "", rows, array_type="numpy")
    assert {name: verdict.status for name, verdict in found.items()} == {
        "quadratic": Status.FAILED,
        "linear": Status.PASSED,
    }


def counts(work: Any, exits: Any = False) -> Returned:
    """What a program of this check returns."""
    return returned({"work": work, "largest": 1, "elsewhere": 0, "exits": exits, "unseen": exits})


@pytest.mark.parametrize(
    ("factor", "growth"), [(2.0, "linear"), (2.59, "linear"), (2.61, "quadratic"), (4.0, "quadratic")]
)
def test_the_bounds(factor: float, growth: str) -> None:
    """Below 2.6 times the work for twice the size is linear, above it quadratic; mistakes are known by no more."""
    got = (counts(1000), counts(int(1000 * factor)))
    assert operations.signature(got, seen("operations", []).drawn, SIZES) == (returned(growth),)


@pytest.mark.parametrize(
    "forged",
    [counts(-5), counts("much"), counts(True), counts(1000, True), counts(1000, 0), returned(None), returned({})],
)
def test_forged_counts_earn_nothing(forged: Returned) -> None:
    """Numbers come from the child, where they can be changed."""
    verdict = operations.judge(seen("operations", [forged, forged], of=EXERCISES[0], spec=SIZES))
    assert (verdict.status, verdict.applies) == (Status.FAILED, True)


@pytest.mark.parametrize("options", [(), (("of", "n"), ("at", [1, 2]), ("growth", "cubic"))])
def test_options_are_needed(options: tuple[tuple[str, Any], ...]) -> None:
    """A mistake of the bank."""
    with pytest.raises(CourseError, match="attend, check operations: expected options such as"):
        drawn = draw(INPUTS, "attend", Seed.public())
        operations.calls(Target(EXERCISES[0], "q"), drawn, CheckSpec("operations", 1.0, (), options))


def test_a_mistake_that_costs_nothing_but_work_is_named(sandbox: Sandbox) -> None:
    """By its growth: the learner's numbers are not those of the mistake."""
    order = Mistake("order", (Edit("attend", "q @ (k.T @ v)", "(q @ k.T) @ v"),), ("operations",))
    small = case("small", q=Normal((3, 4)), k=Normal((3, 4)), v=Normal((3, 4)))
    large = replace(INPUTS, name="large", only=("operations",))
    checked = (CheckSpec("values", 4.0), SIZES)
    one = exercise("attend(q, k, v)", small, large, checks=checked, mistakes=(order,))
    bank = course(question("Q1", one, misconceptions=(Misconception("order", WORDS),)), reference=CODE["linear"])
    quadratic = edit(CODE["linear"], ("q @ (k.T @ v)", "torch.stack([torch.mv(k, row) @ v for row in q])"))
    for text, status, name in ((CODE["linear"], Status.PASSED, None), (quadratic, Status.FAILED, "order")):
        report = grade(bank, submission(q01=text), sandbox.observe, limits=PATIENT)
        result = report.questions[0].exercises[0]
        assert (result.status, result.misconception) == (status, name)
