"""The types that all rooms share: frozen dataclasses with hardly any logic.

Sequences are tuples; mappings are tuples of pairs. NumPy is imported for the type checker alone, and pydantic not at
all, so that commands which print text start fast.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from grader.core import catalogue
from grader.core.constraints import (
    ByFirstKey,
    CaseName,
    Digest,
    Identifier,
    ItemId,
    LibraryName,
    MarkedText,
    NonBlank,
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
from grader.core.marks import marked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    AnyArray: TypeAlias = NDArray[np.generic]


# ------------------------------------------------- text, and literal types that several subjects share


Lang: TypeAlias = Literal["en", "zh"]
LANGUAGES: tuple[Lang, ...] = ("en", "zh")
ArrayType: TypeAlias = Literal["numpy", "torch"]
Visibility: TypeAlias = Literal["public", "hidden"]


@dataclass(frozen=True, slots=True)
class Text:
    """A text for people, in both languages, with marks for code and formulas (see ``grader.core.marks``)."""

    en: Annotated[str, MarkedText()]
    zh: Annotated[str, MarkedText()]

    def of(self, lang: Lang) -> str:
        """The text in ``lang``."""
        return self.zh if lang == "zh" else self.en

    @property
    def on_page(self) -> Text:
        """The text without advice on what to type, which only a terminal understands."""
        return self

    def with_advice(self, advice: Text, after: Text | None = None) -> Text:
        """The text, then ``advice`` on what to type in a terminal, which pages leave out, then ``after``."""
        if after is None:
            return Sentences((self, advice), self)
        return Sentences((self, advice, after), Sentences((self, after)))

    def fill(self, **values: object) -> Text:
        """Both texts with each ``{name}`` replaced by the value ``name``; a ``Text`` is filled in by language."""
        filled = self._filled(values)
        if not any(isinstance(value, Sentences) for value in values.values()):
            return filled
        on_page = {name: value.on_page if isinstance(value, Text) else value for name, value in values.items()}
        return Sentences((filled,), self._filled(on_page))

    def _filled(self, values: dict[str, object]) -> Text:
        def filled(lang: Lang) -> str:
            shown = {name: value.of(lang) if isinstance(value, Text) else value for name, value in values.items()}
            return self.of(lang).format(**shown)

        return Text(filled("en"), filled("zh"))

    def __repr__(self) -> str:
        """The same for every text, wherever its Chinese comes from."""
        return f"Text(en={self.en!r}, zh={self.zh!r})"

    def __eq__(self, other: object) -> bool:
        """Equal to every text that says the same, wherever its Chinese comes from."""
        return isinstance(other, Text) and (self.en, self.zh) == (other.en, other.zh)

    def __hash__(self) -> int:
        """Of the English alone, so that no catalogue is read for it."""
        return hash(self.en)


class Message(Text):
    """A text of the program, whose Chinese is in the catalogue: ``Message("saved")``.

    ``context`` tells messages apart that only English has in common. Both arguments are literals, because
    ``make messages`` reads them from the source.
    """

    __slots__ = ("_context", "_source")

    _context: str
    _source: str

    def __init__(self, en: str, context: str = "") -> None:
        object.__setattr__(self, "en", marked(en))
        object.__setattr__(self, "_source", en)
        object.__setattr__(self, "_context", context)

    @property
    def zh(self) -> str:
        """The Chinese, looked up when it is needed, not when a module is imported."""
        return marked(catalogue.chinese(self._source, self._context))

    def __reduce__(self) -> tuple[Callable[..., Text], tuple[str, str]]:
        """Travels to other processes as a plain text."""
        return Text, (self.en, self.zh)


class Sentences(Text):
    """Texts one after another. Pages show the text ``on_page`` instead, if there is one."""

    __slots__ = ("_on_page", "_parts")

    _parts: tuple[Text, ...]
    _on_page: Text | None

    def __init__(self, parts: tuple[Text, ...], on_page: Text | None = None) -> None:
        object.__setattr__(self, "en", " ".join(part.en for part in parts))
        object.__setattr__(self, "_parts", parts)
        object.__setattr__(self, "_on_page", on_page)

    @property
    def zh(self) -> str:
        """The Chinese, looked up when it is needed; there is no space between its sentences."""
        return "".join(part.zh for part in self._parts)

    @property
    def on_page(self) -> Text:
        """See ``Text``."""
        return self if self._on_page is None else self._on_page

    def fill(self, **values: object) -> Text:
        """See ``Text``. Advice stays apart from the rest."""
        on_page = None if self._on_page is None else self._on_page.fill(**values).on_page
        return Sentences(tuple(part.fill(**values) for part in self._parts), on_page)

    def __reduce__(self) -> tuple[Callable[..., Text], tuple[tuple[Text, ...], Text | None]]:
        """Travels to other processes with its parts."""
        return Sentences, (self._parts, self._on_page)


# ------------------------------------------------------------------- what a learner submitted, as text


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of source that is executed as a unit: a whole ``.py`` file, or one notebook cell.

    ``label`` is what tracebacks and messages call it (``q05.py``, ``q05.ipynb cell 3``).
    """

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One source file, read but never run. ``module`` is the name that others import it by.

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
    """The answer to one item in ``answers.yaml``: plain data, with its line.

    ``problem`` says why it could not be read, and where; ``value`` is then what was written.
    """

    item: str
    value: Any
    line: int
    problem: Text | None = None


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
    """What a learner submitted, read but never run. ``answers`` is None without an answers file.

    ``broken`` are the code files (or cells) that could not be read, with the reasons. ``lost`` says why the answers
    file could not be read; ``answers`` is empty then. ``notices`` include both.
    """

    learner: str
    files: tuple[SourceFile, ...]
    answers: tuple[Answer, ...] | None = None
    notices: tuple[Notice, ...] = ()
    digest: str = ""
    origin: str = ""
    broken: tuple[Notice, ...] = ()
    lost: Notice | None = None


