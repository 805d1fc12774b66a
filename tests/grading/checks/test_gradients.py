from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.model import CheckSpec, Normal, Same, Status
from grader.grading.checks import gradients
from grader.sandbox import Sandbox
from tests.attention import ATTENTION, EXERCISES, MODULE, NUMPY, PLAIN, REFERENCE, TORCH, edit, layer, made
from tests.helpers import array, case, exercise, returned, seen, verdicts

REFERENCE = REFERENCE + "\ndef product(x, y): return x * y\ndef first(x, y): return x + 0 * y.detach()\n"
EXERCISES = (
    *EXERCISES,
    exercise("product(x, y)", case(x=Normal((3,)), y=Same("x"))),
    exercise("first(x, y)", case(x=Normal((3,)), y=Normal((3,)))),
)
#: However it is written, as long as the graph is kept.
PASSES = [
    ("plain", TORCH),
    ("with the weights", edit(TORCH, ("return output", "return output, weights.detach()"))),
    ("the library's", edit(TORCH, ("output = weights @ v", "output = torch.einsum('bij,bjd->bid', weights, v)"))),
    ("a module", MODULE),
    ("a Parameter", edit(MODULE, layer("v", "nn.Parameter(torch.randn(4, 4))"), ("self.w_v(key)", "key @ self.w_v"))),
    ("the same array twice", "import torch\ndef product(x, y): return x ** 2"),
    ("no path where the reference has none", "import torch\ndef first(x, y): return x"),
    ("a path of zeros where the reference has none", "import torch\ndef first(x, y): return x + 0 * y"),
]
#: What is cut is named; what arrives is compared.
CAUGHT = [
    ("detached", edit(TORCH, ("return output", "return output.detach()")), "no gradient flows back"),
    ("without graph", edit(TORCH, ("def attend", "@torch.no_grad()\ndef attend")), "no gradient flows back"),
    ("rebuilt", edit(TORCH, ("return output", "return torch.tensor(output.tolist())")), "no gradient flows back"),
    ("a list", edit(TORCH, ("return output", "return output.tolist()")), "no gradient flows back"),
    ("weights detached", edit(TORCH, ("weights @ v", "weights.detach() @ v")), "no gradient reaches q, k: the path"),
    ("values detached", edit(TORCH, ("weights @ v", "weights @ v.detach()")), "no gradient reaches v:"),
    ("keys as data", edit(TORCH, ("k.transpose", "k.data.transpose")), "no gradient reaches k:"),
    (
        "half",
        edit(TORCH, ("return output", "return output / 2 + output.detach() / 2")),
        "the gradient with respect to q differs",
    ),
    (
        "turned round on its way to v",
        edit(TORCH, ("weights @ v", "weights @ (2 * v.detach() - v)")),
        "the gradient with respect to v differs",
    ),
    (
        "NaN on its way",
        edit(TORCH, ("weights @ v", "weights @ (v + (0 * v).abs().sqrt())")),
        "the gradient with respect to v differs",
    ),
    ("a projection's data", edit(MODULE, ("self.w_q(query)", "query @ self.w_q.weight.data.T")), "reaches w_q:"),
    ("frozen", made(MODULE, "self.w_k.requires_grad_(False)"), "reaches w_k:"),
    (
        "a weight that counts twice",
        edit(
            MODULE,
            (
                "return self.w_o",
                "one = self.w_o.weight / self.w_o.weight.detach()\n        return one.mean() * self.w_o",
            ),
        ),
        "the gradient with respect to w_o differs",
    ),
    (
        "half of a square",
        "import torch\ndef product(x, y): return x * x.detach()",
        "the gradient with respect to x differs",
    ),
    ("an exception", "import torch\ndef first(x, y): return x.numpy()", "RuntimeError"),
]


def test_numpy_has_no_gradients_to_check(sandbox: Sandbox) -> None:
    """NumPy in and out: the weight of the check goes to the others. A tensor from NumPy arrays has lost its graph."""
    trick = edit(TORCH, ("    scores =", "    q, k, v, mask = map(torch.as_tensor, (q, k, v, mask))\n    scores ="))
    rows = [("numpy", NUMPY), ("class", PLAIN), ("trick", trick)]
    found = verdicts(sandbox.observe, "gradients", EXERCISES, REFERENCE, rows, array_type="numpy")
    for name in ("numpy", "class"):
        assert (found[name].status, found[name].applies) == (Status.SKIPPED, False)
    assert (found["trick"].status, found["trick"].applies) == (Status.FAILED, True)
    assert found["trick"].message is not None
    assert "rebuilt from numbers" in found["trick"].message.en


