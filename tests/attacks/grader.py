"""Attacks on the grader's own process: input that is meant to make reading, judging or comparing it never end.

Each is the worst input for one place in the list in ``docs/security.md``, with a counter of the work done there. None
of it is executed. ``tests/attacks/test_attacks_on_grader.py`` tries them, with small bounds where the real ones would
take long to reach.
"""

from __future__ import annotations

import difflib
import json
import struct
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

from grader import submission
from grader.classroom import intake
from grader.core import bounded
from grader.core.bounded import Bounds
from grader.core.errors import SubmissionError
from grader.core.model import Answer, Call, Course, Item, Job, Limits, Observed, Part, Program, SourceFile, Submission
from grader.course import items
from grader.formulas import scalars
from grader.grading import answer_grading, definitions, grade, notices, selection
from grader.instructor.analysis import similarity
from grader.sandbox import launch
from grader.sandbox.children import FrameBuffer
from grader.sandbox.inside import frames
from grader.submission import notebook, source
from tests.attacks.cases import AttackCase


@dataclass(slots=True)
class Count:
    """How much was done."""

    done: int = 0

    @contextmanager
    def of(self, owner: object, name: str, cost: Callable[..., int] = lambda *args, **kwargs: 1) -> Iterator[None]:
        """Counts calls of ``owner.name``, or what each costs."""
        real = getattr(owner, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.done += cost(*args, **kwargs)
            return real(*args, **kwargs)

        with patch.object(owner, name, counted):
            yield


@dataclass(frozen=True, slots=True)
class Case(AttackCase):
    """``attempt`` is given a folder and the course, and returns the work that was done: at most ``bound``.

    ``place`` is where, as ``docs/security.md`` calls it.
    """

    family = "grader"
    place: str
    bound: int
    attempt: Callable[[Path, Course], int]


def _complaint(path: Path) -> str:
    """Why a submission cannot be read, or nothing; all in this process, where it can be counted."""
    with patch.object(bounded, "_SERVING") as serving:
        serving.is_set.return_value = True
        try:
            submission.read(path)
        except SubmissionError as error:
            return str(error)
    return ""


def _refused(path: Path) -> str:
    """The same for a submission that must not be readable."""
    found = _complaint(path)
    assert found, "it was read"
    return found


def _zip(folder: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(folder / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return folder / "all.zip"


def _notebook(*cells: str) -> str:
    code = [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []} for cell in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": code})


# ------------------------------------------------------------------------------------------- listing


class _Name(str):
    """A name that counts how often it is compared."""

    count = 0

    def casefold(self) -> str:
        _Name.count += 1
        return super().casefold()


def _many_names(folder: Path, course: Course) -> int:
    """Each is looked at a few times, however many others there are, and however alike they are."""
    _Name.count = 0
    alike = ("".join(pair).ljust(8, "x") for pair in product(("a", "A"), repeat=6))
    names = [_Name(f"{n}.txt") for n in range(2000)] + [_Name(name) for name in alike]
    found = intake.group_files([("mallory", name, name) for name in names])
    assert len({inner.casefold() for _, inner in found["mallory"]}) == len(names)
    return _Name.count


# ------------------------------------------------------------------------------------------- reading

_FIELDS = 'f"' + "{a}" * 80_000 + '"\n'


def _field_steps(text: str, *_: object) -> int:
    return len(text) * text.count("{")


def _parsed_fields(files: dict[str, str]) -> Callable[[Path, Course], int]:
    """Where the parser is slow, they are refused; elsewhere the tokenizer is, and must not be asked."""
    slow = (source.ast, "parse") if source.SLOW_FIELDS else (source, "_field_steps")

    def attempt(folder: Path, course: Course) -> int:
        count = Count()
        with count.of(*slow, _field_steps):
            said = _complaint(_zip(folder, files))
        assert not source.SLOW_FIELDS or "f-strings" in said
        return count.done

    return attempt


def _parsed_code(folder: Path, course: Course) -> int:
    count = Count()
    cell = "a = 1\n" + "#" * 100_000
    with count.of(source.ast, "parse", lambda text: len(text)):
        assert "1 MiB of code" in _refused(_zip(folder, {f"n{n}.ipynb": _notebook(cell, cell) for n in range(10)}))
    return count.done


def _names(folder: Path, course: Course) -> int:
    count = Count()
    (folder / "q05.py").write_text("".join(f"a{n}=0\n" for n in range(source.MAX_NAMES + 1)))
    with count.of(submission, "SourceFile"):
        assert "10000 names" in _refused(folder / "q05.py")
    return count.done


def _dots(folder: Path, course: Course) -> int:
    count = Count()
    (folder / "q05.py").write_text("x = a" + (".\\\n" + "a" * 400) * 499 + "." * 3)
    with count.of(source.ast, "parse"):
        assert "dots" in _refused(folder / "q05.py")
    return count.done


def _brackets(folder: Path, course: Course) -> int:
    count = Count()
    with count.of(notebook.json, "loads"), patch.object(notebook, "MAX_BRACKETS", 1000):
        assert "1000" in _refused(_zip(folder, {"n.ipynb": '{"nbformat": 4, "cells": [' + "[]," * 1000}))
    return count.done


def _unpacked(folder: Path, course: Course) -> int:
    count = Count()
    place = _zip(folder, {"n.ipynb": " " * (5 << 20)})
    with count.of(zipfile.ZipExtFile, "read", lambda entry, size: size):
        _refused(place)
    return count.done


def _listed(folder: Path, course: Course) -> int:
    count = Count()
    place = _zip(folder, {f"{n}.txt": "" for n in range(3000)})
    with count.of(submission.files, "Member"):
        assert "2000 files" in _refused(place)
    return count.done


def _limit(limit: Bounds, text: str) -> Callable[[Path, Course], int]:
    """Whatever no bound foresees ends with the process that reads: nothing of it comes back."""

    def attempt(folder: Path, course: Course) -> int:
        count = Count()
        with patch.object(submission, "READING", limit), count.of(bounded, "_result"):
            try:
                submission.read(_zip(folder, {"q05.py": text}))
            except SubmissionError as error:
                assert "CPU time or" in str(error) or "cannot handle this" in str(error)
                return 0
        return count.done + 1

    return attempt


def _forbidden(folder: Path, course: Course) -> int:
    count = Count()
    text = "\n".join([*(f"from m{n} import *" for n in range(300)), "def f():", *("    softmax" for _ in range(300))])
    file = SourceFile("q05.py", "q05", (Part("q05.py", text),), (("f", 301),))
    with count.of(definitions, "_forbidden"):
        assert definitions.first_use("f", ("torch.softmax",), file, (file,)) is None
    return count.done


# ---------------------------------------------------------------------------------------------- answers


def _answering(answers: Sequence[tuple[str, object]]) -> Submission:
    return Submission("mallory", (), tuple(Answer(name, value, line) for line, (name, value) in enumerate(answers, 1)))


def _graded(course: Course, answers: Sequence[tuple[str, object]]) -> list[Any]:
    """What became of the answers, with no code that could be run; all in this process."""
    with patch.object(bounded, "call", lambda bounds, function, *args: function(*args)), patch.object(bounded, "start"):
        report = grade.grade(course, _answering(answers), lambda job, limits: Observed((), (), unsafe=False))
    asked = {name for name, _ in answers}
    return [result for question in report.questions for result in question.items if result.id in asked]


def _unknown_ids(folder: Path, course: Course) -> int:
    count = Count()
    item = course.questions[0].items[0].id
    answers = [(item, "a"), *((f"{item}.{n}" + "x" * 60 * (n % 2), "a") for n in range(20_000))]
    with count.of(difflib, "get_close_matches"):
        found = list(notices.remarks(course, _answering(answers), ()))
    assert len(found) == 6
    assert "19995" in found[-1].text.en
    return count.done


def _near_names(folder: Path, course: Course) -> int:
    count = Count()
    defines = tuple((f"scaled_dot_product_attentio{n}", n) for n in range(9000))
    with count.of(difflib, "get_close_matches"), suppress(SubmissionError):
        selection.choose(course, Submission("mallory", (SourceFile("a.py", "a", (), defines),)), selection.Selection())
    return count.done


def _items(course: Course, *kinds: str) -> list[Item]:
    return [item for question in course.questions for item in question.items if item.kind in kinds]


def _long_answers(folder: Path, course: Course) -> int:
    """The kinds that look at an answer whatever its length see it; the others never do."""
    count = Count()
    seen = {item.kind: item for question in course.questions for item in question.items if item.use == "graded"}
    for kind, item in seen.items():
        for value in ("a 1 " * 50_000, ["a"] * 50_000, {str(n): "a" for n in range(50_000)}, [["a" * 200_000]]):
            with count.of(items.kinds()[kind], "judge"):
                assert items.judge(item, value, items.Context("", "mallory", item.id)).fraction == 0
    return count.done - 4 * sum(getattr(items.kinds()[kind], "ANY_LENGTH", False) for kind in seen)


_SUMS = [" + ".join(f"Σ_{{k=1}}^{{{n}}} k - {n * (n + 1) // 2}" for n in (1900, 1901, 1902))] * 55


def _sums_in_one(folder: Path, course: Course) -> int:
    count = Count()
    item = _items(course, "derivation")[0]
    value = {"given": dict(item.spec.given), "lines": [f"{item.spec.from_} + {line}" for line in _SUMS]}
    with patch.object(scalars, "MOST_STEPS", 5000), count.of(scalars.Meter, "spend", lambda meter, steps=1: steps):
        assert items.judge(item, value, items.Context("", "mallory", item.id)).fraction == 0
    return count.done


def _sums_in_all(folder: Path, course: Course) -> int:
    count = Count()
    answers = [
        (item.id, {"given": dict(item.spec.given), "lines": [f"{item.spec.from_} + {line}" for line in _SUMS[:5]]})
        for item in _items(course, "derivation")
        if item.use == "graded"
    ]
    with (
        patch.object(answer_grading, "_MOST_STEPS", 8000),
        patch.object(scalars, "MOST_STEPS", 3000),
        count.of(scalars.Meter, "spend", lambda meter, steps=1: steps),
    ):
        assert [result.earned for result in _graded(course, answers)] == [0] * len(answers)
    return count.done


def _free_text(folder: Path, course: Course) -> int:
    """Of free text, words are counted as far as its own bound, and nothing else is done with it."""
    count = Count()
    item = _items(course, "text")[0]
    with count.of(items.kinds()["text"], "_length", len):
        judged = items.judge(item, "softmax scores variance " * 5000, items.Context("", "mallory", item.id))
    assert judged.status == "pending"
    return count.done


def _ended(folder: Path, course: Course) -> int:
    """Answers that no step counts: after three have ended the process no more are tried."""
    count = Count()

    def call(*_: object) -> None:
        count.done += 1
        raise bounded.Exceeded("cpu")

    answers = [(item.id, "x") for item in _items(course, "expression") if item.use == "graded"]
    with patch.object(bounded, "call", call), patch.object(bounded, "start"):
        report = grade.grade(course, _answering(answers), lambda job, limits: Observed((), (), unsafe=False))
    results = [result for question in report.questions for result in question.items]
    given = [result for result in results if result.message == answer_grading._TOO_HEAVY]
    assert len(given) == len(answers) > count.done
    return count.done


# ----------------------------------------------------------------------------------------------- frames


class _Forger:
    """A child that answers every task with a list of arrays without dimensions."""

    patience = 1.0

    def __init__(self, arrays: int) -> None:
        self._buffer, self._said = FrameBuffer(), -2
        self._forged = b"l" + struct.pack("<I", arrays) + b"a\x01\0\0\0" * arrays

    @property
    def received(self) -> int:
        return self._buffer.total

    def send(self, frame: bytes) -> None: ...

    def kill(self) -> None: ...

    def close(self) -> None: ...

    def cpu_seconds(self, default: float = 0.0) -> float:
        return 0.0

    def wall_seconds(self) -> float:
        return 0.0

    def stuck(self, over: float = 0.0) -> bool:
        return False

    def receive(self, timeout: float, limit: int) -> Any:
        self._said += 1
        if self._said < 0:
            return frames.HELLO, {"layers": [], "versions": {}}
        if self._said == 0:
            return frames.LOADED, {"task": 0, "failures": []}
        body = frames.encode({"task": self._said, "values": [0]})
        body = body[: body.rindex(b"i")] + self._forged
        self._buffer.add(frames.HEADER.pack(frames.RETURNED, len(body)) + body)
        return self._buffer.take(limit)


class _Forgers:
    unsafe = True

    def start(self, *_: object) -> _Forger:
        return _Forger(1500)


def _arrays(folder: Path, course: Course) -> int:
    count = Count()
    programs = tuple(Program("a", (Call("f", ()),), (0,), group=str(n)) for n in range(60))
    job = Job((SourceFile("a.py", "a", (Part("a.py", ""),)),), programs)
    limits = replace(Limits(), result_bytes=1 << 20, total_bytes=4 << 20)
    with count.of(frames, "Block"):
        launch.observe(_Forgers(), job, limits)  # type: ignore[arg-type]
    return count.done


# ---------------------------------------------------------------------------------------------- similar


def _monotonous(many: int, lines: int) -> list[similarity.ReducedSample]:
    found = []
    for n in range(many):
        text = "def f(x):\n" + "".join(
            f"    x = {'y' if at % 3 else 'x * 2'}\n" if at % (97 + n) else f"    {'x' * (n + 1)} = 3 - x\n"
            for at in range(lines)
        )
        files = (SourceFile("a.py", "a", (Part("a.py", text),)),)
        found.append(similarity.reduce_sample(similarity.CodeSample(str(n), (str(n),), files), ["f"]))
    return found


def _aligning(count: Count) -> Any:
    return count.of(similarity.Indel, "normalized_similarity", lambda one, other, **_: len(one) * len(other))


def _long_solutions(folder: Path, course: Course) -> int:
    count = Count()
    with patch.object(similarity, "MOST_TOKENS", 100), _aligning(count):
        found = similarity.compare(_monotonous(6, 300), [], ["f"])
    assert set(found.shortened) == set("012345")
    return count.done


def _alike(folder: Path, course: Course) -> int:
    count = Count()
    with patch.object(similarity, "MOST_STEPS", 100_000), _aligning(count):
        found = similarity.compare(_monotonous(8, 30), [], ["f"])
    assert found.unaligned > 0
    return count.done


def _blanks(folder: Path, course: Course) -> int:
    """Each character of a line is looked at a few times, however many blanks stand beside each other."""

    class Counting(list[str]):
        looked = 0

        def __getitem__(self, at: Any) -> Any:
            Counting.looked += 1
            return super().__getitem__(at)

    text = "x" + " " * 5000 + "y"
    line = similarity._line(1, text, Counting([*["same"], *[""] * 5000, *["same"]]))
    assert line.stretches == ((text, "same"),)
    return Counting.looked


# ---------------------------------------------------------------------------------------------- reports


def _echoed(folder: Path, course: Course) -> int:
    """What is unknown is echoed, but not at any length."""
    answers = [(f"{'x' * 100_000}{n}", "a") for n in range(50)]
    found = list(notices.remarks(course, _answering(answers), ()))
    return max(len(text) for notice in found for text in (notice.text.en, notice.text.zh))


CASES = (
    Case("many_entries", "3,000 files in a zip", "listing", submission.files.MAX_FILES, _listed),
    Case("many_names", "2,000 files in one folder, and 64 names of one file in other cases", "listing", 3 * 2064 + 4096,
         _many_names),
    Case("bomb", "a notebook of 5 MiB of blanks", "unpacking", 0, _unpacked),
    Case("brackets_in_json", "a list of empty lists", "notebooks", 0, _brackets),
    Case("fields_in_notebooks", "150 notebooks with one f-string of 80,000 fields each", "parsing",
         source.MAX_FIELD_STEPS, _parsed_fields({f"{n}.ipynb": _notebook(_FIELDS) for n in range(150)})),
    Case("fields_in_files", "four files with one f-string of 80,000 fields each", "parsing",
         source.MAX_FIELD_STEPS, _parsed_fields({f"{n}.py": _FIELDS for n in range(4)})),
    Case("fields_in_cells", "f-strings of 3,000 fields in 28 cells", "parsing", source.MAX_FIELD_STEPS,
         _parsed_fields({"n.ipynb": _notebook(*['f"' + "{a}" * 3000 + '"'] * 28)})),
    Case("code_in_notebooks", "2 MB of code in cells, no file of it too large", "parsing", 1 << 20, _parsed_code),
    Case("top_level_names", "more names at top level than anybody writes", "parsing", 0, _names),
    Case("dotted_names", "a name with 500 dots, its parts far from each other", "parsing", 0, _dots),
    Case("reading_without_end", "code that takes more CPU time to parse than reading may take", "parsing", 0,
         _limit(Bounds(cpu=0.05), "a," * 100_000)),
    Case("reading_without_room", "code whose tree is larger than the memory for reading", "parsing", 0,
         _limit(Bounds(cpu=60.0, memory=120 << 20), "a," * 120_000)),
    Case("stars_and_mentions", "300 imports with a star, and 300 mentions of a forbidden name", "forbidden names", 301,
         _forbidden),
    Case("unknown_ids", "20,000 answers to items that there are not", "names", 5, _unknown_ids),
    Case("names_almost_right", "9,000 functions that are called almost like exercises", "names", 20, _near_names),
    Case("long_answers", "answers of 200,000 characters or 50,000 parts, of every kind", "answers", 0, _long_answers),
    Case("long_sums", "55 lines with sums of thousands of terms", "formulas", 5000 + 100, _sums_in_one),
    Case("long_sums_everywhere", "such lines in every derivation of the course", "formulas", 8000 + 100 * 22,
         _sums_in_all),
    Case("answers_without_end", "answers whose computing no step counts", "formulas", answer_grading._MOST_ENDED,
         _ended),
    Case("long_text", "120,000 characters of words", "free text", 2000, _free_text),
    Case("arrays_without_axes", "1,500 arrays without dimensions in every result, of five bytes each", "frames",
         (5 << 20) // (frames.VALUE_BYTES + frames.ARRAY_BYTES), _arrays),
    Case("monotonous_solutions", "long solutions that consist of the same few lines", "similar solutions",
         2 * 15 * 100 * 100, _long_solutions),
    Case("a_class_of_the_same", "a class in which all are alike", "similar solutions", 100_000, _alike),
    Case("blanks_in_a_line", "thousands of blanks in a line that is shown", "similar solutions", 30_000, _blanks),
    Case("endless_names", "ids of 100,000 characters", "reports", 200, _echoed),
)  # fmt: skip
