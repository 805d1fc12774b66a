"""The course: questions with their items, exercises, cases, checks and mistakes.

The YAML of the bank is validated against these types, too (see ``grader.course.schema``): each field is a key (named
``alias`` where that differs), and its annotation says which values are valid.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from grader.core.constraints import (
    CaseName,
    Digest,
    Identifier,
    ItemId,
    LibraryName,
    NonBlank,
    Pairs,
    Points,
    QuestionId,
    ReferenceName,
    SchemaBounds,
    Slug,
)
from grader.core.model.recipes import Recipe
from grader.core.model.submission import SourceFile
from grader.core.model.text import ArrayType, Text, Visibility

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a signature. Optional ones are passed by name, required ones by position."""

    name: str
    required: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One set of inputs, hidden unless ``public``. ``only`` restricts it to the checks named there (empty: any check).

    ``then`` are later calls on the same instance, for the check ``repeatable``: each names the arguments that differ
    from ``args``. ``conditions`` are those of ``grader.course.conditions`` that cannot be seen in its inputs. A
    ``sealed`` case represents a hidden one in a learners' edition: it has no inputs, and is never run. ``zh`` is the
    Chinese name, here or in ``case-names.yaml``; the English ``name`` identifies the case.
    """

    name: CaseName
    public: bool = False
    args: Pairs[Recipe] = ()
    construct: Pairs[Recipe] = ()
    parameters: Pairs[Recipe] = ()
    draw: Pairs[Annotated[tuple[int, ...], SchemaBounds(min_length=1)]] = ()
    only: tuple[str, ...] = ()
    raises: Identifier | None = None
    then: tuple[Pairs[Recipe], ...] = ()
    conditions: tuple[str, ...] = ()
    sealed: bool = False
    zh: NonBlank | None = None

    @property
    def title(self) -> Text:
        """The name for people; without a Chinese one, it is the English one in both languages."""
        return Text(self.name, self.zh or self.name)

    @property
    def visibility(self) -> Visibility:
        """Whether learners may see its inputs and results."""
        return "public" if self.public else "hidden"


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """A check that an exercise uses. ``on`` names its cases; if empty, the kind of check chooses.

    ``options`` are the keys of the kind's ``Options`` that the bank sets, with their values.
    """

    kind: str
    weight: Points
    on: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Edit:
    """A change to a reference: inside the function (or ``Class.method``) ``inside``, ``replace`` becomes ``by``.

    ``replace`` occurs there exactly once. If it is None, ``by`` is the whole new body.
    """

    inside: str
    replace: str | None
    by: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """A typical wrong solution, as edits of the reference. ``fails`` names checks, or ``check/case``."""

    misconception: Slug
    edits: tuple[Edit, ...]
    fails: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Landmark:
    """A name for an intermediate value of a reference: a noun phrase that completes “… belongs here”.

    ``expression`` is Python as in the reference, up to spaces and parentheses: in the exercise's own function or class,
    or in a helper that it uses. If it occurs several times, ``at`` says which occurrence is meant, from 1.
    ``misconception`` is the one that another value there reveals.
    """

    expression: NonBlank
    en: NonBlank
    zh: NonBlank
    at: int = 1
    misconception: Slug | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another correct way to write an exercise: the name of its code in ``reference/``, and how it differs.

    Learners see it together with the reference. ``attncheck bank check`` tests it like a reference.
    """

    code: ReferenceName
    note: Text


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A mutant of a reference that is correct, so that no case can catch it, and ``why``.

    ``mutant`` is its name as ``bank mutate`` prints it; "…" stands for any text.
    """

    mutant: NonBlank
    why: NonBlank


@dataclass(frozen=True, slots=True)
class Variant:
    """Another form of the arguments that the contract allows, tried when the first one fails.

    ``expand`` maps a mask argument to the two arguments whose lengths (axis -2) it spans: the mask is
    passed as ``(batch, n_q, n_k)`` instead of with a head axis. ``give`` sets arguments to other values.
    """

    name: CaseName
    expand: Pairs[tuple[Identifier, Identifier]] = ()
    give: Pairs[str | int | float | bool | None] = ()


@dataclass(frozen=True, slots=True)
class Exercise:
    """What a learner writes: a function, or a class with ``forward``.

    ``signature`` is Python, as in the contract. ``adapter`` names the helper inside the sandbox that
    sets the case's ``parameters`` in an instance (classes only). ``returns`` is ``attention`` if
    ``(output, weights)`` is accepted besides ``output``. ``through`` names a helper that gets the
    learner's function or class and calls it as often as it needs; ``forward`` then are its other parameters.
    ``methods`` are the signatures of the methods that a class needs besides ``forward``. ``forbids`` are dotted
    names of library functions that a solution must not use. ``not_applicable`` are conditions of
    ``grader.course.conditions`` that no case can have, each with the reason. ``landmarks`` name values inside the
    reference. ``alternatives`` are other correct ways to write it.
    """

    name: str
    kind: Literal["function", "class"]
    signature: str
    parameters: tuple[Parameter, ...]
    summary: Text
    result: Text
    reference: ReferenceName
    points: Points
    cases: tuple[Case, ...]
    checks: tuple[CheckSpec, ...]
    hints: tuple[Text, ...] = ()
    forward_signature: str | None = None
    forward: tuple[Parameter, ...] = ()
    adapter: Identifier | None = None
    through: Identifier | None = None
    methods: tuple[str, ...] = ()
    returns: Literal["value", "attention"] = "value"
    array_types: tuple[ArrayType, ...] = ("torch", "numpy")
    variants: tuple[Variant, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    forbids: tuple[LibraryName, ...] = ()
    not_applicable: tuple[tuple[str, str], ...] = ()
    landmarks: tuple[Landmark, ...] = ()
    alternatives: tuple[Alternative, ...] = ()

    @property
    def takes(self) -> tuple[Parameter, ...]:
        """The parameters that receive a case's ``args``: of the function, ``forward``, or the helper ``through``."""
        return self.parameters if self.kind == "function" and self.through is None else self.forward

    @property
    def own_names(self) -> frozenset[str]:
        """The parameters that the learner declares, unlike those of the helper ``through``."""
        declared = (*self.parameters, *(() if self.through else self.forward))
        methods = " ".join(method.partition("(")[2] for method in self.methods)
        return frozenset(each.name for each in declared) | frozenset(re.findall(r"[A-Za-z_]\w*", methods))


