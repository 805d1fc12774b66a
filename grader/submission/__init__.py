"""What a learner submits, as a ``Submission``: read as text, never imported, run or unpacked to disk.

A few kilobytes of source and answers are read in this process, which is cheap whatever they contain. Notebooks,
archives and anything larger are read in the helper process of ``grader.core.bounded``.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TypeVar

from grader.core import bounded
from grader.core.bounded import READING, SMALL
from grader.core.model import Notice, SourceFile, Submission, Text
from grader.core.text import EMPTY, clean_name, close_names, join
from grader.submission import answers, modules
from grader.submission import messages as say
from grader.submission.files import (
    ARCHIVE_SUFFIXES,
    RawFile,
    collect_folder,
    file_member,
    gather,
    is_canonical,
    is_ignored,
    kind_of,
)
from grader.submission.files import FoundFiles as FoundFiles
from grader.submission.messages import Unusable as Unusable
from grader.submission.messages import listing, printable
from grader.submission.opening import FileLocation, not_regular, refusal, status

T = TypeVar("T")


def read(path: Path, learner: str | None = None) -> Submission:
    """Reads a ``.py`` file, a notebook, a folder, a zip or a single answers file.

    ``learner`` overrides the name in the answers file. Raises SubmissionError if nothing of it can be graded; parts
    that are left out become notices.
    """
    return parse_files(read_files(path), learner, os.fspath(path))


def read_files(path: Path) -> FoundFiles:
    """The files at ``path`` that count. Raises SubmissionError.

    Only a zip has to be unpacked; other files are copied into memory, up to ``MAX_TOTAL`` bytes.
    """
    is_zip = os.fspath(path).lower().endswith(".zip")
    return _bounded(path, _gather_path) if is_zip else _gather_path(path)


def read_cells(cells: Mapping[int, str], wanted: Sequence[str], learner: str, folder: Path, name: str) -> Submission:
    """The parts of the cells that the notebook ``name`` has run and ``wanted`` names need, found by ``cells.select``.

    Modules in ``folder`` that these cells import are read, too. Raises SubmissionError if there is nothing to grade.
    """
    return _submission_from(found_in_cells(cells, wanted, folder, name), learner, name)


def found_in_cells(cells: Mapping[int, str], wanted: Sequence[str], folder: Path, name: str) -> FoundFiles:
    """The files that ``read_cells`` reads: a notebook, and modules of ``folder``."""
    # Only notebooks need these, and json is slow to import.
    import json

    from grader.submission.cells import imports, select

    chosen = select(cells, wanted)
    # Left-out cells become blank ones, so that cell numbers in messages are the numbers of the runs.
    sources = [chosen.get(number, "") for number in range(1, max(chosen, default=0) + 1)]
    blank: dict[str, object] = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    code = [{**blank, "source": source} for source in sources]
    content = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": code}
    raws = {name: RawFile(name, "notebook", json.dumps(content, ensure_ascii=False).encode())}
    pending = imports(chosen.values())
    while pending:
        module = f"{pending.pop()}.py"
        place = folder / module
        if module not in raws and os.path.isfile(place) and not place.is_symlink():
            read = read_files(place).raws
            raws |= {raw.path: raw for raw in read}
            pending |= imports(raw.data.decode("utf-8", "replace") for raw in read)
    return FoundFiles(name, tuple(raws.values()), stem="notebook")


def changed_since(path: Path, cells: Mapping[int, str], name: str) -> bool:
    """Whether the notebook saved at ``path`` defines ``name`` in a cell whose text was never run.

    False if the notebook cannot be read.
    """
    from grader.submission.cells import last_binding  # only notebooks need it

    saved = _saved_cells(path)
    cell = last_binding(saved, name)
    return cell is not None and saved[cell].strip() not in {text.strip() for text in cells.values()}


def has_cells(path: Path, ran: Iterable[str]) -> bool:
    """Whether the notebook saved at ``path`` has every cell that was ``ran``. False if it cannot be read."""
    saved = {text.strip() for text in _saved_cells(path).values()}
    return bool(saved) and all(text.strip() in saved for text in ran if text.strip())


def _saved_cells(path: Path) -> dict[int, str]:
    """The code cells of the notebook saved at ``path``; none if it cannot be read."""
    from grader.submission import notebook  # only notebooks need it

    try:
        raws = _gather_path(path).raws
        return dict(enumerate(notebook.sources(raws[0]))) if raws else {}
    except Unusable:
        return {}


def parse_files(found: FoundFiles, learner: str | None, origin: str, most_old: int | None = None) -> Submission:
    """The submission in ``found``: the second half of ``read``, which may run on another machine.

    ``most_old`` limits the bytes of all notebooks in formats before 4, whose conversion is slow; None if there is no
    such limit.
    """
    light = sum(len(raw.data) for raw in found.raws) <= SMALL and all(raw.kind != "notebook" for raw in found.raws)
    if light:
        return _submission_from(found, learner, origin)
    with costs_of(found.name):
        return bounded.call_pure(READING, _submission_from, found, learner, origin, most_old)


def fingerprint(path: Path) -> str:
    """The digest of the files at ``path`` that count; equal to ``read(path).digest``.

    Raises SubmissionError if they cannot be read, or if there are none.
    """
    return fingerprint_and_learner(path)[0]


def learner_named(path: Path) -> str | None:
    """The learner named in the answers file at ``path``; None if there is none, or if it cannot be read."""
    return fingerprint_and_learner(path)[1]


def fingerprint_and_learner(path: Path) -> tuple[str, str | None]:
    """``fingerprint`` and ``learner_named``, from reading the files once."""
    return _identity(path) if is_small(path) else _bounded(path, _identity)


def file_text(path: Path) -> str:
    """The text of the one file at ``path``, for comparisons only; empty if it cannot be read."""
    try:
        raws = read_files(path).raws
    except Unusable:
        return ""
    return raws[0].data.decode("utf-8", "replace") if raws else ""


# --------------------------------------------------------------------------------- in the helper process

#: How many files and folders ``is_small`` looks at.
_FEW = 50


def is_small(path: Path) -> bool:
    """Whether ``path`` is read in this process: up to ``SMALL`` bytes of source and answers, no notebook or archive.

    A path that cannot be inspected counts as small: reading it only raises an error.
    """
    total, seen, pending = 0, 0, [os.fspath(path)]
    while pending:
        place = pending.pop()
        try:
            status = os.lstat(place)
            if stat.S_ISDIR(status.st_mode):
                with os.scandir(place) as entries:
                    inside = list(islice(entries, _FEW + 1))
                seen += len(inside)
                pending += [entry.path for entry in inside if not is_ignored(entry.name)]
        except (OSError, ValueError):
            continue
        name = place.lower()
        if name.endswith(".py") or kind_of(os.path.basename(name)) == "answers" or name.endswith((".yaml", ".yml")):
            total += status.st_size
        if total > SMALL or seen > _FEW or (stat.S_ISREG(status.st_mode) and name.endswith((".ipynb", ".zip"))):
            return False
    return True


def _bounded(path: Path, function: Callable[[Path], T]) -> T:
    """Calls ``function(path)`` in the helper process, whose working directory may differ."""
    place = Path(os.path.abspath(path))
    with costs_of(printable(place.name) or "/"):
        return bounded.call(READING, function, place)


@contextlib.contextmanager
def costs_of(name: str) -> Iterator[None]:
    """Raises Unusable for the submission ``name`` where the limits of a call are exceeded."""
    try:
        yield
    except bounded.Exceeded:
        limit = say.size(READING.memory)
        raise Unusable(name, say.TOO_COSTLY.fill(seconds=f"{READING.cpu:g}", memory=limit)) from None


def _gather_path(path: Path) -> FoundFiles:
    place = os.fspath(path)
    base = os.path.basename(os.path.abspath(place)) if "\0" not in place else place
    name = printable(base) or "/"
    try:
        found = status(place, name)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise Unusable(printable(place), say.MISSING.fill(near=_near(place, base))) from None
    except OSError as error:
        raise refusal(printable(place), error) from None
    if stat.S_ISDIR(found.st_mode):
        return replace(_with_one_answers_file(collect_folder(place, name)), stem=base)
    if not stat.S_ISREG(found.st_mode):
        raise Unusable(name, not_regular(found.st_mode))
    stem, suffix = os.path.splitext(base)
    if suffix.lower() == ".zip":
        from grader.submission import archive  # zipfile is slow to import

        return replace(_with_one_answers_file(archive.collect(place, name)), stem=stem)
    kind = "answers" if suffix.lower() in (".yaml", ".yml") else kind_of(base)
    if kind in ("archive", "other"):
        raise Unusable(name, _not_read(base))
    member = replace(file_member(FileLocation(place), name, found), kind=kind)
    return replace(gather(name, [member]), stem=stem)


def _identity(path: Path) -> tuple[str, str | None]:
    found = _gather_path(path)
    if not found.raws:
        raise _nothing_usable(found, found.problems, found.lost)
    given, _ = _answers(found)
    return _digest(found.raws), (clean_name(given.learner) or None) if given is not None else None


def _with_one_answers_file(found: FoundFiles) -> FoundFiles:
    """``found`` with the one answers file that counts: with answers that can be read, the newest, the usual name."""
    several = [raw for raw in found.raws if raw.kind == "answers"]
    if len(several) < 2:
        return found
    useful = [raw for raw in several if _is_answered(raw)]
    best = max(useful or several, key=lambda raw: (raw.modified, is_canonical(raw.path), raw.path))
    others = [raw for raw in several if raw is not best]
    notices = tuple(Notice(raw.path, _why_not(raw, best, raw in useful), urgent=True) for raw in others)
    raws = tuple(raw for raw in found.raws if raw not in others)
    return replace(found, raws=raws, notices=(*notices, *found.notices))


def _is_answered(raw: RawFile) -> bool:
    try:
        return answers.read(raw).given
    except Unusable:
        return False


def _why_not(raw: RawFile, best: RawFile, useful: bool) -> Text:
    """Why ``best`` counts and ``raw`` does not."""
    if useful and raw.modified < best.modified:
        return say.OLDER_ANSWERS.fill(counts=best.path)
    same = say.AS_NEW if is_canonical(best.path) else say.AS_NEW_UNNAMED
    return say.LESSER_ANSWERS.fill(counts=best.path, why=same if useful else say.NOTHING_IN_THIS)


def _answers(found: FoundFiles) -> tuple[answers.Answers | None, Unusable | None]:
    """The answers file if there is one, or why it cannot be read."""
    for raw in found.raws:
        if raw.kind == "answers":
            try:
                return answers.read(raw), None
            except Unusable as problem:
                return None, problem
    return None, found.lost


# ------------------------------------------------------------------------------------------ names in files


def files_defining(submission: Submission, name: str) -> tuple[SourceFile, ...]:
    """The files that define ``name`` at top level."""
    return tuple(file for file in submission.files if any(name == defined for defined, _ in file.defines))


def _near(place: str, base: str) -> Text:
    """Similar names in the folder where the missing file was expected."""
    try:
        names = os.listdir(os.path.dirname(place) or ".")
    except (OSError, ValueError):
        return EMPTY
    near = [printable(name) for name in close_names(base, names)]
    return say.NEAR.fill(names=listing(near)) if near else EMPTY


def _not_read(base: str) -> Text:
    """Why a file of this name is not read, and what to submit instead."""
    lower = base.lower()
    stem, suffix = os.path.splitext(base)
    if kind_of(stem) in ("source", "notebook") or stem.lower().endswith(".zip"):
        return say.HIDDEN_SUFFIX.fill(suffix=printable(suffix), new=printable(stem))
    if lower.endswith(ARCHIVE_SUFFIXES):
        inner = os.path.splitext(stem)[1]
        return say.OTHER_ARCHIVE.fill(suffix=".tar" + suffix if inner.lower() == ".tar" else suffix)
    return say.WRONG_KIND


def _submission_from(found: FoundFiles, learner: str | None, origin: str, most_old: int | None = None) -> Submission:
    files, unusable, remarks = modules.read_sources(found, most_old)
    given, lost = _answers(found)
    problems = (*found.problems, *unusable)
    if given is None and not any(part.text.strip() for file in files for part in file.parts):
        raise _nothing_usable(found, problems, lost)
    notices = [] if lost is None else [_lost(lost)]
    notices += [problem.notice() for problem in problems]
    notices += remarks
    notices += () if given is None else given.notices
    notices += found.notices
    nothing_read = None if lost is None else ()
    named = given.learner if given is not None else None
    return Submission(
        learner=clean_name(learner) or clean_name(named) or clean_name(found.stem) or "learner",
        files=files,
        answers=given.answers if given is not None else nothing_read,
        notices=tuple(notices),
        digest=_digest(found.raws),
        origin=origin,
        broken=tuple(Notice(problem.where, problem.text) for problem in problems),
        lost=None if lost is None else Notice(lost.where, lost.text),
    )


def _lost(problem: Unusable) -> Notice:
    en, zh = problem.text.en, problem.text.zh
    said = Text(en[:1].upper() + en[1:], zh)
    return Notice(problem.where, say.ANSWERS_LOST.fill(problem=said), urgent=True)


def _nothing_usable(found: FoundFiles, problems: Sequence[Unusable], lost: Unusable | None) -> Unusable:
    """Why nothing can be graded: the problems with files that would count, and what other files there are."""
    problems = [*([lost] if lost is not None else []), *problems]
    if len(problems) == 1 and (found.raws or len(found.others) <= 1):
        return problems[0]
    listed = join((problem.message for problem in problems[:3]), Text(" ", ""))
    if found.raws and problems:
        return Unusable(found.name, say.ALL_LEFT_OUT.fill(count=len(problems), problems=listed))
    names: list[str | Text] = [*(raw.path for raw in found.raws), *found.others]
    said = say.NO_CODE.fill(found=listing(names) if names else say.NO_FILES)
    advice = say.UNPACK_IT if any(kind_of(name.en) == "archive" for name in found.others) else EMPTY
    return Unusable(found.name, Text(f"{said.en}{advice.en} {listed.en}".rstrip(), said.zh + advice.zh + listed.zh))


def _digest(raws: Sequence[RawFile]) -> str:
    total = sha256()
    for path, data in sorted((raw.path, raw.data) for raw in raws):
        for piece in (path.encode(), data):
            total.update(len(piece).to_bytes(8, "big"))
            total.update(piece)
    return total.hexdigest()
