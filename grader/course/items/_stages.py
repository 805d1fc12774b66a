"""What the lines of a derivation show: the stages of a route from the start to the end.

A line shows a stage if it has the stage's property after it has been cleaned of everything that does not matter. It
earns the highest stage that it shows, unless a line before it showed that one or a later one.
"""

from __future__ import annotations

import contextlib
import copy
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from grader.core.cache import SizedCache
from grader.core.model import Message, Text
from grader.course.items import _properties as properties
from grader.course.items._properties import Property, failures, foreign, holds, named
from grader.formulas.ast import FunctionCall, Node, walk
from grader.formulas.cleaning import Cleaned, Cleaner, NotJudgedError
from grader.formulas.compare import ValueTable, with_general_variances
from grader.formulas.declarations import Declarations
from grader.formulas.errors import FormulaError
from grader.formulas.flat import Flat
from grader.formulas.printer import show
from grader.formulas.scalars import remembered
from grader.formulas.steps import excerpt_of

T = TypeVar("T")
_LACKS = Message("Line {number}: {why}.")
_SKIPPED = Message("Between {before} and line {number}, a step is missing: in line {number}, {why}.")
_LINE, _THE_START = Message("line {number}"), Message("the start")
_AGAIN = Message("Line {number} is line {other} again.")
_SAME = Message("Line {number} rewrites line {other}: this may prepare a step, but does not count as one.")
_SAME_AS_START = Message("Line {number} rewrites the start: this may prepare a step, but does not count as one.")
_DROPS = Message("In line {number}, “${part}$” changes nothing.")
_LATE = Message("Line {number} comes too late: what follows from it stands before it.")
_EARLY = Message("Line {number} already uses the variances given here; keep them as symbols until the last lines.")
_IDEAS = Message("\nIdeas shown so far: {shown} of {all}")
_IDEA = Message("\n✓ Line {number}: {idea}")
_IN_LINE = Message("\n✓ Line {number}")
_NOT_JUDGED = Message(
    "Line {number} is too complicated to be judged here, which need not be your mistake; another form of it may work."
)


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage that a line reaches if it ``is`` so.

    ``means`` says in a few words what has been done there, once a line reaches it; ``missing`` is said if none does.
    What an ``optional`` stage is worth goes to the next one if it is left out. A ``written`` stage is looked for in the
    line as it is written, because cleaning it takes away what it is about: s − m + m − M. If it is ``lasting``, it has
    to be there without what changes nothing, too, before anything is multiplied out; and the cleaned line has to
    mention what ``is`` mentions.
    """

    is_: Property
    missing: Text
    means: Text | None = None
    optional: bool = False
    written: bool = False
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class Route:
    """One way to the end: its stages in order, and what the last line has to be, and not be as it is written."""

    stages: tuple[Stage, ...]
    end: Property
    unfinished: Property | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line that follows from those before it; ``variants`` is empty if it cannot show anything.

    ``proper`` if that is only because it is the start in another form; not ``general`` if it holds only for the
    variances given.
    """

    number: int
    node: Node
    variants: tuple[Node, ...] = ()
    dropped: tuple[Node, ...] = ()
    same_as: int | None = None
    judged: bool = True
    proper: bool = False
    general: bool = True


