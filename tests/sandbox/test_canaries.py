"""The trial attacks: refused behind the wall, and able to notice when there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.model import Died, Job, Limits, NotRun, Observation, Observed, Raised, Returned, TimedOut
from grader.sandbox import Sandbox, open_sandbox
from grader.sandbox.canaries import release


def test_every_attack_is_refused(sandbox: Sandbox) -> None:
    """Behind the wall none of them works, and all are tried."""
    tried = release(sandbox.observe)
    assert [canary.name for canary in tried if not canary.refused] == []
    assert len(tried) >= 12 and len({canary.name for canary in tried}) == len(tried)


@pytest.mark.prove
def test_attacks_work_where_there_is_no_wall() -> None:
    """A canary that is refused everywhere would prove nothing: without a wall, all but a few get through."""
    with open_sandbox(mode="plain") as plain:
        refused = {canary.name for canary in release(plain.observe) if canary.refused}
    elsewhere = {"open a network connection", "import the grader", "import the reference", "allocate without end"}
    assert refused <= elsewhere


@pytest.mark.parametrize(
    ("observation", "refused"),
    [
        (Raised("PermissionError", "", None, None), True),
        (Returned((None,)), False),
        (Died(None, 0), False),
        (Died(9, None), False),
        (TimedOut(1, "wall"), False),
        (NotRun("budget"), False),
    ],
)
def test_only_an_exception_is_a_refusal(observation: Observation, refused: bool) -> None:
    """A child that ended may have become another program: when in doubt, the wall did not hold."""

    def observe(job: Job, limits: Limits) -> Observed:
        return Observed((observation,) * len(job.programs), (), unsafe=False)

    assert {canary.refused for canary in release(observe)} == {refused}


def test_the_bait_is_real_and_is_cleared_away() -> None:
    """There is a file to read and a folder to write into, for everybody, while the attacks run and no longer."""
    seen: list[Path] = []

    def observe(job: Job, limits: Limits) -> Observed:
        secret, folder, grader = job.programs[0].steps[0].args  # type: ignore[union-attr]
        assert Path(secret).read_text() == "canary"
        assert Path(secret).stat().st_mode & 0o777 == 0o666 and Path(folder).stat().st_mode & 0o777 == 0o777
        assert grader == os.getpid()
        seen.append(Path(folder))
        return Observed((Returned((None,)),) * len(job.programs), (), unsafe=False)

    release(observe)
    assert seen and not seen[0].exists()
