"""Grades a submission: plan, observe, judge, score; the result is a ``Report``.

Nothing here runs learner code. The caller passes ``observe``, a function that does.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from grader import __version__
from grader.core import bounded, score
from grader.core.bounded import Bounds
from grader.core.errors import LibrariesChanged, SandboxError, SandboxKilled, SandboxUnavailable, UsageError
from grader.core.model import (
    Absent,
    Answer,
    ArrayType,
    Case,
    CheckSpec,
    Course,
    Exercise,
    ExerciseResult,
    Item,
    ItemResult,
    Job,
    Limits,
    Mistake,
    Notice,
    Observation,
    Observed,
    Outcome,
    Program,
    Question,
    QuestionResult,
    Raised,
    Report,
    Returned,
    SourceFile,
    Status,
    Submission,
    Text,
    Variant,
    Verdict,
)
from grader.core.suggest import nearest
from grader.core.text import SAYS
from grader.course import edits, items
from grader.grading import checks, diagnosis, forbidden, verdicts
from grader.grading.budget import with_shared_budget
from grader.grading.checks import Seen
from grader.grading.inputs import Drawn, Seed, draw, draw_for
from grader.grading.missing import Leftovers, is_named_after, nowhere
from grader.grading.programs import Target, apply_variant
from grader.submission import definers
from grader.submission.messages import Unusable, listing, printable

if TYPE_CHECKING:
    from grader.core.model import Observe

#: The inputs of a sealed case, whose real inputs only the instructor has.
NO_INPUTS = Drawn((), (), ())
_ELSEWHERE = Text("graded by your instructor with a hidden case", "由教师用隐藏用例评定")

#: References are trusted code, so their limits are generous.
REFERENCE_LIMITS = Limits(
    group_cpu=20.0, group_wall=60.0, import_cpu=20.0, import_wall=60.0, total_cpu=300.0, total_wall=900.0
)


@dataclass(frozen=True, slots=True)
class Selection:
    """What to grade: named questions and exercises; by default, those that the submission has code or answers for.

    With ``everything`` (for a class), all that is named, or the whole course, counts, submitted or not.
    """

    questions: tuple[str, ...] = ()
    exercises: tuple[str, ...] = ()
    public_only: bool = False
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """A question, with those of its items and exercises that are graded."""

    question: Question
    items: tuple[Item, ...]
    exercises: tuple[Exercise, ...]


def grade(
    course: Course,
    submission: Submission,
    observe: Observe,
    *,
    selection: Selection = Selection(),
    limits: Limits | None = None,
    memo: GradingContext | None = None,
) -> Report:
    """Grades ``submission``, whose code ``observe`` runs within ``limits``.

    ``memo`` holds what does not depend on the submission: the seed, and what the references return. Pass the same one
    for each of several submissions. By default, the seed is public and ``observe`` runs the references, too.

    Raises UsageError for names in ``selection`` that the course does not have, and SubmissionError if the submission
    contains nothing to grade.
    """
    started = time.perf_counter()
    chosen = choose(course, submission, selection)
    memo = memo or GradingContext(course, Seed.public(), observe, selection.public_only)
    plans = [
        Plan(each.question, exercise, source_of(exercise.name, each.question, submission), memo.entries(exercise))
        for each in chosen
        for exercise in each.exercises
    ]
    answers = _AnswerGrading(memo, submission, chosen)
    code = _graded_code(plans, submission, observe, memo, limits or Limits())
    questions = tuple(
        QuestionResult(
            each.question.id,
            each.question.title,
            tuple(answers.result(item, each.question) for item in each.items),
            tuple(code.results[exercise.name] for exercise in each.exercises),
        )
        for each in chosen
    )
    return Report(
        learner=submission.learner,
        course_title=course.title,
        course_digest=course.digest,
        seed=memo.seed.label,
        questions=questions,
        layers=code.seen.layers,
        unsafe=code.seen.unsafe,
        versions=(*code.seen.versions, ("attncheck", __version__)),
        seconds=time.perf_counter() - started,
        notices=urgent_first(
            (*submission.notices, *_not_available(code.absent, course), *remarks(course, submission, chosen))
        ),
        not_attempted=tuple(q.id for q in course.questions if q.id not in {each.question.id for each in chosen}),
        edition=course.edition is not None,
    )


def grade_reference(
    memo: GradingContext,
    question: Question,
    exercise: Exercise,
    files: tuple[SourceFile, ...],
    observe: Observe,
    *,
    diagnosed: bool = True,
) -> ExerciseResult:
    """Grades the reference of an exercise, or an edited version of it, as if a learner had submitted it."""
    code = _CodeGrading(Submission("reference", files), observe, memo, REFERENCE_LIMITS)
    file = next(file for file in files if file.module == module_of(exercise))
    plan = Plan(question, exercise, file, memo.entries(exercise), function_of(exercise))
    (tried,) = code.attempt([(plan, CallingForm("torch", None))])
    return code.diagnosed(plan, tried) if diagnosed else tried.result


@dataclass(frozen=True, slots=True)
class Replay:
    """An exercise graded again, with inputs and observations for each entry. ``form`` is None if nothing ran."""

    result: ExerciseResult
    entries: tuple[Entry, ...]
    form: CallingForm | None = None
    got: tuple[tuple[Observation, ...], ...] = ()
    expected: tuple[tuple[Observation, ...], ...] = ()

    def unredacted(self, exercise: Exercise, at: int) -> Verdict:
        """What the check of entry ``at`` says if nothing has to be hidden. Not for learners."""
        entry = self.entries[at]
        if self.form is None:
            return self.result.outcomes[at].verdict
        case = replace(entry.case, public=True)
        drawn = apply_variant(self.form.variant, entry.drawn)
        seen = Seen(exercise, case, entry.spec, drawn, self.got[at], self.expected[at], self.form.array_type)
        return verdicts.judge(seen)


def replay(
    memo: GradingContext, question: Question, exercise: Exercise, submission: Submission, observe: Observe
) -> Replay:
    """Grades one exercise of ``submission`` as ``grade`` does, and keeps what was observed. Not for learners."""
    code = _CodeGrading(submission, with_shared_budget(observe), memo, Limits())
    plan = Plan(question, exercise, source_of(exercise.name, question, submission), memo.entries(exercise))
    tried = code.best([plan])[exercise.name]
    result = code.diagnosed(plan, tried)
    if tried.form is None:
        return Replay(result, plan.entries)
    return Replay(result, plan.entries, tried.form, tuple(tried.observations), tuple(memo.expected(exercise)))


# ------------------------------------------------------------------------------------------- choosing


def choose(course: Course, submission: Submission, selection: Selection) -> tuple[Chosen, ...]:
    """The parts of the course to grade for this submission; see ``Selection``."""
    check_names(course, selection)
    named = {name.lower() for name in selection.questions}
    wanted = {name.lower() for name in selection.exercises}
    chosen = []
    for question in course.questions:
        whole = question.id.lower() in named or (selection.everything and not named and not wanted)
        exercises = tuple(e for e in question.exercises if whole or e.name.lower() in wanted)
        graded = tuple(item for item in question.items if item.use == "graded")
        if whole:
            chosen.append(Chosen(question, graded if _answers_count(submission, selection) else (), exercises))
        elif exercises:
            chosen.append(Chosen(question, (), exercises))
        elif not named and not selection.exercises and _touched(question, submission, course):
            chosen.append(Chosen(question, graded if submission.answers is not None else (), question.exercises))
    if not selection.everything and not _anything(chosen, submission):
        raise _nothing(course, submission, selection)
    return tuple(chosen)


def _answers_count(submission: Submission, selection: Selection) -> bool:
    """Whether items count: always for a class; otherwise only if there is an answers file."""
    return selection.everything or submission.answers is not None


def check_names(course: Course, selection: Selection) -> None:
    """Raises UsageError for a question or exercise that the course does not have."""
    _known(selection.questions, [q.id for q in course.questions], "question")
    _known(selection.exercises, [e.name for q in course.questions for e in q.exercises], "exercise")


def _known(names: Iterable[str], possible: list[str], what: str) -> None:
    for name in names:
        if name.lower() not in (p.lower() for p in possible):
            near = nearest(name, possible, cutoff=0.5)
            hint = f"; did you mean {near}?" if near else f"; available: {', '.join(possible)}"
            raise UsageError(f"the course has no {what} {name!r}{hint}")


def named_after(file: SourceFile, question: Question) -> bool:
    """Whether a file is named after ``question``: ``q05.py``, ``Q5.py``, ``q5_anything.ipynb``."""
    return is_named_after(file.path, question)


def _touched(question: Question, submission: Submission, course: Course) -> bool:
    names = [e.name for e in question.exercises if definers(submission, e.name)]
    answered = {answer.item for answer in submission.answers or ()}
    if any(item.id in answered for item in question.items):
        return True
    if names and len(submission.files) == 1:
        # A single file named after a question may define helpers that are exercises of other questions.
        own = next((q for q in course.questions if named_after(submission.files[0], q)), question)
        return own is question or not any(definers(submission, e.name) for e in own.exercises)
    return bool(names)


def _anything(chosen: list[Chosen], submission: Submission) -> bool:
    return any(
        any(definers(submission, e.name) for e in each.exercises) or (each.items and submission.answers)
        for each in chosen
    )


#: How many of a learner's names are compared with those of the course, and how much of a name is shown.
_MOST_LOOKED_UP = 20
_LONGEST_SHOWN = 80
#: How many unknown ids are listed, each with a suggestion.
_MOST_UNKNOWN = 5


def _nothing(course: Course, submission: Submission, selection: Selection) -> Unusable:
    """Why there is nothing to grade: what could not be read, what was expected, what was found instead."""
    named = {name.lower() for name in (*selection.questions, *selection.exercises)}
    pairs = [(q, e) for q in course.questions for e in q.exercises]
    wanted = [e.name for q, e in pairs if not named or e.name.lower() in named or q.id.lower() in named]
    lost = [submission.lost] if submission.lost else []
    unread = [SAYS.fill(who=problem.where, said=problem.text) for problem in (*lost, *submission.broken[:3])]
    ids = [item.id for question in course.questions for item in question.items]
    said = [_no_item(answer, ids, set(ids)) for answer in (submission.answers or ())[:1] if answer.item not in ids]
    unread += [SAYS.fill(who="answers.yaml", said=_sentence(text)) for text in said]
    found = listing(list(_instead(submission, wanted)) or [_NO_ANSWERS if _only_answers(submission) else _NO_NAMES], 8)
    expected = _DEFINITION.fill(names=", ".join(wanted[:4]) + (", …" if len(wanted) > 4 else ""))
    about = _start_with(course, submission, named)
    text = _NOTHING.fill(
        unread=Text("".join(f" {each.en}" for each in unread), "".join(each.zh for each in unread)),
        expected=expected if wanted else _ANSWERS,
        found=found,
        question=about,
    )
    return Unusable(submission.origin or submission.learner, text)


def _instead(submission: Submission, wanted: list[str]) -> Iterable[str | Text]:
    """Names similar to those of the course; if there are none, all names that the submission defines."""
    defined = [name for file in submission.files for name, _ in file.defines]
    near = ((name, nearest(name, wanted)) for name in defined[:_MOST_LOOKED_UP])
    hints = [_NEAR.fill(name=name, near=meant) for name, meant in near if meant]
    hints += [
        _FOUND_GUARDED.fill(name=name, line=line, file=file.path)
        for file in submission.files
        for name, line in file.guarded
        if name in wanted
    ]
    return hints or defined


def _sentence(text: Text) -> Text:
    return Text(text.en.rstrip(".") + ".", text.zh.rstrip("。") + "。")


def _only_answers(submission: Submission) -> bool:
    return not submission.files and submission.answers is not None


def _start_with(course: Course, submission: Submission, named: Container[str]) -> str:
    """The question to start with: one that was named, else one that a file is named after, else the first."""
    asked = [q for q in course.questions if q.id.lower() in named or any(e.name.lower() in named for e in q.exercises)]
    asked += [q for q in course.questions if any(named_after(file, q) for file in submission.files)]
    return (*asked, *course.questions)[0].id


_NOTHING = Text(
    "nothing to grade.{unread} Expected {expected}; found {found}. 'attncheck start {question}' creates a file to work "
    "in, 'attncheck show {question}' shows the task.",
    "没有可以评分的内容。{unread}应有{expected}，实际找到的是：{found}。"
    "用 `attncheck start {question}` 可生成作答用的文件，用 `attncheck show {question}` 可查看要求。",
)
_DEFINITION = Text("a top-level definition of {names}", "在文件顶层定义的 {names}")
_ANSWERS = Text("answers in answers.yaml", "写在 answers.yaml 里的答案")
_NO_NAMES = Text("no function and no class", "既没有函数也没有类的代码")
_NO_ANSWERS = Text("no answers that belong to this course", "不含本课程任何答案的 answers.yaml")
_NEAR = Text("{name} (did you mean {near}?)", "{name}（是不是 {near}？）")
_FOUND_GUARDED = Text(
    '{name} under `if __name__ == "__main__":` (line {line} of {file}; move it to the top level)',
    '`if __name__ == "__main__":` 下面的 {name}（{file} 第 {line} 行，请移到文件顶层）',
)


# ------------------------------------------------------------------------------------------- planning


@dataclass(frozen=True, slots=True)
class Entry:
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
    entries: tuple[Entry, ...]
    calls: str = ""


@dataclass(frozen=True, slots=True)
class GradingContext:
    """What is the same for every submission: course, seed, inputs, and what references and mistakes return for them.

    With ``shared``, the results of the code of so many submissions are kept for others with the same files. Then every
    submission has to be graded with the same ``observe``.
    """

    course: Course
    seed: Seed
    observe_reference: Observe
    public_only: bool = False
    shared: int = 0
    kept: OrderedDict[str, _GradedCode] = field(default_factory=OrderedDict)
    _entries: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    _expected: dict[str, list[tuple[Observation, ...]]] = field(default_factory=dict)
    _mistakes: dict[str, tuple[diagnosis.MistakeSignature, ...]] = field(default_factory=dict)
    _programs: dict[tuple[str, CallingForm, str], list[tuple[Program, ...]]] = field(default_factory=dict)
    _untouched: dict[str, ExerciseResult] = field(default_factory=dict)
    _unanswered: dict[str, ItemResult] = field(default_factory=dict)

    def entries(self, exercise: Exercise) -> tuple[Entry, ...]:
        """Every check of ``exercise`` with every case that it judges."""
        if exercise.name not in self._entries:
            drawn = {
                case.name: NO_INPUTS if case.sealed else draw(case, exercise.name, self.seed) for case in exercise.cases
            }
            self._entries[exercise.name] = tuple(
                Entry(
                    spec,
                    case,
                    draw_for(spec, case, exercise.name, self.seed)
                    if "at" in dict(spec.options) and not case.sealed
                    else drawn[case.name],
                )
                for spec in exercise.checks
                for case in checks.cases_for(spec, exercise)
                if case.public or not self.public_only
            )
        return self._entries[exercise.name]

    def expected(self, exercise: Exercise) -> list[tuple[Observation, ...]]:
        """What the reference returned for each entry; empty if the check does not use the reference."""
        if exercise.name not in self._expected:
            target = Target(exercise, module_of(exercise), "torch", "float64", calls=function_of(exercise))
            asked = programs(self.entries(exercise), target, None, reference=True)
            flat = tuple(program for each in asked for program in each)
            seen = self.observe_reference(Job(self.course.reference, flat), REFERENCE_LIMITS)
            self._expected[exercise.name] = regroup(asked, seen.observations)
        return self._expected[exercise.name]

    def mistake_signatures(self, exercise: Exercise) -> tuple[diagnosis.MistakeSignature, ...]:
        """What each typical mistake returns, called like learner code. Raises SandboxError if the sandbox fails."""
        if exercise.name not in self._mistakes:
            target = Target(exercise, module_of(exercise), "torch", "float32", calls=function_of(exercise))
            entries = self.entries(exercise)
            asked = programs(entries, target, None, reference=False)
            flat = tuple(program for each in asked for program in each)
            found = []
            for mistake in exercise.mistakes:
                files = sources_of(mistake, exercise, self.course)
                seen = self.observe_reference(Job(files, flat), REFERENCE_LIMITS)
                found.append(
                    diagnosis.MistakeSignature(mistake, signatures(entries, regroup(asked, seen.observations)))
                )
            self._mistakes[exercise.name] = tuple(found)
        return self._mistakes[exercise.name]

    def programs(self, plan: Plan, form: CallingForm) -> list[tuple[Program, ...]]:
        """The programs of every entry of ``plan``, called in ``form``. They differ from file to file in ``module``."""
        assert plan.file is not None
        key = (plan.exercise.name, form, plan.calls)
        if key not in self._programs:
            group = f"{plan.exercise.name} {form.group}"
            target = Target(plan.exercise, "", form.array_type, group=group, calls=plan.calls)
            self._programs[key] = programs(plan.entries, target, form.variant, reference=False)
        return [tuple(replace(each, module=plan.file.module) for each in asked) for asked in self._programs[key]]

    def untouched(self, plan: Plan) -> ExerciseResult:
        """The result of an exercise if a submission has nothing like it."""
        name = plan.exercise.name
        if name not in self._untouched:
            self._untouched[name] = _every(plan, Verdict(Status.MISSING, nowhere(name)))
        return self._untouched[name]

    def unanswered(self, item: Item) -> ItemResult:
        """The result of an item without an answer."""
        if item.id not in self._unanswered:
            said = Text("not answered", "没有作答")
            self._unanswered[item.id] = ItemResult(item.id, item.kind, Status.MISSING, 0.0, item.points, said)
        return self._unanswered[item.id]

    def prepare(self, questions: Container[str]) -> None:
        """Runs the references of these questions now."""
        for question in self.course.questions:
            for exercise in question.exercises if question.id in questions else ():
                self.expected(exercise)


def module_of(exercise: Exercise) -> str:
    """The module of the exercise's reference, as named in the reference files."""
    return "reference." + exercise.reference.rpartition(".")[0]