# ---------------------------------------- recipes of the bank, from which the values of cases are made


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
    """The same object as the argument ``name`` of the case, not a copy."""

    name: Identifier = field(metadata={"alias": "same_as"})


@dataclass(frozen=True, slots=True)
class Permutation:
    """A random derangement: the integers below ``size``, none at its own index, int64."""

    size: RecipeSize = field(metadata={"alias": "permutation"})


@dataclass(frozen=True, slots=True)
class Made:
    """Something that ``helper`` (see ``sandbox/inside/helpers.py``) makes inside the child, such as a function."""

    helper: Identifier = field(metadata={"alias": "make"})
    parts: Pairs[Recipe] = field(default=(), metadata={"alias": "with"})


@dataclass(frozen=True, slots=True)
class Own:
    """The submission's own top-level ``name``, or the helper ``otherwise`` if it has none. Both recipe and step."""

    name: Identifier = field(metadata={"alias": "own"})
    otherwise: Identifier | None = field(default=None, metadata={"alias": "else"})


def _constant(value: Any) -> Literal_ | Symbol:
    return Symbol(check_size(value)) if isinstance(value, str) else Literal_(value)


#: Any recipe. In the bank, its first key says which one it is; constants have no key.
Recipe: TypeAlias = Annotated[
    Normal | Integers | RandomMask | Causal | Literal_ | Same | Permutation | Made | Own | Symbol,
    ByFirstKey("recipe", Parsed(_constant, ["number", "boolean", "null", "string"])),
]


# --------------------------------------------------------------------- programs: what the sandbox runs


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
    """A step whose result is a constant or a fresh array, for later steps to refer to."""

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
    """``Own`` as a step of a program, with the ``module`` of the submission that defines the name."""

    module: str = ""


Step: TypeAlias = Value | Call | Apply | Own


@dataclass(frozen=True, slots=True)
class Probing:
    """Asks for the values of all expressions in the code, and for its results with other values in their place.

    ``landmarks`` are the values to substitute, each a tuple in order of time; ``fixed`` are pairs (probe, landmark)
    that are substituted in every run. There are at most ``reruns`` runs, for about ``cpu`` seconds. Only for public
    inputs.
    """

    landmarks: tuple[tuple[Any, ...], ...] = ()
    fixed: tuple[tuple[int, int], ...] = ()
    reruns: int = 0
    cpu: float = 0.5


