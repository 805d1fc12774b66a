"""Similar submissions of a class: read from the paths that its gradebook records, compared, and put into clusters.

In each scope, similar submissions are linked, and a cluster is a connected component, even if the two ends of a chain
are less similar than the threshold. Clusters with the same submissions in several scopes are merged, and a cluster
within a larger one becomes part of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from grader import submission
from grader.classroom.gradebook import Gradebook, SubmissionRow
from grader.classroom.worker import Workers
from grader.core import bounded
from grader.core.errors import SubmissionError
from grader.core.model import Course, Part, SourceFile
from grader.core.serialize import Shown
from grader.course.starter import file_name, stub
from grader.instructor.analysis import similarity
from grader.instructor.analysis.similarity import (
    WHOLE,
    CodeSample,
    IdenticalGroup,
    ReducedSample,
    ScopeName,
    SimilarityResult,
    SimilarPair,
)

#: With fewer submissions, starting worker processes takes longer than it saves.
_MANY = 100


@dataclass(frozen=True, slots=True)
class ClassSimilarity:
    """The similarities in a class. ``people`` maps the key of each submission to its learners.

    ``left_out`` are the keys of submissions that cannot be read. ``read`` reads a submission again, by key, to show its
    code.
    """

    found: SimilarityResult
    people: Mapping[str, tuple[str, ...]]
    left_out: tuple[str, ...]
    read: Callable[[str], CodeSample | None]

    @property
    def who(self) -> dict[str, str]:
        """A display name for each submission, by key: its learners, or the key if it belongs to nobody."""
        return {key: ", ".join(names) or key for key, names in self.people.items()}


def compare_class(gradebook: Gradebook, course: Course, threshold: float | None = None) -> ClassSimilarity:
    """Compare the last submission of each learner or group, for the questions that were graded.

    ``threshold`` is the score, from 0 to 1, from which a pair is reported; None means ``similarity.THRESHOLD``.
    """
    asked = gradebook.recall("questions")
    row = list(_last(gradebook.submissions()))
    read = partial(_read, {one.key: (one.learners, gradebook.place(one)) for one in row if one.error is None})
    counting = [q for q in course.questions if not isinstance(asked, dict) or q.id in asked]
    exercises = [exercise.name for question in counting for exercise in question.exercises]
    reduced = _reduced(read, exercises, [one.key for one in row])
    readable = [one for one in reduced.values() if one is not None]
    return ClassSimilarity(
        found=similarity.compare(readable, _given(course), exercises, threshold or similarity.THRESHOLD),
        people={one.key: one.learners for one in row},
        left_out=tuple(key for key, one in reduced.items() if one is None),
        read=read,
    )


def _last(submissions: Sequence[SubmissionRow]) -> Iterator[SubmissionRow]:
    """The last attempt of each learner or group, and all submissions that belong to nobody."""
    last = {one.learners or (one.key,): one for one in sorted(submissions, key=lambda one: one.attempt)}
    return iter(last.values())


def _read(places: Mapping[str, tuple[tuple[str, ...], Path]], key: str) -> CodeSample | None:
    """The code of the submission ``key``; None if it cannot be read."""
    if key not in places:  # it could not be read when it was graded
        return None
    people, place = places[key]
    try:
        return CodeSample(key, people, submission.read(place).files)
    except SubmissionError:
        return None


def _reduced(
    read: Callable[[str], CodeSample | None], exercises: Sequence[str], keys: Sequence[str]
) -> dict[str, ReducedSample | None]:
    """All submissions in reduced form, by key. Reading takes most of the time, so a large class is read on all CPUs."""
    take = partial(_reduce, read, exercises)
    if len(keys) < _MANY:
        return dict(zip(keys, map(take, keys), strict=True))
    with Workers() as pool:
        return dict(zip(keys, pool.map(take, keys, chunksize=8), strict=True))


def _reduce(read: Callable[[str], CodeSample | None], exercises: Sequence[str], key: str) -> ReducedSample | None:
    one = read(key)
    if one is None:
        return None
    if similarity.is_small(one):
        return similarity.reduce_sample(one, exercises)
    try:
        return bounded.call(bounded.READING, similarity.reduce_sample, one, exercises)
    except bounded.Exceeded:
        return None


def _given(course: Course) -> list[SourceFile]:
    """The code that every learner was given: the references and the stubs."""
    written = [(file_name(question), stub(question, "en")) for question in course.questions if question.exercises]
    return [*course.reference, *(SourceFile(name, name, (Part(name, text),)) for name, text in written)]


# -------------------------------------------------------------------- clusters, so that not every pair has to be listed

N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True)
class ClusterScope:
    """How similar submissions of a cluster are in one exercise: the lowest and the highest values of their pairs.

    - `exercise`: the exercise; `null` for the whole submission
    - `submissions`: the keys of those that are similar in it
    - `score`: the lowest and the highest score
    - `tokens`: the lowest and the highest number of shared tokens
    - `names`: the lowest and the highest share of identical names
    """

    exercise: ScopeName
    submissions: tuple[Shown, ...]
    score: tuple[float, float]
    tokens: tuple[int, int]
    names: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Submissions that belong together. ``scopes`` are those in which all or some of them are similar.

    ``links`` are the pairs of a spanning tree: couples that connect all submissions, the strongest first, each couple
    with one pair for each scope.
    """

    keys: tuple[str, ...]
    scopes: tuple[ClusterScope, ...]
    links: tuple[SimilarPair, ...]

    @property
    def common(self) -> bool:
        """Whether all are identical, in code that many others have in parts; see ``SimilarPair``."""
        return all(pair.common for pair in self.links)

    @property
    def tokens(self) -> int:
        """The most tokens that two of them share. The more they share, the less likely it is by chance."""
        return max(_tokens(pairs) for pairs in by_couple(self.links).values())


