"""From the command line to the learner's code and back, with nothing replaced."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import grader

ROOT = Path(grader.__file__).parents[1]


def attncheck(*args: str) -> subprocess.CompletedProcess[str]:
    """Runs a command line in a process of its own."""
    return subprocess.run([sys.executable, "cli.py", *args], cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_right_answer() -> None:
    """A good submission gets all points, and stdout holds JSON alone."""
    ran = attncheck("grade", "examples/class/ada-torch", "-q", "Q5", "--json")
    data = json.loads(ran.stdout)
    assert ran.returncode == 0
    assert data["earned"] == data["possible"] > 0
    assert data["learner"] == "ada-torch"
    assert [question["id"] for question in data["questions"]] == ["Q5"]


def test_a_fresh_start(tmp_path: Path) -> None:
    """What ``start`` writes is a submission: nothing in it is right, and the report says so calmly."""
    assert attncheck("start", "Q5", str(tmp_path)).returncode == 0
    ran = attncheck("grade", str(tmp_path))
    assert ran.returncode == 1
    assert "not written yet" in ran.stdout
    assert "not answered: Q5.output" in ran.stdout
