"""The trial attacks: refused by the sandbox, and able to show when there is none."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.core.errors import SandboxKilled
from grader.core.model import (
    Died,
    Job,
    Limits,
    NotRun,
    Observation,
    Observed,
    Raised,
    Returned,
    Text,
    TimedOut,
    TooBig,
    Unreadable,
)
from grader.core.text import same
from grader.sandbox import Sandbox, open_sandbox
from grader.sandbox.canaries import AttackResult, attacks, refusal, try_attacks

if TYPE_CHECKING:
    from grader.core.model import Observe

REFUSED = Raised("PermissionError", "[Errno 13] Permission denied", None, None)
ALL_REFUSED = tuple(
    Raised(*attack.refusals[0].split(": ", 1), None, None)  # type: ignore[arg-type, misc]
    for attack in attacks().values()
)


def answers(*turns: Callable[[int], Observation]) -> tuple[Observe, list[Job]]:
    """Answers the attacks of successive jobs, by their numbers in the first job; also returns the jobs it received."""
    jobs: list[Job] = []
    numbers = {attack.body: at for at, attack in enumerate(attacks().values())}

    def observe(job: Job, limits: Limits) -> Observed:
        turn = turns[min(len(jobs), len(turns) - 1)]
        jobs.append(job)
        asked = [numbers[file.parts[0].text.partition("\n    ")[2].rstrip("\n")] for file in job.files]
        return Observed(tuple(map(turn, asked)), (), unsafe=False)

    return observe, jobs


def test_every_attack_is_refused(sandbox: Sandbox) -> None:
    """Every attack is tried in the real sandbox and refused in the way it declares."""
    tried = try_attacks(sandbox.observe)
    assert [canary for canary in tried if canary.state != "refused"] == []
    assert [canary.name for canary in tried] == list(attacks())
    assert refusal(tried, "this machine") is None


def test_the_limit_on_memory_is_tried_without_using_any() -> None:
    """The memory attack succeeds without a limit and touches no page, so that slow memory cannot stop it."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    exec(attacks()["allocate without end"].body, {})
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 1000


def test_the_limit_on_memory_is_what_refuses(sandbox: Sandbox) -> None:
    """With a higher limit the same attack succeeds, so it tests the limit and nothing else."""

    def observe(job: Job, limits: Limits) -> Observed:
        return sandbox.observe(job, Limits(memory=4 * limits.memory))

    found = {canary.name: canary.state for canary in try_attacks(observe)}
    assert [name for name, state in found.items() if state != "refused"] == ["allocate without end"]
    assert found["allocate without end"] == "let-through"


@pytest.mark.prove
def test_attacks_work_where_there_is_no_wall() -> None:
    """Without a sandbox, all but a few attacks succeed: an attack that always fails would prove nothing."""
    with open_sandbox(mode="plain") as plain:
        refused = {canary.name for canary in try_attacks(plain.observe) if canary.state == "refused"}
    assert refused <= {"import the grader", "import the reference", "allocate without end"}


@pytest.mark.parametrize(
    ("observation", "state", "why"),
    [
        (REFUSED, "refused", ""),
        (Raised("OSError", "[Errno 12] Cannot allocate memory", None, None), "undecided", "OSError: [Errno 12]"),
        (Raised("ModuleNotFoundError", "No module named 'grader'", None, None), "undecided", "No module named"),
        (Raised("ImportError", "a typo", None, None), "undecided", "ImportError: a typo"),
        (Raised("NameError", "name 'opne' is not defined", None, None), "undecided", "NameError"),
        (Raised("MemoryError", "", None, None), "undecided", "MemoryError"),
        (Raised("BlockingIOError", "[Errno 11] busy", None, None), "undecided", "BlockingIOError"),
        (Returned((None,)), "let-through", ""),
        (Died(None, 0), "undecided", "ended with exit code 0"),
        (Died(9, None), "undecided", "ended by signal 9"),
        (TimedOut(6.0, "wall"), "undecided", "not finished after 6 s (wall)"),
        (NotRun("budget"), "undecided", "not tried (budget)"),
        (TooBig(9), "undecided", "unreadable result"),
        (Unreadable("protocol"), "undecided", "unreadable result"),
    ],
)
def test_only_the_walls_own_refusal_is_one(observation: Observation, state: str, why: str) -> None:
    """Any other exception or death decides nothing; a normal return means that the attack succeeded."""
    observe, _ = answers(lambda at: observation)
    (first, *_) = try_attacks(observe)
    assert (first.name, first.state) == ("read a file", state)
    assert why in first.why and bool(first.why) == (state == "undecided")


