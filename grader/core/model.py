"""The types that all packages share: frozen dataclasses without logic.

Sequences are tuples; mappings are tuples of pairs. The types of the course are also what the YAML of the bank is
validated against (see ``grader.course.schema``): a field is a key, ``alias`` is the key where its name differs, and
the annotation says what values it takes. NumPy is imported for the type checker alone, and pydantic not at all, so
that commands which print text start fast.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from grader.core.constraints import (
    ByFirstKey,
    CaseName,
    Digest,
    Filled,
    ItemId,
    LibraryName,
    Name,
    Pairs,
    Parsed,
    Points,
    QuestionId,
    RecipeSize,
    ReferenceName,
    SchemaBounds,
    Slug,
    check_size,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    AnyArray: TypeAlias = NDArray[np.generic]

Lang: TypeAlias = Literal["en", "zh"]
ArrayType: TypeAlias = Literal["numpy", "torch"]
Visibility: TypeAlias = Literal["public", "hidden"]


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence for learners, in both languages of the course."""

    en: str
    zh: str

    def of(self, lang: Lang) -> str:
        """The sentence in ``lang``."""
        return self.zh if lang == "zh" else self.en

    def fill(self, **values: object) -> Text:
        """Both sentences with ``{name}`` replaced by ``values``. Of a ``Text`` the matching language is used."""

        def one(lang: Lang) -> str:
            said = {key: value.of(lang) if isinstance(value, Text) else value for key, value in values.items()}
            return self.of(lang).format(**said)

        return Text(one("en"), one("zh"))


# ------------------------------------------------------------------------------------- the course

Shape: TypeAlias = tuple[RecipeSize, ...]


@dataclass(frozen=True, slots=True)
class Normal:
    """Independent normal numbers, float32: standard normal, times ``scale``, plus ``shift``."""

    shape: Shape = field(metadata={"alias": "normal"})
    scale: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True, slots=True)
class Integers:
    """Integers in ``[low, high)``, int64."""

    shape: Shape = field(metadata={"alias": "integers"})
    low: RecipeSize = 0
    high: RecipeSize = 10


@dataclass(frozen=True, slots=True)
class RandomMask:
    """Booleans of shape (..., n_q, n_k), about a fraction ``keep`` of them True, different in every sample.

    Each row keeps at least one True and (if n_k > 1) at least one False; the rows ``empty``
    (indices along n_q; -1 is the last) of every second sample are all False.
    """

    shape: Annotated[Shape, SchemaBounds(min_length=2)] = field(metadata={"alias": "mask"})
    keep: Annotated[float, SchemaBounds(gt=0, lt=1)] = 0.6
    empty: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Causal:
    """The causal mask of shape (n_q, n_k): True on and below the diagonal through the last query and the last key."""

    shape: Annotated[Shape, SchemaBounds(min_length=2, max_length=2)] = field(metadata={"alias": "causal"})


@dataclass(frozen=True, slots=True)
class Literal_:
    """A constant: number, string, boolean, None or (nested) list.

    With ``dtype`` a list becomes an array of that type.
    """

    value: Any = field(metadata={"alias": "value"})
    dtype: Literal["float32", "float64", "int64", "bool"] | None = None


@dataclass(frozen=True, slots=True)
class Symbol:
    """The value of a drawn symbol, as a Python integer."""

    size: RecipeSize


@dataclass(frozen=True, slots=True)
class Same:
    """The same array (or value) that the argument ``name`` of the case has, not a copy."""

    name: Name = field(metadata={"alias": "same_as"})


@dataclass(frozen=True, slots=True)
class Permutation:
    """A random derangement: the integers below ``size``, none at its own place, int64."""

    size: RecipeSize = field(metadata={"alias": "permutation"})


@dataclass(frozen=True, slots=True)
class Made:
    """Something that ``helper`` (see ``sandbox/inside/helpers.py``) makes inside the child, such as a function."""

    helper: Name = field(metadata={"alias": "make"})
    parts: Pairs[Recipe] = field(default=(), metadata={"alias": "with"})


