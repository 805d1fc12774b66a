"""Tests the question bank: references pass, stubs fail, and each mistake fails as declared and is recognised.

Loading a course already checks keys, languages, ids and sources; this module has the checks that need to run code.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.authoring import giveaways, typesetting
from grader.core.errors import CourseError
from grader.core.marks import bare
from grader.core.model import (
    Course,
    Exercise,
    ExerciseResult,
    Misconception,
    Mistake,
    Observe,
    Part,
    Question,
    SourceFile,
    Status,
    Submission,
)
from grader.core.tables import patterns
from grader.core.text import EMPTY
from grader.core.yaml_positions import parse
from grader.course import conditions, edits, items, misconceptions, starter
from grader.course.build import CASE_NAMES
from grader.course.conditions import Condition, Inputs
from grader.course.items import Context, derivation, expression, number, shape
from grader.course.items._planted import empty_chains
from grader.course.problems import Problem
from grader.grading import checks
from grader.grading.context import GradingContext
from grader.grading.explaining import landmarks, place
from grader.grading.explaining.mistakes import MistakeSignature, agree
from grader.grading.grade import grade, grade_alternative, grade_reference
from grader.grading.inputs import Seed, draw
from grader.grading.plan import function_of, module_of
from grader.grading.selection import Selection
from grader.submission import read

_phrase = patterns(__file__, "words.yaml")
#: A condition must hold with each of these seeds, because what a case draws may hide it.
_SEEDS = (Seed.public(), *map(Seed.number, range(4)))
#: The checks that compare numbers on all their cases. A condition that names none must be in a case of one of these.
_COMPARING = ("values", "shifts")
#: The least that learners need: mistakes to recognise, a way of hints, and items for what an exercise does not show.
MIN_MISTAKES, MIN_HINTS, MIN_ITEMS, MIN_LANDMARKS = 4, 2, 3, 2


def check(
    course: Course,
    context: GradingContext,
    observe: Observe,
    progress: Callable[[str], None] = lambda _: None,
    questions: Sequence[Question] | None = None,
) -> Iterator[Problem]:
    """Yields every problem of the course, question by question; ``progress`` is called with each name.

    With ``questions``, only their problems, without stray files and without hints that only all items together give.
    """
    context = replace(context, names_only=True)  # other explanations are not checked, and take long
    files = ("",) if questions is None else tuple(question.file for question in questions)
    found = itertools.chain(_stray(course), case_name_problems(course), giveaways.problems(course))
    yield from (problem for problem in found if problem.where.startswith(files))
    for question in course.questions if questions is None else questions:
        progress(question.id)
        yield from _static(question)
        yield from typesetting.problems(question, course)
        yield from derivation_problems(question)
        yield from item_problems(course, question)
        if question.exercises:
            yield from _stub(course, question, context, observe)
        for exercise in question.exercises:
            progress(exercise.name)
            yield from _conditions(course, question, exercise)
            yield from _code(course, question, exercise, context)
            yield from _landmarks(course, question, exercise, context)
            yield from _closed(course, question, exercise, context, observe)


def _stray(course: Course) -> Iterator[Problem]:
    """Files in questions/ that are not read."""
    others = ("sources.yaml", "course.yaml", READINGS, Path(CASE_NAMES).name)
    known = {*others, *(Path(question.file).name for question in course.questions)}
    for path in sorted(Path(course.folder, "questions").iterdir()):
        if path.name not in known and not path.name.startswith((".", "__")):
            yield Problem("stray-file", f"questions/{path.name}", "this file is never read")


def case_name_problems(course: Course) -> Iterator[Problem]:
    """Chinese names that no case has. If any case has one: cases without, and cases of an exercise that share one."""
    chinese = _content(course, CASE_NAMES)
    cases = [(q, e, case) for q in course.questions for e in q.exercises for case in e.cases]
    unused = sorted(chinese.keys() - {case.name for *_, case in cases})
    yield from (Problem("unknown-case", CASE_NAMES, f"no case is called “{name}”; remove it") for name in unused)
    uses = Counter((exercise.name, case.zh) for _, exercise, case in cases)
    for question, exercise, case in cases if "zh" in course.languages and any(case.zh for *_, case in cases) else ():
        where = f"{question.file}, exercise {exercise.name}, case {case.name}"
        if case.zh is None:
            yield Problem("empty-text", where, f"has no Chinese name, neither here (zh: …) nor in {CASE_NAMES}")
        elif uses[exercise.name, case.zh] > 1:
            yield Problem("duplicate-name", where, f"another case of the exercise is called “{case.zh}”, too")


def _content(course: Course, name: str) -> Any:
    """What a YAML file of the course has; nothing if there is no such file. Raises CourseError if it is damaged."""
    path = Path(course.folder, name)
    return parse(path.read_text("utf-8"), name, CourseError).value if path.is_file() else {}


def _static(question: Question) -> Iterator[Problem]:
    """Problems that can be found without running anything."""
    yield from _few("items", question.file, len(question.items), MIN_ITEMS)
    named = {mistake.misconception for exercise in question.exercises for mistake in exercise.mistakes}
    named |= {word for item in question.items for word in misconceptions.misconceptions_of(item)}
    for misconception in question.misconceptions:
        where = f"{question.file}, misconception {misconception.id}"
        if misconception.id not in named:
            yield Problem("unused-misconception", where, "no item and no mistake refers to it")
        if misconception.ask is None and misconception.ask_next is None:
            yield Problem("no-guiding-question", where, "has no guiding question")
    for exercise in question.exercises:
        where = f"{question.file}, exercise {exercise.name}"
        yield from _few("mistakes", where, len(exercise.mistakes), MIN_MISTAKES)
        yield from _few("hints", where, len(exercise.hints), MIN_HINTS)
        if not any(case.public for case in exercise.cases):
            yield Problem("no-public-case", where, "no public case")
        if all(case.public for case in exercise.cases):
            yield Problem("no-hidden-case", where, "no hidden case")


def item_problems(course: Course, question: Question) -> Iterator[Problem]:
    """Problems of items: ``ask_next`` that leads nowhere, and answers that show two misconceptions."""
    by_items = {name for item in question.items for name in misconceptions.misconceptions_of(item)}
    for belief in question.misconceptions:
        asked, where = belief.ask_item or belief.ask or EMPTY, f"{question.file}, misconception {belief.id}"
        phrase = _phrase("code").search(asked.en) or _phrase("code").search(asked.zh)
        if belief.id in by_items and phrase:
            yield Problem("asks-about-code", where, f"items show it, but its question says “{phrase[0]}”")
        if misconceptions.asks_itself(course, belief.id, question):
            yield Problem("circular-follow-up", where, f"only answers to {belief.ask_next} show it")
    yield from _alike(question)


def without_follow_up(course: Course) -> Mapping[str, Sequence[str]]:
    """For each question, the misconceptions that an item can show but nothing follows up.

    Learners are led to another item about the misconception, or to an exercise that detects it.
    """
    unfollowed: dict[str, list[str]] = {}
    for question in course.questions:
        for item in question.items:
            for name in sorted(misconceptions.misconceptions_of(item)):
                more = misconceptions.follow_ups(course, name, question, item)
                if not more and not misconceptions.exercises_about(course, name, question):
                    unfollowed.setdefault(question.id, []).append(name)
    return unfollowed


def _alike(question: Question) -> Iterator[Problem]:
    """Each wrong answer in the bank leads to its own misconception, whatever numbers are drawn."""
    for item in question.items:
        where = f"{question.file}, item {item.id}"
        if isinstance(item.spec, number.Spec):
            for first, second, symbols in number.alike(item.spec):
                drawn = ", ".join(f"{name} = {value}" for name, value in symbols.items()) or "its numbers"
                yield Problem("answers-alike", where, f"{first} and {second} give the same answer for {drawn}")
        elif isinstance(item.spec, (expression.Spec, shape.Spec)):
            numbers = items.draw(item.spec, context := items.Context("", "", item.id))
            for wrong in item.spec.wrong:
                named = items.judge(item, _numbered(wrong.answer, numbers), context).misconception
                if named != wrong.misconception:
                    text = f"“{wrong.answer}” stands for {wrong.misconception}, but is named {named}"
                    yield Problem("answers-alike", where, text)


def _numbered(answer: object, numbers: Mapping[str, object]) -> str:
    """An answer of the bank with the numbers of a learner, as learners write it."""
    return re.sub(r"[A-Za-z]\w*", lambda name: str(numbers.get(name[0], name[0])), str(answer))


def _conditions(course: Course, question: Question, exercise: Exercise) -> Iterator[Problem]:
    """Every condition that applies to the exercise is in a case, or declared not applicable."""
    where = f"{question.file}, exercise {exercise.name}"
    for condition, name in untested_conditions(course, exercise):
        of = f" of {name}" if name else ""
        text = f"no case has {condition.id}{of}: {condition.what.en}"
        yield Problem("untested-condition", where, text)
    for name in _needless_reasons(course, exercise):
        yield Problem("needless-reason", where, f"not_applicable: {name} does not apply to this exercise anyway")


def untested_conditions(course: Course, exercise: Exercise) -> Iterator[tuple[Condition, str]]:
    """The conditions that apply, are in no case, and are not declared not applicable; each with its argument."""
    declared = dict(exercise.not_applicable)
    drawn = [_drawn(exercise, seed) for seed in _SEEDS]
    for condition, name in _applicable(course, exercise):
        if condition.id in declared or conditions.key(condition, name) in declared:
            continue
        cases = _used_by(exercise, condition.checks or _COMPARING)
        if not all(any(conditions.has(condition, name, inputs[case]) for case in cases) for inputs in drawn):
            yield condition, name


def _needless_reasons(course: Course, exercise: Exercise) -> Iterator[str]:
    """The keys of ``not_applicable`` that are not needed, because the condition does not apply anyway."""
    needed: set[str] = set()
    for condition, name in _applicable(course, exercise):
        needed |= {condition.id, conditions.key(condition, name)}
    yield from (key for key, _ in exercise.not_applicable if key not in needed)


def _applicable(course: Course, exercise: Exercise) -> Iterator[tuple[Condition, str]]:
    """The conditions that apply to an exercise of ``course``, each with its argument."""
    used = edits.names_used(course.reference, module_of(exercise), function_of(exercise))
    return conditions.applicable(exercise, used)


def _used_by(exercise: Exercise, kinds: tuple[str, ...]) -> frozenset[str]:
    """The names of the cases on which one of these checks is judged."""
    used = [check for check in exercise.checks if check.kind in kinds]
    return frozenset(case.name for check in used for case in checks.cases_for(check, exercise))


def _drawn(exercise: Exercise, seed: Seed) -> dict[str, Inputs]:
    """The inputs of every case."""
    return {case.name: conditions.inputs_of(exercise, case, draw(case, exercise.name, seed)) for case in exercise.cases}


def _stub(course: Course, question: Question, context: GradingContext, observe: Observe) -> Iterator[Problem]:
    """The file that `attncheck start` writes can be graded and earns no points."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, starter.file_name(question))
        path.write_text(starter.stub(question, "en"), encoding="utf-8")
        report = grade(course, read(path), observe, selection=Selection(questions=(question.id,)), context=context)
    for result in (exercise for graded in report.questions for exercise in graded.exercises):
        yield from _broken(f"{question.file}, the stub of {result.name}", result)
        if result.earned > 0 or result.file is None:
            passed = sorted({o.check for o in result.outcomes if o.status is Status.PASSED})
            text = f"the stub of {result.name} is {result.status} and passes {', '.join(passed) or 'nothing'}"
            yield Problem("stub-passes", question.file, text)


