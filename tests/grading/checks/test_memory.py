from __future__ import annotations

from typing import Any

import pytest

from grader.core.errors import CourseError
from grader.core.model import Case, CheckSpec, Literal_, Normal, Returned, Status
from grader.grading.checks import memory
from grader.grading.inputs import Seed, draw
from grader.grading.programs import Target
from grader.sandbox import Sandbox
from tests.attention import edit
from tests.helpers import case, exercise, returned, seen, verdicts

TORCH = """
import torch

def attend(q, k, v, block_size):
    rows = []
    for tile in q.split(block_size):
        top = torch.full((len(tile), 1), -torch.inf)
        total, sums = torch.zeros_like(top), torch.zeros(len(tile), v.shape[-1])
        for keys, values in zip(k.split(block_size), v.split(block_size)):
            scores = tile @ keys.T / q.shape[-1] ** 0.5
            higher = torch.maximum(top, scores.amax(-1, keepdim=True))
            weights, shrink = torch.exp(scores - higher), torch.exp(top - higher)
            total, sums, top = total * shrink + weights.sum(-1, keepdim=True), sums * shrink + weights @ values, higher
        rows.append(sums / total)
    return torch.cat(rows)
"""
BEGIN = "    rows = []\n"
NUMPY = """
import numpy as np

def attend(q, k, v, block_size):
    top = np.full((len(q), 1), -np.inf)
    total, sums = np.zeros((len(q), 1)), np.zeros((len(q), v.shape[-1]))
    for at in range(0, len(k), block_size):
        scores = q @ k[at : at + block_size].T / q.shape[-1] ** 0.5
        higher = np.maximum(top, scores.max(-1, keepdims=True))
        weights, shrink = np.exp(scores - higher), np.exp(top - higher)
        total = total * shrink + weights.sum(-1, keepdims=True)
        sums, top = sums * shrink + weights @ v[at : at + block_size], higher
    return sums / total
"""
PLAIN = """
import torch

def attend(q, k, v, block_size):
    scores = q @ k.T / q.shape[-1] ** 0.5
    return torch.softmax(scores, -1) @ v
"""
ARRAYS = """
import numpy as np

def attend(q, k, v, block_size):
    weights = np.exp(q @ k.T)
    return weights @ v / weights.sum(-1, keepdims=True)
"""
INPUTS = case(q=Normal((256, 4)), k=Normal((320, 4)), v=Normal((320, 4)), block_size=Literal_(16))
EXERCISES = (exercise("attend(q, k, v, block_size)", INPUTS, returns="attention"),)
#: Tiles of queries, keys or both, of any size; views and long outputs are fine.
PASSES = [
    ("tiles", TORCH),
    ("tiles in NumPy", NUMPY),
    (
        "rows alone",
        edit(
            PLAIN,
            ("    scores = q @ k.T / q.shape[-1] ** 0.5\n", ""),
            ("torch.softmax(scores, -1) @ v", "torch.cat([torch.softmax(row[None] @ k.T, -1) @ v for row in q])"),
        ),
    ),
    ("a large view", edit(TORCH, (BEGIN, "    q.new_zeros(1).expand(len(q), len(k))\n" + BEGIN))),
    (
        "something large at first",
        edit(TORCH, (BEGIN, "    attend.__dict__ or setattr(attend, 'a', [0] * 10**6)\n" + BEGIN)),
    ),
]
ARRAY, PEAK = "times as many elements as the n_q", "times the memory of the n_q"
#: As a tensor, as a NumPy array, as booleans, for a moment only.
CAUGHT = [
    ("all scores", PLAIN, ARRAY),
    ("all scores without gradients", edit(PLAIN, ("def attend", "@torch.inference_mode()\ndef attend")), ARRAY),
    ("a mask of booleans", edit(TORCH, (BEGIN, "    torch.ones(len(q), len(k)).bool()\n" + BEGIN)), ARRAY),
    ("tiles put together", edit(TORCH, ("rows.append(sums / total)", "rows.append(tile @ k.T)")), ARRAY),
    ("tiles written into it", edit(TORCH, (BEGIN, "    torch.empty(0).resize_(len(q), len(k))\n" + BEGIN)), ARRAY),
    (
        "the library",
        "import torch\ndef attend(q, k, v, block_size):\n  q, k, v = q[None, None], k[None, None], v[None, None]\n"
        "  return torch.nn.functional.scaled_dot_product_attention(q, k, v)[0, 0]",
        ARRAY,
    ),
    ("all scores in NumPy", ARRAYS, PEAK),
    ("all scores in NumPy for torch", edit(PLAIN, ("q @ k.T", "torch.tensor((q.numpy() @ k.numpy().T)[:1])")), PEAK),
    ("lists for torch", edit(TORCH, (BEGIN, "    a = [float(i) for i in range(len(q) * len(k))]\n" + BEGIN)), PEAK),
    (
        "all scores in a thread",
        edit(
            PLAIN,
            ("import torch", "import torch\nfrom concurrent.futures import ThreadPoolExecutor\n"),
            (
                "    scores = q @ k.T / q.shape[-1] ** 0.5\n    return torch.softmax(scores, -1) @ v",
                "    with ThreadPoolExecutor() as pool:\n"
                "        return pool.submit(lambda: torch.softmax(q @ k.T / 2, -1) @ v).result()",
            ),
        ),
        ARRAY,
    ),
    (
        "all scores in NumPy, remembered",
        edit(
            ARRAYS,
            ("def attend", "known = {}\n\ndef attend"),
            ("    weights =", "    if q.tobytes() in known:\n        return known[q.tobytes()]\n    weights ="),
            ("return weights @", "known[q.tobytes()] = weights @"),
            ("keepdims=True)\n", "keepdims=True)\n    return known[q.tobytes()]\n"),
        ),
        PEAK,
    ),
    ("an exception", edit(NUMPY, ("    top =", "    top = x\n    top =")), "NameError"),
]


