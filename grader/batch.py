"""Many submissions → one JSON file each and a class table. One zygote per worker process."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import multiprocessing
import os
import re
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import course
from grader.errors import AttncheckError, SandboxError, SandboxUnavailable, SubmissionError, UsageError
from grader.expectations import expecting
from grader.files import write
from grader.grade import Memo, Selection, check_names, grade
from grader.inputs import Seed
from grader.model import Lang, Report, Status
from grader.report.json_report import to_json
from grader.sandbox import Sandbox, Settings
from grader.sandbox.canaries import release
from grader.submission import read
from grader.submission.messages import printable

if TYPE_CHECKING:
    from grader.model import Observe

#: Characters of a file's name that a learner's name takes; with the number and ".json" it fits everywhere.
_LONGEST_NAME = 60
_IGNORED = re.compile(r"^(\.|__|readme)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a batch is; ``row`` is the one that was finished last."""

    done: int
    total: int
    row: Row


@dataclass(frozen=True, slots=True)
class Row:
    """One learner's line in the class table. ``error`` says why a submission could not be graded."""

    learner: str
    earned: float
    possible: float
    complete: bool
    questions: tuple[tuple[str, float, float], ...]
    file: str
    seconds: float
    error: str | None = None
    passed: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The class table, in the order of the submissions' names."""

    rows: tuple[Row, ...]
    layers: tuple[str, ...]

    @property
    def gradable(self) -> bool:
        """False when a submission could not be graded, or not completely."""
        return all(row.error is None and row.complete for row in self.rows)


def submissions(folder: Path) -> tuple[Path, ...]:
    """What is handed in: every file, notebook, zip and folder directly in ``folder``. Raises UsageError."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; expected one that holds a file, folder or zip per learner")
    found = tuple(sorted(path for path in folder.iterdir() if not _IGNORED.match(path.name)))
    if not found:
        raise UsageError(f"{folder} is empty; expected a file, folder or zip per learner")
    return found


def run(
    folder: Path,
    out: Path,
    *,
    course_folder: Path,
    seed: Seed,
    questions: tuple[str, ...] = (),
    workers: int | None = None,
    lang: Lang = "en",
    progress: Callable[[BatchProgress], None] = lambda _: None,
) -> BatchResult:
    """Grades everything in ``folder`` into ``out``; all questions count, or those that are named.

    Refuses (SandboxUnavailable) where code cannot be confined.
    """
    paths = submissions(folder)
    check_names(course.load(course_folder), Selection(questions=questions))
    out.mkdir(parents=True, exist_ok=True)
    targets = _targets(paths)
    count = max(1, min(workers or os.cpu_count() or 1, len(paths)))
    plan = Plan(str(course_folder), seed, str(out), lang, questions)
    context = multiprocessing.get_context("spawn")
    rows: dict[Path, Row] = {}
    with ProcessPoolExecutor(count, mp_context=context, initializer=Worker.begin, initargs=(plan,)) as pool:
        try:
            pool.submit(Worker.ready)  # the first task starts the workers, which import torch meanwhile
            layers = _rehearse(plan)
            waiting = {pool.submit(Worker.grade, path, *targets[path]): path for path in paths}
            for future in as_completed(waiting):
                rows[waiting[future]] = _row(future)
                progress(BatchProgress(len(rows), len(paths), rows[waiting[future]]))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    result = BatchResult(tuple(rows[path] for path in paths), layers)
    write(out / "class.csv", table(result))
    write(out / "class.json", json.dumps([asdict(row) for row in result.rows], ensure_ascii=False, indent=1) + "\n")
    return result


def _row(future: Future[Row]) -> Row:
    try:
        return future.result()
    except AttncheckError:
        raise
    except Exception as error:
        raise SandboxError(f"a worker process ended unexpectedly: {error}") from error


def _targets(paths: tuple[Path, ...]) -> dict[Path, tuple[str, str]]:
    """For each path a learner's name, from its stem, and the name of a result file; no two are equal."""
    targets: dict[Path, tuple[str, str]] = {}
    taken: set[str] = set()
    for path in paths:
        shown = printable(path.name if path.is_dir() else path.stem, _LONGEST_NAME)
        name = stem = " ".join(shown.split()) or "learner"
        number = 1
        while (file := _file_name(name)).casefold() in taken:
            number += 1
            name = f"{stem} ({number})"
        taken.add(file.casefold())
        targets[path] = name, file
    return targets


@dataclass(frozen=True, slots=True)
class Plan:
    """What a worker needs to know; plain, because it travels to another process."""

    course_folder: str
    seed: Seed
    out: str
    lang: Lang
    questions: tuple[str, ...] = ()

    def expecting(self, observe: Observe) -> Observe:
        """``observe`` for references; see ``grader.expectations``."""
        return expecting(observe, self.seed, Path(self.out, ".expected"))