def _landmarks(course: Course, question: Question, exercise: Exercise, context: GradingContext) -> Iterator[Problem]:
    """Every landmark names an expression of the reference; two are named, or all if it has fewer."""
    where = f"{question.file}, exercise {exercise.name}"
    for landmark, node in landmarks.places(course.reference, exercise):
        if node is None:
            text = f"the reference has no expression `{landmark.expression}` (number {landmark.at})"
            yield Problem("unknown-landmark", where, text)
    wanted = min(MIN_LANDMARKS, place.intermediate(context, exercise))
    yield from _few("landmarks", where, len(exercise.landmarks), wanted)


def _few(what: str, where: str, count: int, least: int) -> Iterator[Problem]:
    if count < least:
        yield Problem(f"few-{what}", where, f"{count} {what}; expected at least {least}")


def _code(course: Course, question: Question, exercise: Exercise, context: GradingContext) -> Iterator[Problem]:
    """The reference passes; each mistake fails as declared and is recognised."""
    where = f"{question.file}, exercise {exercise.name}"
    reference = grade_reference(context, question, exercise, course.reference, context.observe_reference)
    yield from _broken(where, reference)
    if reference.status is not Status.PASSED:
        reason = _first(reference)
        yield Problem("reference-fails", where, f"the reference {exercise.reference} does not pass: {reason}")
        return
    for alternative in exercise.alternatives:
        result = grade_alternative(context, question, exercise, alternative)
        which = f"{where}, alternative {alternative.code}"
        yield from _broken(which, result)
        if result.status is not Status.PASSED:
            yield Problem("alternative-fails", which, f"does not pass: {_first(result)}")
    for mistake in exercise.mistakes:
        files = edits.apply(course.reference, mistake.edits, module_of(exercise))
        result = grade_reference(context, question, exercise, files, context.observe_reference)
        yield from _mistake(f"{where}, mistake {mistake.misconception}", mistake, result)
    yield from _twins(where, context.mistake_signatures(exercise))