@dataclass(frozen=True, slots=True)
class Progress:
    """What the lines show of one route: which stages, and whether the last line is the end.

    ``places`` are the numbers of the lines that show the stages; None for an optional stage that was left out, too.
    ``late`` are those of lines that show a stage behind one of its successors.
    """

    route: Route
    shown: tuple[bool, ...]
    at_end: bool
    places: tuple[int | None, ...] = ()
    late: Mapping[int, int] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether everything is there."""
        return self.at_end and all(self.shown)

    @property
    def share(self) -> float:
        """The fraction that is earned: the end counts once all stages are there, and not by itself."""
        return 1.0 if self.complete else sum(self.shown) / (len(self.shown) + 1)


#: Bytes that are kept of an item's lines, and about as many that a part of a formula takes with all that is made of it.
_MOST_KEPT, _PART = 1 << 20, 1000


class Looker:
    """Looks at the lines of one answer to a derivation about ``names`` that begins with ``start``.

    What it finds out about a line is kept for other answers, see ``for_answer``.
    """

    def __init__(self, names: Declarations, start: Node, end: Node, routes: Sequence[Route], brackets: bool) -> None:
        self.names = with_general_variances(names)
        self.start = start
        self.flat = Flat(self.names, brackets)
        self.cleaner = Cleaner(self.names, self.flat)
        self.known = {name for node in (start, end) for name in _operators(node, self.names)}
        for route in routes:
            self.known = self.known.union(named(route.end), *(named(stage.is_) for stage in route.stages))
        self._kept: SizedCache[tuple[Node, ...], tuple[Any, int]] = SizedCache(_MOST_KEPT)
        self._cleaned: dict[Node, Cleaned] = {}

    def for_answer(self) -> Looker:
        """Looks at another answer."""
        made = copy.copy(self)
        made._cleaned = {}
        return made

    def look(self, lines: Sequence[tuple[int, Node]]) -> list[Line]:
        """Each line with what matters of it."""
        found: list[Line] = []
        for number, node in lines:
            found.append(self._line(number, node, found))
        return found

    def _line(self, number: int, node: Node, before: Sequence[Line]) -> Line:
        try:
            begin, cleaned, general = self._clean(self.start), self._clean(node), self._general(node)
        except NotJudgedError:
            return Line(number, node, judged=False)
        except FormulaError:
            return Line(number, node)
        variants = cleaned.variants if general else ()
        # A line that holds only for the variances given can still be the end.
        if any(foreign(form, self.known, self.names) for form in (node, *cleaned.variants)):
            variants = ()
        same: int | None = 0 if set(cleaned.variants) & set(begin.variants) else None
        for line in before:
            if same is None and line.variants and set(line.variants) & set(cleaned.variants):
                same = line.number
        shown = () if same == 0 else variants
        return Line(number, node, shown, cleaned.dropped, same, proper=bool(variants), general=general)

    def ends(self, node: Node, route: Route) -> bool:
        """Whether a line is the end, by what matters of it."""
        if route.unfinished and holds(node, route.unfinished, self.names):
            return False
        try:
            variants = self._clean(node).variants
        except (FormulaError, NotJudgedError):
            return False
        fits = [holds(one, route.end, self.names) and not foreign(one, self.known, self.names) for one in variants]
        return bool(fits) and all(fits)

    def _clean(self, node: Node) -> Cleaned:
        """In one answer, each formula is cleaned once."""
        if node not in self._cleaned:
            self._cleaned[node] = self._remembered((node,), lambda: self.cleaner.clean(node))
        return self._cleaned[node]

    def shows_as_written(self, node: Node, stage: Stage) -> bool:
        """Whether a line shows a stage that is ``written``."""
        if not stage.written or not holds(node, stage.is_, self.names):
            return False
        with contextlib.suppress(NotJudgedError):
            if not stage.lasting:
                return True
            if not all(holds(variant, stage.is_, self.names) for variant in self.cleaner.without_additions(node)):
                return False
            mentioned = [properties.mentions(variant, self.names) for variant in self._clean(node).variants]
            return all({*stage.is_.mentions} <= names for names in mentioned)
        return False

    def _general(self, node: Node) -> bool:
        """Whether a line equals the start for all variances, not only for those given."""
        table = ValueTable(self.names, (self.start, node), enough=3)
        return self._remembered((self.start, node), lambda: table.counterexample(0, 1) is None)

    def _remembered(self, nodes: tuple[Node, ...], compute: Callable[[], T]) -> T:
        size = _PART * sum(map(_size, nodes))
        found: T = remembered(self._kept, nodes, size, compute)
        return found


def _operators(node: Node, names: Declarations) -> set[str]:
    return {name for part in walk(node) for name in properties.operators(part, names)}


def stage_of(line: Line, route: Route, looker: Looker, due: int) -> int | None:
    """The highest stage that a line shows, counted from 0: the lowest one among its variants. None if it shows none.

    As it is written, an end in disguise may look like a stage: it is none before that stage is ``due``.
    """
    highest: list[int] = []
    possible = [at for at, stage in enumerate(route.stages) if stage.lasting or at <= due]
    written = [at for at in possible if looker.shows_as_written(line.node, route.stages[at])]
    for variant in line.variants or ((line.node,) if written and line.proper else ()):
        cleaned = [
            at for at, stage in enumerate(route.stages) if not stage.written and holds(variant, stage.is_, looker.names)
        ]
        shown = sorted(cleaned + written)
        if not shown:
            return None
        highest.append(shown[-1])
    return min(highest, default=None)


def progress(lines: Sequence[Line], route: Route, looker: Looker, *, finished: bool = True) -> Progress:
    """What ``lines`` show of ``route``; the last of them is where the answer ends if it is ``finished``."""
    places: list[int | None] = [None] * len(route.stages)
    late: dict[int, int] = {}
    reached = -1
    at_end = False
    for line in lines:
        last = finished and line is lines[-1]
        before_end = reached < len(route.stages) and line.same_as != 0  # the start, written again, is no end
        ends = (last or before_end) and looker.ends(line.node, route)
        stage = None if last and ends else stage_of(line, route, looker, reached + 1)
        if stage is not None and stage > reached:
            places[stage] = line.number
            reached = stage
        elif ends:
            reached = len(route.stages)
        elif stage is not None:
            late.setdefault(stage, line.number)
        at_end = last and ends
    credited = [
        done is not None or (stage.optional and after is not None)
        for done, stage, after in zip(places, route.stages, [*places[1:], None], strict=True)
    ]
    return Progress(route, tuple(credited), at_end, tuple(places), late)


def best(lines: Sequence[Line], routes: Sequence[Route], looker: Looker, *, finished: bool = True) -> Progress:
    """The progress on the route that earns most."""
    found = [progress(lines, route, looker, finished=finished) for route in routes]
    nothing = Progress(Route((), Property()), (), at_end=False)  # of an edition without keys
    return max(found, key=lambda one: (one.share, one.at_end), default=nothing)


# ------------------------------------------------------------------------------------------------- messages


def not_judged(lines: Sequence[Line]) -> Text | None:
    """What is said of the first line that was too complicated, if there is one."""
    line = next((line for line in lines if not line.judged), None)
    return None if line is None else _NOT_JUDGED.fill(number=line.number)


def why_incomplete(found: Progress, lines: Sequence[Line], looker: Looker) -> list[Text]:
    """What is missing, from the tests that failed; empty if only the end is."""
    open_ = lines[: -1 if found.at_end else None]
    remarks = _remarks(lines, found.at_end)
    place = next((at for at, shown in enumerate(found.shown) if not shown), None)
    if place is None:
        return remarks[:1]
    if place in found.late:
        return [_LATE.fill(number=found.late[place])]
    stage = found.route.stages[place]
    early = [one.number for one in open_ if not one.general and holds(one.node, stage.is_, looker.names)]
    why = [_EARLY.fill(number=early[0])] if early else _nearest(open_, stage, looker, found.at_end)
    return [*remarks[:1], *why, stage.missing]


def ideas(found: Progress) -> list[Text]:
    """How many ideas were shown, and where each of them, on lines of their own; empty if none was.

    Open ones are only counted.
    """
    stages = list(zip(found.places, found.route.stages, strict=True))
    shown = [
        _IDEA.fill(number=place, idea=stage.means) if stage.means else _IN_LINE.fill(number=place)
        for place, stage in stages
        if place is not None
    ]
    needed = [stage for place, stage in stages if place is not None or not stage.optional]
    return [_IDEAS.fill(shown=len(shown), all=len(needed)), *shown] if shown else []


def _remarks(lines: Sequence[Line], at_end: bool) -> list[Text]:
    """Lines before the end that are another in disguise, and what is in them for nothing."""
    found: list[Text] = []
    # Of a line with several sides, only what is true of all of them is true of the line.
    others: dict[int, set[int | None]] = {}
    for line in lines:
        others.setdefault(line.number, set()).add(line.same_as)
    nodes = {line.number: line.node for line in lines}
    for line in lines:
        if any(map(_has_moments, line.dropped)):
            continue
        dropped = [excerpt_of(show(part)) for part in line.dropped]
        other = nodes.get(line.same_as or 0)
        if dropped and dropped[0] and line.same_as is not None:
            found.append(_DROPS.fill(number=line.number, part=dropped[0]))
        elif line.same_as in (None, line.number) or len(others[line.number]) > 1 or (at_end and line is lines[-1]):
            continue
        elif other is None:
            found.append(_SAME_AS_START.fill(number=line.number))
        elif _size(line.node) >= _size(other):  # a shorter one is a step, such as PᵀP = I
            same = _AGAIN if line.node == other else _SAME
            found.append(same.fill(number=line.number, other=line.same_as))
    return found


def _has_moments(part: Node) -> bool:
    """Whether a part has moments in it: it is a step that they are 0."""
    return any(isinstance(inner, FunctionCall) and inner.function in ("E", "Var", "Cov") for inner in walk(part))


def _size(node: Node) -> int:
    return sum(1 for _ in walk(node))


def _nearest(lines: Sequence[Line], stage: Stage, looker: Looker, at_end: bool) -> list[Text]:
    """What keeps the line that comes closest from having the property, if that can be said in words.

    A chain that has not ended goes on from its last line: what that line has is not said to be missing before it.
    """
    # As it is written: what was cleaned away may be what the line is short of.
    sides = Counter(line.number for line in lines)
    found = [
        (line.number, failures(line.node, stage.is_, looker.names))
        for line in lines
        if line.variants and sides[line.number] == 1
    ]
    # Of lines that come equally close, the last.
    number, why = min(reversed(found), key=lambda one: len(one[1]) or math.inf, default=(0, []))
    if not why or not why[0].said.en:
        return []
    if why[0].lacks:  # where it went; if no line has it, the question says more
        nodes = [(0, looker.start), *((line.number, line.node) for line in lines if sides[line.number] == 1)]
        each = {at: {one.lacks: one.said for one in failures(node, stage.is_, looker.names)} for at, node in nodes}
        idle = {line.number for line in lines if line.dropped}  # may have it in what changes nothing
        had = [at for at in each if at < number and at not in idle and why[0].lacks not in each[at]]
        if not had:
            return []
        number = next(at for at in each if at > had[-1] and why[0].lacks in each[at])
        before = _LINE.fill(number=had[-1]) if had[-1] else _THE_START
        return [_SKIPPED.fill(before=before, number=number, why=each[number][why[0].lacks])]
    left = [one.said.en for one in failures(lines[-1].node, stage.is_, looker.names)]
    return [_LACKS.fill(number=number, why=why[0].said)] if at_end or why[0].said.en in left else []
