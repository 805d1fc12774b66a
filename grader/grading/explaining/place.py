"""An explainer: the place where code goes wrong, found by substituting correct values.

The reference and the submission run with probes (``inside/probing.py``) on public cases. Values of the reference, the
*landmarks*, replace values of the submission, one after another. If the final results become correct, the expression is
the place, because nothing after it is wrong. The earliest such expression is reported; of those, the innermost. A place
counts only if it also repairs cases that did not choose it: the other public cases, and fresh inputs for them.

The child that does this gets only public inputs and landmarks. What it returns is used only for explanations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from grader.core.errors import LibrariesChanged
from grader.core.model import (
    Case,
    CheckSpec,
    Course,
    Diagnosis,
    Exercise,
    Job,
    Limits,
    Probing,
    Program,
    Returned,
    Span,
    Status,
    Text,
)
from grader.course import edits
from grader.grading import checks
from grader.grading.checks import read
from grader.grading.checks.values import Options
from grader.grading.compare import compare
from grader.grading.explaining import landmarks, place_text
from grader.grading.explaining.landmarks import Where
from grader.grading.explaining.reruns import Reruns
from grader.grading.explaining.terms import NamedValue
from grader.grading.explaining.traces import (
    MOST_RERUNS,
    ReferenceValue,
    Trace,
    equal_results,
    first_with,
    has_entries_of,
    intermediate_at,
    is_computed_after,
    is_distinctive,
    is_distinctive_in,
    merged,
    read_trace,
    same_content,
    to_array,
)
from grader.grading.explaining.unsuitable import (
    changes_below,
    function_around,
    only_maximum,
    relative,
    shared,
    text_of,
    unsuitable,
)
from grader.grading.inputs import Drawn, Seed
from grader.grading.plan import REFERENCE_LIMITS, module_of, reference_target
from grader.grading.programs import Target, apply_variant
from grader.sandbox.observation_cache import program_digest

if TYPE_CHECKING:
    from grader.grading.context import GradingContext
    from grader.grading.explaining.evidence import Evidence

#: The maximum number of public cases and places that a search looks at.
MOST_CASES = 3
MOST_PLACES = 3
#: The maximum number of further cases on which a place is confirmed, and the seed of those that are drawn for this.
MOST_CONFIRMING = 6
_FRESH = Seed.number(1)
#: How often code may be rerun in one round for a submission of a class, and in all rounds of all its exercises: enough
#: for nine wrong ones. Runs are counted so that results do not depend on the speed of the machine.
RERUNS_IN_A_CLASS = 100
RERUNS_OF_A_SUBMISSION = 1000
#: CPU seconds of one round of the search for one exercise: while a learner waits for the result, and for a class, where
#: only very slow code reaches the limit; and of all rounds for one submission of a class.
CPU = 0.4
CPU_IN_A_CLASS = 2.0
CPU_OF_A_SUBMISSION = 18.0

Precision = Literal["float32", "float64"]
#: The number of a case, and of one of the values that it returns; they are compared one by one.
Part: TypeAlias = tuple[int, int]
#: Substitutions: the number of a probe, and the index of the reference value that takes the place of its value.
Pairs: TypeAlias = tuple[tuple[int, int], ...]
#: The traces of cases, by number.
Traces: TypeAlias = Mapping[int, Trace]


@dataclass(frozen=True, slots=True)
class ProbedCase:
    """A public case that is run with probes. ``variant_drawn`` are the inputs of the code.

    ``expected`` is the result; None for fresh inputs, for which the reference is still to be run.
    """

    case: Case
    spec: CheckSpec
    drawn: Drawn
    variant_drawn: Drawn
    expected: Any = None


@dataclass(frozen=True, slots=True)
class ReferenceRun:
    """What the reference computes in some cases: its distinct values in order of time, and its results."""

    marks: tuple[ReferenceValue, ...] = ()
    results: tuple[Any, ...] = ()

    def __bool__(self) -> bool:
        """Whether it could be run."""
        return bool(self.marks)


@dataclass(frozen=True, slots=True)
class Substitution:
    """A substitution that makes results correct: a probe, the index of the reference value, and which results."""

    probe: int
    mark: int
    parts: frozenset[Part]

    @property
    def cases(self) -> list[int]:
        """The cases of these results."""
        return sorted({at for at, _ in self.parts})


def explain(code: Reruns, statuses: Sequence[Status], named: tuple[str, ...]) -> tuple[Diagnosis, ...]:
    """The places where the code of an exercise goes wrong, whose plan's entries have these ``statuses``.

    If misconceptions have already been ``named``, only places that repair the code are searched for, among the values
    that the edits of these mistakes change. Empty if none is found or the search fails; the verdict is valid without.
    """
    try:
        plan, course = code.plan, code.context.course
        sought = _sought(code, statuses) if course.edition is None else ()
        if not sought:
            return ()
        chosen = sought[:MOST_CASES]
        cases = (*chosen, *(*sought[MOST_CASES:], *_fresh(code))[:MOST_CONFIRMING])
        reference = _reference_values(code.context, plan.exercise, cases)
        lines = _changed_lines(plan.exercise, named, course)
        unfit = unsuitable(code.files) | unsuitable(course.reference)
        unfit |= shared(code.files, plan.calls or plan.exercise.name, course)
        inexact = [find(code.files) | find(course.reference) for find in (relative, only_maximum)]
        search = _Search(code, cases, len(chosen), reference, unfit, lines, inexact, len(named))
        return tuple(search.explained()) if reference else ()
    except LibrariesChanged:
        raise
    except Exception:  # an error of ours or an unexpected value must not cost the learner the result
        return ()


def _sought(code: Reruns, statuses: Sequence[Status]) -> tuple[ProbedCase, ...]:
    """The public cases whose values are wrong, or that raised an exception."""
    found, references = [], code.context.expected(code.plan.exercise)
    for entry, status, expected in zip(code.plan.entries, statuses, references, strict=True):
        wrong = status in (Status.FAILED, Status.RAISED) and entry.case.public and not entry.case.sealed
        match expected:
            case (Returned((value,)),) if wrong and entry.spec.kind == "values":
                given = apply_variant(code.form.variant, entry.drawn)
                found.append(ProbedCase(entry.case, entry.spec, entry.drawn, given, value))
    return tuple(found)


def _fresh(code: Reruns) -> Iterator[ProbedCase]:
    """The public cases with other inputs, drawn from a seed of their own."""
    for entry, drawn in code.drawn(_FRESH):
        if entry.case.public:
            yield ProbedCase(entry.case, entry.spec, drawn, apply_variant(code.form.variant, drawn))


def _changed_lines(exercise: Exercise, named: Sequence[str], course: Course) -> tuple[tuple[str, int, int], ...] | None:
    """The lines of the reference that the ``named`` mistakes change; None if none is named."""
    if not named:
        return None
    changes = [edit for mistake in exercise.mistakes if mistake.misconception in named for edit in mistake.edits]
    found = [edits.changed_lines(course.reference, edit, module_of(exercise)) for edit in changes]
    return tuple(lines for lines in found if lines is not None)


@dataclass(slots=True)
class _Search:
    """The search for one exercise: in the first ``chosen`` of ``cases``; the others confirm what it finds.

    ``unfit`` are places of the submission and of the reference that cannot be the place. ``lines`` are those of the
    reference in which the values have to lie; None if any will do. At ``inexact`` places of either, values count only
    in part; only others of the same set belong there. ``mistakes`` is how many have been named.
    """

    code: Reruns
    cases: tuple[ProbedCase, ...]
    chosen: int
    reference: ReferenceRun
    unfit: frozenset[Where]
    lines: tuple[tuple[str, int, int], ...] | None
    inexact: Sequence[frozenset[Where]] = ()
    mistakes: int = 0

    @property
    def marks(self) -> tuple[ReferenceValue, ...]:
        """The distinct values of the reference."""
        return self.reference.marks

    def explained(self) -> Iterator[Diagnosis]:
        """The diagnoses, from a search in float64 if the submission supports it and is wrong there, too."""
        for precision in ("float64", "float32"):
            first = self.run(precision, (), range(self.chosen))
            if len(first) < self.chosen:
                return
            if self._usable(first):
                yield from self._diagnoses(precision, first)
                return

    def _usable(self, traces: Traces) -> bool:
        """Whether every case is wrong in this precision, too, and a second run gives the same result."""
        wrong = all(self.wrong(at, trace.result) for at, trace in traces.items())
        return wrong and all(equal_results(trace.result, trace.again) for trace in traces.values())

    def _diagnoses(self, precision: Precision, first: Traces) -> Iterator[Diagnosis]:
        if not self.mistakes and (probe := self.finished(precision, first)) is not None:
            yield Diagnosis("place", place_text.CHANGED_AFTER, span=self._span(first[0].where[probe]))
            return
        found, traces = list[Substitution](), first
        left = {part for at, trace in first.items() for part in self.wrong(at, trace.result)}
        while left and len(found) < MOST_PLACES:
            best = self.best(traces, first, [each.probe for each in found])
            if best is None:
                break
            found.append(best)
            left -= best.parts
            if left:
                traces = self.run(precision, _fixed(found), sorted({at for at, _ in left}))
        if not left:  # a substitution that repairs only some results may do so by chance
            # One place that repairs two mistakes is where their effects meet, and is itself correct.
            others = self.confirmed(precision, found) if len(found) >= self.mistakes else None
            ran = [*first.values(), *(others or ())]
            of = [each for each in found if self.is_last_word(first[each.cases[0]].where[each.probe], ran)]
            told = [each for one in of for each in self.diagnosis(first, one)] if others is not None else []
            yield from told if len(told) < len(found) else (*told[:-1], place_text.repairing(told[-1], len(told)))
        elif not self.mistakes and (said := self.missing(first)) is not None:
            yield said

    def finished(self, precision: Precision, first: Traces) -> int | None:
        """The last probe that has the correct result, once in every case; others have to confirm that, too."""
        found = [probe for probe in first[0].order if self._has_result(probe, first)]
        others = self.run(precision, (), range(self.chosen, len(self.cases)), search=False) if found else {}
        last = next((probe for probe in reversed(found) if self._has_result(probe, others)), None)
        return last if len(first) + len(others) == len(self.cases) else None

    def _has_result(self, probe: int, traces: Traces) -> bool:
        pairs = ((trace.values.get(probe, ()), self.reference.results[at]) for at, trace in traces.items())
        return all(len(mine) == 1 and _is_result(mine[0], right) for mine, right in pairs)

    def confirmed(self, precision: Precision, found: Sequence[Substitution]) -> list[Trace] | None:
        """The traces of the cases that did not choose the substitutions; None unless these make all of them right."""
        others = range(self.chosen, len(self.cases))
        traces = self.run(precision, _fixed(found), others, search=False)
        right = [trace for at, trace in traces.items() if self.right(at, trace.result)]
        return right if len(right) == len(others) else None

    def is_last_word(self, where: Where, traces: Sequence[Trace]) -> bool:
        """Whether each branch below a place that changes its variable did so in some case: it may be what is wrong."""
        reached = [trace.where[probe] for trace in traces for probe in trace.order]
        lines = {line for label, line, *_ in reached if label == where[0]}
        return all(lines.intersection(block) for block in changes_below(self.code.files, where))

    def run(self, precision: Precision, fixed: Pairs, cases: Sequence[int], *, search: bool = True) -> Traces:
        """The traces of these cases with ``fixed`` substitutions, without those that could not be run.

        With ``search``, all other substitutions that fit are tried, too.
        """
        plan, child, for_class = self.code.plan, self.code.child, self.code.context.for_class
        cpu = min(CPU_IN_A_CLASS if for_class else CPU, child.left) / max(1, len(cases))
        most = int(min(RERUNS_IN_A_CLASS if for_class else MOST_RERUNS, child.reruns)) // max(1, len(cases))
        if cpu <= 0 or not most or not cases:
            return {}
        assert plan.file is not None
        programs = []
        for at in cases:
            values = tuple(tuple(map(to_array, mark.values[at])) for mark in self.marks)
            array_type, group = self.code.form.array_type, f"place {at}"
            target = Target(plan.exercise, plan.file.module, array_type, precision, group, plan.calls)
            probing = Probing(values, fixed, most if search else 0, cpu)
            programs.append(_program(target, self.cases[at].variant_drawn, self.cases[at].spec, probing))
        limits = Limits(
            group_cpu=cpu + 0.2, group_wall=1.0 + cpu * len(cases), import_cpu=1.0, import_wall=2.0, fresh_children=8
        )
        seen = child.observe(Job(self.code.files, tuple(programs)), limits)
        found = zip(cases, map(read_trace, seen.observations), strict=True)
        traces = {at: replace(trace, tried=trace.tried[:most]) for at, trace in found if trace is not None}
        child.reruns -= sum(len(trace.tried) for trace in traces.values())
        return traces

    def right(self, at: int, result: tuple[Any, ...]) -> bool:
        """Whether ``result`` is correct in case ``at``."""
        return not self.wrong(at, result)

    def wrong(self, at: int, result: tuple[Any, ...]) -> set[Part]:
        """The values of ``result`` that are wrong in case ``at``; all of them if there are not as many as expected."""
        options, expected, got = read(self.cases[at].spec, Options), (self.reference.results[at],), result
        if isinstance(expected[0], tuple):
            expected, got = expected[0], result[0] if result and isinstance(result[0], tuple) else ()
        if len(got) != len(expected):
            return {(at, number) for number in range(len(expected))}
        pairs = enumerate(zip(expected, got, strict=True))
        return {(at, n) for n, pair in pairs if compare(*pair, options.rtol, options.atol) is not None}

    def is_candidate(self, mark: ReferenceValue, where: Where) -> bool:
        """Whether this value could be what is missing at this place of the submission."""
        drawn = bool(mark.where) and self.unfit.issuperset(mark.where)
        if mark.final or mark.is_by_chance or drawn or where in self.unfit:
            return False
        if any(where in places and places.isdisjoint(mark.where) for places in self.inexact):
            return False
        return self.lines is None or any(
            label == changed and line <= last and first <= end_line
            for label, line, end_line, _, _ in mark.where
            for changed, first, last in self.lines
        )

    def best(self, traces: Traces, first: Traces, put_in: Sequence[int] = ()) -> Substitution | None:
        """The substitution that makes the most results correct, and none wrong; of several, the earliest.

        ``put_in`` are the probes that already have a landmark in ``traces``, but not in ``first``. If one place is not
        enough, it must be unlikely to fit by chance: a named value, or one that repairs every case that reaches the
        expression, which some cases in ``first`` do not.
        """
        marks, repairs = self.marks, dict[tuple[int, int], set[Part]]()
        wrong = {at: self.wrong(at, trace.result) for at, trace in traces.items()}
        for at, trace in traces.items():
            for probe, mark, result in trace.tried:
                known = probe in trace.where and 0 <= mark < len(marks)
                # What is computed in every round of a loop need not be final there.
                known = known and len(trace.values[probe]) <= max(1, len(marks[mark].values[at]))
                if known and self.is_candidate(marks[mark], trace.where[probe]):
                    still = self.wrong(at, result)
                    if still < wrong[at]:
                        repairs.setdefault((probe, mark), set()).update(wrong[at] - still)
        if put_in or all(len(parts) < sum(map(len, wrong.values())) for parts in repairs.values()):
            comes = {probe: [at for at, trace in traces.items() if probe in trace.order] for probe, _ in repairs}
            branches = {probe for probe in comes if not all(probe in trace.order for trace in first.values())}
            repairs = {
                (probe, number): parts
                for (probe, number), parts in repairs.items()
                if (probe in branches and parts == set().union(*map(wrong.__getitem__, comes[probe])))
                or (marks[number].name is not None and is_distinctive_in(marks[number], min(parts)[0]))
            }
        if not repairs:
            return None
        time = {probe: at for trace in reversed([*traces.values()]) for at, probe in enumerate(trace.order)}
        earliest = sorted(
            repairs,
            key=lambda each: (
                -len(repairs[each]),
                marks[each[1]].name is None,  # nothing could be said
                not is_distinctive_in(marks[each[1]], min(repairs[each])[0]),  # single numbers often fit by chance
                time.get(each[0], 0),
                each[1],
            ),
        )
        # The earliest expression may be correct, with the substituted value missing after it. A wrong expression of the
        # same function that the same value repairs is preferred.
        where = {probe: place for trace in traces.values() for probe, place in trace.where.items()}
        label, *_ = first_place = where[earliest[0][0]]
        around = function_around(self.code.files, first_place)
        pair = next(
            (
                each
                for each in earliest
                if each[1] == earliest[0][1]
                and len(repairs[each]) == len(repairs[earliest[0]])
                and where[each[0]][0] == label
                and where[each[0]][1] in around
                and any(intermediate_at(marks, traces[at], each[0], at) is None for at, _ in repairs[each])
            ),
            earliest[0],
        )
        return Substitution(*pair, frozenset(repairs[pair]))

    def diagnosis(self, first: Traces, found: Substitution) -> Iterator[Diagnosis]:
        """The diagnosis of one place; none if the code computes the value itself later on, or nothing can be said."""
        mark, marks = self.marks[found.mark], self.marks
        # A value without a name would not say what to do.
        if mark.name is None or is_computed_after(found.probe, mark, first):
            return
        steps = [intermediate_at(marks, first[at], found.probe, at) for at in found.cases]
        before = all(each is not None and each < found.mark for each in steps)
        step = None if steps[0] is None else marks[steps[0]].name
        unfinished = before and step is not None
        here = place_text.sentence(mark.name, self._difference(first, found))
        text = place_text.missing_after(mark.name, step) if unfinished else here
        span = self._span(first[found.cases[0]].where[found.probe])
        yield Diagnosis("place", text, mark.name.misconception, span, unfinished)

    def _difference(self, first: Traces, found: Substitution) -> Text:
        """The first difference between the value at a place and the correct one."""
        case = found.cases[0]
        # This child runs after others had secret inputs, which could pass a few bits on to it.
        mine = () if self.code.context.seed.secret else first[case].values[found.probe]
        results = (self.reference.results[case], *first[case].result)
        return place_text.first_difference(self.marks[found.mark].values[case], mine, results)

    def missing(self, first: Traces) -> Diagnosis | None:
        """A diagnosis of the first named value that no case computes although the one before it is; else None."""
        trace = first[0]
        named = [mark for mark in self.marks if mark.name and mark.values[0] and is_distinctive(mark.values[0][-1])]
        appears = [_first_in_all(mark, first) for mark in named]
        last = max((at for at, probe in enumerate(appears) if probe is not None), default=None)
        if last is None or last + 1 >= len(named) or sum(probe is not None for probe in appears) < 2:
            return None
        absent_mark = named[last + 1]
        values = [(absent_mark.values[at][-1], each) for at, each in first.items() if absent_mark.values[at]]
        if any(first_with(*each) is not None for each in values) or all(has_entries_of(*each) for each in values):
            return None
        probe = appears[last]
        there, absent = named[last].name, absent_mark.name
        assert probe is not None and there is not None and absent is not None
        span = self._span(trace.where[probe])
        correct, next_one = Text(there.en, there.zh), Text(absent.en, absent.zh)
        text = place_text.NEXT_STEP.fill(line=span.line, there=correct, absent=next_one)
        return Diagnosis("place", text, absent.misconception, span, unfinished=True)

    def _span(self, where: Where) -> Span:
        """The place as a span of the file. Raises ValueError if the submission has no such place."""
        label, line, end_line, column, end = where
        lines = text_of(self.code.files, label).split("\n")
        if not (1 <= line <= end_line <= len(lines) and 0 <= column <= len(lines[line - 1]) and end >= 0):
            raise ValueError("a place outside the file")
        return Span(label, line, end_line, column, min(end, len(lines[end_line - 1])))


def _is_result(mine: Any, right: Any) -> bool:
    return is_distinctive(mine) and compare(right, to_array(mine)) is None


def _fixed(found: Iterable[Substitution]) -> Pairs:
    return tuple((each.probe, each.mark) for each in found)


def _first_in_all(mark: ReferenceValue, traces: Traces) -> int | None:
    """The first probe that has this value in every case, and once: a helper that is called again has others, too."""
    wanted = [(mark.values[at][-1], trace) for at, trace in traces.items() if mark.values[at]]

    def has_it(probe: int) -> bool:
        found = [(value, trace.values.get(probe, ())) for value, trace in wanted]
        return all(len(values) == 1 and same_content(value, values[0]) for value, values in found)

    return next(filter(has_it, traces[0].order), None)


def _reference_values(context: GradingContext, exercise: Exercise, cases: Sequence[ProbedCase]) -> ReferenceRun:
    """What the reference computes in these cases; cached in ``context``."""
    target = reference_target(exercise)
    programs = tuple(_program(target, each.drawn, each.spec, Probing()) for each in cases)
    # The inputs of equal cases differ: a form of the code may have its own.
    inputs = [program_digest(program, REFERENCE_LIMITS) for program in programs]
    key = (exercise.name, *zip(inputs, (each.expected is None for each in cases), strict=True))
    return context.kept("landmarks", key, lambda: _run_reference(context, exercise, cases, programs))


def _run_reference(
    context: GradingContext, exercise: Exercise, cases: Sequence[ProbedCase], programs: tuple[Program, ...]
) -> ReferenceRun:
    reference, seen = context.course.reference, context.reference(programs)
    traces = [trace for each in seen if (trace := read_trace(each)) is not None and trace.result]
    if len(traces) < len(cases):
        return ReferenceRun()
    names = {where: name for name, where in landmarks.places(reference, exercise) if where is not None}
    results = tuple(
        trace.result[0] if each.expected is None else each.expected for each, trace in zip(cases, traces, strict=True)
    )
    return ReferenceRun(merged(traces, names, results), results)


def intermediate(context: GradingContext, exercise: Exercise) -> int:
    """How many intermediate values the reference has in public cases."""
    sought = [
        ProbedCase(entry.case, entry.spec, entry.drawn, entry.drawn, expected[0].values[0])
        for entry, expected in zip(context.entries(exercise), context.expected(exercise), strict=True)
        if entry.case.public and entry.spec.kind == "values" and isinstance(expected[0], Returned)
    ]
    return sum(not mark.final for mark in _reference_values(context, exercise, sought).marks)


def named_values(context: GradingContext, exercise: Exercise, cases: Sequence[Evidence]) -> tuple[NamedValue, ...]:
    """The values of the reference that have a name and are computed once in each of these cases."""
    probed = []
    for each in cases:
        match each.seen.expected:
            case (Returned((value,)),):
                probed.append(ProbedCase(each.seen.case, each.seen.spec, each.seen.drawn, each.seen.drawn, value))
    marks = _reference_values(context, exercise, probed).marks if len(probed) == len(cases) else ()
    return tuple(
        NamedValue(Text(mark.name.en, mark.name.zh), tuple(np.asarray(each[0]) for each in mark.values))
        for mark in marks
        if mark.name is not None and not mark.final and all(len(each) == 1 for each in mark.values)
    )


def _program(target: Target, drawn: Drawn, spec: CheckSpec, probing: Probing) -> Program:
    """The one program of the check, with probes."""
    (program,) = checks.kinds()[spec.kind].calls(target, drawn, spec)
    return replace(program, probing=probing)