def function_of(exercise: Exercise) -> str:
    """The name of the reference within its module."""
    return exercise.reference.rpartition(".")[2]


def sources_of(mistake: Mistake, exercise: Exercise, course: Course) -> tuple[SourceFile, ...]:
    """The reference with the mistake applied; in a learners' edition, which has neither, a placeholder."""
    if course.edition is not None:
        return (SourceFile(mistake.misconception, module_of(exercise), ()),)
    return edits.apply(course.reference, mistake.edits, module_of(exercise))


def regroup(asked: list[tuple[Program, ...]], seen: tuple[Observation, ...]) -> list[tuple[Observation, ...]]:
    """Splits the observations of a flat job into one tuple for each tuple of programs in ``asked``."""
    found = iter(seen)
    return [tuple(next(found) for _ in each) for each in asked]


def signatures(entries: tuple[Entry, ...], seen: list[tuple[Observation, ...]]) -> list[tuple[Observation, ...]]:
    """The part of each observation that identifies a mistake; see ``checks``."""
    return [
        each if entry.case.sealed else verdicts.signature(entry.spec, entry.drawn, each)
        for entry, each in zip(entries, seen, strict=True)
    ]


def source_of(name: str, question: Question, submission: Submission) -> SourceFile | None:
    """The file that defines ``name``; of several, the one named after the question, else the first."""
    found = definers(submission, name)
    own = [file for file in found if named_after(file, question)]
    return next(iter((*own, *found)), None)


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
    entries: tuple[Entry, ...], target: Target, variant: Variant | None, reference: bool
) -> list[tuple[Program, ...]]:
    """The programs of every entry; none for the reference if the check does not use it."""
    kinds = checks.kinds()
    asked = []
    for entry in entries:
        check = kinds[entry.spec.kind]
        wanted = (check.REFERENCE or not reference) and not entry.case.sealed
        calls = check.calls(target, apply_variant(variant, entry.drawn), entry.spec) if wanted else ()
        asked.append(tuple(replace(program, hidden=not entry.case.public) for program in calls))
    return asked


