"""Remembering what the references returned, by the digest of everything that decides it."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from grader.model import Job, Limits, Observation, Observed, Raised, Returned
from grader.sandbox.inside import frames
from grader.sandbox.launch import decode_value, encode_files, encode_tasks, encode_value, tasks_of

if TYPE_CHECKING:
    from grader.model import Observe

Get = Callable[[str], "bytes | None"]
Put = Callable[[str, bytes], None]


def remembering(observe: Observe, get: Get, put: Put) -> Observe:
    """``observe`` with a memory. Only runs that ended by themselves are kept; a damaged entry is run again."""

    def observed(job: Job, limits: Limits) -> Observed:
        key = _key(job, limits)
        if (data := get(key)) is not None and (known := _read(data, len(job.programs))) is not None:
            return known
        fresh = observe(job, limits)
        if all(isinstance(seen, (Returned, Raised)) for seen in fresh.observations):
            put(key, frames.encode([_plain(seen) for seen in fresh.observations]))
        return fresh

    return observed


def _plain(seen: Observation) -> list[Any] | dict[str, Any]:
    if isinstance(seen, Returned):
        return [encode_value(value) for value in seen.values]
    assert isinstance(seen, Raised)
    return asdict(seen)


def _key(job: Job, limits: Limits) -> str:
    digest = hashlib.sha256(encode_files(job) + encode_tasks(tasks_of(job), limits))
    digest.update(_versions())
    return digest.hexdigest()


@functools.cache
def _versions() -> bytes:
    return "".join(f"{name} {importlib.metadata.version(name)};" for name in ("numpy", "torch")).encode()


def _read(data: bytes, count: int) -> Observed | None:
    try:
        entries = frames.decode(data)
        if not isinstance(entries, list) or len(entries) != count:
            return None
        return Observed(tuple(_observation(entry) for entry in entries), (), unsafe=False)
    except (frames.FrameError, TypeError):
        return None


def _observation(entry: list[Any] | dict[str, Any]) -> Observation:
    return Raised(**entry) if isinstance(entry, dict) else Returned(tuple(decode_value(value) for value in entry))
