"""Tries every attack in every configuration that this machine has, and writes the scoreboard of results.

``python -m tests.attacks.matrix`` prints a table; with ``--write docs/security.md`` it updates the scoreboard of that
page. As root it tries three users, otherwise only its own, and says so.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

from grader.sandbox.inside import confine
from tests.attacks import answers_files, arena, grader, intake, pages, reader, rules
from tests.attacks.cases import AttackCase

ROOT = arena.ROOT
TESTS = (
    "tests/attacks/test_attacks.py",
    "tests/attacks/test_attacks_on_grader.py",
    "tests/attacks/test_attacks_on_intake.py",
    "tests/attacks/test_attacks_on_rules.py",
    "tests/attacks/test_attacks_on_answers_files.py",
    "tests/attacks/test_attacks_on_reader.py",
    "tests/attacks/test_attacks_on_pages.py",
)
PAGE = ROOT / "docs" / "security.md"
BEGIN, END = "<!-- scoreboard: written by `make attacks` -->", "<!-- end of the scoreboard -->"

#: Letter, and who grades.
USERS = {
    "U": "an ordinary user",
    "R": "root; learner code then runs as `nobody`",
    "C": "root, where the grader is readable by root alone; learner code then runs in a user namespace of its own",
}
#: Number, the id in the tests, and what is switched off.
LAYERS = {
    "1": ("all-layers", "everything that the kernel offers"),
    "2": ("landlock-1", "Landlock held to its first version"),
    "3": ("no-namespaces", "no namespaces"),
    "4": ("no-namespaces-landlock-1", "neither namespaces nor more than the first Landlock"),
}
#: What the project consists of, as far as attacks and grading are concerned.
_NEEDED = ("grader", "questions", "reference", "tests", "cli.py", "pyproject.toml", "README.md", "LICENSE")
#: A user and a group that nobody has.
_STRANGER = 64_317


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one attack in one configuration: ``held``, ``failed``, or why it was not tried; and behind what."""

    outcome: str
    layers: str = ""


#: Families of attacks that are no code.
WITHOUT_CODE = tuple(module.Case.family for module in (intake, answers_files, grader, pages, reader, rules))
FAMILIES = (*arena.FAMILIES, *WITHOUT_CODE)

Case: TypeAlias = arena.Attack | AttackCase


def attacks() -> tuple[Case, ...]:
    """Code, and what is no code; the latter meets no sandbox, and is tried in the first configuration only."""
    families = (intake.CASES, answers_files.CASES, grader.CASES, pages.CASES, reader.CASES, rules.CASES)
    return (*arena.attacks(), *itertools.chain.from_iterable(families))


Score = Mapping[tuple[str, str], Tried]  # (configuration such as "U1", attack) → what came of it