def _rehearse(plan: Plan) -> tuple[str, ...]:
    """Before anything is graded: canary attacks, and the references run once for all workers."""
    sandbox = Sandbox("require", Settings())
    try:
        escaped = [canary.name for canary in release(sandbox.observe) if not canary.refused]
        if escaped:
            raise SandboxUnavailable(
                f"the sandbox does not hold on this machine (it let code {', '.join(escaped)}); "
                "nothing was graded. 'attncheck doctor' shows the layers"
            )
        Memo(course.load(Path(plan.course_folder)), plan.seed, plan.expecting(sandbox.observe)).prepare()
        return sandbox.layers
    finally:
        sandbox.close()


class Worker:
    """What lives in a worker process: a course, a sandbox."""

    _state: tuple[Plan, Memo, Sandbox] | None = None

    @classmethod
    def begin(cls, plan: Plan) -> None:
        """Loads the course while the zygote imports torch."""
        with contextlib.suppress(AttncheckError):  # the rehearsal meets it, too, and says it once
            sandbox = Sandbox("require", Settings(collapse=True))
            sandbox.start()
            loaded = course.load(Path(plan.course_folder))
            cls._state = (plan, Memo(loaded, plan.seed, plan.expecting(sandbox.observe)), sandbox)

    @classmethod
    def ready(cls) -> bool:
        """True once the worker has begun."""
        return cls._state is not None

    @classmethod
    def grade(cls, path: Path, name: str, file: str) -> Row:
        """Grades one submission, writes its JSON file, returns its row."""
        assert cls._state is not None
        plan, memo, sandbox = cls._state
        target = Path(plan.out, file)
        try:
            report = grade(
                memo.course,
                read(path, name),
                sandbox.observe,
                selection=Selection(questions=plan.questions, everything=True),
                memo=memo,
            )
        except SubmissionError as error:
            return cls._not_graded(target, name, str(error))
        except AttncheckError:
            raise
        except Exception as error:  # a fault of ours: this submission waits, the class does not
            said = f"a fault of attncheck itself, not of the submission: {type(error).__name__}: {error}"
            return cls._not_graded(target, name, said)
        write(target, json.dumps(to_json(report, plan.lang), ensure_ascii=False, indent=1) + "\n")
        return _summary(report, target.name)

    @classmethod
    def _not_graded(cls, target: Path, name: str, why: str) -> Row:
        assert cls._state is not None
        data: dict[str, Any] = {"format": 1, "learner": name, "complete": False, "error": why}
        write(target, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
        plan, memo, _ = cls._state
        named = {name.lower() for name in plan.questions}
        possible = sum(q.points for q in memo.course.questions if not named or q.id.lower() in named)
        return Row(name, 0.0, possible, False, (), target.name, 0.0, error=why)


def _summary(report: Report, file: str) -> Row:
    questions = tuple((q.id, q.earned, q.possible) for q in report.questions)
    exercises = [e for q in report.questions for e in q.exercises]
    notes = tuple(
        f"{e.name}: {e.status}" for e in exercises if e.status in (Status.TIMED_OUT, Status.DIED, Status.UNMARKED)
    )
    return Row(
        report.learner,
        report.earned,
        report.possible,
        report.complete,
        questions,
        file,
        report.seconds,
        passed=report.passed,
        notes=notes,
    )


def _file_name(name: str) -> str:
    """The file for a learner's results, named so that any system can keep it."""
    safe = re.sub(r"[^\w.()\- ]", "_", name).strip(". ") or "learner"
    return f"{safe}_.json" if safe.casefold() in ("class", "con", "nul", "aux", "prn") else f"{safe}.json"


def table(result: BatchResult) -> str:
    """The class table as CSV: one row per learner, one column per question."""
    ids = list(dict.fromkeys(q for row in result.rows for q, _, _ in row.questions))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["learner", "earned", "possible", *ids, "complete", "error"])
    for row in result.rows:
        points = {q: earned for q, earned, _ in row.questions}
        cells = [row.learner, f"{row.earned:g}", f"{row.possible:g}", *(f"{points.get(q, 0):g}" for q in ids)]
        writer.writerow([_cell(cell) for cell in [*cells, "yes" if row.complete else "no", row.error or ""]])
    return text.getvalue()


def _cell(text: str) -> str:
    """A cell on one line that no spreadsheet takes for a formula."""
    line = " ".join(text.split())
    return f"'{line}" if line[:1] in ("=", "+", "-", "@") else line