@dataclass(frozen=True, slots=True)
class Program:
    """A short straight-line program for the child, which returns the results of the steps ``send``.

    ``module`` is the source file whose names it calls. Programs of one ``group`` (an exercise) share a time limit.
    The random generators are reset to ``seed`` before it runs. The inputs of a ``hidden`` program reach the child only
    after all other programs have been answered. With ``probing``, it returns only the answer to that.
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
class ResourceUsage:
    """What a submission used in earlier jobs: seconds of CPU and wall time, bytes received, and dead processes.

    ``hidden``: its code has seen hidden inputs, so its later output could reveal them. ``slow``: its programs are sent
    one at a time, because some that were sent together took too long.
    """

    cpu: float = 0.0
    wall: float = 0.0
    received: int = 0
    deaths: int = 0
    hidden: bool = False
    slow: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """The programs that one submission runs at once. ``usage`` is that of its earlier jobs; its limits include it."""

    files: tuple[SourceFile, ...]
    programs: tuple[Program, ...]
    usage: ResourceUsage = ResourceUsage()


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


# -------------------------------------------------------------------- the observed results of programs


@dataclass(frozen=True, slots=True)
class Returned:
    """The program ran. These are the values of its ``send`` steps, in order."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Raised:
    """The learner's code raised an exception of class ``type``; ``bases`` are its built-in base classes.

    ``file`` and ``line`` are the last place in the submission; None if there is none.
    """

    type: str
    text: str
    file: str | None
    line: int | None
    during: Literal["import", "call"] = "call"
    bases: tuple[str, ...] = ()

    @property
    def out_of_memory(self) -> bool:
        """Whether Python, NumPy or torch ran out of memory; torch says so only in the message."""
        by_torch = self.type == "RuntimeError" and "DefaultCPUAllocator: can't allocate memory" in self.text
        return by_torch or "MemoryError" in (self.type, *self.bases)


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The program used more than ``limit`` seconds on ``clock``."""

    limit: float
    clock: Literal["cpu", "wall"]
    during: Literal["import", "call"] = "call"


@dataclass(frozen=True, slots=True)
class Died:
    """The process ended: killed by ``signal``, or with exit ``code`` because the learner's code called exit."""

    signal: int | None
    code: int | None
    during: Literal["import", "call"] = "call"


@dataclass(frozen=True, slots=True)
class TooBig:
    """The result has more than ``limit`` bytes."""

    limit: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The result is not a value that the contract allows. ``reason`` is a keyword of the protocol: ``dtype``, …."""

    reason: str
    detail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotRun:
    """The program did not run, because something was used up: the time of the submission (``budget``) or of the
    ``group``, the ``memory``, or the number of ``children``; or because its file failed to load again (``load``).
    """

    reason: Literal["budget", "group", "memory", "children", "load"]


Observation: TypeAlias = Returned | Raised | TimedOut | Died | TooBig | Unreadable | NotRun

#: The sandbox as grading sees it. Tests pass other functions.
Observe: TypeAlias = Callable[[Job, Limits], "Observed"]


@dataclass(frozen=True, slots=True)
class MissingModule:
    """A module that is not available, and where it is imported at top level: ``file`` is the label of the part."""

    module: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Observed:
    """One observation per program, with the layers of isolation that were used.

    ``usage`` includes this job, and is passed to the submission's next one; None if nothing was metered. ``absent`` are
    the modules that were not found while files were loaded, before the child had any hidden input. ``printed`` is the
    raw output of each program; empty for hidden programs, and for all once the code has seen hidden inputs.
    """

    observations: tuple[Observation, ...]
    layers: tuple[str, ...]
    unsafe: bool
    versions: tuple[tuple[str, str], ...] = ()
    cpu_seconds: float = 0.0
    usage: ResourceUsage | None = None
    absent: tuple[MissingModule, ...] = ()
    printed: tuple[str, ...] = ()


# ------------------------------------------------------------------------ verdicts, points and reports


class Status(StrEnum):
    """The result of a check, an item or an exercise; values are those of ``--json``."""

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
    """The first entry in which two arrays differ, formatted for people.

    - `index`: of that entry
    - `expected`: its value in the result of the reference
    - `actual`: its value in the result of the submission
    - `differing`: how many entries differ
    - `size`: how many entries there are
    """

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
    """The result of a quiz item. ``reading`` shows how the formulas of an incorrect answer were parsed, one a line.

    If an answer is not ``readable``, ``message`` says what to change. ``given`` is the answer, shortened if it is long;
    None if there is none, or in results of older versions.
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
    given: str | None = None

    @property
    def unread(self) -> bool:
        """Whether there is an answer that could not be read, so that a person has to look at it."""
        return not self.readable

    @property
    def name(self) -> str:
        """The id, as the name of a part of a question."""
        return self.id


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


