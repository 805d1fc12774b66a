"""Clusters of similar submissions, so that not every pair has to be listed. Pure functions.

In each scope, similar submissions are linked, and a cluster is a connected component, even if the two ends of a chain
are less similar than the threshold. Clusters with the same submissions in several scopes are merged, and a cluster
within a larger one becomes part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grader.instructor.analysis.similarity import WHOLE, IdenticalGroup, SimilarityResult, SimilarPair


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
    scopes = [one for scope in dict.fromkeys(pair.scope for pair in pairs) for one in _of_scope(scope, pairs)]
    parts: dict[frozenset[str], list[ClusterScope]] = {}
    for one in sorted(scopes, key=lambda one: (-len(one.keys), one.keys)):
        keys = frozenset(one.keys)
        home = next((whole for whole in parts if keys <= whole), keys)
        parts.setdefault(home, []).append(one)
    made = (
        Cluster(tuple(sorted(keys)), tuple(sorted(inside, key=_first_exercises)), tuple(_links(keys, pairs)))
        for keys, inside in parts.items()
    )
    return tuple(sorted(made, key=lambda one: (-one.tokens, one.keys)))


def _first_exercises(one: ClusterScope) -> tuple[bool, int, str]:
    return one.scope == WHOLE, -one.tokens[1], one.scope


def _star(group: IdenticalGroup) -> Iterator[SimilarPair]:
    """A large group as pairs with its first member. All have the ``names`` of the pair that differs most."""
    first, *others = group.keys
    for key in others:
        yield SimilarPair(first, key, group.scope, 1.0, group.tokens, group.names, common=True)


def _of_scope(scope: str, pairs: Sequence[SimilarPair]) -> Iterator[ClusterScope]:
    inside = [pair for pair in pairs if pair.scope == scope]
    for keys in _components((pair.left, pair.right) for pair in inside):
        linked = [pair for pair in inside if pair.left in keys]
        yield ClusterScope(
            scope,
            tuple(sorted(keys)),
            (min(pair.score for pair in linked), max(pair.score for pair in linked)),
            (min(pair.tokens for pair in linked), max(pair.tokens for pair in linked)),
            (min(pair.names for pair in linked), max(pair.names for pair in linked)),
        )


def _components(links: Iterable[tuple[str, str]]) -> list[set[str]]:
    """The connected components of a graph with these edges."""
    home: dict[str, set[str]] = {}
    for left, right in links:
        one, other = home.setdefault(left, {left}), home.setdefault(right, {right})
        if one is not other:
            small, large = sorted((one, other), key=len)
            large |= small
            home.update(dict.fromkeys(small, large))
    return list({id(keys): keys for keys in home.values()}.values())


def by_couple(pairs: Iterable[SimilarPair]) -> dict[tuple[str, str], list[SimilarPair]]:
    """The pairs grouped by their two submissions (left, right)."""
    found: dict[tuple[str, str], list[SimilarPair]] = {}
    for pair in pairs:
        found.setdefault((pair.left, pair.right), []).append(pair)
    return found


def _tokens(pairs: Sequence[SimilarPair]) -> int:
    exercises = sum(pair.tokens for pair in pairs if pair.scope != WHOLE)
    return max(exercises, *(pair.tokens for pair in pairs))


def _links(keys: frozenset[str], pairs: Sequence[SimilarPair]) -> Iterator[SimilarPair]:
    """A spanning tree of the strongest couples (Kruskal's algorithm), each with its pairs, exercises first."""
    couples = by_couple(pair for pair in pairs if pair.left in keys and pair.right in keys)
    home = {key: key for key in keys}

    def root(key: str) -> str:
        while home[key] != key:
            home[key] = home[home[key]]
            key = home[key]
        return key

    def strength(each: tuple[tuple[str, str], list[SimilarPair]]) -> tuple[float, float, tuple[str, str]]:
        return -_tokens(each[1]), -max(pair.score for pair in each[1]), each[0]

    for (left, right), inside in sorted(couples.items(), key=strength):
        if root(left) != root(right):
            home[root(left)] = root(right)
            yield from sorted(inside, key=lambda pair: (pair.scope == WHOLE, -pair.tokens, pair.scope))
