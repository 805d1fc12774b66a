"""``attncheck hint``, as from a shell."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from grader.commands import run
from grader.commands._options import load_course
from grader.core.model import Status
from grader.learning.log import Coded, append
from tests.commands.test_bank import course  # noqa: F401  (the fixture: commands find the course they are told)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Q5"], "scaled_dot_product_attention, hint 1 of 3:"),
        (["scaled_dot_product_attention"], "scaled_dot_product_attention, hint 1 of 3:"),
        (["SOFTMAX"], "softmax, hint 1 of"),
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
        (["Q5", "-e", "scaled_dot_product"], "Did you mean scaled_dot_product_attention?"),
        (["Q99"], "Q99"),
        (["sofmax"], "Did you mean softmax?"),
        (["Q5.width"], "`attncheck quiz Q5.width` asks it"),
        (["Q3"], "choose one: "),
    ],
)
def test_hint_refuses(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Rungs, exercises and questions that do not exist are refused with what there is."""
    assert run(["hint", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_question_about_the_failure_comes_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The question about a misconception comes with the first hint; no hint but the last comes twice."""
    log = tmp_path / "log"
    arguments = ["hint", "Q5", "--state", str(log)]
    bank = load_course(None)
    failed = "mask-is-inverted"
    append(
        log,
        Coded(datetime(2026, 3, 1, tzinfo=UTC), bank.public_id, "scaled_dot_product_attention", Status.FAILED, failed),
    )
    shown = []
    for _ in range(4):
        assert run(arguments) == 0
        shown.append(capsys.readouterr().out)
    numbers = [text.partition("hint ")[2].partition(" ")[0] for text in shown]
    assert numbers == ["1", "2", "3", "3"]
    assert ["→" in text for text in shown] == [True, False, False, False]