@dataclass(frozen=True, slots=True)
class Misconception:
    """A named wrong belief, the truth that corrects it, and a question that leads to it.

    ``ask_item`` is the question after a wrong answer to an item, where ``ask`` is about code.
    """

    id: Slug
    truth: Text
    ask: Text | None = None
    ask_next: ItemId | None = None
    ask_item: Text | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """A quiz item. ``spec`` belongs to the item kind (see ``grader.course.items``).

    ``level`` is its difficulty: 1 recall and reading, 2 reasoning in one step, 3 several steps or transfer. A
    ``sealed`` item of a learners' edition has no key: it accepts answers without judging them.
    """

    id: ItemId
    kind: str
    ask: Text
    points: Points = 1.0
    use: Literal["graded", "practice"] = "graded"
    spec: Any = None
    explain: Text | None = None
    sources: tuple[str, ...] = ()
    sealed: bool = False
    level: Literal[1, 2, 3] | None = None


class Deferred:
    """A field value that is created when the field is first read.

    ``misconceptions`` are the ids that it refers to, so that they can be found without creating it.
    """

    def __init__(self, make: Callable[[], object], misconceptions: frozenset[str]) -> None:
        self.make = make
        self.misconceptions = misconceptions


class _OnDemand:
    """A descriptor for a slot that may hold a ``Deferred``; reading it creates and stores the value."""

    def __init__(self, slot: Any) -> None:
        self._slot = slot

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is None:
            return self
        value = self._slot.__get__(instance, owner)
        if isinstance(value, Deferred):
            value = value.make()
            self._slot.__set__(instance, value)
        return value

    def __set__(self, instance: object, value: object) -> None:
        self._slot.__set__(instance, value)

    def deferred(self, instance: object) -> Deferred | None:
        """The ``Deferred`` in the field of ``instance``; None if the field has been read."""
        value = self._slot.__get__(instance, type(instance))
        return value if isinstance(value, Deferred) else None


# Specs are defined in the modules of their kinds, some of which import a lot; most commands read few specs.
_SPEC = _OnDemand(Item.__dict__["spec"])
type.__setattr__(Item, "spec", _SPEC)


