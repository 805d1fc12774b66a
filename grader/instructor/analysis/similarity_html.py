"""Similar submissions side by side: a self-contained HTML page in both languages, without scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from grader.core.model import Course, Lang
from grader.instructor.analysis import similarity_view
from grader.instructor.analysis.class_similarity import ClassSimilarity, Cluster, by_couple, find_clusters
from grader.instructor.analysis.similarity import Excerpt, MarkedLine, SimilarPair, side_by_side
from grader.report.html import self_contained, sheet

_TEMPLATES = Path(__file__).parent / "templates"

#: How many clusters are shown, and how many couples in all with their code.
MOST = 40
MOST_COUPLES = 80
_MOST_LINES = 400
_LONGEST_LINE = 300

#: One column of a comparison: whose code it is, excerpts of it, and whether they were cut.
Side: TypeAlias = tuple[str, tuple[Excerpt, ...], bool]
#: The names of two submissions, and for each scope their pair with the code of both.
Couple: TypeAlias = tuple[str, str, list[tuple[SimilarPair, list[Side]]]]


@dataclass(frozen=True, slots=True)
class ClusterComparison:
    """A cluster and its couples side by side; ``more`` couples are not shown."""

    cluster: Cluster
    couples: list[Couple]
    more: int


def render(alike: ClassSimilarity, course: Course, lang: Lang) -> str:
    """The page as HTML, first shown in ``lang``."""
    made = find_clusters(alike.found)
    return self_contained(
        "similarity.html",
        sheet(_TEMPLATES / "similarity.css"),
        _TEMPLATES,
        course=course,
        title=similarity_view.TITLE,
        view=similarity_view,
        alike=alike,
        shown=compare_clusters(alike, made[:MOST]),
        more=len(made) - MOST,
        lang=course.language(lang),
    )


def compare_clusters(
    alike: ClassSimilarity, chosen: Sequence[Cluster], most: int = MOST_COUPLES
) -> list[ClusterComparison]:
    """The ``chosen`` clusters with at most ``most`` couples in all side by side."""
    left, shown = most, []
    for cluster in chosen:
        couples = list(by_couple(cluster.links).values())
        kept = couples[:left]
        left -= len(kept)
        shown.append(ClusterComparison(cluster, [_couple(alike, pairs) for pairs in kept], len(couples) - len(kept)))
    return shown


def _couple(alike: ClassSimilarity, pairs: Sequence[SimilarPair]) -> Couple:
    keys, who = (pairs[0].left, pairs[0].right), alike.who
    left, right = map(alike.read, keys)
    compared = []
    for pair in pairs:
        code = side_by_side(alike.found, pair, left, right) if left and right else ((), ())
        compared.append((pair, [_side(who[key], excerpts) for key, excerpts in zip(keys, code, strict=True)]))
    return who[keys[0]], who[keys[1]], compared


def _side(who: str, excerpts: Sequence[Excerpt]) -> Side:
    """The first ``_MOST_LINES`` lines; blank lines at the ends of an excerpt are left out."""
    left, kept = _MOST_LINES, []
    for excerpt in excerpts:
        lines = list(islice(_trimmed(excerpt.lines), left))
        left -= len(lines)
        if lines:
            kept.append(Excerpt(excerpt.label, tuple(lines)))
    return who, tuple(kept), left == 0


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
