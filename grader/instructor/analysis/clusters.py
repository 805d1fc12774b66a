"""Clusters of similar submissions, so that not every pair has to be listed. Pure functions.

In each scope, similar submissions are linked, and a cluster is a connected component, even if the two ends of a chain
are less similar than the threshold. Clusters with the same submissions in several scopes are merged, and a cluster
within a larger one becomes part of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from grader.instructor.analysis.similarity import WHOLE, IdenticalGroup, SimilarityResult, SimilarPair

N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True)
class ClusterScope:
    """How similar the submissions ``keys`` are in ``scope``: each range is (minimum, maximum) over the linked pairs."""

    scope: str
    keys: tuple[str, ...]
    scores: tuple[float, float]
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
    for scope in sorted(alike, key=lambda scope: (-len(scope.keys), scope.keys)):
        keys = frozenset(scope.keys)
        home = next((whole for whole in wholes[scope.keys[0]] if keys <= whole), keys)
        if home not in parts:
            parts[home] = []
            for key in home:
                wholes[key].append(home)
        parts[home].append(scope)
    clusters = []
    for keys, inside in parts.items():
        linked = [pair for key in keys for pair in by_left[key] if pair.right in keys]
        scopes = tuple(sorted(inside, key=_first_exercises))
        clusters.append(Cluster(tuple(sorted(keys)), scopes, tuple(_links(linked))))
    return tuple(sorted(clusters, key=lambda cluster: (-cluster.tokens, cluster.keys)))


def _first_exercises(alike: ClusterScope) -> tuple[bool, int, str]:
    return alike.scope == WHOLE, -alike.tokens[1], alike.scope


def _star(group: IdenticalGroup) -> Iterator[SimilarPair]:
    """A large group as pairs with its first member. All have the ``names`` of the pair that differs most."""
    first, *others = group.keys
    for key in others:
        yield SimilarPair(first, key, group.scope, 1.0, group.tokens, group.names, common=True)


def _of_scope(pairs: Sequence[SimilarPair]) -> Iterator[ClusterScope]:
    """The connected components of the pairs of one scope."""
    members: dict[str, set[str]] = {}  # by the key of each member
    for pair in pairs:
        one, other = (members.setdefault(key, {key}) for key in (pair.left, pair.right))
        if one is not other:
            small, large = sorted((one, other), key=len)
            large |= small
            members.update(dict.fromkeys(small, large))
    links: dict[int, list[SimilarPair]] = defaultdict(list)
    for pair in pairs:
        links[id(members[pair.left])].append(pair)
    for linked in links.values():
        yield ClusterScope(
            linked[0].scope,
            tuple(sorted(members[linked[0].left])),
            _range([pair.score for pair in linked]),
            _range([pair.tokens for pair in linked]),
            _range([pair.names for pair in linked]),
        )


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

    def root(key: str) -> str:
        while home.setdefault(key, key) != key:
            home[key] = home[home[key]]
            key = home[key]
        return key

    def strength(couple: tuple[tuple[str, str], list[SimilarPair]]) -> tuple[float, float, tuple[str, str]]:
        names, inside = couple
        return -_tokens(inside), -max(pair.score for pair in inside), names

    for (left, right), inside in sorted(by_couple(pairs).items(), key=strength):
        if root(left) != root(right):
            home[root(left)] = root(right)
            yield from sorted(inside, key=lambda pair: (pair.scope == WHOLE, -pair.tokens, pair.scope))