@dataclass(frozen=True, slots=True)
class Own:
    """The submission's own top-level ``name``; the helper ``otherwise`` where it has none. A recipe, and a step."""

    name: Name = field(metadata={"alias": "own"})
    otherwise: Name | None = field(default=None, metadata={"alias": "else"})


def _constant(value: Any) -> Literal_ | Symbol:
    return Symbol(check_size(value)) if isinstance(value, str) else Literal_(value)


#: How a value of a case is made. In the bank a recipe is told by its first key; a constant stands there as it is.
Recipe: TypeAlias = Annotated[
    Normal | Integers | RandomMask | Causal | Literal_ | Same | Permutation | Made | Own | Symbol,
    ByFirstKey("recipe", Parsed(_constant, ["number", "boolean", "null", "string"])),
]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a signature. Optional ones are passed by name, required ones by position."""

    name: str
    required: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One set of inputs, hidden unless ``public``. ``only`` restricts it to the checks named there (empty: any check).

    ``then`` are later calls on the same instance, for the check ``repeatable``: each names the arguments that differ
    from ``args``. ``conditions`` are those of ``grader.course.conditions`` that its inputs do not show. A ``sealed``
    case stands for a hidden one in a learners' edition: it has no inputs, and is never run.
    """

    name: CaseName
    public: bool = False
    args: Pairs[Recipe] = ()
    construct: Pairs[Recipe] = ()
    parameters: Pairs[Recipe] = ()
    draw: Pairs[Annotated[tuple[int, ...], SchemaBounds(min_length=1)]] = ()
    only: tuple[str, ...] = ()
    raises: Name | None = None
    then: tuple[Pairs[Recipe], ...] = ()
    conditions: tuple[str, ...] = ()
    sealed: bool = False

    @property
    def visibility(self) -> Visibility:
        """What learners may see of it."""
        return "public" if self.public else "hidden"


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """A check that an exercise makes. ``on`` names its cases; if empty, the kind of check chooses.

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

    ``expression`` is Python as it is in the reference, up to spaces and parentheses: in the exercise's own function or
    class, or in a helper that it uses. If it is there several times, ``at`` says which one is meant, from 1.
    ``misconception`` is what somebody believes who has another value there.
    """

    expression: Filled
    en: Filled
    zh: Filled
    at: int = 1
    misconception: Slug | None = None


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A mutant of a reference that no test could catch because it is correct, and why.

    ``mutant`` is its name as ``bank mutate`` prints it, with "…" for any text.
    """

    mutant: Filled
    why: Filled


@dataclass(frozen=True, slots=True)
class Variant:
    """Another form of the arguments that the contract allows, tried when the first one fails.

    ``expand`` maps a mask argument to the two arguments whose lengths (axis -2) it spans: the mask is
    passed as ``(batch, n_q, n_k)`` instead of with a head axis. ``give`` are other values of arguments.
    """

    name: CaseName
    expand: Pairs[tuple[Name, Name]] = ()
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
    reference.
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
    adapter: Name | None = None
    through: Name | None = None
    methods: tuple[str, ...] = ()
    returns: Literal["value", "attention"] = "value"
    array_types: tuple[ArrayType, ...] = ("torch", "numpy")
    variants: tuple[Variant, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    forbids: tuple[LibraryName, ...] = ()
    not_applicable: tuple[tuple[str, str], ...] = ()
    landmarks: tuple[Landmark, ...] = ()

    @property
    def takes(self) -> tuple[Parameter, ...]:
        """The parameters that ``args`` of its cases go to: of the function, ``forward``, or the helper ``through``."""
        return self.parameters if self.kind == "function" and self.through is None else self.forward


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

    ``level`` says how hard it is: 1 recall and reading, 2 reasoning in one step, 3 several steps or transfer. A
    ``sealed`` item of a learners' edition has no key: it takes answers without judging them.
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
    """A value of a field that is made when the field is first read."""

    def __init__(self, make: Callable[[], object]) -> None:
        self.make = make


class _OnDemand:
    """A field of a dataclass with slots, which may hold a ``Deferred``. Readers only ever see its value."""

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


# The class of a spec is in the module of its kind, and some of these import a lot: most commands read few specs.
type.__setattr__(Item, "spec", _OnDemand(Item.__dict__["spec"]))


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
    the ``last``, or ``each`` on its own; every further attempt costs ``attempt_percent``.
    """

    due: str | None = None
    late_percent: float = 0.0
    grace_hours: float = 0.0
    cut_off_days: float | None = None
    attempts: Literal["best", "last", "each"] = "last"
    attempt_percent: float = 0.0
    hidden_results: Literal["always", "after-due", "never"] = "always"