# -------------------------------------------------------------------------------------------- running


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The result of an exercise called in one form, with the observations for each entry (empty: nothing was run)."""

    result: ExerciseResult
    observations: list[tuple[Observation, ...]]
    form: CallingForm | None = None


@dataclass(frozen=True, slots=True)
class _GradedCode:
    """The results of a submission's code by exercise, and how it was run: ``seen`` has no observations."""

    results: dict[str, ExerciseResult]
    seen: Observed
    absent: tuple[Absent, ...]


def _graded_code(
    plans: list[Plan], submission: Submission, observe: Observe, memo: GradingContext, limits: Limits
) -> _GradedCode:
    """Grades the code of ``submission``, or finds what was graded of a submission with the same files."""
    if not memo.shared:
        return _CodeGrading(submission, with_shared_budget(observe), memo, limits).graded(plans)
    # All that grading code depends on, but for what is the same in the whole ``memo``.
    names = [plan.exercise.name for plan in plans]
    key = hashlib.sha256(repr((submission.files, submission.broken, names, limits)).encode()).hexdigest()
    known = memo.kept.pop(key, None)
    found = known or _CodeGrading(submission, with_shared_budget(observe), memo, limits).graded(plans)
    if all(map(_would_repeat, found.results.values())):
        memo.kept[key] = found  # as the latest
        if len(memo.kept) > memo.shared:
            memo.kept.popitem(last=False)
    return found