def _closed(
    course: Course, question: Question, exercise: Exercise, context: GradingContext, observe: Observe
) -> Iterator[Problem]:
    """What the exercise forbids is blocked at run time, even if the source does not show the call."""
    for name in exercise.forbids:
        module, _, last = name.rpartition(".")
        called = f"getattr(importlib.import_module({module!r}), {last[::-1]!r}[::-1])"
        parts = (Part("library.py", f"import importlib\n{exercise.name} = {called}\n"),)
        file = SourceFile("library.py", "library", parts, ((exercise.name, 2),), imports_torch=True)
        selection = Selection(exercises=(exercise.name,))
        report = grade(course, Submission("library", (file,)), observe, selection=selection, context=context)
        outcomes = [o for graded in report.questions for result in graded.exercises for o in result.outcomes]
        passed = sorted({o.check for o in outcomes if o.status is Status.PASSED and o.check != "raises"})
        if passed:
            where = f"{question.file}, exercise {exercise.name}, forbids"
            said = f"{name} itself, under the name of the exercise, passes {', '.join(passed)}"
            yield Problem("reachable", where, said)


def _broken(where: str, result: ExerciseResult) -> Iterator[Problem]:
    """Checks that raised an exception themselves."""
    for outcome in result.outcomes:
        if outcome.verdict.broken:
            text = f"the check {outcome.check} raises an exception on the result for case {outcome.case!r}"
            yield Problem("broken-check", where, text)