@dataclass(frozen=True, slots=True)
class Edition:
    """The mark of a learners' edition: the digest ``of`` the course it was made from, and the version that made it.

    ``stored`` are the exercises, each with the digest of the file of what its reference and mistakes return.
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

    def question(self, name: str) -> Question | None:
        """The question with the id ``name`` (any case), or None."""
        return next((q for q in self.questions if q.id.lower() == name.lower()), None)

    def exercise(self, name: str) -> tuple[Question, Exercise] | None:
        """The exercise ``name`` with its question, or None."""
        return next(((q, e) for q in self.questions for e in q.exercises if e.name == name), None)


# ---------------------------------------------------------------------------------- the submission


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of source that is executed as a unit: a whole ``.py`` file, or one notebook cell.

    ``label`` is what tracebacks and messages call it (``q05.py``, ``q05.ipynb cell 3``).
    """

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One source file, read and never run. ``module`` is the name that others import it by.

    ``is_package`` is true for ``__init__.py``. ``defines`` are top-level definitions with their
    lines, ``guarded`` those that only exist under ``if __name__ == "__main__":``. ``imports_torch`` is
    true if torch is imported anywhere in it. ``futures`` are the ``__future__`` features that apply to
    all parts.
    """

    path: str
    module: str
    parts: tuple[Part, ...]
    defines: tuple[tuple[str, int], ...] = ()
    imports_torch: bool = False
    is_package: bool = False
    guarded: tuple[tuple[str, int], ...] = ()
    futures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one item in ``answers.yaml``: plain data, with its line."""

    item: str
    value: Any
    line: int


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the reader of a report should know. ``where`` is a path.

    An ``urgent`` notice is about something that could not be graded, and is shown first.
    """

    where: str
    text: Text
    urgent: bool = False


@dataclass(frozen=True, slots=True)
class Submission:
    """What a learner submitted, read and never run. ``answers`` is None without an answers file.

    ``broken`` says which code files (or cells) could not be read, and why. ``lost`` says why the answers could not be
    read; there are none then. ``notices`` include both.
    """

    learner: str
    files: tuple[SourceFile, ...]
    answers: tuple[Answer, ...] | None = None
    notices: tuple[Notice, ...] = ()
    digest: str = ""
    origin: str = ""
    broken: tuple[Notice, ...] = ()
    lost: Notice | None = None


# -------------------------------------------------------------------------------------- programs

#: An argument of a step: a constant, an array, a reference to an earlier step, or a list of these.
Argument: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Ref:
    """The result of an earlier step of the same program."""

    step: int


@dataclass(frozen=True, slots=True)
class Array:
    """An array on its way in or out of the child.

    In: ``layout`` ``strided`` asks for a non-contiguous view of equal values, ``requires_grad`` for a
    torch leaf. Out: ``container`` says what the learner returned (``numpy``, ``torch`` or ``scalar``).
    """

    values: AnyArray
    container: Literal["", "numpy", "torch", "scalar"] = ""
    layout: Literal["plain", "strided"] = "plain"
    requires_grad: bool = False
    dtype: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A step that gives a constant (or a fresh array) that later steps can refer to."""

    value: Argument


@dataclass(frozen=True, slots=True)
class Call:
    """A step that calls ``target``: a top-level name of the submission, or an earlier result."""

    target: str | Ref
    args: tuple[Argument, ...] = ()
    kwargs: tuple[tuple[str, Argument], ...] = ()


@dataclass(frozen=True, slots=True)
class Apply:
    """A step that runs one of the helpers in ``sandbox/inside/helpers.py`` by name."""

    helper: str
    args: tuple[Argument, ...] = ()
    kwargs: tuple[tuple[str, Argument], ...] = ()


