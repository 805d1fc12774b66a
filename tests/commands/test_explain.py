"""``attncheck explain``: which options arrive, what needs a sandbox, and exit codes."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader import sandbox
from grader.core.model import ExerciseResult, ItemResult, Status
from grader.grading.inputs import Seed
from grader.instructor import explain, regrade
from grader.instructor.explain import ExplainRequest, Explanation
from tests.commands.conftest import ITEM, SDPA
from tests.instructor.test_explain_view import FOUND

Attncheck = Callable[..., object]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replaces gradebook and sandbox; records what was asked of them."""
    asked: dict[str, Any] = {"opened": None, "agrees": True}
    found = SimpleNamespace(packages=())

    def look_up(what: ExplainRequest) -> object:
        asked["asked"] = what
        if what.check == "Q5.output":
            return SimpleNamespace(
                course=found, part=ITEM, result=ItemResult("Q5.output", "choice", Status.PASSED, 1, 1)
            )
        return SimpleNamespace(course=found, part=SDPA, result=ExerciseResult(SDPA.name, Status.PASSED, 1, 1, ()))

    @contextlib.contextmanager
    def open_sandbox(mode: str) -> Iterator[object]:
        asked["opened"] = mode
        yield SimpleNamespace(observe="observe", allow_packages=lambda packages: None)

    def explained(*args: object) -> Explanation:
        asked["args"] = args[1:]
        return replace(FOUND, agrees=asked["agrees"])

    monkeypatch.setattr(explain, "find_recorded_part", look_up)
    monkeypatch.setattr(regrade, "seed_of", lambda folder, course_folder: Seed.public())
    monkeypatch.setattr(explain, "explain_item", explained)
    monkeypatch.setattr(explain, "explain_code", explained)
    monkeypatch.setattr(sandbox, "open_sandbox", open_sandbox)
    return asked


def test_asks_for_what_the_options_say(attncheck: Attncheck, seen: dict[str, Any], tmp_path: Path) -> None:
    """And code is only ever replayed confined."""
    seed = tmp_path / "seed"
    seed.write_text("0123456789abcdef" * 4)
    attncheck("explain", "out", "bo", "x/values", "--attempt", "2", "--course", "c", "--seed-file", str(seed))
    assert seen["asked"] == ExplainRequest(Path("out"), "bo", "x/values", Seed.from_file(seed), Path("c"), 2)
    assert seen["opened"] == "require"
    assert seen["args"][-2:] == (Seed.from_file(seed), "observe")


def test_an_item_needs_no_sandbox(attncheck: Attncheck, seen: dict[str, Any]) -> None:
    """An answer is judged without running anything."""
    attncheck("explain", "out", "bo", "Q5.output")
    assert seen["asked"] == ExplainRequest(Path("out"), "bo", "Q5.output", Seed.public())
    assert seen["opened"] is None


@pytest.mark.parametrize(("agrees", "code"), [(True, 0), (False, 1)])
def test_exit_codes(agrees: bool, code: int, attncheck: Attncheck, seen: dict[str, Any]) -> None:
    """1 where the replay does not end as the grading did; in words and as data."""
    seen["agrees"] = agrees
    ran = attncheck("explain", "out", "bo", "x", "--lang", "zh")
    assert (ran.code, "还不正确" in ran.out) == (code, True)  # type: ignore[attr-defined]
    ran = attncheck("explain", "out", "bo", "x", "--json")
    assert (ran.code, json.loads(ran.out)["agrees"]) == (code, agrees)  # type: ignore[attr-defined]
