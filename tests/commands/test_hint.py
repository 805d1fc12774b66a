"""``attncheck hint``, as from a shell."""

from __future__ import annotations

import pytest

from grader.commands import run
from tests.commands.test_bank import course  # noqa: F401  (the fixture: commands find the course they are told)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Q5"], "scaled_dot_product_attention, hint 1 of 3:"),
        (["q11", "--rung", "3"], "MultiHeadAttention, hint 3 of 3:"),
        (["Q5", "-e", "scaled_dot_product_attention", "--lang", "zh"], "提示 1/3"),
    ],
)
def test_hint(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A rung of the ladder, in either language."""
    assert run(["hint", *arguments]) == 0
    out = capsys.readouterr().out
    assert said in out and len(out.splitlines()) > 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Q5", "--rung", "9"], "from 1 to 3"),
        (["Q5", "-e", "atention"], "has no exercise"),
        (["Q99"], "Q99"),
    ],
)
def test_hint_refuses(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Rungs, exercises and questions that do not exist are refused with what there is."""
    assert run(["hint", *arguments]) == 2
    assert said in capsys.readouterr().err