def deferred_spec(item: Item) -> Deferred | None:
    """The spec of ``item`` if it has not been created yet; else None."""
    return _SPEC.deferred(item)


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the course, from one YAML file."""

    id: QuestionId
    title: Text
    group: Slug
    prompt: Text
    file: str
    sources: tuple[str, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    items: tuple[Item, ...] = ()
    exercises: tuple[Exercise, ...] = ()
    equivalent: tuple[Equivalent, ...] = ()

    @property
    def points(self) -> float:
        """The graded points that the question is worth."""
        graded = sum(item.points for item in self.items if item.use == "graded")
        return graded + sum(exercise.points for exercise in self.exercises)

    def misconception(self, name: str | None) -> Misconception | None:
        """The misconception ``name`` of this question, or None."""
        return next((m for m in self.misconceptions if m.id == name), None)


@dataclass(frozen=True, slots=True)
class Source:
    """A paper or manual that the bank cites."""

    id: Slug
    title: str
    authors: str
    year: int
    where: str


@dataclass(frozen=True, slots=True)
class Rules:
    """An instructor's rules about submissions. By default there is no deadline and no penalty.

    ``due`` is an ISO 8601 time with a zone. Each day after it, begun days included, costs ``late_percent``; the first
    ``grace_hours`` cost nothing, and nothing counts after ``cut_off_days``. Of several attempts the ``best`` counts,
    the ``last``, or ``each`` on its own; every further attempt costs ``attempt_percent``. ``show_reference`` says when
    learners may see references: once their own code for a question has passed, after the due date, or never.
    """

    due: str | None = None
    late_percent: float = 0.0
    grace_hours: float = 0.0
    cut_off_days: float | None = None
    attempts: Literal["best", "last", "each"] = "last"
    attempt_percent: float = 0.0
    hidden_results: Literal["always", "after-due", "never"] = "always"
    show_reference: Literal["after-pass", "after-due", "never"] = "after-pass"


@dataclass(frozen=True, slots=True)
class Pace:
    """How much a learner may use a class server.

    In an hour: checks of each exercise, and seconds of CPU time for reading files. In 24 hours: submissions, and their
    size in megabytes (2**20 bytes).
    """

    checks_per_hour: Annotated[int, SchemaBounds(ge=1, le=100_000)] = 60
    submissions_per_day: Annotated[int, SchemaBounds(ge=1, le=100_000)] = 20
    reading_seconds_per_hour: Annotated[int, SchemaBounds(ge=1, le=3600)] = 120
    megabytes_per_day: Annotated[int, SchemaBounds(ge=1, le=100_000)] = 200


@dataclass(frozen=True, slots=True)
class Edition:
    """What makes a course a learners' edition: which course it is ``of``, and the version that published it.

    ``of`` is a keyed digest, because a plain one would tell whether guessed keys of the course are right.

    ``stored`` maps each exercise to the digest of the file with the results of its reference and mistakes.
    """

    of: Digest
    attncheck: str
    stored: Pairs[Digest] = ()
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Course:
    """A whole course: what ``grader.course.loader`` reads from ``questions/`` and ``course.yaml``.

    ``reference`` are the source files of the references; an ``edition`` has none. ``roster`` and ``seed_file`` are
    paths relative to course.yaml. ``packages`` are what submissions may import besides NumPy, torch and the standard
    library.
    """

    title: Text
    public_id: str
    groups: tuple[tuple[str, Text], ...]
    questions: tuple[Question, ...]
    sources: tuple[Source, ...]
    reference: tuple[SourceFile, ...]
    digest: str
    folder: str
    rules: Rules = Rules()
    edition: Edition | None = None
    roster: str | None = None
    seed_file: str | None = None
    packages: tuple[str, ...] = ()
    pace: Pace = Pace()

    def question(self, name: str) -> Question | None:
        """The question with the id ``name`` (any case), or None."""
        return next((q for q in self.questions if q.id.lower() == name.lower()), None)

    def exercise(self, name: str) -> tuple[Question, Exercise] | None:
        """The exercise ``name`` with its question, or None."""
        return next(((q, e) for q in self.questions for e in q.exercises if e.name == name), None)

    def case_title(self, exercise: str, name: str) -> Text:
        """The name of a case for people. A case of another version of the course has only its English name."""
        found = self.exercise(exercise)
        cases = found[1].cases if found else ()
        return next((case.title for case in cases if case.name == name), Text(name, name))
