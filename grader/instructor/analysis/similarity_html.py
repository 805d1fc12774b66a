"""Similar submissions side by side: a self-contained HTML page in both languages, without scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from grader.core.model import Course, Lang, Text
from grader.instructor.analysis import similarity_view
from grader.instructor.analysis.class_similarity import Cluster, by_couple, find_clusters
from grader.instructor.analysis.similarity import (
    WHOLE,
    CodeSample,
    Excerpt,
    MarkedLine,
    SimilarityResult,
    SimilarPair,
    side_by_side,
)
from grader.report.html import self_contained, sheet

_TEMPLATES = Path(__file__).parent / "templates"

#: How many clusters are shown, and how many couples in all with their code. The first few clusters are expanded.
MOST = 40
MOST_COUPLES = 80
_OPEN = 3
_MOST_LINES = 400
_LONGEST_LINE = 300


@dataclass(frozen=True, slots=True)
class Side:
    """One column of a comparison: excerpts of the code, and whether they were cut."""

    who: str
    excerpts: tuple[Excerpt, ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class ScopeComparison:
    """A couple in one scope, with the code of both."""

    pair: SimilarPair
    alike: Text
    sides: tuple[Side, Side]


@dataclass(frozen=True, slots=True)
class CoupleComparison:
    """Two submissions of a cluster, compared in each scope."""

    left: str
    right: str
    compared: tuple[ScopeComparison, ...]


@dataclass(frozen=True, slots=True)
class ClusterComparison:
    """A cluster, what its members have in common, and its couples. ``more`` couples are not shown."""

    cluster: Cluster
    title: Text
    alike: tuple[Text, ...]
    common: bool
    open: bool
    couples: tuple[CoupleComparison, ...]
    more: int


def render(
    found: SimilarityResult,
    course: Course,
    lang: Lang,
    who: Mapping[str, str],
    read: Callable[[str], CodeSample | None],
    left_out: Sequence[str] = (),
) -> str:
    """The page as HTML, first shown in ``lang``. ``who`` names each submission; ``read`` reads one again, by key."""
    made = find_clusters(found)
    return self_contained(
        "similarity.html",
        sheet(_TEMPLATES / "similarity.css"),
        _TEMPLATES,
        course=course,
        title=similarity_view.TITLE,
        view=similarity_view,
        found=found,
        shown=compare_clusters(found, made[:MOST], who, read),
        more=len(made) - MOST,
        notes=similarity_view.notes(found, who, left_out),
        scopes=[one for one in found.scopes if one.exercise != WHOLE and one.written],
        lang=lang,
    )


def compare_clusters(
    found: SimilarityResult,
    chosen: Sequence[Cluster],
    who: Mapping[str, str],
    read: Callable[[str], CodeSample | None],
    most: int = MOST_COUPLES,
) -> list[ClusterComparison]:
    """The ``chosen`` clusters with at most ``most`` couples in all side by side."""
    left, shown = most, []
    for at, cluster in enumerate(chosen):
        couples = list(by_couple(cluster.links).items())
        kept = couples[:left]
        left -= len(kept)
        shown.append(
            ClusterComparison(
                cluster,
                similarity_view.title(cluster, who),
                tuple(similarity_view.alike_in(one, cluster, who) for one in cluster.scopes),
                all(pair.common for pair in cluster.links),
                at < _OPEN,
                tuple(_couple(found, pairs, who, read) for _, pairs in kept),
                len(couples) - len(kept),
            )
        )
    return shown


def _couple(
    found: SimilarityResult,
    pairs: Sequence[SimilarPair],
    who: Mapping[str, str],
    read: Callable[[str], CodeSample | None],
) -> CoupleComparison:
    left, right = read(pairs[0].left), read(pairs[0].right)
    scopes = []
    for pair in pairs:
        code = side_by_side(found, pair, left, right) if left and right else ((), ())
        halves = (_side(who[pair.left], code[0]), _side(who[pair.right], code[1]))
        scopes.append(ScopeComparison(pair, similarity_view.alike(pair), halves))
    return CoupleComparison(who[pairs[0].left], who[pairs[0].right], tuple(scopes))


def _side(who: str, excerpts: Sequence[Excerpt]) -> Side:
    """The first ``_MOST_LINES`` lines; blank lines at the ends of an excerpt are left out."""
    left, kept = _MOST_LINES, []
    for excerpt in excerpts:
        lines = list(islice(_trimmed(excerpt.lines), left))
        left -= len(lines)
        if lines:
            kept.append(Excerpt(excerpt.label, tuple(lines)))
    return Side(who, tuple(kept), left == 0)


def _trimmed(lines: Sequence[MarkedLine]) -> Iterator[MarkedLine]:
    full = [at for at, line in enumerate(lines) if any(text.strip() for text, _ in line.stretches)]
    for line in lines[full[0] : full[-1] + 1] if full else ():
        yield _short(line)


def _short(line: MarkedLine) -> MarkedLine:
    """The first ``_LONGEST_LINE`` characters of a line."""
    room, kept = _LONGEST_LINE, []
    for text, kind in line.stretches:
        if room > 0:
            kept.append((text if len(text) <= room else text[:room] + "…", kind))
        room -= len(text)
    return MarkedLine(line.number, tuple(kept))
