"""A class of invented learners, as large as one likes: what they hand in follows from a seed and their number.

Most have done much of the course, some of it wrong, with the sample solutions or with a typical mistake. One in five
is a case of its own: of every hundred, one has a function that never ends, and others crash, eat memory, cannot be
parsed, copied the references, or handed in nearly nothing.
"""

from __future__ import annotations

import functools
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random

import yaml

from grader.core.errors import CourseError
from grader.core.marks import bare
from grader.core.model import Course, Exercise, Item, Question
from grader.course import edits, items
from grader.grading.plan import module_of
from tests import samples

#: The files of a submission: path → text.
Files = dict[str, str]

_FIRST = "Adrem Belko Cinnar Dovie Elsum Farrow Gintel Hobbry Ivaun Jessop Kalmi Lorvik Mebbin Nessary Oltu Pirran"
_LAST = "Amberquill Brackenfold Copperwhistle Dustfeather Elmscratch Fernwobble Gravelnote Hazelbolt Inkmarsh Jarlight"


def name(number: int) -> str:
    """A name that nobody has."""
    pairs = [f"{first} {last}" for last in _LAST.split() for first in _FIRST.split()]
    again, at = divmod(number, len(pairs))
    return f"{pairs[at]} {again + 1}" if again else pairs[at]


