"""The environment for attacks: bait for them, and checks of what they left behind."""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import secrets
import shutil
import signal
import socket
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch
from xml.etree import ElementTree

import numpy as np
from rich.console import Console

from grader.core.model import Array, Course, ExerciseResult, Limits, Normal, Observation, Observed, Report, Returned
from grader.grading.inputs import Seed, draw
from grader.report import html
from grader.report.json import to_json
from grader.report.junit import to_junit
from grader.report.terminal import render
from grader.sandbox import Sandbox

ROOT = Path(__file__).parents[2]
SUBMISSIONS = Path(__file__).parent / "submissions"
FAMILIES = ("read", "tamper", "resource", "persistence", "network", "signals", "kernel", "protocol", "report")

#: Short limits, for attacks that use up whatever they get.
SHORT = Limits(
    group_cpu=0.25,
    group_wall=0.5,
    import_cpu=0.3,
    import_wall=0.6,
    total_cpu=2.0,
    total_wall=2.5,
    memory=1 << 28,
    result_bytes=1 << 23,
    fresh_children=3,
)
#: Everybody else has the usual time, so that a busy machine changes nothing.
USUAL = Limits(fresh_children=4)

_HEADER = re.compile(r"^(tries|observe|plain|limits): (.+)$", re.MULTILINE)
#: The exercise that it pretends to solve.
_AIM = re.compile(r"^(?:def|class) (\w+attention|MultiHeadAttention)\b", re.MULTILINE)
_TOKEN = re.compile(r"@(\w+)@")
#: What the terminal would obey or hide; a line feed is ours.
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Attack:
    """One hostile submission, with what its docstring declares: what it tries, and how it must end.

    ``plain``: it must succeed without a sandbox.
    """

    path: Path
    tries: str
    observe: tuple[str, ...]
    plain: bool
    short: bool
    aim: str = ""

    @property
    def family(self) -> str:
        """The folder that contains it."""
        return self.path.parent.name

    @property
    def stem(self) -> str:
        """The name of the file."""
        return self.path.stem

    @property
    def name(self) -> str:
        """Family and file, as in the names of tests."""
        return f"{self.family}/{self.path.stem}"

    @property
    def limits(self) -> Limits:
        """Short for attacks that never end or take all they can get."""
        return SHORT if self.short else USUAL


def attacks() -> tuple[Attack, ...]:
    """All attacks, in the order of their names."""
    places = sorted(SUBMISSIONS.glob("*/*"))
    return tuple(_read(p) for p in places if p.suffix in (".py", ".ipynb") or (p / "attack.py").is_file())


def _read(path: Path) -> Attack:
    text = (path / "attack.py" if path.is_dir() else path).read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = "".join(json.loads(text)["cells"][0]["source"])
    said = dict(_HEADER.findall(text.partition('"""\n\n')[0]))
    observe = tuple(said["observe"].split(" or "))
    # Only where a time-out is as good as anything else: a busy machine must not decide.
    short = "limits" in said or "times-out" in observe or (path.parent.name == "resource" and "no-credit" in observe)
    aim = _AIM.search(text)
    return Attack(path, said["tries"], observe, said.get("plain") == "succeeds", short, aim[1] if aim else "")


# ----------------------------------------------------------------------------------------------- bait