def _would_repeat(result: ExerciseResult) -> bool:
    """Whether a second run would give the same. Not if time or memory ran out, a process died, or we failed."""
    counted = {result.status, *(outcome.status for outcome in result.outcomes if outcome.verdict.applies)}
    return not counted & {Status.TIMED_OUT, Status.DIED, Status.SKIPPED, Status.UNMARKED}


@dataclass(slots=True)
class _CodeGrading:
    """Grades the code of one submission.

    ``quiet`` is true once the code has been given secret inputs. What it returns after that, even for a public case,
    could reveal them, so it is reported as for a hidden case.
    """

    submission: Submission
    observe: Observe
    memo: GradingContext
    limits: Limits
    seen: Observed = field(default_factory=lambda: Observed((), (), unsafe=False))
    quiet: bool = False
    absent: tuple[Absent, ...] = ()

    def graded(self, plans: list[Plan]) -> _GradedCode:
        """The results by exercise, each with its misconception."""
        best = self.best(plans)
        results = {plan.exercise.name: self.diagnosed(plan, best[plan.exercise.name]) for plan in plans}
        return _GradedCode(results, replace(self.seen, observations=(), past=None), self.absent)

    def best(self, plans: list[Plan]) -> dict[str, AttemptResult]:
        """The best result for every plan. Plans share one job; those that fail are tried again in their other forms."""
        leftovers = Leftovers.of(self.submission, self.memo.course)
        unrun = {plan.exercise.name: self._unrun(plan, leftovers) for plan in plans}
        best = {name: AttemptResult(result, []) for name, result in unrun.items() if result is not None}
        present = [plan for plan in plans if plan.exercise.name not in best]
        forms = {
            plan.exercise.name: calling_forms(plan.exercise, plan.file) for plan in present if plan.file is not None
        }
        unreturned: set[str] = set()
        for number in range(max(map(len, forms.values()), default=0)):
            tried = []
            for plan in present:
                name, mine = plan.exercise.name, forms[plan.exercise.name][number : number + 1]
                if number and not (mine and _worth_another(best[name].result)):
                    continue
                if number and name not in unreturned and self._is_settled(forms[name][0], mine[0]):
                    continue
                tried += [(plan, form) for form in mine]
            for each in self.attempt(tried) if tried else ():
                name = each.result.name
                unreturned |= {name} if _something_did_not_return(each) else set()
                if name not in best or each.result.earned > best[name].result.earned:
                    best[name] = each
        return best

    def _is_settled(self, first: CallingForm, form: CallingForm) -> bool:
        """Whether code that returned from every call in its ``first`` form has nothing to gain from ``form``.

        That is so for NumPy arrays if the code works on torch tensors alone. An import of torch is not enough: code
        that never calls it may work with either. NumPy's functions take tensors, so torch is always worth a try.
        """
        if (first.array_type, form.array_type) != ("torch", "numpy"):
            return False
        texts = [part.text for file in self.submission.files for part in file.parts]
        uses = any("torch" in line and not _is_import(line) for text in texts for line in text.splitlines())
        return uses and not any(word in text for text in texts for word in _ADAPTING)

    def _unrun(self, plan: Plan, leftovers: Leftovers) -> ExerciseResult | None:
        """The result if nothing has to be run: there is no code, or it uses a forbidden name. Otherwise None."""
        if plan.file is None:
            why = leftovers.why(plan.exercise.name, plan.question, self.memo.course)
            return _every(plan, Verdict(Status.MISSING, why)) if why else self.memo.untouched(plan)
        names = plan.exercise.forbids
        try:
            used = forbidden.first_use(plan.exercise.name, names, plan.file, self.submission.files) if names else None
        except bounded.Exceeded:
            return _every(plan, Verdict(Status.FAILED, forbidden.TOO_COSTLY, final=True))
        return None if used is None else _every(plan, Verdict(Status.FAILED, used.text(), final=True))

    def diagnosed(self, plan: Plan, tried: AttemptResult) -> ExerciseResult:
        """The result, with its misconception if a typical mistake gives the same observations."""
        result = tried.result
        if not _worth_a_name(result) or result.array_type is None or _is_stub(tried.observations):
            return result
        observations = signatures(plan.entries, tried.observations)
        evidence = [
            diagnosis.Evidence(outcome.check, seen, outcome.verdict)
            for outcome, seen in zip(result.outcomes, observations, strict=True)
        ]
        try:
            known = self.memo.mistake_signatures(plan.exercise)
        except LibrariesChanged:
            raise
        except SandboxError:
            return result  # the verdict is valid without a misconception
        try:
            found = diagnosis.diagnose(evidence, known, result.array_type)
        except Exception:  # as for a check that raises: our error must not cost the learner the result
            return result
        believed = plan.question.misconception(found.misconception if found else None)
        return replace(result, misconception=believed.id, message=believed.truth) if believed else result

    def attempt(self, tried: list[tuple[Plan, CallingForm]]) -> list[AttemptResult]:
        """Runs several exercises in one job."""
        asked = [self.memo.programs(plan, form) for plan, form in tried]
        try:
            expected = [self.memo.expected(plan.exercise) for plan, _ in tried]
            flat = tuple(program for each in asked for wanted in each for program in wanted)
            seen = self.observe(Job(self.submission.files, flat), self.limits)
            self.absent = self.absent or seen.absent
        except (LibrariesChanged, SandboxKilled, SandboxUnavailable):
            raise
        except SandboxError as error:
            return [AttemptResult(_unmarked(plan, str(error)), []) for plan, _ in tried]
        if seen.versions or not self.seen.versions:  # a job that had no time left reports no versions
            self.seen = seen
        quiet = self.quiet
        self.quiet = quiet or (self.memo.seed.secret and any(program.hidden for program in flat))
        found = iter(seen.observations)
        results = []
        for (plan, form), wanted, each in zip(tried, expected, asked, strict=True):
            mine = regroup(each, tuple(next(found) for programs_ in each for _ in programs_))
            results.append(AttemptResult(_judge(plan, form, mine, wanted, quiet), mine, form))
        return results