def fill(folder: Path, numbers: Iterable[int], whole: Course, seed: str = "class") -> None:
    """Writes what the learners of these numbers hand in: each a folder, or a zip."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        files, zipped = handed_in(number, whole, seed)
        place = folder / name(number).lower().replace(" ", "-")
        if zipped:
            with zipfile.ZipFile(place.with_suffix(".zip"), "w") as archive:
                for path, text in files.items():
                    archive.writestr(zipfile.ZipInfo(path), text)
            continue
        for path, text in files.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(text, "utf-8")


def handed_in(number: int, whole: Course, seed: str = "class") -> tuple[Files, bool]:
    """What one learner hands in, and whether as a zip."""
    random = Random(f"{seed} {number}")
    ability = random.betavariate(4, 2)
    files = ODD.get(number % 100, plain)(random, ability, whole)
    answers = {
        item.id: answer(random, ability, item, question, whole.public_id, name(number))
        for question in whole.questions
        for item in question.items
        if random.random() < 0.85
    }
    if random.random() < 0.9 or not files:
        said = {"format": 1, "learner": name(number), "answers": answers}
        files["answers.yaml"] = yaml.dump(said, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False)
    return files, random.random() < 0.1


def answer(random: Random, ability: float, item: Item, question: Question, course_id: str, learner: str) -> object:
    """What the learner answers: a right answer, or one of another item of the kind."""
    if random.random() > ability:
        item_asked = random.choice([other for other in question.items if other.kind == item.kind])
    else:
        item_asked = item
    said = bare(items.key(item_asked, items.Context(course_id, learner, item_asked.id)).en)
    if item.kind in ("choice", "multi", "match", "order"):
        chosen = [line.partition(":")[0].strip() for line in said.splitlines()]
        if item.kind == "choice":
            return chosen[0] if item_asked is item else random.choice("abcd")
        return chosen if item_asked is item else random.sample(chosen, len(chosen))[: random.randint(1, len(chosen))]
    return said


# --------------------------------------------------------------------------------------------- code


@functools.cache
def solutions(exercise: str, kind: samples.Kind) -> tuple[str, ...]:
    """The sample solutions of an exercise that are ``right``, or ``wrong``, by name."""
    return tuple(sample.text for sample in samples.samples(kind, exercise))


def plain(random: Random, ability: float, whole: Course) -> Files:
    """A file for each exercise, or a notebook for each question; what is not done is not there."""
    reach = random.uniform(0.3, 1.3)  # how much of the course
    done: dict[str, list[tuple[str, str]]] = {}
    for question in whole.questions:
        for exercise in question.exercises:
            right = random.random() < ability
            text = random.choice(solutions(exercise.name, "right" if right else "wrong"))
            if random.random() < reach:
                done.setdefault(question.id, []).append((exercise.name, text))
    if random.random() < 0.15:
        return {f"{question}.ipynb": notebook(text for _, text in texts) for question, texts in done.items()}
    return {f"{question}_{title}.py": text for question, texts in done.items() for title, text in texts}


def notebook(cells: Iterable[str]) -> str:
    """A notebook of these cells."""
    made = [
        {"cell_type": "code", "execution_count": None, "id": f"c{at}", "metadata": {}, "outputs": [], "source": text}
        for at, text in enumerate(cells)
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def copied(random: Random, ability: float, whole: Course) -> Files:
    """The references, into which typical mistakes have found their way."""
    files = whole.reference
    for question in whole.questions:
        for exercise in question.exercises:
            if exercise.mistakes and random.random() > ability:
                try:
                    files = edits.apply(files, random.choice(exercise.mistakes).edits, module_of(exercise))
                except CourseError:  # of two mistakes in one place, the first stays
                    continue
    return {file.path: part.text for file in files for part in file.parts}


def with_one(body: str) -> Callable[[Random, float, Course], Files]:
    """As ``plain``, but that one exercise has this body, or (``import``) its file has it at the top."""

    def make(random: Random, ability: float, whole: Course) -> Files:
        files = plain(random, ability, whole)
        question, exercise = random.choice([(q, e) for q in whole.questions for e in q.exercises])
        return files | {f"{question.id}_{exercise.name}.py": spoilt(exercise, body)}

    return make


def spoilt(exercise: Exercise, body: str) -> str:
    """The exercise with ``body`` in the place of its code; where that begins with "import:", when it is imported."""
    if body.startswith("import:"):
        top = body.removeprefix("import:").strip()
        return f"{top}\n\n\ndef {exercise.name}(*args, **kwargs):\n    return args[0]\n"
    if exercise.kind == "class":
        head = f"import torch\n\n\nclass {exercise.name}(torch.nn.Module):\n    def __init__(self, *args, **kwargs):\n"
        return head + "        super().__init__()\n" + "".join(f"        {line}\n" for line in body.splitlines())
    return f"def {exercise.name}(*args, **kwargs):\n" + "".join(f"    {line}\n" for line in body.splitlines())


def nothing(random: Random, ability: float, whole: Course) -> Files:
    """No code at all."""
    return {}


def one_file(random: Random, ability: float, whole: Course) -> Files:
    """A single exercise."""
    files = plain(random, ability, whole)
    return dict(random.sample(sorted(files.items()), min(1, len(files))))


def unreadable(random: Random, ability: float, whole: Course) -> Files:
    """A single file that is no Python."""
    return {"q05.py": "def scaled_dot_product_attention(q, k, v:\n    return q\n"}


#: What the learners are like whose number ends in these two digits; all others are ``plain``.
ODD: Mapping[int, Callable[[Random, float, Course], Files]] = {
    4: copied,
    7: with_one("while True:\n    pass"),
    11: with_one("import os\nos._exit(3)"),
    17: with_one("import ctypes\nctypes.string_at(0)"),
    23: with_one("return globals()[next(n for n in globals() if n[0] not in '_a')](*args, **kwargs)"),
    29: with_one("return bytearray(1 << 40)"),
    # Memory that is never touched: filling a gigabyte may take longer than the CPU time of an exercise.
    31: with_one("import numpy\nheld = []\nwhile True:\n    held.append(numpy.empty(1 << 22, numpy.uint8))"),
    37: with_one("def broken(:"),
    41: with_one("import: import no_such_module_anywhere"),
    43: with_one("import: raise SystemExit(0)"),
    47: nothing,
    53: one_file,
    59: unreadable,
    61: copied,
    67: with_one("print('x' * 10_000_000)\nreturn args[0]"),
    71: with_one("import: import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"),
    73: with_one("raise ValueError('\\x1b[31m' * 100)"),
    79: copied,
    83: with_one("import socket\nreturn socket.create_connection(('127.0.0.1', 80))"),
    89: one_file,
}