def main() -> int:
    """0 if every attack was held wherever it was tried, and no other test of the file failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.matrix", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the scoreboard into docs/security.md")
    parser.add_argument("-k", metavar="EXPR", help="only some of the tests, as for pytest; for trying out")
    options = parser.parse_args()
    if options.write and options.k:
        parser.error("a scoreboard is about all attacks: give --write or -k, not both")
    score: dict[tuple[str, str], Tried] = {}
    broken = []
    with rooms() as runs, ThreadPoolExecutor(os.cpu_count()) as pool:
        started = {}
        for letter, room in runs.items():
            if isinstance(room, str):
                score |= {(letter + n, attack.name): Tried(room) for n in LAYERS for attack in arena.attacks()}
            else:
                started[letter] = pool.submit(_run, letter, room, options.k)
        for letter, run in started.items():
            found, ended_well, said = run.result()
            print(f"== {letter}: {USERS[letter]}\n{said}", flush=True)
            score |= found
            broken += [] if ended_well else [letter]
    print("\n".join(families(score)))
    failed = sorted({f"{where} {name}" for (where, name), tried in score.items() if tried.outcome == "failed"})
    print("\n".join([*(f"FAILED {line}" for line in failed), *(f"FAILED tests as {letter}" for letter in broken)]))
    if options.write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), score), encoding="utf-8")
    return int(bool(failed or broken))


# ------------------------------------------------------------------------------------------------- running


@dataclass(frozen=True, slots=True)
class Room:
    """Where a user runs the tests: a Python and a project that this user can read."""

    python: Path
    project: Path
    home: Path
    libraries: str | None = None
    user: int | None = None


@contextmanager
def rooms() -> Iterator[dict[str, Room | str]]:
    """A room for each letter, or the reason why there is none."""
    with tempfile.TemporaryDirectory(prefix="attncheck-rooms-") as name:
        folder = Path(name)
        if os.geteuid() != 0:
            here = Room(Path(sys.executable), ROOT, _home(folder, "user", None))
            yield {"U": here, "R": "needs root", "C": "needs root"}
            return
        folder.chmod(0o755)
        python, libraries = _open_python(folder)
        project, closed = folder / "project", folder / "closed"
        closed.mkdir(mode=0o700)
        for place in (project, closed / "project"):
            _copy_project(place)
        yield {
            "U": Room(python, project, _home(folder, "user", _STRANGER), libraries, _STRANGER),
            "R": Room(python, project, _home(folder, "root", None), libraries),
            "C": Room(python, closed / "project", _home(folder, "shut", None), libraries),
        }


def _home(folder: Path, name: str, user: int | None) -> Path:
    home = folder / name
    home.mkdir(mode=0o700)
    if user is not None:
        os.chown(home, user, user)
    return home


def _copy_project(to: Path) -> None:
    to.mkdir()
    for name in _NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / name, to / name)
    for place in (to, *to.rglob("*")):
        place.chmod(0o755 if place.is_dir() else 0o644)


def _open_python(folder: Path) -> tuple[Path, str | None]:
    """This Python where everybody can read it, with the path of its shared library: itself, or a copy by links."""
    prefix, base = Path(sys.prefix), Path(sys.base_prefix)
    if _open(prefix) and _open(base):
        return Path(sys.executable), None
    if not _open(base):
        _mirror(base, folder / "python")
        base = folder / "python"
    inner = folder / "python"
    if prefix != Path(sys.base_prefix):
        inner = folder / "venv"
        _mirror(prefix, inner)
        for link in (inner / "bin").glob("python*"):
            link.unlink()
        real = base / "bin" / Path(os.path.realpath(sys.executable)).name
        (inner / "bin" / "python").symlink_to(real)
        said = re.sub(r"(?m)^home = .*$", f"home = {real.parent}", (prefix / "pyvenv.cfg").read_text())
        (inner / "pyvenv.cfg").unlink()
        (inner / "pyvenv.cfg").write_text(said)
    return inner / "bin" / "python", str(base / "lib")


def _open(folder: Path) -> bool:
    return all(place.stat().st_mode & 0o005 == 0o005 for place in (folder, *folder.resolve().parents))


def _mirror(source: Path, to: Path) -> None:
    """The same tree, with files hard-linked if the file system allows, else copied."""

    def link(one: str, other: str) -> str:
        try:
            os.link(one, other, follow_symlinks=False)
        except OSError:
            shutil.copy2(one, other, follow_symlinks=False)
        return other

    shutil.copytree(source, to, symlinks=True, copy_function=link, ignore=shutil.ignore_patterns("_editable_*.pth"))
    for place in (to, *(path for path in to.rglob("*") if path.is_dir() and not path.is_symlink())):
        place.chmod(0o755)


def _run(letter: str, room: Room, only: str | None) -> tuple[dict[tuple[str, str], Tried], bool, str]:
    """Runs all configurations of one user in one pytest process."""
    results = room.home / "results.xml"
    command = [room.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "prove or not prove", *TESTS]
    command += [f"--basetemp={room.home / 'tmp'}", f"--junitxml={results}", "-o", "junit_family=xunit1"]
    command += ["-k", only] if only else []
    settings = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(room.home), "LC_ALL": "C.UTF-8"}
    settings |= {"PYTHONDONTWRITEBYTECODE": "1"}
    settings |= {"LD_LIBRARY_PATH": room.libraries} if room.libraries else {}
    who = {} if room.user is None else {"user": room.user, "group": room.user, "extra_groups": []}
    pipe = subprocess.PIPE
    ended = subprocess.run(
        command, cwd=room.project, env=settings, stdout=pipe, stderr=subprocess.STDOUT, text=True, umask=0o022, **who
    )
    return outcomes(letter, results), ended.returncode == 0, ended.stdout


def outcomes(letter: str, results: Path) -> dict[tuple[str, str], Tried]:
    """What the tests of attacks say in pytest's report; what is no code held if it did wherever it was tried."""
    numbers = {identity: number for number, (identity, _) in LAYERS.items()}
    said: dict[tuple[str, str], Tried] = {}
    for case in ET.parse(results).getroot().iter("testcase"):
        if found := re.fullmatch(r"test_attack\[(?:([a-z0-9_-]+)-)?([a-z]+/\w+)\]", case.get("name", "")):
            skipped = case.find("skipped")
            bad = case.find("failure") is not None or case.find("error") is not None
            outcome = "failed" if bad else "held" if skipped is None else skipped.get("message", "skipped")
            if found[2].partition("/")[0] in WITHOUT_CODE:
                where = letter + next(iter(LAYERS)), found[2]
                said[where] = Tried(outcome) if said.get(where, Tried("held")).outcome == "held" else said[where]
                continue
            layers = next((p.get("value", "") for p in case.iter("property") if p.get("name") == "layers"), "")
            if outcome == "held" and "no-namespaces" not in found[1] and "userns" not in layers:
                outcome = "this machine has no user namespaces for it"
            said[letter + numbers[found[1]], found[2]] = Tried(outcome, layers)
    return said