#: Words of code that may treat NumPy arrays otherwise than tensors. Where one occurs, also by chance, both are tried.
_ADAPTING = ("numpy", "except", "isinstance", "hasattr", "is_tensor", "as_tensor", "tensor(")


def _is_import(line: str) -> bool:
    return line.lstrip().startswith(("import ", "from "))


def _something_did_not_return(tried: AttemptResult) -> bool:
    """Whether a call did not return, or returned nothing readable, where it should have."""
    return any(
        outcome.status is not Status.PASSED and not all(isinstance(each, Returned) for each in seen)
        for outcome, seen in zip(tried.result.outcomes, tried.observations, strict=False)
    )


def _worth_another(result: ExerciseResult) -> bool:
    """Whether another array type or form could pass: not if a failure is final, or our error."""
    counted = [outcome for outcome in result.outcomes if outcome.verdict.applies]
    if any(o.verdict.final or o.status is Status.UNMARKED for o in counted):
        return False
    if _graph_is_cut(counted):
        return False
    return any(o.status not in (Status.PASSED, Status.PENDING) for o in counted)


def _graph_is_cut(counted: list[Outcome]) -> bool:
    """Whether values are correct but gradients are not: torch code that cuts the graph, which NumPy arrays would hide.

    NumPy code that gets tensors raises an exception instead if they require gradients.
    """
    values = [o.status for o in counted if o.check == "values" and o.status is not Status.PENDING]
    cut = any(o.check == "gradients" and o.status is Status.FAILED for o in counted)
    return cut and bool(values) and all(status is Status.PASSED for status in values)