def test_the_names_follow_the_order_of_the_gradients() -> None:
    """Arguments as the case has them, then the parameters by name."""
    names = gradients.names(seen("gradients", [], of=ATTENTION))
    assert names == ["query", "key", "mask", "w_k", "w_o", "w_q", "w_v"]


def test_only_a_public_case_shows_numbers() -> None:
    """A hidden case names the argument alone. The bank may widen the tolerance."""
    pair = [returned([array([1.1])])], [returned([array([1.0])])]
    shown = gradients.judge(seen("gradients", *pair))
    assert shown.difference is not None
    assert (shown.difference.expected, shown.difference.actual) == ("1", "1.1")
    hidden = gradients.judge(seen("gradients", *pair, case=case("hidden", public=False)))
    assert (hidden.status, hidden.difference) == (Status.FAILED, None)
    spec = CheckSpec("gradients", 1.0, options=(("rtol", 0.2),))
    assert gradients.judge(seen("gradients", *pair, spec=spec)).status is Status.PASSED


@pytest.mark.parametrize("expected", [None, array([1.0])])
def test_a_reference_without_gradients_is_our_mistake(expected: object) -> None:
    """The check was asked for where the reference has no graph: an error of ours, not a learner's point."""
    with pytest.raises(ValueError, match="the reference gave no gradients"):
        gradients.judge(seen("gradients", [returned(None)], [returned(expected)]))


ADDED = edit(
    TORCH,
    ("scores.masked_fill(~mask, -torch.inf)", "scores + torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)"),
    ("weights.masked_fill(~mask, 0.0)", "weights.nan_to_num()"),
)
HIDDEN_NAN = edit(TORCH, ("weights.masked_fill(~mask, 0.0)", "weights.nan_to_num()"))
REMARKS = [
    ("an added mask", ADDED, True),
    (
        "an added mask in a module",
        edit(
            MODULE, (".masked_fill(~mask, -torch.inf)", " + mask.log()"), (".masked_fill(~mask, 0.0)", ".nan_to_num()")
        ),
        True,
    ),
    ("a filled mask", TORCH, False),
    ("a filled mask, and NaN made zero", HIDDEN_NAN, False),
    ("a large negative number", edit(TORCH, ("-torch.inf", "-1e9")), False),
    (
        "a mask that must not be empty",
        edit(TORCH, ("    weights = torch", "    assert mask.any(-1).all()\n    weights = torch")),
        False,
    ),
    ("NumPy", NUMPY, False),
]


def test_gradients_that_empty_rows_make_nan_are_remarked_on(sandbox: Sandbox) -> None:
    """Without loss of points, and only where just these are NaN."""
    found = verdicts(sandbox.observe, "gradients", EXERCISES, REFERENCE, [row[:2] for row in REMARKS])
    said = {name: verdict.remark is not None for name, verdict in found.items()}
    assert said == {name: remarked for name, _, remarked in REMARKS}
    assert {verdict.status for verdict in found.values()} == {Status.PASSED, Status.SKIPPED}
    remark = found["an added mask"].remark
    assert remark is not None
    assert "no points are lost" in remark.en
    assert "不扣分" in remark.zh


def test_nothing_is_remarked_on_in_a_hidden_case() -> None:
    """Code that has been given hidden inputs could say something about them by it; diagnoses do not see it either."""
    good, bad = array([1.0, 2.0]), array([1.0, float("nan")])
    got = (returned([good]), returned([bad]))
    of = exercise("attend(mask)", case(mask=Normal((2,))))
    for public, remarked in ((True, True), (False, False)):
        each = replace(of, cases=(replace(of.cases[0], public=public),))
        verdict = gradients.judge(seen("gradients", got, (returned([good]), returned([good])), of=each))
        assert (verdict.status, verdict.remark is not None) == (Status.PASSED, remarked)
    assert gradients.signature(got, seen("gradients", got).drawn, CheckSpec("gradients", 1.0)) == got[:1]