@dataclass(frozen=True, slots=True)
class LocatedOwn(Own):
    """The same as a step of a program, with the ``module`` of the submission that defines it."""

    module: str = ""


Step: TypeAlias = Value | Call | Apply | Own


@dataclass(frozen=True, slots=True)
class Probing:
    """Asks what the expressions of the code are, and what it returns if other values are put in their place.

    ``landmarks`` are the values to put in, each a tuple in order of time; ``fixed`` are pairs (probe, landmark) that
    are put in every time. At most ``reruns`` runs and about ``cpu`` seconds. Only for public inputs.
    """

    landmarks: tuple[tuple[Any, ...], ...] = ()
    fixed: tuple[tuple[int, int], ...] = ()
    reruns: int = 0
    cpu: float = 0.5


@dataclass(frozen=True, slots=True)
class Program:
    """A short straight-line program for the child, which returns the results of the steps ``send``.

    ``module`` is the source file whose names it calls. Programs of one ``group`` (an exercise) share a time limit.
    The random generators are reset to ``seed`` before it. The inputs of a ``hidden`` program reach the child only
    after all others have been answered. With ``probing``, it returns one value, the answer to that.
    """

    module: str
    steps: tuple[Step, ...]
    send: tuple[int, ...]
    group: str = ""
    array_type: ArrayType = "torch"
    seed: int = 0
    hidden: bool = False
    probing: Probing | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """What a submission has used in earlier jobs: seconds, bytes, and processes that died.

    ``hidden``: its code has seen hidden inputs, so that its later output could reveal them.
    """

    cpu: float = 0.0
    wall: float = 0.0
    received: int = 0
    deaths: int = 0
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """The programs that one submission runs at once. ``past`` counts against its limits (``grading.budget``)."""

    files: tuple[SourceFile, ...]
    programs: tuple[Program, ...]
    past: Past = Past()


@dataclass(frozen=True, slots=True)
class Limits:
    """What one submission may use: seconds (of CPU or wall-clock time) and bytes.

    ``result_bytes`` limits the results of one program, ``total_bytes`` everything that the grader receives: both the
    bytes sent, and what they take in memory. ``fresh_children`` limits how many processes may be replaced. The totals
    and ``fresh_children`` apply to all jobs of a submission together.
    """

    group_cpu: float = 2.0
    group_wall: float = 6.0
    import_cpu: float = 4.0
    import_wall: float = 10.0
    total_cpu: float = 20.0
    total_wall: float = 60.0
    memory: int = 1 << 30
    result_bytes: int = 16 << 20
    total_bytes: int = 64 << 20
    fresh_children: int = 40


# ----------------------------------------------------------------------------------- observations


@dataclass(frozen=True, slots=True)
class Returned:
    """The program ran. These are the values of its ``send`` steps, in order."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Raised:
    """The learner's code raised. ``during`` is ``import`` or ``call``; ``line`` is in ``file``."""

    type: str
    text: str
    file: str | None
    line: int | None
    during: Literal["import", "call"] = "call"
    bases: tuple[str, ...] = ()

    @property
    def out_of_memory(self) -> bool:
        """Whether Python, NumPy or torch ran out of memory. torch only says so in the message."""
        by_torch = self.type == "RuntimeError" and "DefaultCPUAllocator: can't allocate memory" in self.text
        return by_torch or "MemoryError" in (self.type, *self.bases)


@dataclass(frozen=True, slots=True)
class TimedOut:
    """It used more than ``limit`` seconds (``clock``: cpu or wall)."""

    limit: float
    clock: Literal["cpu", "wall"]
    during: Literal["import", "call"] = "call"


@dataclass(frozen=True, slots=True)
class Died:
    """The process ended: by a signal, or because the learner's code called exit."""

    signal: int | None
    code: int | None
    during: Literal["import", "call"] = "call"


