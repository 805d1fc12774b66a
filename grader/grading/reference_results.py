"""Results of the references: from the user's cache, or for a secret seed from a folder next to the results.

A learners' edition has results of references and typical mistakes for public cases instead of their sources. Each
exercise has a file with an entry for every program that grading, pictures and debugging need. The key of an entry
is a digest of the program and of the mistake it runs on, so an edition that does not match raises an error and never
returns the result of another program. Files are decoded like frames and never unpickled.
"""

from __future__ import annotations

import functools
import hashlib
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from grader import __version__
from grader.core import cache
from grader.core.errors import CourseError, UsageError
from grader.core.files import write
from grader.core.model import (
    Course,
    Edition,
    Job,
    Limits,
    Message,
    Observation,
    Observe,
    Observed,
    Program,
    SourceFile,
    Text,
)
from grader.core.text import same
from grader.grading.inputs import Seed
from grader.grading.plan import REFERENCE_LIMITS
from grader.sandbox.observation_cache import dump, load, memoized, program_digest


def reference_observer(
    observe: Observe, seed: Seed, private: Path | None = None, *, course: Course | None = None
) -> Observe:
    """``observe`` for references, with a cache; for a learners' edition, its stored results.

    Results that depend on a secret seed are saved in the folder ``private``, if given, never in the user's cache.
    Raises UsageError for a learners' edition with a seed other than the public one.
    """
    if course is not None and course.edition is not None:
        if seed != Seed.public():
            raise UsageError(
                Message(
                    "{folder} is a learners' edition, which has no hidden cases and needs no seed. Leave out --seed "
                    "and --seed-file, or name the full course with --course."
                ).fill(folder=course.folder)
            )
        return stored_observer(course, course.edition)
    if not seed.secret:
        return memoized(observe, lambda key: cache.get("expected", key), lambda k, data: cache.put("expected", k, data))
    if private is None:
        return observe
    with suppress(OSError):  # what cannot be saved is computed again
        private.mkdir(mode=0o700, parents=True, exist_ok=True)

    def get(key: str) -> bytes | None:
        try:
            return (private / key).read_bytes()
        except OSError:
            return None

    def put(key: str, data: bytes) -> None:
        with suppress(OSError):
            write(private / key, data)

    return memoized(observe, get, put)


#: The folder of these files within the course folder.
FOLDER = "expected"
_HEAD = b"attncheck expected 1\n"
#: The most bytes of a file after decompression.
_MOST = 256 << 20


def key(files: tuple[SourceFile, ...], program: Program) -> str:
    """The key of the entry for ``program`` run on ``files``: a digest of their paths and the program."""
    whose = " ".join(file.path for file in files)
    return hashlib.sha256(f"{whose}\0{program_digest(program, REFERENCE_LIMITS)}".encode()).hexdigest()


def file_name(exercise: str) -> str:
    """The file of an exercise, within the course folder."""
    return f"{FOLDER}/{exercise}.bin"


def pack(entries: Mapping[str, Observation]) -> bytes:
    """The contents of a file; equal entries give equal bytes."""
    return _HEAD + zlib.compress(dump(dict(sorted(entries.items()))), 9)


def unpack(data: bytes) -> dict[str, Observation]:
    """The entries in ``data``. Raises ValueError if it is damaged or has another format."""
    if not data.startswith(_HEAD):
        raise ValueError("it has another format")
    try:
        return load(zlib.decompressobj().decompress(data[len(_HEAD) :], _MOST))
    except zlib.error as error:
        raise ValueError(f"it is damaged: {error}") from error


_NO_RESULT = Message(
    "The learners' edition in {folder} was published with attncheck {published} and lacks results that attncheck "
    "{here} needs for {exercise}. Install that version, or ask your instructor to publish the edition again."
)
_UNUSABLE = Message("{file} cannot be used ({why}); ask your instructor for a new copy of the course folder.")


def stored_observer(course: Course, edition: Edition) -> Observe:
    """An ``Observe`` for references and mistakes that looks results up and runs nothing.

    It raises CourseError if the edition is damaged, or was published by an incompatible version of attncheck.
    """

    @functools.cache
    def table(exercise: str) -> dict[str, Observation]:
        return _table(Path(course.folder) / file_name(exercise), dict(edition.stored).get(exercise))

    def observe(job: Job, limits: Limits) -> Observed:
        found = []
        for program in job.programs:
            entry = table(program.group).get(key(job.files, program))
            if entry is None:
                versions = {"published": edition.attncheck, "here": __version__}
                raise CourseError(_NO_RESULT.fill(folder=course.folder, exercise=program.group, **versions))
            found.append(entry)
        return Observed(tuple(found), (), unsafe=False)

    return observe


def _table(file: Path, digest: str | None) -> dict[str, Observation]:
    try:
        data = file.read_bytes()
        if hashlib.sha256(data).hexdigest() == digest:
            return unpack(data)
        why: Text = Message("it does not match its checksum in course.yaml")
    except (OSError, ValueError) as error:
        why = same(str(error))
    raise CourseError(_UNUSABLE.fill(file=file, why=why))
