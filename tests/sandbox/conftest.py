"""Looking at what becomes of a piece of source in the real sandbox."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from grader.core.model import Call, Job, Limits, Observation, Observed, Part, Program, SourceFile
from grader.sandbox import Sandbox

#: Small, because many tests below use them up.
QUICK = Limits(
    group_cpu=0.3, group_wall=5.0, import_cpu=0.4, import_wall=5.0, total_cpu=6.0, total_wall=30.0, result_bytes=1 << 20
)

Asked = str | Call | Program


def job(files: str | dict[str, str], *asked: Asked) -> Job:
    """A submission of one file ``unit.py`` (or of several), and a program for each thing asked: each its own group."""
    texts = {"unit": files} if isinstance(files, str) else files
    sources = tuple(
        SourceFile(f"{name}.py", name, (Part(f"{name}.py", dedent(text)),), is_package=name.endswith("__init__"))
        for name, text in texts.items()
    )
    programs = []
    for at, entry in enumerate(asked):
        if isinstance(entry, str):
            entry = Call(entry)
        if isinstance(entry, Call):
            entry = Program(sources[0].module, (entry,), (0,), group=f"group {at}")
        programs.append(entry)
    return Job(sources, tuple(programs))


@pytest.fixture(scope="session")
def make_job() -> Callable[..., Job]:
    """``job``, for tests that need the job itself."""
    return job


@pytest.fixture(scope="session")
def quick() -> Limits:
    """Limits that are soon used up."""
    return QUICK


@pytest.fixture(scope="session")
def observed(sandbox: Sandbox) -> Callable[..., Observed]:
    """Runs a job, with ``limits`` in place of the quick ones."""

    def watched(files: str | dict[str, str], *asked: Asked, limits: Limits = QUICK) -> Observed:
        return sandbox.observe(job(files, *asked), limits)

    return watched


@pytest.fixture(scope="session")
def look(observed: Callable[..., Observed]) -> Callable[..., tuple[Observation, ...]]:
    """The observations alone."""

    def looked(files: str | dict[str, str], *asked: Asked, limits: Limits = QUICK) -> tuple[Observation, ...]:
        return observed(files, *asked, limits=limits).observations

    return looked