@dataclass(frozen=True, slots=True)
class TooBig:
    """The result has more than ``limit`` bytes."""

    limit: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The result is not a value that the contract allows. ``reason`` is a word of the protocol."""

    reason: str
    detail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotRun:
    """The program did not run: the time of the submission (``budget``) or of its ``group``, the memory, or the
    children were used up; or its file, which had loaded before, did not load again (``load``).
    """

    reason: Literal["budget", "group", "memory", "children", "load"]


Observation: TypeAlias = Returned | Raised | TimedOut | Died | TooBig | Unreadable | NotRun

if TYPE_CHECKING:
    #: How grading reaches the sandbox: tests pass a function of their own.
    Observe: TypeAlias = Callable[[Job, Limits], "Observed"]


@dataclass(frozen=True, slots=True)
class Absent:
    """A module that a file imports at top level and that is not available. ``file`` is the label of the part."""

    module: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Observed:
    """One observation per program, with the layers of isolation that were used.

    ``past`` is for the submission's next job; None if nothing was metered. ``absent`` are modules that were not found
    while the files were loaded, before the child had any hidden input. ``printed`` is what each program printed, as it
    is; empty for hidden programs, and for all once the code has seen hidden inputs.
    """

    observations: tuple[Observation, ...]
    layers: tuple[str, ...]
    unsafe: bool
    versions: tuple[tuple[str, str], ...] = ()
    cpu_seconds: float = 0.0
    past: Past | None = None
    absent: tuple[Absent, ...] = ()
    printed: tuple[str, ...] = ()


# ----------------------------------------------------------------------------------------- results


class Status(StrEnum):
    """The result of a check, an item or an exercise, in the words of ``--json``."""

    PASSED = "passed"
    FAILED = "failed"
    RAISED = "raised"
    TIMED_OUT = "timed-out"
    DIED = "died"
    MISSING = "missing"
    SKIPPED = "skipped"
    PENDING = "pending"
    UNMARKED = "unmarked"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two arrays differ, formatted for people."""

    index: tuple[int, ...]
    expected: str
    actual: str
    differing: int
    size: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a check on one case.

    If ``applies`` is false, the weight goes to the other checks. If ``final`` is true, calling the exercise in another
    form cannot change the verdict. ``broken`` means that the check itself raised an exception, which is our fault.
    ``printed`` is what the learner's code printed in a public case that failed, cleaned and shortened.
    """

    status: Status
    message: Text | None = None
    difference: Difference | None = None
    remark: Text | None = None
    misconception: str | None = None
    applies: bool = True
    final: bool = False
    broken: bool = False
    printed: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict with its points."""

    check: str
    case: str
    visibility: Visibility
    verdict: Verdict
    earned: float
    possible: float

    @property
    def status(self) -> Status:
        """The verdict's status."""
        return self.verdict.status


@dataclass(frozen=True, slots=True)
class ItemResult:
    """A quiz item, graded. ``reading`` is how the formulas of an incorrect answer were read, one on each line.

    An answer that is not ``readable`` is no answer of its kind; ``message`` says what to change.
    """

    id: str
    kind: str
    status: Status
    earned: float
    possible: float
    message: Text | None = None
    misconception: str | None = None
    reading: str | None = None
    readable: bool = True


@dataclass(frozen=True, slots=True)
class Span:
    """Part of a submitted file: lines from 1, columns from 0 in characters, the end exclusive.

    ``source`` is its first line as submitted, for reports; empty if that is too long to show.
    """

    file: str
    line: int
    end_line: int
    column: int
    end_column: int
    source: str = ""


