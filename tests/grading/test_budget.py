"""One submission has one budget, however many jobs its code is run in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from grader.core.model import (
    Call,
    Died,
    Job,
    Limits,
    Normal,
    NotRun,
    Observation,
    Observed,
    Program,
    Raised,
    ResourceUsage,
    Returned,
)
from grader.core.text import same
from grader.grading.code_grading import with_shared_budget
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.sandbox import Sandbox, ZygoteSettings, launch
from grader.sandbox.launch import observe
from grader.sandbox.zygote import ZygoteLost
from tests.helpers import array, case, course, exercise, question, returned, source, submission

X = Normal((3,))
LIMITS = Limits(total_cpu=1.0, total_wall=2.0, fresh_children=3)


class Metered:
    """A sandbox without code, in which every job takes two seconds, a process and a kilobyte."""

    def __init__(self, answer: Callable[[Program], Observation]) -> None:
        self._answer = answer
        self.jobs: list[Job] = []

    def observe(self, job: Job, limits: Limits) -> Observed:
        """As a sandbox does it."""
        self.jobs.append(job)
        before = job.usage
        usage = ResourceUsage(before.cpu, before.wall + 2, before.received + 1024, before.deaths + 1, hidden=True)
        return Observed(tuple(map(self._answer, job.programs)), (), unsafe=False, usage=usage)


USAGES = [ResourceUsage(0, 2.0 * n, 1024 * n, n, hidden=n > 0) for n in range(4)]


def test_each_job_begins_with_the_past_of_the_one_before() -> None:
    """Whatever a caller says of it; and each submission begins with none."""
    metered = Metered(lambda _: Returned((1,)))
    for _ in range(2):
        shared = with_shared_budget(with_shared_budget(metered.observe))
        for _ in range(3):
            shared(Job((), (), ResourceUsage(cpu=9.0)), LIMITS)
    assert [job.usage for job in metered.jobs] == USAGES[:3] * 2


def test_what_was_not_metered_leaves_the_past_as_it_is() -> None:
    """Results that were remembered cost nothing."""
    metered = Metered(lambda _: Returned((1,)))
    answers = [metered.observe, lambda job, limits: Observed((), (), unsafe=False), metered.observe]
    shared = with_shared_budget(lambda job, limits: answers.pop(0)(job, limits))
    for _ in range(3):
        shared(Job((), ()), LIMITS)
    assert [job.usage for job in metered.jobs] == USAGES[:2]


def test_the_ways_of_calling_an_exercise_share_one_budget() -> None:
    """A wrong result is tried in the other array type, with what the first try has left."""
    bank = course(question("Q5", exercise("double(x)", case("seen", x=X))))
    metered = Metered(lambda _: returned(array([7.0, 7.0, 7.0])))
    observe_reference = Metered(lambda _: returned(array([1.0, 2.0, 3.0]))).observe
    grade(
        bank,
        submission(q05="def double(x): return x"),
        metered.observe,
        context=GradingContext(bank, Seed.public(), observe_reference),
    )
    assert [job.usage for job in metered.jobs] == USAGES[:3]  # and the search for an explanation


@pytest.mark.parametrize(
    ("usage", "reason"),
    [(ResourceUsage(cpu=1.0), "budget"), (ResourceUsage(wall=2.0), "budget"), (ResourceUsage(deaths=3), "children")],
)
def test_where_nothing_is_left_nothing_is_started(usage: ResourceUsage, reason: str) -> None:
    """The rest is told why it was not run, and the usage does not change."""

    class None_:
        unsafe = False

        def start(self, job: bytes, cpu_seconds: int, limits: Limits) -> None:
            """Must not be asked."""
            raise AssertionError("a child was started")

    programs = (Program("unit", (Call("f"),), (0,)),) * 2
    seen = observe(None_(), Job((source("unit.py", "def f(): ..."),), programs, usage), LIMITS)  # type: ignore[arg-type]
    assert seen.observations == (NotRun(reason),) * 2  # type: ignore[arg-type]
    assert seen.usage == usage and seen.cpu_seconds == 0


def test_what_a_run_uses_is_added_to_the_past(sandbox: Sandbox) -> None:
    """Time, bytes, processes lost, and whether inputs that are hidden have been handed out."""
    text = "import os, time\ndef f():\n    time.sleep(0.05)\n    os._exit(1)\ndef g(): return 'x' * 5000"
    before = ResourceUsage(cpu=3.0, wall=4.0, received=7000, deaths=2)
    programs = tuple(Program("unit", (Call(name),), (0,), group=name, hidden=name == "g") for name in ("f", "g"))
    job = Job((source("unit.py", text),), programs, before)
    seen = sandbox.observe(job, Limits())
    usage = seen.usage
    assert usage is not None and isinstance(seen.observations[0], Died)
    assert usage.cpu == pytest.approx(before.cpu + seen.cpu_seconds) and usage.cpu > before.cpu
    assert usage.wall >= before.wall + 0.05
    assert 12_000 < usage.received < 20_000
    assert (usage.deaths, usage.hidden) == (3, True)
    public = replace(job, programs=programs[:1])
    assert not getattr(sandbox.observe(public, Limits()).usage, "hidden", True)


def test_a_limit_is_told_as_it_is(sandbox: Sandbox) -> None:
    """Who runs into what is left of the total is told the total, not what was left: the next run says the same."""
    job = Job(
        (source("unit.py", "import time\ndef f(): time.sleep(9)"),),
        (Program("unit", (Call("f"),), (0,)),),
        ResourceUsage(wall=59.8),
    )
    (seen,) = sandbox.observe(job, Limits()).observations
    assert getattr(seen, "limit", None) == 60.0


# ------------------------------------------------------------------------------ after hidden inputs

LEAK = "ValueError", "4.669201", "q05.py", 1


def told(seed: Seed) -> list[str]:
    """What is told of a public case that raises in both array types, and fails less in the second one."""
    bank = course(
        question(
            "Q5",
            exercise(
                "double(x)",
                *(case(name, public=name == "seen", x=X) for name in ("seen", "not")),
                array_types=("torch", "numpy"),
            ),
        )
    )
    right = returned(array([1.0, 2.0, 3.0]))

    def answer(program: Program) -> Observation:
        leak = Raised(*LEAK)
        return right if program.hidden and program.array_type == "numpy" else leak

    report = grade(
        bank,
        submission(q05="import torch\ndef double(x): return x"),
        Metered(answer).observe,
        context=GradingContext(bank, seed, Metered(lambda _: right).observe),
    )
    (result,) = report.questions[0].exercises
    assert result.array_type == "numpy" and 0 < result.earned < result.possible
    return [o.verdict.message.en for o in result.outcomes if o.case == "seen" and o.verdict.message]


def test_after_secret_inputs_no_words_are_shown() -> None:
    """A public case of a second try comes after the hidden cases of the first: it is told as a hidden case is."""
    quiet = told(Seed("secret", b"secret", secret=True))
    assert quiet and not [message for message in quiet if LEAK[1] in message]
    # Where hidden inputs are no secret, there is nothing to hide, and the learner is told everything.
    assert all(LEAK[1] in message for message in told(Seed.public()))


def test_the_report_says_what_the_code_ran_in_though_nothing_was_left_for_the_last_job() -> None:
    """Layers and versions come from children; a job without any has none to tell."""
    bank = course(question("Q5", exercise("double(x)", case("seen", x=X))))
    seen = [
        Observed((returned(array([7.0, 7.0, 7.0])),), ("seccomp",), unsafe=False, versions=(("torch", "2"),)),
        Observed((NotRun("budget"),), (), unsafe=False),
    ]
    observe_reference = Metered(lambda _: returned(array([1.0, 2.0, 3.0]))).observe
    report = grade(
        bank,
        submission(q05="def double(x): return x"),
        lambda job, limits: seen.pop(0),
        context=GradingContext(bank, Seed.public(), observe_reference),
    )
    assert seen == [] and report.layers == ("seccomp",) and ("torch", "2") in report.versions


def test_a_job_that_is_run_again_has_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A zygote that dies is replaced, and the job is run once more, with what the first run has left."""
    asked: list[ResourceUsage] = []

    def dying(children: object, job: Job, limits: Limits, packer: object) -> Observed:
        asked.append(job.usage)
        lost = ZygoteLost(same("gone"))
        lost.usage = ResourceUsage(wall=job.usage.wall + 7, hidden=True)
        raise lost

    monkeypatch.setattr(launch, "observe", dying)
    monkeypatch.setattr(Sandbox, "children", lambda self: None)
    with pytest.raises(ZygoteLost):
        Sandbox("require", ZygoteSettings()).observe(Job((), ()), LIMITS)
    assert asked == [ResourceUsage(), ResourceUsage(wall=7, hidden=True)]


def test_a_run_that_is_lost_tells_what_it_used() -> None:
    """Also what was used before it."""

    class Dying:
        unsafe = False

        def start(self, job: bytes, cpu_seconds: int, limits: Limits) -> None:
            """Is gone."""
            raise ZygoteLost(same("gone"))

    usage = ResourceUsage(cpu=0.5, wall=1.0, received=3, deaths=1, hidden=True)
    job = Job((source("unit.py", "def f(): ..."),), (Program("unit", (Call("f"),), (0,)),), usage)
    with pytest.raises(ZygoteLost) as lost:
        observe(Dying(), job, LIMITS)  # type: ignore[arg-type]
    assert lost.value.usage == usage