# ------------------------------------------------------------------------------------------- the scoreboard


def families(score: Score) -> Iterator[str]:
    """A row for each family, a column for each configuration: held / tried."""
    where = [letter + number for letter in USERS for number in LAYERS]
    yield f"| family | {' | '.join(where)} |"
    yield "|---" * (len(where) + 1) + "|"
    names = [attack.name for attack in attacks()]
    for family in (*FAMILIES, ""):
        chosen = [name for name in names if name.startswith(f"{family}/" if family else "")]
        cells = [_cell([score[at, name].outcome for name in chosen if (at, name) in score]) for at in where]
        yield f"| {family or '**all**'} | {' | '.join(cells)} |"


def _cell(outcomes: list[str]) -> str:
    tried = [outcome for outcome in outcomes if outcome in ("held", "failed")]
    return f"{tried.count('held')}/{len(tried)}" if tried else "–"


def written(page: str, score: Score) -> str:
    """``page`` with this scoreboard between its markers."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return "\n".join([before + BEGIN, "", *_scoreboard(score), "", END + after])


def _scoreboard(score: Score) -> Iterator[str]:
    tried = {where for (where, _), found in score.items() if found.outcome in ("held", "failed")}
    failed = {name for (_, name), found in score.items() if found.outcome == "failed"}
    names = {name for (_, name), found in score.items() if found.outcome in ("held", "failed")}
    yield f"{len(names)} attacks, {len(tried)} configurations, {len(failed)} attacks that succeeded."
    yield ""
    yield from (f"- {line}" for line in (_commit(), *_machine()))
    yield ""
    yield "The letter of a configuration says who grades, the number which layers are there."
    yield ""
    yield from (f"- **{letter}** {said}" for letter, said in USERS.items())
    yield from (f"- **{number}** {said}" for number, (_, said) in LAYERS.items())
    yield ""
    yield "| | layers |"
    yield "|---|---|"
    yield from (f"| {where} | {layers} |" for where, layers in _layers(score).items())
    yield ""
    yield from families(score)
    yield ""
    yield from _not_tried(score)
    yield "### Each of them"
    for family in FAMILIES:
        yield from ("", f"**{family}**", "", "| attack | tries | held |", "|---|---|---|")
        for attack in (attack for attack in attacks() if attack.family == family):
            cell = _cell([found.outcome for (_, name), found in score.items() if name == attack.name])
            yield f"| `{attack.stem}` | {_escaped(attack.tries)} | {cell} |"


def _layers(score: Score) -> dict[str, str]:
    """What stood between code and machine in each configuration that was tried, in the children's own words."""
    return {where: found.layers for (where, _), found in score.items() if found.layers}


def _commit() -> str:
    """The commit that the attacks were tried on, and whether its files had been changed."""

    def git(*words: str) -> str:
        try:
            return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
        except FileNotFoundError:
            return ""

    number = git("rev-parse", "--short=12", "HEAD")
    changed = git("status", "--porcelain", "--", ".", f":!{PAGE.relative_to(ROOT)}")
    return f"Commit {number or 'unknown'}{', dirty' if changed else ''}"


def _machine() -> Iterator[str]:
    """The machine on which the attacks were tried."""
    yield f"{datetime.date.today().isoformat()}, Linux {platform.release()} ({platform.machine()})"
    yield f"Landlock ABI {confine.landlock_abi()}"
    yield f"Python {platform.python_version()}, torch {version('torch')}, NumPy {version('numpy')}"


def _not_tried(score: Score) -> Iterator[str]:
    """Why a configuration has no figures; each reason once."""
    reasons: dict[str, list[str]] = {}
    for (where, _), found in score.items():
        if found.outcome not in ("held", "failed"):
            reasons.setdefault(found.outcome, []).append(where)
    for reason, places in reasons.items():
        yield f"Not tried here: {', '.join(dict.fromkeys(places))} – {_escaped(reason)}"
        yield ""


def _escaped(text: str) -> str:
    return re.sub(r"([|*_`<>\[\]])", r"\\\1", text)


def listed(page: str) -> list[str]:
    """The names of the attacks that a page lists."""
    family, names = "", []
    for line in page.partition(BEGIN)[2].partition(END)[0].splitlines():
        if found := re.fullmatch(r"\*\*(\w+)\*\*", line):
            family = found[1]
        elif found := re.match(r"\| `(\w+)` \|", line):
            names.append(f"{family}/{found[1]}")
    return names


if __name__ == "__main__":
    sys.exit(main())
