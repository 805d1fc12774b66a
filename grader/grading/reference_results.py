"""Where the references' results come from: the user's cache, for a secret seed a folder beside the results.

A learners' edition has them with it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from grader.core import cache
from grader.core.errors import UsageError
from grader.core.files import write
from grader.grading import stored_results
from grader.grading.inputs import Seed
from grader.sandbox.memo import remembering

if TYPE_CHECKING:
    from grader.core.model import Course, Observe


def expecting(observe: Observe, seed: Seed, private: Path | None = None, *, course: Course | None = None) -> Observe:
    """``observe`` for references, with a memory; for a learners' edition what is stored in it.

    What follows from a secret seed is never left in the user's cache: it goes to the folder ``private``,
    or nowhere.
    """
    if course is not None and course.edition is not None:
        if seed != Seed.public():
            raise UsageError(
                f"{course.folder} is a learners' edition: it has no hidden cases that a seed could be for. Leave out "
                "--seed and --seed-file, or name the whole course with --course."
            )
        return stored_results.answering(course, course.edition)
    if not seed.secret:
        return remembering(
            observe, lambda key: cache.get("expected", key), lambda k, data: cache.put("expected", k, data)
        )
    if private is None:
        return observe
    with suppress(OSError):  # what cannot be kept is found out again
        private.mkdir(mode=0o700, parents=True, exist_ok=True)

    def get(key: str) -> bytes | None:
        try:
            return (private / key).read_bytes()
        except OSError:
            return None

    def put(key: str, data: bytes) -> None:
        with suppress(OSError):
            write(private / key, data)

    return remembering(observe, get, put)
