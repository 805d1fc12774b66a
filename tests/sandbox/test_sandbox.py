"""Several threads can share a sandbox."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from grader.core.model import Job, Limits, Observed
from grader.sandbox import launch
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.zygote import ZygoteSettings


def test_threads_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """While one thread's job runs, another thread's waits: a zygote has one child and one stream of messages."""
    running, asked = threading.Event(), threading.Event()
    entered: list[str] = []
    seen_by_first: list[str] = []

    def one_job(*_: Any) -> Observed:
        entered.append(threading.current_thread().name)
        if not running.is_set():
            running.set()
            asked.wait()
            threading.Event().wait(0.05)  # without the lock, the other one is inside by now
            seen_by_first.extend(entered)
        return Observed((), (), unsafe=True)

    monkeypatch.setattr(launch, "observe", one_job)
    monkeypatch.setattr(Sandbox, "children", lambda _: None)
    sandbox = Sandbox("plain", ZygoteSettings())
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(sandbox.observe_unverified, Job((), ()), Limits())
        running.wait()
        second = pool.submit(lambda: (asked.set(), sandbox.observe_unverified(Job((), ()), Limits())))
        first.result()
        second.result()
    assert len(seen_by_first) == 1
    assert len(entered) == 2
