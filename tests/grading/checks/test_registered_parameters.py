from __future__ import annotations

from dataclasses import replace

from grader.core.model import CheckSpec, Normal, Status, Verdict
from grader.grading.checks import registered_parameters
from grader.sandbox import Sandbox
from tests.attention import EXERCISES, MODULE, PLAIN, REFERENCE, edit, layer, made
from tests.helpers import case, exercise, returned, seen, verdicts

TENSOR = "torch.randn(d_model, d_model, requires_grad=True)"
FUSED = edit(
    MODULE,
    layer("q", "None"),
    layer("k", "None"),
    layer("v", "None"),
    ("self.w_q(query)", "self.qkv(query).chunk(3, -1)[0]"),
    ("self.w_k(key)", "self.qkv(key).chunk(3, -1)[1]"),
    ("self.w_v(key)", "self.qkv(key).chunk(3, -1)[2]"),
)
HEADS = edit(
    MODULE,
    layer("q", "[nn.Linear(d_model, 2, bias=False) for _ in range(2)]"),
    ("self.w_q(query)", "torch.cat([head(query) for head in self.w_q], -1)"),
)
#: Biases and buffers may stand beside the projections.
PASSES = [
    ("four layers", MODULE),
    ("with biases", edit(MODULE, (", bias=False", ""))),
    ("fused", made(FUSED, "self.qkv = nn.Linear(d_model, 3 * d_model)")),
    ("a Parameter", edit(MODULE, layer("v", f"nn.Parameter({TENSOR})"), ("self.w_v(key)", "key @ self.w_v"))),
    (
        "a list of layers that torch knows",
        edit(HEADS, ("[nn.Linear", "nn.ModuleList([nn.Linear"), ("range(2)]", "range(2)])")),
    ),
    ("a buffer besides", made(MODULE, "self.register_buffer('scale', torch.ones(3, 3))")),
]
NEVER = "will never be trained: not among the module's `parameters()`"
MORE = made(MODULE, "self.more = nn.Linear(d_model, d_model, bias=False)")
#: Unregistered, shared, frozen, idle and superfluous parameters, by their names in the learner's class.
CAUGHT = [
    ("a plain tensor", edit(MODULE, layer("v", TENSOR), ("self.w_v(key)", "key @ self.w_v")), f"w_v {NEVER}"),
    (
        "two of them",
        edit(
            MODULE,
            *(layer(r, TENSOR) for r in "vk"),
            ("self.w_k(key), self.w_v(key)", "key @ self.w_k, key @ self.w_v"),
        ),
        f"w_k, w_v {NEVER}",
    ),
    ("a Python list", HEADS, f"w_q[0].weight {NEVER}"),
    (
        "a buffer",
        made(
            edit(MODULE, layer("k", "None"), ("self.w_k(key)", "key @ self.w_k")),
            "del self.w_k",
            f"self.register_buffer('w_k', {TENSOR})",
        ),
        f"w_k {NEVER}",
    ),
    ("one layer for two", edit(MODULE, layer("k", "self.w_q")), "w_k.weight and w_q.weight share one parameter"),
    ("one weight for two", made(MODULE, "self.w_v.weight = self.w_k.weight"), "w_k.weight and w_v.weight share"),
    ("frozen", made(MODULE, "self.w_o.requires_grad_(False)"), "w_o.weight has `requires_grad=False"),
    ("a layer that is not used", MORE, "no gradient reaches the parameter more.weight: it would never be trained"),
    (
        "a layer too many",
        edit(MORE, ("self.w_o(weights @ v)", "self.more(self.w_o(weights @ v))")),
        "80 parameters besides biases; the projections need 64",
    ),
    ("no projection", edit(MODULE, ("w_o", "last")), "no projection was found for w_o"),
    ("an exception", edit(MODULE, ("self.w_o(weights @ v)", "self.w_o(weights)")), "RuntimeError"),
]


def test_a_plain_class_has_nothing_to_register(sandbox: Sandbox) -> None:
    """The weight of the check goes to the others."""
    rows = [("plain", PLAIN)]
    (found,) = verdicts(sandbox.observe, "registered_parameters", EXERCISES, REFERENCE, rows).values()
    assert (found.status, found.applies) == (Status.SKIPPED, False)


def test_what_describes_nothing_fails() -> None:
    """Something else in the place of the description gives no points."""
    assert registered_parameters.judge(seen("registered_parameters", [returned(1, 2)])).status is Status.FAILED


TABLE = """
import torch
from torch import nn

class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(5, 3))
        self.scale = torch.ones(1)

    def forward(self, x):
        return x + self.scale * self.table[: x.shape[1]]
"""
POSITIONS = exercise(
    "Positions()",
    replace(case(x=Normal((2, 4, 3))), parameters=(("table", Normal((5, 3))),)),
    forward="forward(x)",
    adapter="table",
    checks=(CheckSpec("registered_parameters", 1.0, options=(("biases", False),)),),
)


def test_nothing_else_is_learnt_where_biases_are_not_admitted(sandbox: Sandbox) -> None:
    """With ``biases: false`` a single trainable number is one too many; a frozen one is none."""
    rows = [
        ("alone", TABLE),
        ("frozen", edit(TABLE, ("torch.ones(1)", "nn.Parameter(torch.ones(1), requires_grad=False)"))),
        ("scaled", edit(TABLE, ("torch.ones(1)", "nn.Parameter(torch.ones(1))"))),
    ]
    found = verdicts(sandbox.observe, "registered_parameters", (POSITIONS,), "", rows)
    assert found["alone"] == found["frozen"] == Verdict(Status.PASSED)
    assert found["scaled"].message is not None
    assert "16 trainable numbers in its parameters; exactly 15 are needed" in found["scaled"].message.en
