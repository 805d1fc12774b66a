"""Attacks among honest learners, graded by ``batch`` in worker processes and exported in every format."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from grader.course import loader
from grader.grading import courses
from grader.grading.inputs import Seed
from grader.instructor import export
from tests.attacks import arena
from tests.attacks.arena import Bait, Inert

HONEST = arena.ROOT / "tests" / "solutions" / "scaled_dot_product_attention" / "right" / "torch_plain.py"
#: What a folder of a learner may be called, as a file system has it.
NAMES = (
    "<script>alert(1)<",
    "=HYPERLINK(1)",
    "\u202eksam",
    "-2+3",
    "{{ 7*7 }}",
    "a\nb",
    "\x1b[31mred",
    "| x |",
    "'\"&",
)
#: One of each family that says something, and all that are about reports.
CHOSEN = (
    *(
        "read/secret_file",
        "read/hidden_inputs_in_a_type",
        "read/hidden_inputs_remembered",
        "tamper/fake_json_on_stdout",
    ),
    *("protocol/forged_detail", "protocol/terminal_sequences", "resource/loop_in_python", "resource/fork_bomb"),
    *("signals/signal_parent", "persistence/daemon", "network/tcp_connect", "kernel/exec"),
)
SEED = b"known to nobody!"


@dataclass(frozen=True, slots=True)
class Graded:
    """A graded class, its folder, and the output of grading."""

    results: Path
    bait: Bait
    said: str
    hidden: frozenset[str]

    def export(self, kind: str, to: Path) -> Path:
        """The gradebook in another format."""
        done = attncheck("export", kind, "--from", self.results, "--to", to)
        assert done.returncode == 0, done.stderr
        return to


def attncheck(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs the command, as from a shell."""
    command = [sys.executable, arena.ROOT / "cli.py", *arguments]
    settings = {name: value for name, value in os.environ.items() if not name.startswith("COV_")}
    return subprocess.run(command, capture_output=True, text=True, env=settings, check=False)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graded]:
    """Attacks under hostile names, with three honest learners among them."""
    folder = tmp_path_factory.mktemp("class")
    seed = folder / "seed"
    seed.write_bytes(SEED)
    with arena.bait() as bait:
        attacks = [a for a in arena.attacks() if a.name in CHOSEN or a.family == "report"]
        for at, attack in enumerate(attacks):
            name = f"{NAMES[at % len(NAMES)]}{at}"
            (folder / "in" / name).mkdir(parents=True)
            armed = bait.arm(attack, tmp_path_factory.mktemp("armed"))
            shutil.copy(armed, folder / "in" / name / f"attack{attack.path.suffix}")
        for name in ("ada", "mia", "zoe"):
            (folder / "in" / name).mkdir()
            shutil.copy(HONEST, folder / "in" / name / "q05.py")
        done = attncheck("batch", folder / "in", "--out", folder / "out", "-q", "Q5", "--seed-file", seed)
        assert done.returncode in (0, 5), done.stderr
        hidden = arena.hidden_numbers(courses.load(loader.find(None)), Seed("secret", SEED))
        yield Graded(folder / "out", bait, done.stdout + done.stderr, hidden)
        bait.untouched()
        assert arena.running(bait.mark) == []


def leaks(text: str, graded: Graded) -> list[str]:
    """The secrets that occur in ``text``."""
    return [*arena.traces_of_success(text, graded.bait), *(number for number in graded.hidden if number in text)]


@pytest.mark.prove
def test_honest_learners_get_their_points(graded: Graded) -> None:
    """Every attack is graded and gains nothing, and correct solutions get all points."""
    rows = list(csv.DictReader((graded.results / "class.csv").read_text(encoding="utf-8").splitlines()))
    honest = [row for row in rows if row["learner"] in ("ada", "mia", "zoe")]
    # The other points of the question are for answers that nobody gave.
    assert [row["earned"] for row in honest] == ["7"] * 3
    assert max(float(row["earned"]) for row in rows) == 7
    assert leaks(graded.said, graded) == []
    assert not arena._CONTROL.search(graded.said)


#: The one script of ours, in the same folder: it sorts the index, and reads nothing but its cells.
_SORTING = '<script src="table.js" defer>'


def _without_prints(text: str, kind: str) -> str:
    """``text`` without what code printed in public cases, which its author may read: attacks print forged points."""
    if kind == "html":
        return re.sub(r'<pre class="printed">.*?</pre>', "", text, flags=re.DOTALL)
    return re.sub(r'"printed": "(?:[^"\\]|\\.)*"', "", text) if kind == "json" else text


@pytest.mark.prove
@pytest.mark.parametrize("kind", ["csv", "json", "junit", "html", "gradescope"])
def test_exports_can_only_be_read(kind: str, graded: Graded, tmp_path: Path) -> None:
    """They contain nothing active and no secret, and are well-formed."""
    to = graded.export(kind, tmp_path / ("x" if kind in ("html", "gradescope") else f"x.{kind}"))
    files = [to] if to.is_file() else [path for path in to.rglob("*") if path.is_file()]
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert leaks(_without_prints(text, kind), graded) == []
        if path.suffix in (".html", ".htm"):
            inert = Inert()
            inert.feed(text)
            alive = [element for element in inert.alive if "href" not in element]
            assert alive == ([_SORTING] if path.name == "index.html" and kind == "html" else [])
            assert "javascript:" not in " ".join(inert.alive)
        elif path.suffix == ".js":
            assert text == (Path(export.__file__).parent / "templates" / "table.js").read_text(encoding="utf-8")
        elif path.suffix == ".csv":
            cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
            assert [cell for cell in cells if cell[:1] in ("=", "@", "\t", "\r")] == []
            assert [cell for cell in cells if cell[:1] in ("+", "-") and not cell[1:].replace(".", "").isdigit()] == []
        elif kind == "junit":
            ElementTree.fromstring(text)
        else:
            found = json.loads(text)
            assert found
            if kind == "gradescope":
                assert {found["output_format"], found["test_output_format"], found["test_name_format"]} == {"text"}
