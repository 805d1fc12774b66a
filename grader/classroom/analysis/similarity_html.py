"""Similar submissions side by side, as one self-contained HTML page in both languages, without scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from markupsafe import Markup

from grader.classroom.analysis import similarity_view
from grader.classroom.analysis.similarity import WHOLE, CodeSample, Excerpt, MarkedLine, Similar, SimilarPair, sides
from grader.classroom.analysis.similarity_view import SubmissionPair
from grader.core.model import Course, Lang, Text
from grader.report.html import environment, policy, sheet

_TEMPLATES = Path(__file__).parent / "templates"

#: How many couples are shown with their code; the first few of them unfolded.
MOST = 40
_OPEN = 3
_MOST_LINES = 400
_LONGEST_LINE = 300


@dataclass(frozen=True, slots=True)
class Side:
    """The code of one of the two: excerpts, and whether they were cut."""

    who: str
    excerpts: tuple[Excerpt, ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class ScopeComparison:
    """One scope of a couple, with the code of both."""

    pair: SimilarPair
    alike: Text
    sides: tuple[Side, Side]


@dataclass(frozen=True, slots=True)
class CoupleComparison:
    """A couple with its code."""

    couple: SubmissionPair
    left: str
    right: str
    open: bool
    compared: tuple[ScopeComparison, ...]


def render(
    found: Similar,
    course: Course,
    lang: Lang,
    who: Mapping[str, str],
    read: Callable[[str], CodeSample | None],
    left_out: Sequence[str] = (),
) -> str:
    """The page, in ``lang`` until its reader chooses the other language. ``read`` reads a submission again."""
    style = sheet(_TEMPLATES / "similarity.css")
    couples = similarity_view.submission_pairs(found)
    page = (
        environment(_TEMPLATES)
        .get_template("similarity.html")
        .render(
            course=course,
            title=similarity_view.TITLE,
            found=found,
            shown=list(_shown(found, couples[:MOST], who, read)),
            more=len(couples) - MOST,
            honest=similarity_view.honest(),
            nothing=similarity_view.NOTHING.fill(threshold=f"{found.threshold:.0%}"),
            counted=similarity_view.COMPARED.fill(submissions=found.submissions),
            notes=similarity_view.notes(found, who, left_out),
            scopes=[one for one in found.scopes if one.name != WHOLE and one.written],
            lang=lang,
            style=Markup(style),
            policy=policy(style),
        )
    )
    return page.lstrip() + "\n"


def _shown(
    found: Similar, couples: Sequence[SubmissionPair], who: Mapping[str, str], read: Callable[[str], CodeSample | None]
) -> Iterator[CoupleComparison]:
    for at, couple in enumerate(couples):
        left, right = read(couple.left), read(couple.right)
        compared = []
        for pair in couple.pairs:
            code = sides(found, pair, left, right) if left and right else ((), ())
            halves = (_side(who[pair.left], code[0]), _side(who[pair.right], code[1]))
            compared.append(ScopeComparison(pair, similarity_view.alike(pair), halves))
        yield CoupleComparison(couple, who[couple.left], who[couple.right], at < _OPEN, tuple(compared))


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
