"""Hostile submissions in the real sandbox: none succeeds, and none leaves anything behind."""

from __future__ import annotations

import contextlib
import random
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from grader.core.errors import SandboxUnavailable, SubmissionError
from grader.core.model import Call, Course, Job, Limits, Observed, Program, Report, ResourceUsage
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.sandbox import Sandbox, ZygoteSettings, open_sandbox
from grader.submission import read
from tests.attacks import arena
from tests.attacks.arena import Attack, Bait

ATTACKS = arena.attacks()
SOLUTIONS = arena.ROOT / "tests" / "solutions"
RIGHT = {
    "scaled_dot_product_attention": SOLUTIONS / "scaled_dot_product_attention" / "right" / "torch_plain.py",
    "MultiHeadAttention": SOLUTIONS / "MultiHeadAttention" / "right" / "fused_qkv.py",
}
HONEST = RIGHT["scaled_dot_product_attention"]

SETTINGS = [
    pytest.param(ZygoteSettings(), id="all-layers"),
    pytest.param(ZygoteSettings(landlock_abi=1), id="landlock-1", marks=pytest.mark.prove),
    pytest.param(ZygoteSettings(namespaces=False), id="no-namespaces", marks=pytest.mark.prove),
    pytest.param(
        ZygoteSettings(namespaces=False, landlock_abi=1), id="no-namespaces-landlock-1", marks=pytest.mark.prove
    ),
]


@pytest.fixture(scope="module")
def bait() -> Iterator[Bait]:
    """One bait for all attacks."""
    with arena.bait() as laid:
        yield laid


@dataclass(frozen=True, slots=True)
class Ring:
    """A sandbox, a course with a secret seed, and bait around them."""

    sandbox: Sandbox
    context: GradingContext
    bait: Bait
    hidden: frozenset[str]

    def grade(self, path: Path, limits: Limits) -> Report:
        """The report on a file, as a class is graded: the references are run once.

        Asserts on the way that whatever the submission has used is counted, and that no job begins without it.
        """
        usage = ResourceUsage()

        def observe(job: Job, limits: Limits) -> Observed:
            nonlocal usage
            assert job.usage == usage
            seen = self.sandbox.observe(job, limits)
            assert seen.usage is not None
            usage = seen.usage
            return seen

        return grade(self.context.course, read(path), observe, limits=limits, context=self.context)


@pytest.fixture(scope="module", params=SETTINGS)
def ring(request: pytest.FixtureRequest, bait: Bait, course: Course) -> Iterator[Ring]:
    """One sandbox for all attacks; under ``prove`` one for each combination of layers, and with all explanations.

    Attacks on explanations have tests of their own.
    """
    names_only = request.config.option.markexpr == "not prove"
    with open_sandbox(mode="require", settings=request.param) as sandbox:
        try:
            sandbox.start()
            sandbox.children()
        except SandboxUnavailable as error:
            pytest.skip(str(error))
        bait.words["zygote"] = str(arena.zygotes(sandbox)[-1])
        seed = Seed(
            "secret", b"known to nobody!", secret=True
        )  # the same each time: numbers that look alike must not decide
        context = GradingContext(course, seed, sandbox.observe, names_only=names_only)
        yield Ring(sandbox, context, bait, arena.hidden_numbers(course, seed))


#: ``make test`` runs one attack of so many, of every family, and none on exercises whose references take long.
OF, LONG = 3, {"linear_attention", "online_softmax_attention"}
FAMILIES = {attack.family: [each for each in ATTACKS if each.family == attack.family] for attack in ATTACKS}
OFTEN = [attack for family in FAMILIES.values() for attack in family[::OF] if attack.aim not in LONG]
CASES = [pytest.param(attack, id=attack.name, marks=() if attack in OFTEN else pytest.mark.prove) for attack in ATTACKS]


