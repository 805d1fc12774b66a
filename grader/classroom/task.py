"""What a batch sends to workers and gets back: plain data that any executor can transfer.

Workers encode results for the gradebook, so that the process that writes it handles only bytes: compressed JSON,
identified by its digest. Equal results have equal digests, so the gradebook stores each result once for the whole
class.
"""

from __future__ import annotations

import functools
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.core import serialize
from grader.core.cache import cached_by_identity
from grader.core.model import Notice, Observe, QuestionResult, Text

if TYPE_CHECKING:
    from grader.grading.inputs import Seed
    from grader.submission import FoundFiles


#: The number of results whose encoded form is cached: enough for the untouched questions of a few courses.
_REMEMBERED = 512


@dataclass(frozen=True, slots=True)
class EncodedResult:
    """An encoded result of ``question``. ``decode(body)`` reverses it; ``digest`` is that of the uncompressed JSON."""

    question: str
    digest: bytes
    body: bytes


@cached_by_identity(_REMEMBERED)
def encode(result: QuestionResult) -> EncodedResult:
    """Encode ``result``. Cached, because in most questions most learners have a result that others have, too."""
    return _encode_equal(result)


@functools.lru_cache(maxsize=_REMEMBERED)
def _encode_equal(result: QuestionResult) -> EncodedResult:
    text = json.dumps(serialize.dump(result), ensure_ascii=False, separators=(",", ":"))
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
    return EncodedResult(result.id, digest, pack(text))


def decode(body: bytes) -> QuestionResult:
    """Decode a result. Raises ValueError, TypeError, RecursionError or zlib.error if ``body`` is not a result."""
    return serialize.load(QuestionResult, json.loads(zlib.decompress(body)))


def encode_answers(answers: Mapping[str, object]) -> str:
    """Encode answers by item as JSON."""
    return json.dumps(answers, ensure_ascii=False, default=str)


def encode_notices(notices: Sequence[Notice]) -> str:
    """Encode notices as JSON."""
    return json.dumps(serialize.dump(tuple(notices)), ensure_ascii=False)


def pack(text: str) -> bytes:
    """The body that stores a result whose JSON is ``text``."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """What all tasks of a batch share. ``private`` is the folder for data derived from a secret seed.

    ``libraries``, if not empty, is the digest of the libraries that all submissions must run with; see ``Sandbox``.
    """

    course_folder: str
    seed: Seed
    private: str
    libraries: str = ""

    def reference_observer(self, observe: Observe) -> Observe:
        """``observe`` for references; see ``grader.grading.reference_results``."""
        from grader.grading.reference_results import reference_observer  # loads numpy, which --help does without

        return reference_observer(observe, self.seed, Path(self.private))


@dataclass(frozen=True, slots=True)
class GradingTask:
    """One submission and the questions that still have to be graded in it.

    Numbers in quiz items are drawn for ``seed_name``. ``digest`` identifies the files: if they have changed since, the
    task is refused. ``files`` is what ``grader.submission.read_files`` returned for ``path``, for workers on
    machines that cannot read it.
    """

    key: str
    path: str
    seed_name: str
    questions: tuple[str, ...]
    files: FoundFiles | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result of one ``GradingTask``. If ``error`` is set, it is the reason why the submission could not be graded.

    ``results``, ``answers`` and ``notices`` are as the gradebook stores them.
    """

    key: str
    results: tuple[EncodedResult, ...] = ()
    answers: str = "{}"
    notices: str = "[]"
    versions: tuple[tuple[str, str], ...] = ()
    layers: tuple[str, ...] = ()
    unsafe: bool = False
    seconds: float = 0.0
    error: Text | None = None
