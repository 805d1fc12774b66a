"""What a learner hands in, as a ``Submission``: read as text, never imported, executed or unpacked to disk.

Source and answers of a few kilobytes are read at once, since that costs little whatever they hold; notebooks, archives
and all that is larger are read in the process of ``grader.bounded``.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from grader import bounded
from grader.bounded import READING, SMALL
from grader.model import Answer, Notice, SourceFile, Submission, Text
from grader.submission import messages as say
from grader.submission import modules, source
from grader.submission.files import (
    ARCHIVE_SUFFIXES,
    Gathered,
    Raw,
    collect_folder,
    file_member,
    gather,
    is_ignored,
    kind_of,
    refusal,
    what_is,
)
from grader.submission.messages import Unusable, listing, printable

__all__ = ["Gathered", "Unusable", "definers", "duplicates", "fingerprint", "gathered", "named", "read", "understood"]

P = ParamSpec("P")
T = TypeVar("T")

_LONGEST_NAME = 80


def read(path: Path, learner: str | None = None) -> Submission:
    """Reads a ``.py`` file, a notebook, a folder, a zip or a lone answers file.

    Raises ``SubmissionError`` when nothing of it can be graded; what is merely left out becomes a notice.
    """
    if not is_small(path):
        return _bounded(path, _read, learner, os.fspath(path))
    found, stem = _gathered(path)
    return understood(found, stem, learner, os.fspath(path))


def gathered(path: Path) -> tuple[Gathered, str]:
    """The files at ``path`` that count, as bytes, and what it is called without a suffix."""
    return _gathered(path) if is_small(path) else _bounded(path, _gathered)


def understood(found: Gathered, stem: str, learner: str | None, origin: str) -> Submission:
    """The submission that ``gathered`` files make; the second half of ``read``, which can be done elsewhere."""
    light = sum(len(raw.data) for raw in found.raws) <= SMALL and all(raw.kind != "notebook" for raw in found.raws)
    if light:
        return _understood(found, stem, learner, origin)
    return _held(found.name, _understood, found, stem, learner, origin)


def fingerprint(path: Path) -> str:
    """The digest of the files at ``path`` that count; ``read`` gives its ``Submission`` the same.

    Raises ``SubmissionError`` where they cannot be read.
    """
    return _fingerprint(path) if is_small(path) else _bounded(path, _fingerprint)


def named(path: Path) -> str | None:
    """Whose the answers file at ``path`` says that it is; None where there is none, or it does not say."""
    return _named(path) if is_small(path) else _bounded(path, _named)


# ------------------------------------------------------------------------------------------ within bounds

#: So many files and folders are looked at to see whether a folder is small.
_FEW = 50


def is_small(path: Path) -> bool:
    """Whether what lies at ``path`` is read at once: source and answers of ``SMALL`` bytes, no notebook, no archive.

    What cannot be looked at is small: the error is all that there is to it.
    """
    total, seen, pending, follow = 0, 0, [os.fspath(path)], True
    while pending:
        place = pending.pop()
        try:
            status = os.stat(place, follow_symlinks=follow)
            follow = False  # only what was named may be a link
            if stat.S_ISDIR(status.st_mode):
                with os.scandir(place) as entries:
                    inside = list(islice(entries, _FEW + 1))
                seen += len(inside)
                pending += [entry.path for entry in inside if not is_ignored(entry.name)]
        except (OSError, ValueError):
            continue
        name = place.lower()
        if name.endswith((".py", ".yaml", ".yml")):
            total += status.st_size
        if total > SMALL or seen > _FEW or (stat.S_ISREG(status.st_mode) and name.endswith((".ipynb", ".zip"))):
            return False
    return True


def _bounded(path: Path, function: Callable[Concatenate[Path, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
    """``function(path, …)`` in the process with limits, which may stand in another folder."""
    place = Path(os.path.abspath(path))
    return _held(printable(place.name) or "/", function, place, *args, **kwargs)


def _held(name: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return bounded.call(READING, function, *args, **kwargs)
    except bounded.Exceeded:
        limit = say.size(READING.memory)
        raise Unusable(name, say.TOO_COSTLY.fill(seconds=f"{READING.cpu:g}", memory=limit)) from None


def _read(path: Path, learner: str | None, origin: str) -> Submission:
    found, stem = _gathered(path)
    return _understood(found, stem, learner, origin)


def _gathered(path: Path) -> tuple[Gathered, str]:
    place = os.fspath(path)
    base = os.path.basename(os.path.abspath(place)) if "\0" not in place else place
    name = printable(base) or "/"
    try:
        status = os.stat(place)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise Unusable(printable(place), say.MISSING.fill(near=_near(place, base))) from None
    except OSError as error:
        raise refusal(printable(place), error) from None
    if stat.S_ISDIR(status.st_mode):
        return collect_folder(place, name), base
    if not stat.S_ISREG(status.st_mode):
        raise Unusable(name, say.SPECIAL.fill(what=what_is(status.st_mode)))
    stem, suffix = os.path.splitext(base)
    if suffix.lower() == ".zip":
        from grader.submission import archive

        return archive.collect(place, name), stem
    kind = "answers" if suffix.lower() in (".yaml", ".yml") else kind_of(base)
    if kind in ("archive", "other"):
        raise Unusable(name, _not_read(base))
    member = replace(file_member(place, name, status.st_size, follow=True), kind=kind)
    return gather(name, [member]), stem


def _fingerprint(path: Path) -> str:
    return _digest(_gathered(path)[0].raws)


def _named(path: Path) -> str | None:
    from grader.submission.answers import read as read_answers

    said = (read_answers(raw)[0] for raw in _gathered(path)[0].raws if raw.kind == "answers")
    return _clean(next(said, None)) or None


# ------------------------------------------------------------------------------------------ names in files


def definers(submission: Submission, name: str) -> tuple[SourceFile, ...]:
    """The files that define ``name`` at top level."""
    return tuple(file for file in submission.files if any(name == defined for defined, _ in file.defines))


def duplicates(submission: Submission) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The names that more than one file defines, with the paths of those files."""
    places: dict[str, list[str]] = {}
    for file in submission.files:
        for name, _ in file.defines:
            places.setdefault(name, []).append(file.path)
    return tuple((name, tuple(paths)) for name, paths in places.items() if len(paths) > 1)


def _near(place: str, base: str) -> Text:
    """Names like the missing one, in the folder where it was looked for."""
    import difflib

    try:
        names = os.listdir(os.path.dirname(place) or ".")
    except (OSError, ValueError):
        return say.NOTHING
    close = [printable(name) for name in difflib.get_close_matches(base, names, 3)]
    return say.NEAR.fill(names=listing(close)) if close else say.NOTHING


def _not_read(base: str) -> Text:
    """Why a file of this name is not read, and what to hand in instead."""
    lower = base.lower()
    stem, suffix = os.path.splitext(base)
    if kind_of(stem) in ("source", "notebook") or stem.lower().endswith(".zip"):
        return say.HIDDEN_SUFFIX.fill(suffix=printable(suffix), new=printable(stem))
    if lower.endswith(ARCHIVE_SUFFIXES):
        inner = os.path.splitext(stem)[1]
        return say.OTHER_ARCHIVE.fill(suffix=".tar" + suffix if inner.lower() == ".tar" else suffix)
    return say.WRONG_KIND


def _understood(found: Gathered, stem: str, learner: str | None, origin: str) -> Submission:
    files, left_out, notices = _sources(found, stem)
    named: str | None = None
    answers: tuple[Answer, ...] | None = None
    for raw in found.raws:
        if raw.kind == "answers":
            from grader.submission.answers import read as read_answers

            named, answers = read_answers(raw)
    problems = (*found.problems, *left_out)
    if answers is None and not any(part.text.strip() for file in files for part in file.parts):
        raise _nothing_usable(found, problems)
    return Submission(
        learner=_clean(learner) or _clean(named) or _clean(stem) or "learner",
        files=files,
        answers=answers,
        notices=(*(problem.notice() for problem in problems), *notices, *found.notices),
        digest=_digest(found.raws),
        origin=origin,
    )


def _sources(found: Gathered, stem: str) -> tuple[tuple[SourceFile, ...], tuple[Unusable, ...], tuple[Notice, ...]]:
    """The source files that can be used, those that cannot, and remarks on notebooks."""
    code = [raw for raw in found.raws if raw.kind != "answers"]
    top = modules.common_folder([raw.path for raw in code])
    scanned: list[tuple[str, source.Scanned]] = []
    problems: list[Unusable] = []
    notices: list[Notice] = []
    work = source.Work(found.name)
    for raw in (replace(raw, path=raw.path.removeprefix(top)) for raw in code):
        try:
            if raw.kind == "notebook":
                from grader.submission import notebook

                facts, remarks = notebook.scan(raw, work)
                notices += remarks
            else:
                facts = source.scan(raw, work)
        except source.Excess:
            raise
        except Unusable as problem:
            problems.append(problem)
        else:
            scanned.append((raw.path, facts))
    named = modules.name_modules([path for path, _ in scanned], _package(scanned, top, stem))
    files = []
    for (path, facts), name in zip(scanned, named, strict=True):
        if (shadow := modules.shadowed(path, name.module)) is not None:
            problems.append(shadow)
            continue
        imports_torch = "torch" in facts.imports
        files.append(SourceFile(path, name.module, facts.parts, facts.defines, imports_torch, name.is_package))
    return tuple(sorted(files, key=lambda file: file.path)), tuple(problems), tuple(notices)


def _package(scanned: Sequence[tuple[str, source.Scanned]], top: str, stem: str) -> str:
    """The name of the folder around the files, if they import each other through it; else empty."""
    name = modules.identifier(top.rstrip("/").rpartition("/")[2] or stem)
    if modules.is_taken(name) or any(path.split("/")[0].partition(".")[0] == name for path, _ in scanned):
        return ""
    above = any(facts.relative > path.count("/") for path, facts in scanned)
    return name if above or any(name in facts.imports for _, facts in scanned) else ""


def _nothing_usable(found: Gathered, problems: Sequence[Unusable]) -> Unusable:
    if len(problems) == 1:
        return problems[0]
    if problems:
        said = problems[:3]
        en = " ".join(f"{problem.where}: {problem.text.en}" for problem in said)
        zh = "".join(f"{problem.where}：{problem.text.zh}" for problem in said)
        return Unusable(found.name, say.ALL_LEFT_OUT.fill(count=len(problems), problems=Text(en, zh)))
    names = [*(raw.path for raw in found.raws), *found.others]
    return Unusable(found.name, say.NO_CODE.fill(found=listing(names) if names else say.NO_FILES))


def _clean(name: str | None) -> str:
    """A name that can be shown, sorted and compared: one line, composed characters, not too long."""
    shown = "".join(char if char.isprintable() else " " for char in unicodedata.normalize("NFC", name or ""))
    return " ".join(shown.split())[:_LONGEST_NAME].rstrip()


def _digest(raws: Sequence[Raw]) -> str:
    total = sha256()
    for path, data in sorted((raw.path, raw.data) for raw in raws):
        for piece in (path.encode(), data):
            total.update(len(piece).to_bytes(8, "big"))
            total.update(piece)
    return total.hexdigest()
