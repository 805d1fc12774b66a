"""How fast the pages of a class are under load, and beside learners who loop and flood.

    python -m benchmarks.class_load

starts the real command, `attncheck serve --class`, on a class of invented learners: 200 open items, answer them and
look at pages for a minute, and 50 of them submit meanwhile. Prints the 95th percentile of each kind of request.

    python -m benchmarks.class_load --abuse

measures a few learners who answer items, check code and upload notebooks in rounds, alternately alone and beside others
who check code that never ends, submit it, upload what takes long to read, and send requests as fast as they can. Prints
how much slower the former are for that; ``--only reads`` has all abusers do the same. They run in a process of their
own with a lower priority, because in a real class their machines are elsewhere.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import io
import itertools
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from benchmarks.class_week import ENDLESS, QUESTIONS, ROOT, attncheck, class_folder, form_of
from grader.core.model import Course, Item, Question
from grader.course import items as item_kinds
from grader.course import loader
from grader.grading import courses
from tests import sample_class
from tests.samples import Kind

Seconds = dict[str, list[float]]
BOUNDARY = "attncheck-benchmark"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file for the page of files, which replaces one of the same name."""

    name: str
    data: bytes

    def body(self) -> bytes:
        """The form with the file."""
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="'
        file = f'{head}files"; filename="{self.name}"\r\n\r\n'.encode() + self.data
        return file + f'\r\n{head}replace"\r\n\r\n1\r\n--{BOUNDARY}--\r\n'.encode()


@dataclass(slots=True)
class Client:
    """One connection of a person, who is signed in with a link. ``seconds`` collects how long requests took."""

    address: str
    link: str
    seconds: Seconds
    cookie: str = ""
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def sign_in(self) -> None:
        """Presses the button of the link's page."""
        _, head, _ = await self.ask("POST", "/sign-in", {"link": self.link.partition("link=")[2]})
        found = re.search(r"(?i)set-cookie: ([^;]+)", head)
        assert found is not None, head
        self.cookie = found[1]

    async def ask(self, method: str, path: str, form: object = None) -> tuple[int, str, bytes]:
        """The status, the headers and the body of an answer. ``form`` has the fields, or is an ``Upload``."""
        if self.streams is None:
            where = urlsplit(self.address)
            self.streams = await asyncio.open_connection(where.hostname, where.port)
        reader, writer = self.streams
        kind = "application/x-www-form-urlencoded"
        if isinstance(form, Upload):
            body, kind = form.body(), f"multipart/form-data; boundary={BOUNDARY}"
        else:
            body = b"" if form is None else urlencode(form).encode()  # type: ignore[arg-type]
        head = [f"{method} {path} HTTP/1.1", f"Host: {urlsplit(self.address).netloc}", f"Cookie: {self.cookie}"]
        if method == "POST":
            head += [f"Origin: {self.address}", f"Content-Type: {kind}"]
        writer.write("\r\n".join([*head, f"Content-Length: {len(body)}", "", ""]).encode() + body)
        try:
            told = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = re.search(r"(?i)content-length: (\d+)", told)
            found = await reader.readexactly(int(length[1])) if length else b""
        except (asyncio.IncompleteReadError, ConnectionError):
            self.close()
            raise
        if re.search(r"(?i)^connection: close", told, re.MULTILINE):
            self.close()
        return int(told.split()[1]), told, found

    def close(self) -> None:
        """The next request opens a new connection."""
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None

    async def timed(self, kind: str, method: str, path: str, form: object = None) -> bytes:
        """The page; how long it took is noted. Raises RuntimeError for anything but a page."""
        began = time.perf_counter()
        status, _, found = await self.ask(method, path, form)
        self.seconds[kind].append(time.perf_counter() - began)
        if status != 200:
            text = re.sub(r"\s*<[^>]*>\s*", " ", found.decode().partition("<main")[2])
            raise RuntimeError(f"{method} {path}: {status} {text[:300]}")
        return found