@dataclass(frozen=True, slots=True)
class Bait:
    """Secrets and open ports that a submission must not reach, and whether it did.

    Attackers know everything: ``words`` replace ``@word@`` in their source.
    """

    mark: str
    folder: Path
    words: dict[str, str]
    scratch: ctypes.Array[ctypes.c_char]
    doors: tuple[socket.socket, ...]
    signals: list[int]

    def arm(self, attack: Attack, folder: Path) -> Path:
        """The attack with the addresses of the bait filled in."""
        armed = folder / f"attack{attack.path.suffix}"
        files = attack.path.rglob("*.py") if attack.path.is_dir() else [attack.path]
        for file in files:
            to = armed / file.relative_to(attack.path) if attack.path.is_dir() else armed
            to.parent.mkdir(parents=True, exist_ok=True)
            text = _TOKEN.sub(lambda found: self.words[found[1]], file.read_text(encoding="utf-8"))
            to.write_text(text, encoding="utf-8")
        return armed

    def untouched(self) -> None:
        """Asserts that nothing connected, no signal arrived, and nothing was changed or left."""
        assert self.signals == []
        assert self.scratch.value == b"untouched"
        for door in self.doors:
            try:
                if door.type == socket.SOCK_DGRAM:
                    came: object = door.recv(100)
                else:
                    caller, came = door.accept()
                    caller.close()
            except BlockingIOError:
                continue
            raise AssertionError(f"{door} was reached: {came!r}")
        assert sorted(p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*")) == _BAIT
        assert (self.folder / "gradebook.json").stat().st_mode & 0o777 == 0o666
        assert self.words["canary"] in (self.folder / "gradebook.json").read_text()
        places = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", ".", Path.home(), ROOT, sysconfig.get_path("purelib")]
        for place in filter(os.path.isdir, places):
            assert [name for name in os.listdir(place) if self.mark in name] == []
        for kind in ("shm", "sem", "msg"):
            assert self.words["key"] not in Path("/proc/sysvipc", kind).read_text().split()


_BAIT = ["gradebook.json", "secret.txt", "socket", "submissions", "submissions/bo", "submissions/bo/q05.py"]


@contextmanager
def bait(content: Path = ROOT) -> Iterator[Bait]:
    """Sets up the bait. ``content`` is the folder that contains ``questions`` and ``reference``."""
    mark, canary = secrets.token_hex(6), f"leaked-{secrets.token_hex(12)}"
    signals: list[int] = []
    before = signal.signal(signal.SIGUSR2, lambda number, _: signals.append(number))
    folder = Path(tempfile.mkdtemp(prefix="attncheck-bait-"))
    secret, scratch = ctypes.create_string_buffer(canary.encode()), ctypes.create_string_buffer(b"untouched")
    try:
        with ExitStack() as stack, patch.dict(os.environ, COURSE_TOKEN=canary):
            doors = tuple(stack.enter_context(closing(door)) for door in _doors(folder, mark))
            for name in ("secret.txt", "gradebook.json", "submissions/bo/q05.py"):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(f'"{canary}"\n')
                (folder / name).chmod(0o666)
            for place in (folder, *folder.rglob("*")):
                if place.is_dir() or place.is_socket():
                    place.chmod(0o777)
            words = {
                "canary": canary,
                "mark": mark,
                "key": str(int(mark[:7], 16) + 1),
                "root": str(ROOT),
                "content": str(content),
                "folder": str(folder),
                "secret_file": str(folder / "secret.txt"),
                "gradebook": str(folder / "gradebook.json"),
                "submissions": str(folder / "submissions"),
                "unix_socket": str(folder / "socket"),
                "abstract_socket": mark,
                "tcp_port": str(doors[0].getsockname()[1]),
                "udp_port": str(doors[1].getsockname()[1]),
                "grader": str(os.getpid()),
                "zygote": str(os.getpid()),
                "secret_address": str(ctypes.addressof(secret)),
                "scratch_address": str(ctypes.addressof(scratch)),
            }
            yield Bait(mark, folder, words, scratch, doors, signals)
    finally:
        signal.signal(signal.SIGUSR2, before)
        shutil.rmtree(folder)


def _doors(folder: Path, mark: str) -> Iterator[socket.socket]:
    """TCP, UDP, a UNIX socket with a path and one without: bound, listening, never blocking."""
    kinds = (
        (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        (socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "socket")),
        (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{mark}"),
    )
    for family, kind, address in kinds:
        door = socket.socket(family, kind)
        door.bind(address)
        door.setblocking(False)
        if kind == socket.SOCK_STREAM:
            door.listen()
        yield door


# ----------------------------------------------------------------------------------------- what is seen


def told(report: Report, course: Course, page_too: bool = True) -> str:
    """Everything that a report shows, without its quotes: JSON, JUnit and terminal output in both languages; the page.

    Also asserts that none of it is active, with the quotes.
    """
    _shown(report, course, page_too)
    return _shown(without_quotes(report), course, page_too)


def _shown(report: Report, course: Course, page_too: bool) -> str:
    report = replace(report, seconds=0.0)  # its digits could be anything
    pages = []
    for lang in ("en", "zh"):
        pages.append(json.dumps(to_json(report, lang), ensure_ascii=False))  # type: ignore[arg-type]
        page = StringIO()
        render(report, course, lang, Console(file=page, width=200, color_system=None))  # type: ignore[arg-type]
        pages.append(page.getvalue())
        pages.append("\n".join(ElementTree.fromstring(to_junit(report, lang)).itertext()))  # type: ignore[arg-type]
    if page_too:
        inert = Inert()
        inert.feed(html.render(report, course, "en"))
        inert.close()
        assert inert.alive == []
        pages.append(inert.text)
    assert [found for page in pages if (found := _CONTROL.search(page))] == []
    return "\n".join(pages)


class Inert(HTMLParser):
    """The text of a page as a browser shows it, and anything in it that would act or load something."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.alive: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Checks that an element and its attributes are inactive."""
        loads = [
            name for name, value in attrs if name in ("href", "src", "srcset") and not (value or "").startswith("#")
        ]
        acts = [name for name, _ in attrs if name.startswith("on") or name in ("srcdoc", "formaction", "autofocus")]
        if tag in _ACTING or loads or acts:
            self.alive.append(self.get_starttag_text() or tag)

    def handle_data(self, data: str) -> None:
        """Collects text."""
        self.text += data


_ACTING = {"script", "img", "iframe", "object", "embed", "link", "base", "form", "audio", "video", "foreignobject"}


#: The points that attacks award themselves.
FORGED = "1234.5"


def without_quotes(report: Report) -> Report:
    """The report without what it quotes as the learner's own, where that says what the attack would like to see:

    lines of source, and forged points in what was printed.
    """

    def cleared(exercise: ExerciseResult) -> ExerciseResult:
        found = [
            each if each.span is None else replace(each, span=replace(each.span, source=""))
            for each in exercise.diagnosis
        ]
        outcomes = [
            replace(each, verdict=replace(each.verdict, printed=each.verdict.printed.replace(FORGED, "…")))
            for each in exercise.outcomes
        ]
        return replace(exercise, diagnosis=tuple(found), outcomes=tuple(outcomes))

    questions = [replace(each, exercises=tuple(map(cleared, each.exercises))) for each in report.questions]
    return replace(report, questions=tuple(questions))


def traces_of_success(text: str, bait: Bait) -> list[str]:
    """The places in ``text`` that show that an attack succeeded."""
    secret = [line.strip() for line in (ROOT / "reference" / "attention.py").read_text().splitlines()]
    signs = ["GOT", FORGED, bait.words["canary"], *(line for line in secret if len(line) > 40)]
    return [text[text.index(sign) :][:200] for sign in signs if sign in text]


def hidden_numbers(course: Course, seed: Seed, public: bool = False) -> frozenset[str]:
    """The first number of every random array of a hidden case, as attacks print it: itself, or its digits as a size."""
    numbers = set()
    for exercise in (exercise for question in course.questions for exercise in question.exercises):
        for case in (case for case in exercise.cases if case.public is public):
            drawn = dict(draw(case, exercise.name, seed).args)
            for name, recipe in case.args:
                if isinstance(recipe, Normal):
                    first = float(np.ravel(drawn[name])[0])
                    digits = round(abs(first) * 10**6)
                    numbers |= {f"{first:.6f}", f"({digits}, ", f"{digits}.0 times"} if first else set()
    return frozenset(numbers)


def _statuses(result: ExerciseResult) -> set[str]:
    return {outcome.status.value for outcome in result.outcomes if outcome.verdict.applies}


def _worthless(result: ExerciseResult) -> bool:
    """No check that compares with the reference is passed, except those that returning zeros passes."""
    compared = {outcome.check for outcome in result.outcomes if outcome.status == "passed"}
    return result.status != "passed" and compared <= {"unchanged_inputs", "repeatable", "operations", "memory"}


def _everything(result: ExerciseResult) -> bool:
    return result.status == "passed" and result.earned == result.possible


def _one_check_lost(result: ExerciseResult) -> bool:
    """Right results, but one check that counts earns nothing anywhere."""
    lost = {outcome.check for outcome in result.outcomes if outcome.verdict.applies and outcome.status != "passed"}
    counted = [outcome for outcome in result.outcomes if outcome.check in lost]
    return len(lost) == 1 and sum(outcome.earned for outcome in counted) == 0 < sum(o.possible for o in counted)


#: The words behind ``observe:`` that judge the whole result, and what they demand of it.
WHOLE: dict[str, Callable[[ExerciseResult], bool]] = {
    "no-credit": _worthless,
    # The right result besides an attack that fails: it gets what the right result deserves.
    "harmless": _everything,
    # A fact that only the child can tell, told wrongly: a limit of the design, worth the points of that one check.
    "testimony": _everything,
    # The right result by a way that one check is about: it does not get that check's points, nor do others.
    "loses-the-check": _one_check_lost,
}
#: The words that name a way to end: nothing is earned, and whatever was tried ended like this.
ENDS = {"dies": "died", "times-out": "timed-out", "raises": "raised"}


def as_observed(attack: Attack, result: ExerciseResult) -> bool:
    """Whether ``result`` is what the attack declares."""
    if demands := [WHOLE[word] for word in attack.observe if word in WHOLE]:
        return all(demand(result) for demand in demands)
    ends, seen = {ENDS[word] for word in attack.observe}, _statuses(result)
    return result.earned == 0 and bool(seen & ends) and seen <= ends | {"skipped"}


# ------------------------------------------------------------------------------------------------ forgery

_LIES: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**390,
    float("nan"),
    "{0} {text} \x1b[31m",
    (),
    [[]],
    {},
    {"a": Array(np.zeros((2, 2)), "numpy", dtype="float64")},
    [["w_q", "w_k"], ["w_q"]],
    Array(np.zeros((0, 3)), "torch", dtype="float64"),
    Array(np.array(True), "scalar", dtype="bool"),
    Array(np.full((2, 3), np.nan, np.float16), "torch", dtype="float16"),
)


def forgeries(honest: Observed, chance: random.Random, count: int) -> Iterator[Observed]:
    """Observations in which an eighth of the answers are changed somewhere."""
    for _ in range(count):
        said = tuple(_forged(seen, chance) if chance.random() < 0.125 else seen for seen in honest.observations)
        yield replace(honest, observations=said)


def _forged(seen: Observation, chance: random.Random) -> Observation:
    if not isinstance(seen, Returned) or not seen.values:
        return seen
    values = list(seen.values)
    at = chance.randrange(len(values))
    values[at] = _changed(values[at], chance)
    return Returned(tuple(values))


def _changed(value: Any, chance: random.Random) -> Any:
    """``value`` with something in it replaced or removed."""
    if not isinstance(value, (list, tuple, dict)) or not value or chance.random() < 0.3:
        return chance.choice(_LIES)
    if isinstance(value, dict):
        key = chance.choice(sorted(value))
        rest = {name: entry for name, entry in value.items() if name != key}
        return rest if chance.random() < 0.2 else rest | {key: _changed(value[key], chance)}
    entries = list(value)
    at = chance.randrange(len(entries))
    entries[at : at + 1] = [] if chance.random() < 0.2 else [_changed(entries[at], chance)]
    return entries


# ------------------------------------------------------------------------------------------- the machine


def zygotes(sandbox: Sandbox) -> list[int]:
    """The process that the grader started, and the one in its own PID namespace, if any."""
    assert sandbox._zygote is not None
    outer = sandbox._zygote._process.pid
    return [outer, *_children(outer)] if "pidns" in sandbox.layers else [outer]


def quiet(sandbox: Sandbox) -> None:
    """Asserts that the zygote has one thread and no child left, and that no orphan of its kind is alive."""
    *outer, zygote = zygotes(sandbox)
    idle(zygote)
    command = Path(f"/proc/{zygote}/cmdline").read_bytes()
    assert [pid for pid in orphans(command) if pid not in (*outer, zygote)] == []


def idle(zygote: int, patience: float = 5) -> None:
    """Asserts that soon it has no child and one thread."""
    until = time.monotonic() + patience
    while _children(zygote) and time.monotonic() < until:
        time.sleep(0.01)  # it reaps the last child while we look
    assert _children(zygote) == []
    assert "\nThreads:\t1\n" in Path(f"/proc/{zygote}/status").read_text(errors="replace")


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def orphans(command: bytes) -> Iterator[int]:
    """Processes with this command line whose parent has ended, so that an ancestor of ours adopted them."""
    above = {1}
    pid = os.getppid()
    while pid > 1:
        above.add(pid)
        pid = _parent(pid)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "cmdline").read_bytes() == command and _parent(int(entry.name)) in above:
                    yield int(entry.name)
            except OSError:
                continue  # it has ended meanwhile


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/status").read_text(errors="replace").partition("\nPPid:")[2].split()[0])


def running(mark: str) -> list[str]:
    """Processes that have ``mark`` in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            found += [command] if mark in command else []
    return found
