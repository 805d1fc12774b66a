"""Remembering what the references returned, by the digest of everything that decides it."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
from collections.abc import Callable
from typing import TYPE_CHECKING

from grader.model import Job, Limits, Observed, Returned
from grader.sandbox.inside import frames
from grader.sandbox.launch import decode_value, encode_job, encode_value, tasks_of

if TYPE_CHECKING:
    from grader.model import Observe

Get = Callable[[str], "bytes | None"]
Put = Callable[[str, bytes], None]


def remembering(observe: Observe, get: Get, put: Put) -> Observe:
    """``observe`` with a memory. Only runs in which everything returned are kept; a damaged entry is run again."""

    def observed(job: Job, limits: Limits) -> Observed:
        key = _key(job, limits)
        if (data := get(key)) is not None and (known := _read(data, len(job.programs))) is not None:
            return known
        fresh = observe(job, limits)
        values = [list(map(encode_value, seen.values)) for seen in fresh.observations if isinstance(seen, Returned)]
        if len(values) == len(job.programs):
            put(key, frames.encode(values))
        return fresh

    return observed


def _key(job: Job, limits: Limits) -> str:
    digest = hashlib.sha256(encode_job(job, tasks_of(job), limits))
    digest.update(_versions())
    return digest.hexdigest()


@functools.cache
def _versions() -> bytes:
    return "".join(f"{name} {importlib.metadata.version(name)};" for name in ("numpy", "torch")).encode()


def _read(data: bytes, count: int) -> Observed | None:
    try:
        lists = decode_value(frames.decode(data))
    except frames.FrameError:
        return None
    if not isinstance(lists, list) or len(lists) != count or not all(isinstance(values, list) for values in lists):
        return None
    return Observed(tuple(Returned(tuple(values)) for values in lists), (), unsafe=False)