def _worth_a_name(result: ExerciseResult) -> bool:
    """Whether to look for a misconception: the code ran to its end, and failed through no error of ours."""
    counted = [outcome.status for outcome in result.outcomes if outcome.verdict.applies]
    stopped = {Status.UNMARKED, Status.TIMED_OUT, Status.DIED, Status.MISSING, Status.SKIPPED}
    return result.status is not Status.PASSED and not stopped & set(counted)


def _is_stub(observations: list[tuple[Observation, ...]]) -> bool:
    """Whether every program raised NotImplementedError, as stubs do and no typical mistake does."""
    return all(isinstance(o, Raised) and o.type == "NotImplementedError" for each in observations for o in each)


def _judge(
    plan: Plan,
    form: CallingForm,
    got: list[tuple[Observation, ...]],
    expected: list[tuple[Observation, ...]],
    quiet: bool,
) -> ExerciseResult:
    seen = [
        Seen(
            plan.exercise,
            replace(entry.case, public=False) if quiet else entry.case,
            entry.spec,
            apply_variant(form.variant, entry.drawn),
            mine,
            wanted,
            form.array_type,
        )
        for entry, mine, wanted in zip(plan.entries, got, expected, strict=True)
        if not entry.case.sealed
    ]
    found = iter(verdicts.judge_exercise(seen))
    elsewhere = Verdict(Status.PENDING, _ELSEWHERE)
    judged = [(entry.spec, entry.case, elsewhere if entry.case.sealed else next(found)) for entry in plan.entries]
    return _result(plan, score.outcomes(plan.exercise.points, _sealed_alike(judged)), form.array_type)