@pytest.mark.parametrize("attack", CASES)
def test_attack(attack: Attack, ring: Ring, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """It ends as it declares, reaches nothing, leaves nothing, and the next submission is graded correctly."""
    zygotes = arena.zygotes(ring.sandbox)
    record_property("layers", ", ".join(ring.sandbox.layers))
    armed = ring.bait.arm(attack, tmp_path)
    # What one process leaves for the next would be found the second time.
    for _ in range(2 if attack.family == "persistence" else 1):
        report = ring.grade(armed, attack.limits)
        text = arena.told(report, ring.context.course, page_too=attack.family in ("report", "protocol"))
        tried = [exercise for question in report.questions for exercise in question.exercises]
        (result,) = (exercise for exercise in tried if exercise.status != "missing")
        assert arena.traces_of_success(text, ring.bait) == []
        assert [number for number in ring.hidden if number in text] == []
        assert arena.as_observed(attack, result), [(o.check, o.case, o.verdict) for o in result.outcomes]
        assert report.complete
        assert not report.unsafe
        assert set(report.layers) == set(ring.sandbox.layers)

    honest = ring.grade(HONEST, Limits())
    assert honest.passed
    assert honest.earned == honest.possible > 0
    assert arena.zygotes(ring.sandbox) == zygotes
    arena.quiet(ring.sandbox)
    ring.bait.untouched()
    assert arena.running(ring.bait.mark) == []


def test_the_grader_does_not_hoard(ring: Ring, tmp_path: Path) -> None:
    """Results that are each just small enough do not accumulate in the grader's memory."""
    attack = next(attack for attack in ATTACKS if attack.name == "resource/many_large_results")
    armed = ring.bait.arm(attack, tmp_path)
    ring.grade(HONEST, Limits())
    peaks = []
    for total in (4, 64):
        limits = replace(Limits(), result_bytes=1 << 22, total_bytes=total << 20, fresh_children=2)
        tracemalloc.start()
        try:
            ring.grade(armed, limits)
            peaks.append(tracemalloc.get_traced_memory()[1] >> 20)
        finally:
            tracemalloc.stop()
    assert peaks[0] < 24
    assert peaks[1] > 64


def test_reading_costs_little(tmp_path: Path) -> None:
    """What the grader does with a file before the sandbox takes memory in proportion to its size."""
    hostile = tmp_path / "q05.py"
    hostile.write_text(
        f"import a{'.a' * 8000}\n\ndef scaled_dot_product_attention(q, k, v, mask=None):\n    return v\n"
    )
    tracemalloc.start()
    try:
        with contextlib.suppress(SubmissionError):
            read(hostile)
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "times"),
    [("scaled_dot_product_attention", 15), *(pytest.param(name, 60, marks=pytest.mark.prove) for name in RIGHT)],
)
def test_no_answer_breaks_the_judges(name: str, times: int, ring: Ring) -> None:
    """Whatever a child answers, there is a report, and never one with more points."""
    answers = []

    def listen(job: Job, limits: Limits) -> Observed:
        answers.append(ring.sandbox.observe(job, limits))
        return answers[-1]

    submission = read(RIGHT[name])
    best = grade(ring.context.course, submission, listen, context=ring.context)
    assert best.passed
    for forged in arena.forgeries(answers[0], random.Random(name), times):
        report = grade(ring.context.course, submission, lambda job, limits, said=forged: said, context=ring.context)
        assert report.complete
        assert report.earned <= best.earned
        arena.told(report, ring.context.course, page_too=False)


# ----------------------------------------------------------------------- can these tests fail at all?


@pytest.fixture(scope="module")
def unconfined(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The results of attacks that should succeed without a sandbox, all in one interpreter."""
    chosen = [attack for attack in ATTACKS if attack.plain]
    with arena.bait() as bait:
        files = []
        for at, attack in enumerate(chosen):
            armed = bait.arm(attack, tmp_path_factory.mktemp("plain"))
            files += read(armed.rename(armed.with_stem(f"plain_{at}"))).files
        programs = [
            Program(file.module, (Call("scaled_dot_product_attention", (1, 2, 3)),), (0,), group=file.module)
            for file in files
        ]
        with open_sandbox(mode="plain") as sandbox:
            seen = sandbox.observe(Job(tuple(files), tuple(programs)), Limits()).observations
        return {
            attack.name: arena.traces_of_success(str(found), bait) for attack, found in zip(chosen, seen, strict=True)
        }


@pytest.mark.parametrize("name", [attack.name for attack in ATTACKS if attack.plain])
def test_succeeds_without_a_sandbox(name: str, unconfined: dict[str, list[str]]) -> None:
    """In plain mode the same attack succeeds, and these tests notice."""
    assert unconfined[name] != []


@pytest.mark.parametrize("family", arena.FAMILIES)
def test_families(family: str) -> None:
    """Every family of attacks is present, with several attacks."""
    assert len([attack for attack in ATTACKS if attack.family == family]) >= 7


def test_every_attack_says_what_it_is() -> None:
    """Its docstring says what it tries, and its expected result is a known word."""
    assert {attack.family for attack in ATTACKS} == set(arena.FAMILIES)
    assert [attack.name for attack in ATTACKS if not {*attack.observe} <= {*arena.WHOLE, *arena.ENDS}] == []
