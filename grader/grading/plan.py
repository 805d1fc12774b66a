"""The plan for an exercise: which checks on which cases, and the programs to run for them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from grader.core.model import (
    ArrayType,
    Case,
    CheckSpec,
    Course,
    Exercise,
    Limits,
    Mistake,
    Observation,
    Program,
    Question,
    SourceFile,
    Variant,
)
from grader.course import edits
from grader.grading import checks, verdicts
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, apply_variant, fits

#: The inputs of a sealed case, whose real inputs only the instructor has.
NO_INPUTS = Drawn((), (), ())
#: References are trusted code, so their limits are generous.
REFERENCE_LIMITS = Limits(
    group_cpu=20.0, group_wall=60.0, import_cpu=20.0, import_wall=60.0, total_cpu=300.0, total_wall=900.0
)


@dataclass(frozen=True, slots=True)
class PlannedCheck:
    """One check on one case, with the inputs of the case."""

    spec: CheckSpec
    case: Case
    drawn: Drawn


@dataclass(frozen=True, slots=True)
class Plan:
    """One exercise with everything that is checked. ``file`` defines it; None if no file does.

    ``calls`` is the name to call if it is not that of the exercise.
    """

    question: Question
    exercise: Exercise
    file: SourceFile | None
    entries: tuple[PlannedCheck, ...]
    calls: str = ""


def module_of(exercise: Exercise) -> str:
    """The module of the exercise's reference, as named in the reference files."""
    return "reference." + exercise.reference.rpartition(".")[0]


def function_of(exercise: Exercise) -> str:
    """The name of the reference within its module."""
    return exercise.reference.rpartition(".")[2]


def sources_of(number: int, exercise: Exercise, course: Course) -> tuple[SourceFile, ...]:
    """The reference with mistake ``number`` applied; in a learners' edition, which has neither, a placeholder."""
    if course.edition is not None:
        return (SourceFile(placeholders(exercise.mistakes)[number], module_of(exercise), ()),)
    return edits.apply(course.reference, exercise.mistakes[number].edits, module_of(exercise))


def placeholders(mistakes: Sequence[Mistake]) -> tuple[str, ...]:
    """The name of each mistake in a learners' edition: its misconception, with a number from the second one on."""
    seen: Counter[str] = Counter()
    names = []
    for mistake in mistakes:
        name = mistake.misconception
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return tuple(names)


def reference_target(exercise: Exercise, precision: Literal["float32", "float64"] = "float64") -> Target:
    """The reference of ``exercise``, or an edited one, with torch tensors."""
    return Target(exercise, module_of(exercise), "torch", precision, calls=function_of(exercise))


def run_all(
    asked: list[tuple[Program, ...]], run: Callable[[tuple[Program, ...]], tuple[Observation, ...]]
) -> list[tuple[Observation, ...]]:
    """What ``run`` observes of all programs in one job, in one tuple for each tuple of ``asked``."""
    observations = iter(run(tuple(itertools.chain.from_iterable(asked))))
    return [tuple(next(observations) for _ in programs_) for programs_ in asked]


def signatures(entries: tuple[PlannedCheck, ...], seen: list[tuple[Observation, ...]]) -> list[tuple[Observation, ...]]:
    """The part of each observation that identifies a mistake; see ``checks``."""
    return [
        observed if entry.case.sealed else verdicts.signature(entry.spec, entry.drawn, observed)
        for entry, observed in zip(entries, seen, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class CallingForm:
    """How an exercise is called: with which array type, and with which variant of its arguments."""

    array_type: ArrayType
    variant: Variant | None

    @property
    def group(self) -> str:
        """The name of the group of programs that share a time limit."""
        return f"{self.array_type} {self.variant.name if self.variant else ''}"


def calling_forms(exercise: Exercise, file: SourceFile) -> tuple[CallingForm, ...]:
    """The forms to try, in order: the array type that the file imports first, and no variant before the variants."""
    spoken: ArrayType = "torch" if file.imports_torch else "numpy"
    types = sorted(exercise.array_types, key=lambda kind: kind != spoken)
    return tuple(CallingForm(kind, variant) for kind in types for variant in (None, *exercise.variants))


def programs(
    entries: tuple[PlannedCheck, ...], target: Target, variant: Variant | None, reference: bool
) -> list[tuple[Program, ...]]:
    """The programs of every entry; none where inputs have no such form, or the check does not use the reference."""
    kinds = checks.kinds()
    asked = []
    for entry in entries:
        check = kinds[entry.spec.kind]
        wanted = (check.KIND.reference or not reference) and not entry.case.sealed and fits(variant, entry.drawn)
        calls = check.calls(target, apply_variant(variant, entry.drawn), entry.spec) if wanted else ()
        asked.append(tuple(replace(program, hidden=not entry.case.public) for program in calls))
    return asked