def _sealed_alike(judged: list[score.Judged]) -> list[score.Judged]:
    """Sealed cases get the verdict "does not apply" of checks that apply to no public case."""
    decided = [(spec, verdict) for spec, case, verdict in judged if not case.sealed]
    silent = [each for each in decided if not any(of is each[0] and verdict.applies for of, verdict in decided)]
    alike = {id(spec): verdict for spec, verdict in silent}
    return [(s, case, alike.get(id(s), verdict) if case.sealed else verdict) for s, case, verdict in judged]


def _result(plan: Plan, outcomes: tuple[Outcome, ...], array_type: ArrayType | None) -> ExerciseResult:
    status = score.overall(outcomes)
    settled = (Status.PASSED, Status.PENDING)
    lost = next((o for o in outcomes if o.verdict.applies and o.status not in settled), None)
    remarks = dict.fromkeys(o.verdict.remark for o in outcomes if o.verdict.remark is not None)
    return ExerciseResult(
        name=plan.exercise.name,
        status=status,
        earned=score.tidy(sum(o.earned for o in outcomes)),
        possible=score.tidy(sum(o.possible for o in outcomes)),
        outcomes=outcomes,
        message=lost.verdict.message if lost else None,
        misconception=lost.verdict.misconception if lost else None,
        file=plan.file.path if plan.file else None,
        array_type=array_type,
        remarks=tuple(remarks),
    )


def _every(plan: Plan, verdict: Verdict) -> ExerciseResult:
    judged = [(entry.spec, entry.case, verdict) for entry in plan.entries]
    return _result(plan, score.outcomes(plan.exercise.points, judged), None)


def _unmarked(plan: Plan, why: str) -> ExerciseResult:
    text = Text("not graded, through no fault of yours: {why}", "未评分，不是你的问题：{why}").fill(why=why)
    return _every(plan, Verdict(Status.UNMARKED, text))


# ---------------------------------------------------------------------------------------------- items


#: Limits on items that are expensive to judge: for one answer, steps for all answers, and how many may time out.
_JUDGING = Bounds(cpu=5.0)
_MOST_STEPS = 1_000_000
_MOST_ENDED = 3
_TOO_HEAVY = Text(
    "Checking this answer takes too much computing time; write a shorter one.",
    "检查这个答案的计算量太大，请写得简短一些。",
)


def judge_answer(item: Item, value: object, context: items.Context) -> items.Judgment:
    """Judges one answer; items that are expensive to judge in a process with limits."""
    if not items.is_heavy(item):
        return items.judge(item, value, context)
    try:
        return bounded.call(_JUDGING, items.judge, item, value, context)
    except bounded.Exceeded:
        return items.Judgment(Status.FAILED, 0.0, _TOO_HEAVY, readable=False)


class _AnswerGrading:
    """Grades the answers of one submission."""

    def __init__(self, memo: GradingContext, submission: Submission, chosen: tuple[Chosen, ...]) -> None:
        self._values = {answer.item: answer.value for answer in submission.answers or ()}
        self._memo, self._learner = memo, submission.learner
        self._steps, self._ended = _MOST_STEPS, 0
        if any(
            self._values.get(item.id) is not None and items.is_heavy(item) for each in chosen for item in each.items
        ):
            bounded.start()  # while code is running

    def result(self, item: Item, question: Question) -> ItemResult:
        """The result of one item."""
        value = self._values.get(item.id)
        if value is None:
            return self._memo.unanswered(item)
        context = items.Context(self._memo.course.public_id, self._learner, item.id)
        judged = self._heavy(item, value, context) if items.is_heavy(item) else items.judge(item, value, context)
        earned = score.tidy(item.points * judged.fraction)
        believed = question.misconception(judged.misconception)
        message = judged.message or (believed.truth if believed else None)
        return ItemResult(item.id, item.kind, judged.status, earned, item.points, message, judged.misconception)

    def _heavy(self, item: Item, value: object, context: items.Context) -> items.Judgment:
        if self._ended < _MOST_ENDED:
            try:
                judged, self._steps = bounded.call(_JUDGING, items.judge_within, self._steps, item, value, context)
            except bounded.Exceeded:
                self._ended += 1
            else:
                return judged
        return items.Judgment(Status.FAILED, 0.0, _TOO_HEAVY, readable=False)