@dataclass(slots=True)
class Learner:
    """Somebody who works, and makes mistakes."""

    id: str
    client: Client
    course: Course
    questions: list[Question]
    chance: random.Random
    _items: Iterator[tuple[Question, Item]] = field(init=False)

    def __post_init__(self) -> None:
        """Everybody goes through the items in an order of their own."""
        every = [(question, item) for question in self.questions for item in question.items]
        self.chance.shuffle(every)
        self._items = itertools.cycle(every)

    async def answer(self) -> None:
        """Opens the next item and answers it."""
        question, item = next(self._items)
        await self.client.timed("page", "GET", f"/items/{item.id}")
        said = sample_class.answer(self.chance, 0.6, item, question, self.course.public_id, self.id)
        form = form_of(item, said, item_kinds.Context(self.course.public_id, self.id, item.id))
        await self.client.timed("answer", "POST", f"/items/{item.id}", [*form, ("do", "answer")])

    async def look(self) -> None:
        """Opens a question."""
        await self.client.timed("page", "GET", f"/questions/{self.chance.choice(self.questions).id}")

    def code(self, question: Question) -> str:
        """A solution of each exercise, right or wrong."""
        kinds: tuple[Kind, ...] = ("right", "wrong")
        each = [sample_class.solutions(one.name, self.chance.choice(kinds)) for one in question.exercises]
        return "\n\n".join(self.chance.choice(solutions) for solutions in each)

    async def check(self) -> None:
        """Saves the code of a question and checks it: each at most so often in an hour as the course allows."""
        question = self.chance.choice(self.questions)
        text = self.code(question)
        await self.client.timed("check", "POST", f"/questions/{question.id}/code", {"code": text, "do": "check"})

    async def read(self) -> None:
        """Uploads a notebook of ten cells that has changed, and opens the page that reads it."""
        cells = [f"x{at} = {self.chance.random()}\n" for at in range(9)] + [self.code(self.questions[0])]
        await self.client.timed("notebook", "POST", "/work", Upload("mine.ipynb", notebook(4, cells)))
        await self.client.timed("submit", "GET", "/submit")

    async def submit(self) -> None:
        """Saves code and submits it."""
        question = self.questions[0]
        form = {"code": self.code(question), "do": "save"}
        await self.client.timed("page", "POST", f"/questions/{question.id}/code", form)
        await self.client.timed("submission", "POST", "/submit", {})


def notebook(version: int, cells: list[str]) -> bytes:
    """A notebook in format 3 or 4 with these code cells."""
    key = "source" if version == 4 else "input"
    code = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "language": "python", "collapsed": False, key: cell}
        for cell in cells
    ]
    inside = {"cells": code} if version == 4 else {"worksheets": [{"cells": code, "metadata": {}}]}
    return json.dumps({"nbformat": version, "nbformat_minor": 0, "metadata": {"name": ""}, **inside}).encode()