#: What explains why code is wrong: an authored mistake, the place that is wrong, a relation between the result and the
#: correct one, the condition under which it fails, or another exercise that it depends on.
Voice: TypeAlias = Literal["mistake", "place", "relation", "condition", "dependency"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One explanation of wrong results. Explanations never change points.

    If it is ``unfinished``, what ``span`` marks is correct, and something is missing after it. One that ``repairs``
    says how to make every wrong value correct; nothing that is less exact is added to it.
    """

    voice: Voice
    text: Text
    misconception: str | None = None
    span: Span | None = None
    unfinished: bool = False
    repairs: bool = False


@dataclass(frozen=True, slots=True)
class ExerciseResult:
    """The result of an exercise. ``message`` is the first thing to fix; ``diagnosis`` explains failures, best first."""

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
    """The results of one question's items and exercises."""

    id: str
    title: Text
    items: tuple[ItemResult, ...]
    exercises: tuple[ExerciseResult, ...]

    @property
    def parts(self) -> tuple[ItemResult | ExerciseResult, ...]:
        """The results of the items, then those of the exercises."""
        return (*self.items, *self.exercises)

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
    With a learners' ``edition``, the instructor decides pending results with the full course.
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
    def shown_seconds(self) -> float:
        """``seconds`` as shown to learners: with a secret seed, rounded up to a power of two.

        Otherwise, code could reveal a hidden input through its running time.
        """
        return self.seconds if self.seed == "public" else float(2 ** max(0, math.ceil(math.log2(self.seconds or 1))))

    @property
    def complete(self) -> bool:
        """False if anything could not be graded because of an internal error."""
        statuses = [part.status for q in self.questions for part in q.parts]
        statuses += [o.status for q in self.questions for e in q.exercises for o in e.outcomes]
        return Status.UNMARKED not in statuses

    @property
    def passed(self) -> bool:
        """True if every graded item and exercise passed; in a learners' edition, pending ones do not count."""
        statuses = [part.status for q in self.questions for part in q.parts]
        return not self.unlisted and all(s is Status.PASSED or (self.edition and s is Status.PENDING) for s in statuses)

    @property
    def code_passed(self) -> bool:
        """True if there is code, and all of it passed."""
        statuses = [e.status for q in self.questions for e in q.exercises]
        return bool(statuses) and all(s is Status.PASSED or (self.edition and s is Status.PENDING) for s in statuses)

    @property
    def pending_points(self) -> float:
        """Points of a learners' edition that the instructor decides; otherwise 0."""
        waiting = [i.possible for q in self.questions for i in q.items if i.status is Status.PENDING]
        outcomes = (o for q in self.questions for e in q.exercises for o in e.outcomes)
        waiting += [o.possible for o in outcomes if o.status is Status.PENDING]
        return sum(waiting) if self.edition else 0.0


@dataclass(frozen=True, slots=True)
class ArrayComparison:
    """The expected and actual result of an exercise for a public case, as arrays to draw.

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
class WatchState:
    """What ``attncheck watch`` shows: the exercise to fix next (of ``left``), with ``hints`` by number, from 1."""

    report: Report | None
    error: Text | None
    current: ExerciseResult | None
    left: int
    hints: tuple[int, ...]


# ----------------------- the course: questions with their items, exercises, cases, checks and mistakes
# The YAML of the bank is validated against these types, too (see ``grader.course.schema``): each field is a key (named
# ``alias`` where that differs), and its annotation says which values are valid.


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
    en: Annotated[NonBlank, MarkedText()]
    zh: Annotated[NonBlank, MarkedText()]
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
    """A quiz item. ``spec`` belongs to the item kind (see ``grader.course.items``); ``title`` is shown in lists.

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
    title: Text | None = None

    @property
    def called(self) -> Text:
        """The title; the id, if there is none."""
        return self.title or Text(self.id, self.id)


@dataclass(frozen=True, slots=True)
class Deferred:
    """A field value that is created when the field is first read.

    ``misconceptions`` are the ids that it refers to, so that they can be found without creating it.
    """

    make: Callable[[], object]
    misconceptions: frozenset[str]


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

    def item(self, name: str) -> Item | None:
        """The item ``name`` of this question, or None."""
        return next((item for item in self.items if item.id == name), None)

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
    library. A course in one of the ``languages`` alone has the same text in both fields of each ``Text``.
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
    languages: tuple[Lang, ...] = LANGUAGES

    def language(self, asked: Lang) -> Lang:
        """``asked``, if the course has texts in it, else the language of its texts."""
        return asked if asked in self.languages else self.languages[0]

    def question(self, name: str) -> Question | None:
        """The question with the id ``name`` (any case), or None."""
        return next((q for q in self.questions if q.id.lower() == name.lower()), None)

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of all questions, in order."""
        return tuple(item for question in self.questions for item in question.items)

    def item(self, name: str) -> Item | None:
        """The item ``name`` of any question, or None."""
        return next((item for item in self.items if item.id == name), None)

    def misconception(self, question: str, name: str | None) -> Misconception | None:
        """The misconception of a question with this id; None if there is none."""
        known = self.question(question)
        return known.misconception(name) if known else None

    def exercise(self, name: str) -> tuple[Question, Exercise] | None:
        """The exercise ``name`` with its question, or None."""
        return next(((q, e) for q in self.questions for e in q.exercises if e.name == name), None)

    def case_title(self, exercise: str, name: str) -> Text:
        """The name of a case for people. A case of another version of the course has only its English name."""
        found = self.exercise(exercise)
        cases = found[1].cases if found else ()
        return next((case.title for case in cases if case.name == name), Text(name, name))
