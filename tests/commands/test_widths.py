"""What learners see fits their terminal, at 50 and at 80 columns, and says the same in words to a screen reader."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from grader.core.layout import cells

ROOT = Path(__file__).parents[2]
#: What terminals understand and people do not see.
_CONTROL = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])")
_COMMANDS = (
    (),
    ("name", "Ada"),
    ("questions",),
    ("show", "Q5"),
    ("show", "Q5.width"),
    ("show", "softmax"),
    ("progress",),
    ("hint", "softmax"),
    ("review",),
    ("quiz", "Q5", "--answers", "examples/class/dia-no-scaling/answers.yaml"),
    ("grade", "no such file"),
)
#: Ends each command without the start of another interpreter: all of them run in one.
_ALL = """
import sys
from grader.commands import run
for line in sys.argv[1:]:
    run(line.split("\t") if line else [])
"""


def on_terminal(columns: int, lang: str, state: Path, *commands: tuple[str, ...], plain: bool = False) -> list[str]:
    """The lines that the commands write to a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    env = kept | {"TERM": "xterm", "ATTNCHECK_STATE": str(state), "ATTNCHECK_LANG": lang}
    env |= {"ATTNCHECK_PLAIN": "1"} if plain else {}
    words = ["\t".join(command) for command in commands]
    command = [sys.executable, "-c", _ALL, *words]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env, cwd=ROOT):
        os.close(theirs)
        written = b""
        with contextlib.suppress(OSError):  # how a terminal says that the other end is closed
            while piece := os.read(ours, 1 << 16):
                written += piece
    os.close(ours)
    return _CONTROL.sub("", written.decode()).replace("\r\n", "\n").split("\n")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("columns", [pytest.param(50, marks=pytest.mark.prove), 80])
def test_nothing_is_wider_than_the_terminal(columns: int, lang: str, tmp_path: Path) -> None:
    """Commands, messages and errors of learners, in both languages."""
    lines = on_terminal(columns, lang, tmp_path / "log.jsonl", *_COMMANDS)
    assert len(lines) > 100 and any("Ada" in line for line in lines)
    assert [line for line in lines if cells(line) > columns] == []


def test_for_a_screen_reader(tmp_path: Path) -> None:
    """No drawing, no colours, no marks that are read out as their names; what they mean is in words."""
    state = tmp_path / "log.jsonl"
    drawn = on_terminal(
        80,
        "en",
        state,
        ("name", "Ada"),
        ("quiz", "Q5", "--answers", "examples/class/dia-no-scaling/answers.yaml"),
        ("progress",),
    )
    said = on_terminal(
        80,
        "en",
        state,
        ("quiz", "Q5", "--answers", "examples/class/dia-no-scaling/answers.yaml"),
        ("progress",),
        plain=True,
    )
    assert any(mark in "\n".join(drawn) for mark in "─✓✗")
    assert not re.search(r"[─✓✗→│·\x1b]", "\n".join(said))
    assert any(line.startswith(("OK: Q5", "not OK: Q5")) for line in said)


def test_wide_tables(tmp_path: Path) -> None:
    """Whoever has room sees the titles of questions in full."""
    lines = on_terminal(120, "en", tmp_path / "log.jsonl", ("questions",))
    assert len(lines) > 24 and not [line for line in lines if "…" in line]


@pytest.mark.parametrize("page", ["first-hour.md", "first-hour.zh.md"])
def test_the_recorded_hour_fits_its_terminal(page: str) -> None:
    """The session of a learner has 80 columns; only the learner's own code, indented by the script, may be wider."""
    parts = (ROOT / "docs" / page).read_text("utf-8").split("```")
    lines = [line for part in parts[1::2] for line in part.split("\n")]
    assert len(lines) > 200
    assert [line for line in lines if cells(line) > 80 and not line.startswith("        ")] == []