@contextmanager
def server(folder: Path, workers: int) -> Iterator[None]:
    """The real command."""
    command = [sys.executable, str(ROOT / "cli.py"), "serve", "--class", str(folder), "--workers", str(workers)]
    command += ["--lang", "en"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            while "listening" not in (line := process.stdout.readline()):
                assert line, "the server did not start"
            yield
        finally:
            process.terminate()


async def until(
    end: float, chance: random.Random, pause: float, act: Callable[[], Coroutine[None, None, None]]
) -> None:
    """Acts again and again, with pauses between none and twice ``pause`` seconds."""
    while True:
        await asyncio.sleep(chance.uniform(0, 2 * pause))
        if time.perf_counter() > end:
            return
        await act()


async def loaded(learners: list[Learner], given: argparse.Namespace) -> None:
    """Everybody works for a while, and some submit in that time."""
    end = time.perf_counter() + given.seconds
    some = random.Random(1).sample(learners, min(given.submissions, len(learners)))

    async def one(learner: Learner) -> None:
        async def act() -> None:
            await (learner.answer() if learner.chance.random() < 0.8 else learner.look())

        await until(end, learner.chance, given.pause, act)

    async def later(learner: Learner) -> None:
        await asyncio.sleep(learner.chance.uniform(0, given.seconds))
        other = Client(learner.client.address, learner.client.link, learner.client.seconds, learner.client.cookie)
        await Learner(learner.id, other, learner.course, learner.questions, learner.chance).submit()

    await asyncio.gather(*map(one, learners), *map(later, some))


async def burst(learners: list[Learner]) -> None:
    """Everybody answers an item at the same moment."""
    for learner in learners:
        learner.client.seconds = defaultdict(list)
    await asyncio.gather(*(learner.answer() for learner in learners))
    every = [one for learner in learners for kind in ("page", "answer") for one in learner.client.seconds[kind]]
    print(f"all {len(learners)} at the same moment, a page and an answer: the last after {1000 * max(every):.0f} ms")


async def honest(learners: list[Learner], seconds: float) -> None:
    """A few learners answer, check code, and upload notebooks."""
    end = time.perf_counter() + seconds

    async def one(learner: Learner) -> None:
        async def go() -> None:
            (act,) = learner.chance.choices((learner.answer, learner.check, learner.read), (6, 2, 2))
            await act()

        await until(end, learner.chance, 1.0, go)

    await asyncio.gather(*map(one, learners))


# ------------------------------------------------------------------------------------------------ abuse


async def loops(client: Client, questions: list[Question]) -> None:
    """Checks code without end, again and again."""
    for question in itertools.cycle(questions):
        names = [exercise.name for exercise in question.exercises]
        text = ENDLESS + "".join(f"{name} = softmax\n" for name in names)
        await client.ask("POST", f"/questions/{question.id}/code", {"code": text, "do": "check"})


async def submits(client: Client, questions: list[Question]) -> None:
    """Submits code without end, again and again."""
    for number in itertools.count():
        form = {"code": ENDLESS + f"# {number}\n", "do": "save"}
        await client.ask("POST", f"/questions/{questions[0].id}/code", form)
        await client.ask("POST", "/submit", {})


async def floods(client: Client, questions: list[Question]) -> None:
    """Sends requests as fast as they are answered, over ten connections."""
    item = questions[0].items[0]

    async def one() -> None:
        other = Client(client.address, client.link, client.seconds, client.cookie)
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                await other.ask("GET", f"/items/{item.id}")
                await other.ask("POST", f"/items/{item.id}", {"answer": "1", "do": "answer"})

    await asyncio.gather(*(one() for _ in range(10)))


def costly() -> list[Upload]:
    """What takes long to read: notebooks of format 3 that are 17 MB in a small zip, and as much code as is parsed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(18):
            archive.writestr(f"old{number}.ipynb", notebook(3, [f"x = {number}\n" + " " * 400] * 1800))
    code = "".join(f"a{at} = [{at}, -~{at}, lambda: {at}]\n" for at in range(6_000))
    return [Upload("old.zip", packed.getvalue()), Upload("code.ipynb", notebook(4, [code]))]


async def reads(client: Client, questions: list[Question]) -> None:
    """Uploads what takes long to read, three at a time, and opens the pages that show it."""

    uploads = costly()

    async def one(number: int) -> None:
        other = Client(client.address, client.link, client.seconds, client.cookie)
        for turn in itertools.count():
            for upload in uploads:
                data = upload.data.replace(b"a0 =", f"a{number}_{turn} =".encode())
                data = data.replace(b"old0.", f"{number}{turn:03}.".encode())  # the name of a file in the zip
                with suppress(OSError, asyncio.IncompleteReadError):
                    await other.ask("POST", "/work", Upload(upload.name, data))
                    await other.ask("GET", "/work")
                    await other.ask("GET", "/submit")

    await asyncio.gather(*(one(number) for number in range(3)))


ABUSES = {"loops": loops, "submits": submits, "floods": floods, "reads": reads}


async def abuse(address: str, links: list[str], questions: list[Question], only: str | None) -> None:
    """Half of the abusers loop, one submits, one reads, the others flood, until this process is killed.

    With ``only``, all of them do that.
    """
    clients = [Client(address, link, defaultdict(list)) for link in links]
    for client in clients:
        await client.sign_in()
    kinds = [loops] * (len(clients) // 2) + [submits, reads] + [floods] * len(clients)
    if only is not None:
        kinds = [ABUSES[only]] * len(clients)
    print("ready", flush=True)
    await asyncio.gather(*(kind(client, questions) for kind, client in zip(kinds, clients, strict=False)))


@contextmanager
def abusers(address: str, links: list[str], only: str | None) -> Iterator[None]:
    """Abusers in a process of their own."""
    command = [sys.executable, "-m", "benchmarks.class_load", "--abusers", json.dumps([address, links, only])]
    # The kernel shares processors among sessions, as it would among machines.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
        finally:
            process.kill()


def alternate(runner: asyncio.Runner, learners: list[Learner], bad: list[str], given: argparse.Namespace) -> None:
    """Calm rounds and rounds with abusers in turn; prints the medians and their ratio."""
    address = learners[0].client.address
    rounds: dict[bool, list[Seconds]] = {False: [], True: []}
    for turn in range(2 * given.rounds + 1):
        disturbed = turn % 2 == 0 and turn > 0
        found: Seconds = defaultdict(list)
        for learner in learners:
            learner.client.seconds = found
        if disturbed:
            with abusers(address, bad, given.only):
                runner.run(asyncio.sleep(3))
                runner.run(honest(learners, given.seconds))
        else:
            runner.run(asyncio.sleep(0 if turn == 0 else given.rest))
            runner.run(honest(learners, given.seconds))
        if turn > 0:  # the first round is for getting warm
            rounds[disturbed].append(found)
    print(f"{'':<10}{'count':>7}{'calm':>10}{'abuse':>10}{'ratio':>8}{'calm p95':>12}{'abuse p95':>12}{'ratio':>8}")
    for kind in ("page", "answer", "check", "notebook", "submit"):
        calm, rough = ([one for each in rounds[which] for one in each[kind]] for which in (False, True))
        if min(len(calm), len(rough)) < 2:
            continue  # a short run
        middle = [statistics.median(each) for each in (calm, rough)]
        late = [statistics.quantiles(each, n=20)[-1] for each in (calm, rough)]
        print(
            f"{kind:<10}{len(calm) + len(rough):>7}{1000 * middle[0]:>7.1f} ms{1000 * middle[1]:>7.1f} ms"
            f"{middle[1] / middle[0]:>8.2f}{1000 * late[0]:>9.1f} ms{1000 * late[1]:>9.1f} ms"
            f"{late[1] / late[0]:>8.2f}"
        )


def main() -> None:
    """Load, or abuse."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", type=int, help="default: 200, or 20 with --abuse")
    parser.add_argument("--submissions", type=int, default=50)
    parser.add_argument("--seconds", type=float, help="of the load, or of a round; default: 60, or 15 with --abuse")
    parser.add_argument("--pause", type=float, default=5.0, help="mean seconds between two clicks of a learner")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--abuse", type=int, nargs="?", const=6, default=0, metavar="N", help="N abusers (default: 6)")
    parser.add_argument("--only", choices=ABUSES, help="what all abusers do (default: each something else)")
    parser.add_argument("--rounds", type=int, default=4, help="of each kind")
    parser.add_argument("--rest", type=float, default=8.0, help="seconds until what abusers left has ended")
    parser.add_argument("--abusers", help=argparse.SUPPRESS)
    given = parser.parse_args()
    course = courses.load(loader.find(None))
    questions = [question for question in course.questions if question.id in QUESTIONS]
    if given.abusers:
        os.nice(10)
        with suppress(OSError):
            Path("/proc/self/autogroup").write_text("10", "ascii")
        address, links, only = json.loads(given.abusers)
        asyncio.run(abuse(address, links, questions, only))
    given.learners = given.learners or (20 if given.abuse else 200)
    given.seconds = given.seconds or (15 if given.abuse else 60)
    with tempfile.TemporaryDirectory() as name, asyncio.Runner() as runner:
        folder = Path(name)
        address = class_folder(folder, given.learners + given.abuse)
        rows = csv.DictReader(io.StringIO(attncheck("links", name, "--csv")))
        links = {row["id"]: row["link"] for row in rows if row["id"] != "grace"}
        seconds: Seconds = defaultdict(list)
        with server(folder, given.workers):
            good = [*links.items()][: given.learners]
            learners = [
                Learner(who, Client(address, link, seconds), course, questions, random.Random(who))
                for who, link in good
            ]
            for learner in learners:
                runner.run(learner.client.sign_in())
            if given.abuse:
                alternate(runner, learners, [*links.values()][given.learners :], given)
                return
            runner.run(loaded(learners, given))
            runner.run(burst(learners))
        print(f"{'':<12}{'count':>7}{'p50':>10}{'p95':>10}{'most':>10}")
        for kind, found in sorted(seconds.items()):
            late = statistics.quantiles(found, n=20)[-1] if len(found) > 1 else found[0]
            shown = "".join(f"{1000 * each:>7.0f} ms" for each in (statistics.median(found), late, max(found)))
            print(f"{kind:<12}{len(found):>7}{shown}")


if __name__ == "__main__":
    main()
