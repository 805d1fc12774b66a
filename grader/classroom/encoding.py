"""Encode results for the gradebook: compressed JSON, identified by its digest.

Workers encode, so that the process that writes the gradebook handles only bytes. Equal results have equal digests, so
the gradebook stores each result once for the whole class.
"""

from __future__ import annotations

import functools
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.core import serialize
from grader.core.identity_cache import cached_by_identity
from grader.core.model import Notice, QuestionResult

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
    return EncodedResult(result.id, digest_of(text), pack(text))


def decode(body: bytes) -> QuestionResult:
    """Decode a result. Raises ValueError, TypeError, RecursionError or zlib.error if ``body`` is not a result."""
    return serialize.load(QuestionResult, json.loads(zlib.decompress(body)))


def encode_answers(answers: Mapping[str, object]) -> str:
    """Encode answers by item as JSON."""
    return json.dumps(answers, ensure_ascii=False, default=str)


def encode_notices(notices: Sequence[Notice]) -> str:
    """Encode notices as JSON."""
    return json.dumps(serialize.dump(tuple(notices)), ensure_ascii=False)


def digest_of(text: str) -> bytes:
    """The digest that names a result whose JSON is ``text``."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def pack(text: str) -> bytes:
    """The body that stores a result whose JSON is ``text``."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"))