def _mistake(where: str, mistake: Mistake, result: ExerciseResult) -> Iterator[Problem]:
    yield from _broken(where, result)
    lost = [o for o in result.outcomes if o.verdict.applies and o.status is not Status.PASSED]
    failed = {o.check for o in lost} | {f"{o.check}/{o.case}" for o in lost}
    if not lost:
        yield Problem("mistake-passes", where, "passes everything")
        return
    for name in mistake.fails:
        if name not in failed:
            text = f"does not fail {name}; it fails {', '.join(sorted({o.check for o in lost}))}"
            yield Problem("mistake-fails-elsewhere", where, text)
    if result.misconception != mistake.misconception:
        text = f"is recognised as {result.misconception}" if result.misconception else "is not recognised"
        yield Problem("mistake-not-named", where, f"{text}: {_first(result)}")


def _twins(where: str, mistakes: tuple[MistakeSignature, ...]) -> Iterator[Problem]:
    """Pairs of mistakes that no check distinguishes."""
    for first, second in itertools.combinations(mistakes, 2):
        pairs = zip(first.observations, second.observations, strict=True)
        if all(agree(a, b, "torch") for a, b in pairs):
            names = f"{first.mistake.misconception} and {second.mistake.misconception}"
            yield Problem("mistakes-alike", where, f"no check distinguishes {names}")


def _first(result: ExerciseResult) -> str:
    lost = result.first_failure
    if lost is None:
        return "everything passed"
    said = lost.verdict.message.en if lost.verdict.message else lost.status
    return f"{lost.check}, case {lost.case!r}: {said}"