def test_a_thread_that_goes_on_earns_nothing(sandbox: Sandbox) -> None:
    """Its arrays may come later."""
    row = edit(
        TORCH,
        ("import torch", "import threading\nimport torch"),
        (BEGIN, "    threading.Thread(target=threading.Event().wait, daemon=True).start()\n" + BEGIN),
    )
    found = verdicts(sandbox.observe, "memory", EXERCISES, "", [("goes on", row)])["goes on"]
    assert (found.status, found.applies) == (Status.FAILED, True), found.message
    assert found.message is not None and "could not be seen" in found.message.en


def test_forged_counts_prove_nothing() -> None:
    """What was tampered with counts as too much."""
    assert memory.judge(seen("memory", [counts(100, 100)], of=EXERCISES[0])).status is Status.PASSED
    for forged in (
        returned(None, None),
        returned({}, {}),
        counts("small", 100),
        counts(100, True),
        counts(100, 100, True),
        counts(100, 100, 0),
    ):
        assert memory.judge(seen("memory", [forged], of=EXERCISES[0])).status is Status.FAILED


def counts(largest: Any, peak: Any, unseen: Any = False) -> Returned:
    """What the program of this check returns."""
    return returned({"work": 1, "largest": largest, "exits": False, "unseen": unseen}, {"peak": peak})


def test_mistakes_are_known_by_what_they_exceed() -> None:
    """How large exactly is a matter of style."""
    one, drawn = CheckSpec("memory", 1.0), draw(INPUTS, "attend", Seed.public())
    limit = 256 * 320
    for largest, peak, known in (
        (limit, 0, True),
        (0, 4 * limit, True),
        (9 * limit, 9 * limit, True),
        (limit - 1, 4 * limit - 1, False),
    ):
        assert memory.signature((counts(largest, peak),), drawn, one) == (returned(known),)


@pytest.mark.parametrize(
    ("options", "said"),
    [((("of", ["x", "k"]),), "memory, of: found"), ((("of", ["q", "block_size"]),), "memory, of: found")],
)
def test_options_that_do_not_fit_name_their_place(options: tuple[tuple[str, Any], ...], said: str) -> None:
    """A mistake of the bank."""
    with pytest.raises(CourseError, match=said):
        drawn = draw(INPUTS, "attend", Seed.public())
        memory.calls(Target(EXERCISES[0], "q"), drawn, CheckSpec("memory", 1.0, (), options))


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (case(q=Normal((32, 8)), k=Normal((32, 8))), "q has 256 elements, n_q·n_k is 1024; expected 16 times"),
        (case(q=Normal((64, 4)), k=Normal((64, 4)), block_size=Literal_(8)), "block_size is 8, n_q·n_k is 4096"),
    ],
)
def test_a_case_without_room_between_right_and_wrong_is_refused(one: Case, said: str) -> None:
    """Inputs or blocks nearly as large as the matrix of scores: a mistake of the bank."""
    drawn = draw(one, "attend", Seed.public())
    with pytest.raises(CourseError, match=said):
        memory.calls(Target(EXERCISES[0], "q"), drawn, CheckSpec("memory", 1.0))