#: Who says why code is wrong: an authored mistake, the place that is wrong, a relation between the result and the
#: correct one, the condition under which it fails, or another exercise that it depends on.
Voice: TypeAlias = Literal["mistake", "place", "relation", "condition", "dependency"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One explanation of wrong results. Explanations never change points."""

    voice: Voice
    text: Text
    misconception: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class ExerciseResult:
    """An exercise, graded. ``message`` is the first thing to fix; ``diagnosis`` explains failures, best first."""

    name: str
    status: Status
    earned: float
    possible: float
    outcomes: tuple[Outcome, ...]
    message: Text | None = None
    misconception: str | None = None
    file: str | None = None
    array_type: ArrayType | None = None
    remarks: tuple[Text, ...] = ()
    diagnosis: tuple[Diagnosis, ...] = ()

    @property
    def first_failure(self) -> Outcome | None:
        """The outcome to fix first: the earliest one that cost points."""
        lost = (o for o in self.outcomes if o.status not in (Status.PASSED, Status.PENDING) and o.verdict.applies)
        return next(lost, None)


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question's items and exercises."""

    id: str
    title: Text
    items: tuple[ItemResult, ...]
    exercises: tuple[ExerciseResult, ...]

    @property
    def earned(self) -> float:
        """Points earned."""
        return sum(i.earned for i in self.items) + sum(e.earned for e in self.exercises)

    @property
    def possible(self) -> float:
        """Points that could be earned."""
        return sum(i.possible for i in self.items) + sum(e.possible for e in self.exercises)


@dataclass(frozen=True, slots=True)
class Report:
    """The result of grading one submission. Sums are derived, never stored.

    ``unlisted`` are the points of those questions in ``not_attempted`` that count although they are not listed.
    With a learners' ``edition``, pending results are decided by the instructor, with the whole course.
    """

    learner: str
    course_title: Text
    course_digest: str
    seed: str
    questions: tuple[QuestionResult, ...]
    layers: tuple[str, ...]
    unsafe: bool
    versions: tuple[tuple[str, str], ...]
    seconds: float
    notices: tuple[Notice, ...] = ()
    late_by_seconds: float | None = None
    not_attempted: tuple[str, ...] = field(default=())
    edition: bool = False
    unlisted: float = 0.0

    @property
    def earned(self) -> float:
        """Points earned over all questions."""
        return sum(q.earned for q in self.questions)

    @property
    def possible(self) -> float:
        """Points possible over all questions."""
        return sum(q.possible for q in self.questions) + self.unlisted

    @property
    def told_seconds(self) -> float:
        """``seconds`` as shown to learners: with a secret seed, rounded up to a power of two.

        Otherwise code could encode a hidden input in the digits of its running time.
        """
        return self.seconds if self.seed == "public" else float(2 ** max(0, math.ceil(math.log2(self.seconds or 1))))

    @property
    def complete(self) -> bool:
        """False if anything could not be graded because of an error of ours."""
        statuses = [i.status for q in self.questions for i in q.items]
        statuses += [o.status for q in self.questions for e in q.exercises for o in e.outcomes]
        statuses += [e.status for q in self.questions for e in q.exercises]
        return Status.UNMARKED not in statuses

    @property
    def passed(self) -> bool:
        """True if every graded item and exercise passed, as far as that is decided here."""
        statuses = [i.status for q in self.questions for i in q.items]
        statuses += [e.status for q in self.questions for e in q.exercises]
        return not self.unlisted and all(s is Status.PASSED or (self.edition and s is Status.PENDING) for s in statuses)

    @property
    def elsewhere(self) -> float:
        """Points that are decided by the instructor, because this is a learners' edition."""
        waiting = [i.possible for q in self.questions for i in q.items if i.status is Status.PENDING]
        outcomes = (o for q in self.questions for e in q.exercises for o in e.outcomes)
        waiting += [o.possible for o in outcomes if o.status is Status.PENDING]
        return sum(waiting) if self.edition else 0.0


@dataclass(frozen=True, slots=True)
class Shown:
    """The expected and actual result of an exercise for a public case, as arrays for people to look at.

    ``what`` is ``weights`` if every value vector was a unit vector, so that the result is the attention weights.
    ``difference`` is None if nothing differs, or the shapes do. ``masks`` are the masks among the inputs.
    """

    exercise: str
    case: str
    what: Literal["result", "weights"]
    expected: AnyArray
    actual: AnyArray
    difference: Difference | None = None
    masks: tuple[tuple[str, AnyArray], ...] = ()


@dataclass(frozen=True, slots=True)
class Watched:
    """What ``attncheck watch`` shows: the exercise to fix next (of ``left``), with ``hints`` by number, from 1."""

    report: Report | None
    error: Text | None
    current: ExerciseResult | None
    left: int
    hints: tuple[int, ...]
    seconds: float
