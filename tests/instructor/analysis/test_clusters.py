"""Who belongs together: clusters of similar submissions, also of code that many wrote in part."""

from __future__ import annotations

import itertools
import random

from grader.instructor.analysis.class_similarity import Cluster, find_clusters
from grader.instructor.analysis.similarity import (
    COMMON,
    WHOLE,
    CodeSample,
    SimilarityResult,
    SimilarPair,
    compare,
    reduce_sample,
    side_by_side,
)
from tests.instructor.analysis.test_similarity import CODE, OTHER, RENAMED, found, handed, program


def keys(result: SimilarityResult) -> list[tuple[str, ...]]:
    """The members of each cluster."""
    return [cluster.keys for cluster in find_clusters(result)]


def pair(left: str, right: str, scope: str = "f", tokens: int = 50) -> SimilarPair:
    """A pair."""
    return SimilarPair(left, right, scope, 0.9, tokens, 1.0)


def similar(*pairs: SimilarPair) -> SimilarityResult:
    """A result with these pairs."""
    return SimilarityResult(9, 0.8, pairs, (), (), {}, frozenset())


def test_a_triple_is_one_cluster() -> None:
    """Not three pairs; its scopes are those of all three, and two links hold it together."""
    (one,) = find_clusters(found(handed("a", CODE), handed("b", RENAMED), handed("c", CODE), handed("d", OTHER)))
    assert one.keys == ("a", "b", "c")
    assert [(scope.exercise, scope.submissions) for scope in one.scopes] == [("attend", one.keys), (WHOLE, one.keys)]
    assert one.scopes[0].score[0] < one.scopes[0].score[1] == 1.0
    assert one.scopes[0].names[0] < 0.5 and one.scopes[0].names[1] == 1.0
    assert [(each.left, each.right) for each in one.links if each.scope == "attend"] == [("a", "c"), ("a", "b")]


def six_and_six() -> tuple[list[str], list[str], SimilarityResult]:
    """Two sets of six equal solutions that differ in a line; each line of both is in twelve, which makes it common."""
    other = CODE.replace("    top =", "    scores = scores * 1.0\n    top =")
    one, two = ([f"{name}{n}" for n in range(6)] for name in "ab")
    rest = [handed(f"c{n:02}", program(random.Random(n))) for n in range(28)]
    return one, two, found(*(handed(k, CODE) for k in one), *(handed(k, other) for k in two), *rest)


def test_six_equal_solutions_are_found() -> None:
    """Although everything in them is common, because six others wrote nearly the same; and so is the second set."""
    one, two, result = six_and_six()
    assert set(keys(result)) == {tuple(one), tuple(two)}
    assert {each.common for each in result.pairs} == {True}
    assert len([each for each in result.pairs if each.scope == "attend"]) == 2 * 15
    assert result.groups == ()


def test_common_code_is_marked_where_it_is_the_same() -> None:
    """Side by side, only what was given to everybody is left out: otherwise nothing would be marked."""
    _, _, result = six_and_six()
    (first, *_) = (each for each in result.pairs if each.scope == "attend")
    (shown,), _ = side_by_side(result, first, handed("a0", CODE), handed("a1", CODE))
    assert "same" in {kind for line in shown.lines for _, kind in line.stretches}


def test_popular_solutions_are_no_cluster() -> None:
    """What more than eight wrote is one group; that whole submissions consist of it says no more."""
    result = found(*(handed(f"s{n:02}", CODE) for n in range(COMMON + 1)))
    assert (find_clusters(result), len(result.groups)) == ((), 1)


def test_a_whole_submission_that_many_have() -> None:
    """Is a cluster, however many they are, if it is more than popular solutions of single exercises."""
    text = CODE + "\n\n" + program(random.Random(1)).replace("attend", "help_me")
    class_ = [handed(f"s{n:02}", text) for n in range(COMMON + 1)]
    (one,) = find_clusters(found(*class_))
    assert one.keys == tuple(each.key for each in class_)
    assert [scope.exercise for scope in one.scopes] == [WHOLE]
    assert len(one.links) == COMMON
    assert one.scopes[0].names == (1.0, 1.0)
    renamed = handed("s00", text.replace("scores", "energy").replace("weights", "p"))
    (one,) = find_clusters(found(*class_[1:], renamed))
    assert 0.5 < one.scopes[0].names[0] < 1.0, "what the members call things is compared, not taken for granted"


def test_people_are_not_compared_with_themselves() -> None:
    """Of six equal solutions, two by the same person make no pair."""
    twice = [CodeSample(key, ("ada",), handed("x", CODE).files) for key in ("a1", "a2")]
    result = found(*twice, *(handed(f"b{n}", CODE) for n in range(4)))
    assert ("a1", "a2") not in {(each.left, each.right) for each in result.pairs}
    assert keys(result) == [("a1", "a2", "b0", "b1", "b2", "b3")]


def test_clusters_of_several_exercises() -> None:
    """A cluster inside a larger one is part of it; those that overlap stay apart; the strongest comes first."""
    result = similar(
        pair("a", "b", "f"),
        pair("b", "c", "f"),
        pair("b", "c", "g", 90),
        pair("c", "d", "g", 30),
        pair("x", "y", "g", 99),
    )
    made = find_clusters(result)
    assert [one.keys for one in made] == [("a", "b", "c"), ("b", "c", "d"), ("x", "y")]
    assert [one.tokens for one in made] == [140, 140, 99]
    result = similar(pair("a", "b", "f"), pair("b", "c", "f"), pair("b", "c", WHOLE, 80))
    (one,) = find_clusters(result)
    assert [(each.exercise, each.submissions) for each in one.scopes] == [("f", ("a", "b", "c")), (WHOLE, ("b", "c"))]


def test_a_long_chain() -> None:
    """Five hundred in a row are one cluster with as few links as can be."""
    names = [f"s{n:03}" for n in range(500)]
    (one,) = find_clusters(similar(*(pair(*two) for two in itertools.pairwise(names))))
    assert isinstance(one, Cluster) and (len(one.keys), len(one.links)) == (500, 499)


def test_nothing_is_alike() -> None:
    """Then there is no cluster."""
    assert find_clusters(compare([reduce_sample(handed("a", CODE), ["attend"])], (), ["attend"])) == ()