# ----------------------------------------------------------------------------------------- derivations
# Proves the derivations of a bank: what derives earns its points, and what only looks like it earns nothing.


_NOBODY = Context("", "", "")


def derivation_problems(question: Question) -> Iterator[Problem]:
    """Problems of the derivations of ``question`` that only judging many chains shows."""
    for item in question.items:
        if not isinstance(item.spec, derivation.Spec):
            continue
        where = f"{question.file}, item {item.id}"
        stages = max(len(route.stages) for route in item.spec.routes)
        if stages + 1 < item.points:
            found = f"{stages} stages and the end for {item.points:g} points; expected one for each point"
            yield Problem("few-stages", where, found)
        for name, lines in empty_chains(item.spec):
            if fraction := _fraction(item.spec, lines):
                yield Problem("empty-derivation", where, f"“{name}” earns {fraction * item.points:g} points")
        for said in _wrongly_paid(item.spec):
            yield Problem("chain-earns", where, said)


def _fraction(spec: derivation.Spec, lines: object) -> float:
    return derivation.judge(spec, {"given": dict(spec.given), "lines": lines}, _NOBODY).fraction


def _wrongly_paid(spec: derivation.Spec) -> Iterator[str]:
    """Chains that earn something else than they should."""
    for text in spec.accepted:
        if (fraction := _fraction(spec, text)) < 1:
            yield f"“{_first_line(text)}” is among `accepted` and earns {fraction:g}"
    for chain in spec.rejected:
        if abs((fraction := _fraction(spec, chain.lines)) - chain.earns) > 0.01:
            yield f"“{_first_line(chain.lines)}” is among `rejected` and earns {fraction:g}, not {chain.earns:g}"
    lines = [line.line for line in spec.chain]
    alone = [_fraction(spec, [line]) for line in lines]
    for length in range(1, len(lines)):
        # Without the end, a chain earns what its lines earn: never less than one of them, and not everything.
        fraction = _fraction(spec, lines[:length])
        if fraction < max(alone[:length]) or (fraction == 1 and length < len(lines) - 1):
            yield f"the first {length} lines of `chain` earn {fraction:g}"


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


# ------------------------------------------------------------------------------------------- readings
# Which texts of misconceptions somebody has compared with the mistakes that they are said of.
#
# One misconception may stand for several mistakes, and a text that fits one of them may be false for another. Two
# people read each such pair, and note it in ``questions/readings.yaml``: question, misconception, key of the pair,
# initials. A pair that was changed has another key, and has to be read again.

READINGS = "readings.yaml"
#: How many people have to read a pair.
READERS = 2


@dataclass(frozen=True, slots=True)
class Pair:
    """A mistake, and the misconception whose text is said of it and of others; ``readers`` have compared them.

    The ``key`` changes with the edits and with the text.
    """

    question: str
    exercise: str
    misconception: Misconception
    mistake: Mistake
    key: str
    readers: tuple[str, ...]

    @property
    def is_read(self) -> bool:
        """Whether enough people have read it."""
        return len(set(self.readers)) >= READERS


def pairs(course: Course) -> Iterator[Pair]:
    """Every pair of a misconception that several mistakes of the course stand for."""
    mistakes = [found for question in course.questions for found in _mistakes(question)]
    count = Counter(mistake.misconception for _, _, mistake in mistakes)
    noted = _content(course, f"questions/{READINGS}")
    for question, exercise, mistake in mistakes:
        believed = question.misconception(mistake.misconception)
        if count[mistake.misconception] > 1 and believed is not None:
            key = _key(exercise.name, believed, mistake)
            readers = noted.get(question.id, {}).get(believed.id, {}).get(key, ())
            yield Pair(question.id, exercise.name, believed, mistake, key, tuple(map(str, readers)))


def _mistakes(question: Question) -> Iterator[tuple[Question, Exercise, Mistake]]:
    for exercise in question.exercises:
        yield from ((question, exercise, mistake) for mistake in exercise.mistakes)


def _key(exercise: str, misconception: Misconception, mistake: Mistake) -> str:
    read = (exercise, mistake.edits, bare(misconception.truth.en), bare(misconception.truth.zh))
    return "k" + hashlib.sha256(repr(read).encode()).hexdigest()[:7]  # a letter first, or YAML could read a number
