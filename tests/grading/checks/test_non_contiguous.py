from __future__ import annotations

import pytest

from grader.core.model import Raised, Status
from grader.grading.checks import non_contiguous
from tests.attention import MODULE, NUMPY, PLAIN, TORCH, edit, first, last
from tests.helpers import array, returned, seen

#: Inputs with gaps in memory are inputs like others.
PASSES = [
    ("torch", TORCH),
    ("NumPy", NUMPY),
    ("a module", MODULE),
    ("a class", PLAIN),
    ("reshape", first(TORCH, "v = v.reshape(-1).reshape(2, 5, 2)")),
    ("view of its own result", last(TORCH, "output = output.view(-1).view(2, 4, 2)")),
    ("contiguous before view", first(TORCH, "v = v.contiguous().view(-1).view(2, 5, 2)")),
]
VIEW = "view needs contiguous memory, reshape does not"
#: ``view`` on an input is explained; anything else is judged as a value.
CAUGHT = [
    ("view of v", first(TORCH, "v = v.view(-1).view(2, 5, 2)"), VIEW),
    ("view in forward", edit(MODULE, ("self.w_v(key)", "self.w_v(key.view(10, 4)).view(2, 5, 4)")), VIEW),
    ("insisting", first(TORCH, "assert v.is_contiguous()"), "AssertionError"),
    (
        "insisting with RuntimeError",
        first(NUMPY, "if not v.flags.c_contiguous: raise RuntimeError('no')"),
        "RuntimeError: no",
    ),
    ("reading memory", first(TORCH, "v = v.as_strided((2, 5, 2), (10, 2, 1))"), "values differ"),
]


@pytest.mark.parametrize(
    ("kind", "text", "status"),
    [
        ("RuntimeError", "view size is not compatible with input tensor's size and stride", Status.FAILED),
        ("RuntimeError", "input is not contiguous", Status.FAILED),
        ("RuntimeError", "a and b must have the same size", Status.RAISED),
        ("ValueError", "view", Status.RAISED),
    ],
)
def test_only_torch_s_own_words_are_explained(kind: str, text: str, status: Status) -> None:
    """Another exception keeps its own message."""
    got = [Raised(kind, text, "q05.py", 3)]
    verdict = non_contiguous.judge(seen("non_contiguous", got, [returned(array([1.0]))]))
    assert verdict.status is status
