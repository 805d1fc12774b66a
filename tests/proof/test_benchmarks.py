"""Every benchmark runs to its end: nothing else calls them, and they use functions that change."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Each benchmark, with as little to measure as it can do with.
SMALL = (
    "bench commands --smoke",
    "bench submissions --smoke",
    "bench a_class --smoke",
    "one_exercise --learners 10 --workers 1",
    "one_exercise --copies 20 --workers 1",
    "large_class --learners 4 --kills 1 --workers 1 -q Q5",
    "steady --rounds 1 --workers 1 --hogs 0",
    "unseen scaled_scores_one_torch",
    "explained scaled_dot_product_attention/wrong/no_scale",
    "explained --pairs 1",
    "place scaled_scores",
    "pages --answers 5 --at-once 2",
    "class_week --learners 3 --at-once 2",
    "class_load --learners 4 --submissions 2 --seconds 5 --pause 1",
    "class_load --abuse 3 --learners 4 --seconds 5 --rounds 1 --rest 1",
    "first_hour --lang zh --rounds 0",
)


def test_every_benchmark_is_listed() -> None:
    """A new benchmark is run here as well."""
    assert {words.split()[0] for words in SMALL} == {path.stem for path in (ROOT / "benchmarks").glob("*.py")}


@pytest.mark.prove
@pytest.mark.parametrize("words", SMALL)
def test_benchmarks_run(words: str, tmp_path: Path) -> None:
    """Each part ends with 0 and prints something. What it measures is not judged."""
    name, *rest = words.split()
    environment = os.environ | {"ATTNCHECK_CACHE": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", f"benchmarks.{name}", *rest]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout
