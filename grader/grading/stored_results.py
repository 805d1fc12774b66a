"""What references and typical mistakes return for public cases: stored in a learners' edition instead of their sources.

There is one file for each exercise, with an entry for every program that grading, pictures and debugging ask for. The
entry is found by the program itself and by whose it is, so that an edition that does not fit says so, and never answers
for another program. It is read as frames are, and never unpickled.
"""

from __future__ import annotations

import functools
import hashlib
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from grader import __version__
from grader.core.errors import CourseError
from grader.core.model import Course, Edition, Job, Limits, Observation, Observed, Program, SourceFile
from grader.grading.grade import REFERENCE_LIMITS
from grader.sandbox.memo import fingerprint, packed, unpacked

if TYPE_CHECKING:
    from grader.core.model import Observe

#: Where in the course folder the files are.
FOLDER = "expected"
_HEAD = b"attncheck expected 1\n"
#: Bytes that a file may hold once it is unpacked.
_MOST = 256 << 20


def key(files: tuple[SourceFile, ...], program: Program) -> str:
    """What an entry is found by: whose program it is (no files: the reference's), and what it does."""
    whose = " ".join(file.path for file in files)
    return hashlib.sha256(f"{whose}\0{fingerprint(program, REFERENCE_LIMITS)}".encode()).hexdigest()


def file_name(exercise: str) -> str:
    """The file of an exercise, within the course folder."""
    return f"{FOLDER}/{exercise}.bin"


def pack(entries: Mapping[str, Observation]) -> bytes:
    """The contents of a file; the same entries give the same bytes."""
    return _HEAD + zlib.compress(packed(dict(sorted(entries.items()))), 9)


def unpack(data: bytes) -> dict[str, Observation]:
    """The entries of a file. Raises ValueError for anything else."""
    if not data.startswith(_HEAD):
        raise ValueError("it has another format")
    try:
        return unpacked(zlib.decompressobj().decompress(data[len(_HEAD) :], _MOST))
    except zlib.error as error:
        raise ValueError(f"it is damaged: {error}") from error


def answering(course: Course, edition: Edition) -> Observe:
    """What observes references and mistakes by looking them up; nothing is run.

    Raises CourseError where the edition is damaged, or was written by a version of ours that asks differently.
    """

    @functools.cache
    def table(exercise: str) -> dict[str, Observation]:
        return _table(Path(course.folder) / file_name(exercise), dict(edition.stored).get(exercise))

    def observe(job: Job, limits: Limits) -> Observed:
        found = []
        for program in job.programs:
            entry = table(program.group).get(key(job.files, program))
            if entry is None:
                raise CourseError(
                    f"The learners' edition in {course.folder} was published with attncheck {edition.attncheck}, and "
                    f"does not have what attncheck {__version__} asks of {program.group}. Install that version, or ask "
                    "your instructor to publish the edition again."
                )
            found.append(entry)
        return Observed(tuple(found), (), unsafe=False)

    return observe


def _table(file: Path, digest: str | None) -> dict[str, Observation]:
    try:
        data = file.read_bytes()
        if hashlib.sha256(data).hexdigest() == digest:
            return unpack(data)
        why = "it is not what course.yaml says"
    except (OSError, ValueError) as error:
        why = str(error)
    raise CourseError(f"{file} cannot be used ({why}); get the folder of the course again from your instructor.")