def find_clusters(found: SimilarityResult) -> tuple[Cluster, ...]:
    """The clusters, those that share the most tokens first."""
    pairs = [*found.pairs, *(pair for group in found.groups if group.scope == WHOLE for pair in _star(group))]
    by_scope, by_left = defaultdict(list), defaultdict(list)
    for pair in pairs:
        by_scope[pair.scope].append(pair)
        by_left[pair.left].append(pair)
    alike = [scope for inside in by_scope.values() for scope in _of_scope(inside)]
    parts: dict[frozenset[str], list[ClusterScope]] = {}
    wholes: dict[str, list[frozenset[str]]] = defaultdict(list)  # by the key of each member, the largest first
    for scope in sorted(alike, key=lambda scope: (-len(scope.submissions), scope.submissions)):
        keys = frozenset(scope.submissions)
        home = next((whole for whole in wholes[scope.submissions[0]] if keys <= whole), keys)
        if home not in parts:
            parts[home] = []
            for key in home:
                wholes[key].append(home)
        parts[home].append(scope)
    clusters = []
    for keys, inside in parts.items():
        linked = [pair for key in keys for pair in by_left[key] if pair.right in keys]
        scopes = sorted(inside, key=lambda alike: (alike.exercise == WHOLE, -alike.tokens[1], alike.exercise))
        clusters.append(Cluster(tuple(sorted(keys)), tuple(scopes), tuple(_links(linked))))
    return tuple(sorted(clusters, key=lambda cluster: (-cluster.tokens, cluster.keys)))


def _star(group: IdenticalGroup) -> Iterator[SimilarPair]:
    """A large group as pairs with its first member. All have the ``names`` of the pair that differs most."""
    first, *others = group.keys
    for key in others:
        yield SimilarPair(first, key, group.scope, 1.0, group.tokens, group.names, common=True)


def _of_scope(pairs: Sequence[SimilarPair]) -> Iterator[ClusterScope]:
    """The connected components of the pairs of one scope."""
    home: dict[str, str] = {}
    for pair in pairs:
        home[_root(home, pair.left)] = _root(home, pair.right)
    components: dict[str, list[SimilarPair]] = defaultdict(list)
    for pair in pairs:
        components[_root(home, pair.left)].append(pair)
    for linked in components.values():
        keys = {pair.left for pair in linked} | {pair.right for pair in linked}
        yield ClusterScope(
            linked[0].scope,
            tuple(sorted(keys)),
            _range([pair.score for pair in linked]),
            _range([pair.tokens for pair in linked]),
            _range([pair.names for pair in linked]),
        )


def _root(home: dict[str, str], key: str) -> str:
    """The key that stands for all that ``key`` is linked with (union-find); the way to it is made shorter."""
    while home.setdefault(key, key) != key:
        home[key] = home[home[key]]
        key = home[key]
    return key


def _range(values: Sequence[N]) -> tuple[N, N]:
    return min(values), max(values)


def by_couple(pairs: Iterable[SimilarPair]) -> dict[tuple[str, str], list[SimilarPair]]:
    """The pairs grouped by their two submissions (left, right)."""
    found: dict[tuple[str, str], list[SimilarPair]] = {}
    for pair in pairs:
        found.setdefault((pair.left, pair.right), []).append(pair)
    return found


def _tokens(pairs: Sequence[SimilarPair]) -> int:
    exercises = sum(pair.tokens for pair in pairs if pair.scope != WHOLE)
    return max(exercises, *(pair.tokens for pair in pairs))


def _links(pairs: Sequence[SimilarPair]) -> Iterator[SimilarPair]:
    """A spanning tree of the strongest couples (Kruskal's algorithm), each with its pairs, exercises first."""
    home: dict[str, str] = {}

    def strength(couple: tuple[tuple[str, str], list[SimilarPair]]) -> tuple[float, float, tuple[str, str]]:
        names, inside = couple
        return -_tokens(inside), -max(pair.score for pair in inside), names

    for (left, right), inside in sorted(by_couple(pairs).items(), key=strength):
        if _root(home, left) != _root(home, right):
            home[_root(home, left)] = _root(home, right)
            yield from sorted(inside, key=lambda pair: (pair.scope == WHOLE, -pair.tokens, pair.scope))