def test_each_attack_says_what_refuses_it() -> None:
    """An exception that refuses one attack does not count as a refusal of another kind."""
    for at, refused_as in enumerate(ALL_REFUSED):
        observe, _ = answers(lambda _, refused_as=refused_as: refused_as)  # type: ignore[misc]
        refused = {canary.name for canary in try_attacks(observe) if canary.state == "refused"}
        names = list(attacks())
        assert names[at] in refused
        assert refused == {name for name in names if attacks()[names[at]].refusals[0] in attacks()[name].refusals}


def test_what_is_undecided_is_tried_again_alone() -> None:
    """An undecided attack is tried again in its own child after everything else is idle; decided ones are not."""
    calm: list[str] = []
    observe, jobs = answers(
        lambda at: TimedOut(6.0, "wall") if at in (2, 12) else ALL_REFUSED[at], ALL_REFUSED.__getitem__
    )
    tried = try_attacks(observe, lambda: calm.append("quiet"))
    assert {canary.state for canary in tried} == {"refused"} and [canary.name for canary in tried] == list(attacks())
    assert [len(job.programs) for job in jobs] == [len(attacks()), 1, 1]
    assert calm == ["quiet"]
    observe, jobs = answers(ALL_REFUSED.__getitem__)
    try_attacks(observe, lambda: calm.append("not needed"))
    assert (len(jobs), calm) == (1, ["quiet"])


def test_canaries_that_something_outside_kills_are_tried_again_alone() -> None:
    """Each is tried again alone when all is idle; a second kill raises SandboxKilled."""
    calm: list[str] = []
    inner, jobs = answers(ALL_REFUSED.__getitem__)

    def observe(job: Job, limits: Limits) -> Observed:
        if not calm:
            raise SandboxKilled(same("short of memory"))
        return inner(job, limits)

    assert {canary.state for canary in try_attacks(observe, lambda: calm.append("quiet"))} == {"refused"}
    assert (calm, len(jobs)) == (["quiet"], len(attacks()))
    calm.clear()
    with pytest.raises(SandboxKilled):
        try_attacks(observe)


def test_the_refusal_says_what_happened() -> None:
    """The message distinguishes a sandbox that failed from one that could not be tested."""
    fine, fell = AttackResult("read a file", "refused"), AttackResult("start a process", "let-through")
    unknown = AttackResult("open any socket", "undecided", "ended by signal 9")
    assert refusal((fine,), "here") is None
    found = refusal((fine, unknown), "here")
    assert found is not None and found.en == (
        "whether the sandbox works on here could not be decided (open any socket: ended by signal 9)"
    )
    found = refusal((unknown, fell), "node1")
    assert found == Text(
        "the sandbox does not work on node1: code could start a process", "node1 的沙箱没有起作用（没能阻止：启动进程）"
    )


def test_the_bait_is_real_and_is_cleared_away() -> None:
    """A file to read and a folder to write, open to everybody, exist exactly while the attacks run."""
    seen: list[Path] = []

    def observe(job: Job, limits: Limits) -> Observed:
        secret, folder, grader = job.programs[0].steps[0].args  # type: ignore[union-attr]
        assert Path(secret).read_text() == "canary"
        assert Path(secret).stat().st_mode & 0o777 == 0o666 and Path(folder).stat().st_mode & 0o777 == 0o777
        assert grader == os.getpid()
        seen.append(Path(folder))
        return Observed((Returned((None,)),) * len(job.programs), (), unsafe=False)

    try_attacks(observe)
    assert seen and not seen[0].exists()