_OURS = ("attncheck", "grader", "reference", "tests")
_ABSENT = Text(
    "line {line}: {module} is not available here; only NumPy, torch{more} and the standard library are. Code that uses "
    "it fails; everything else is graded as usual.",
    "第 {line} 行：这里没有 {module}，只能用 NumPy、torch{more} 和标准库。用到它的代码会出错，其余部分照常评分。",
)
_NOT_HANDED_IN = Text(
    "line {line}: the module {module} is not among the submitted files; submit that file as well. Code that uses it "
    "fails; everything else is graded as usual.",
    "第 {line} 行：提交的文件里没有模块 {module}，请把那个文件一起交上来。用到它的代码会出错，其余部分照常评分。",
)
_NOT_FOR_LEARNERS = Text(
    "line {line}: {module} belongs to the grader, and submitted code cannot import it. Code that uses it fails; "
    "everything else is graded as usual.",
    "第 {line} 行：{module} 属于评分程序，提交的代码不能导入它。用到它的代码会出错，其余部分照常评分。",
)


def _not_available(absent: tuple[Absent, ...], course: Course) -> Iterable[Notice]:
    """Notices about modules that the code imports and that are not available."""
    more = Text(*("".join(f"{comma}{name}" for name in course.packages) for comma in (", ", "、")))
    for each in absent:
        top = each.module.partition(".")[0]
        text = _ABSENT
        if top in _OURS:
            text = _NOT_FOR_LEARNERS
        elif re.fullmatch(r"q_?\d+(_.*)?", top, re.IGNORECASE):
            text = _NOT_HANDED_IN
        yield Notice(each.file, text.fill(line=each.line, module=each.module, more=more))


def remarks(course: Course, submission: Submission, chosen: tuple[Chosen, ...] | None = None) -> Iterable[Notice]:
    """Notices about names that are defined twice and answers to items that do not exist. Runs nothing."""
    for each in choose(course, submission, Selection()) if chosen is None else chosen:
        for exercise in each.exercises:
            found = definers(submission, exercise.name)
            if len(found) > 1:
                used = source_of(exercise.name, each.question, submission)
                text = Text(
                    "{name} is defined in {paths}; the one in {used} counts",
                    "{name} 在 {paths} 里都有定义；以 {used} 里的为准",
                )
                paths = ", ".join(file.path for file in found)
                used_path = used.path if used else ""
                yield Notice(used_path, text.fill(name=exercise.name, paths=paths, used=used_path))
    ids = [item.id for question in course.questions for item in question.items]
    known = set(ids)
    unknown = [answer for answer in submission.answers or () if answer.item not in known]
    for answer in unknown[:_MOST_UNKNOWN]:
        yield Notice("answers.yaml", _no_item(answer, ids, known), urgent=True)
    if len(unknown) > _MOST_UNKNOWN:
        yield Notice("answers.yaml", _MORE_UNKNOWN.fill(count=len(unknown) - _MOST_UNKNOWN), urgent=True)


def _no_item(answer: Answer, ids: list[str], known: Container[str]) -> Text:
    """Why the item of this answer does not exist, and which one may be meant."""
    shown = printable(answer.item, _LONGEST_SHOWN)
    keys = [key for key in answer.value if f"{answer.item}.{key}" in known] if isinstance(answer.value, dict) else []
    if keys:
        lines = listing([f"`{shown}.{key}: {_written(answer.value[key])}`" for key in keys])
        return _NESTED.fill(line=answer.line, id=shown, lines=lines)
    near = nearest(answer.item, ids)
    hint = _MEANT.fill(near=near) if near else Text("", "")
    return _NO_ITEM.fill(line=answer.line, id=shown, hint=hint)


def _written(value: object) -> str:
    return printable(str(value), 40) if isinstance(value, (str, int, float)) else "…"


_NO_ITEM = Text("line {line}: there is no item {id}{hint}", "第 {line} 行：没有题目 {id}{hint}")
_MEANT = Text(" (did you mean {near}?)", "（是不是 {near}？）")
_MORE_UNKNOWN = Text(
    "{count} more answers are for items that do not exist", "另有 {count} 个答案，课程里没有对应的题目"
)
_NESTED = Text(
    "line {line}: the answers below `{id}:` were not read. Write each on its own line, with its full id: {lines}.",
    "第 {line} 行：`{id}:` 下面的答案没有读取。请每题写一行，用完整的题号：{lines}。",
)


def urgent_first(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """The notices, urgent ones first."""
    return tuple(sorted(notices, key=lambda notice: not notice.urgent))
