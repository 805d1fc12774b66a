"""Similar submissions for instructors: in a terminal, side by side on a page, and as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from grader.classroom.words import first_names
from grader.core.model import Course, Lang, Message, Text
from grader.core.text import clean
from grader.instructor.analysis import similarity
from grader.instructor.analysis.class_similarity import ClassSimilarity, Cluster, ClusterScope, by_couple, find_clusters
from grader.instructor.analysis.similarity import SHORTEST, WHOLE, Excerpt, MarkedLine, ScopeCount, SimilarPair

if TYPE_CHECKING:
    from grader.core.page import Page

_MOST = 20
_MOST_GROUPS = 10
_LONGEST = 60
_listed = partial(first_names, longest=_LONGEST)

# ---------------------------------------------------------------------------------------------- words

TITLE = Message("Similar submissions")
COMPARED = Message("{submissions} submissions compared")
HONEST = Message(
    "Similar does not mean copied. A short exercise has few correct solutions, and they look alike. So code from the "
    "stubs, the references or many submissions does not count, names, comments and formatting are ignored, and "
    "solutions with fewer than {shortest} tokens left (about four lines) are not compared. What remains is a reason "
    "to ask, never proof: have both learners explain their code."
)
NOTHING = Message("No two submissions are similar by {threshold} or more.")
ALIKE = Message("{scope}: {score} of their own code is the same ({tokens} tokens); identical variable names: {names}")
EVERYTHING = Message("everything together")
GROUP = Message("{exercise}: {count} submissions have the same solution ({tokens} own tokens): {names}")
SHORT = Message("Most solutions are too short to compare: {names}")
NO_CODE = Message("Nobody submitted code for {count} of {all} exercises.")
LEFT_OUT = Message("Skipped, because they could not be read: {names}")
SHORTENED = Message("Very long; only the first {most} tokens were compared: {names}")
UNALIGNED = Message("There is so much similar code that the {count} pairs that share least were not compared")
SOME = Message("{scope} (only {names})")
COMMON_CODE = Message("Many others wrote some of the same parts; only these wrote all of them.")
MORE = Message("and {count} more: see --html or --json", "groups")


def scope(name: str) -> Text:
    """The name of a scope as shown to people."""
    return EVERYTHING if name == WHOLE else Text(f"{name}()", f"{name}()")


def alike(pair: SimilarPair) -> Text:
    """A sentence that says how much two submissions have in common."""
    return ALIKE.fill(scope=scope(pair.scope), score=f"{pair.score:.0%}", tokens=pair.tokens, names=f"{pair.names:.0%}")


def title(cluster: Cluster, who: Mapping[str, str]) -> Text:
    """The submissions of a cluster."""
    names = [who[key] for key in cluster.keys]
    if len(names) == 2:
        left, right = (clean(name, _LONGEST) for name in names)
        return Message("{left}  ↔  {right}").fill(left=left, right=right)
    return Message("{count} submissions: {names}").fill(count=len(names), names=_listed(names))


def alike_in(one: ClusterScope, cluster: Cluster, who: Mapping[str, str]) -> Text:
    """A sentence that says how much a cluster has in common in one scope, with ranges if its pairs differ."""
    what = scope(one.exercise)
    if len(one.submissions) < len(cluster.keys):
        what = SOME.fill(scope=what, names=_listed([who[key] for key in one.submissions]))
    tokens = "–".join(dict.fromkeys(map(str, one.tokens)))
    return ALIKE.fill(scope=what, score=_range(one.score), tokens=tokens, names=_range(one.names))


def _range(ends: tuple[float, float]) -> str:
    return "–".join(dict.fromkeys(f"{end:.0%}" for end in ends))


def honest() -> Text:
    """What can and cannot be concluded from the result."""
    return HONEST.fill(shortest=SHORTEST)


def notes(alike: ClassSimilarity) -> list[Text]:
    """What else to know besides the pairs: large groups, and what was not compared."""
    found, who, said = alike.found, alike.who, list[Text]()
    popular = [group for group in found.groups if group.scope != WHOLE]
    for group in sorted(popular, key=lambda group: -group.tokens)[:_MOST_GROUPS]:
        names = _listed([who[key] for key in group.keys])
        said.append(GROUP.fill(exercise=group.scope, count=len(group.keys), tokens=group.tokens, names=names))
    exercises = [one for one in found.scopes if one.exercise != WHOLE]
    if few := [one for one in exercises if one.written and 2 * one.compared < one.written]:
        names = _listed([f"{one.exercise} ({one.compared}/{one.written})" for one in few], len(few))
        said.append(SHORT.fill(names=names))
    if empty := [one for one in exercises if not one.written]:
        said.append(NO_CODE.fill(count=len(empty), all=len(exercises)))
    if found.shortened:
        names = _listed([who[key] for key in found.shortened])
        said.append(SHORTENED.fill(most=similarity.MOST_TOKENS, names=names))
    if found.unaligned:
        said.append(UNALIGNED.fill(count=found.unaligned))
    if alike.left_out:
        said.append(LEFT_OUT.fill(names=_listed(alike.left_out)))
    return said


# ------------------------------------------------------------------------------------------- terminal


def render(page: Page, alike: ClassSimilarity) -> None:
    """Print the clusters, what was not compared, and how to interpret it."""
    found, who = alike.found, alike.who
    page.row([(page.say(TITLE), "bold")], page.say(COMPARED, submissions=found.submissions), style="bold")
    page.rule()
    page.lines(page.say(honest()), style="dim")
    page.blank()
    made = find_clusters(found)
    for at, cluster in enumerate(made[:_MOST]):
        page.lines(page.say(title(cluster, who)), lead=f"{at + 1:>2}. ", style="bold")
        for one in cluster.scopes:
            page.lines(page.say(alike_in(one, cluster, who)), indent=4)
        if cluster.common:
            page.lines(page.say(COMMON_CODE), indent=4, style="dim")
    if len(made) > _MOST:
        page.lines(page.say(MORE, count=len(made) - _MOST), indent=4)
    if not made:
        page.lines(page.say(NOTHING, threshold=f"{found.threshold:.0%}"))
    said = notes(alike)
    if said:
        page.blank()
    for text in said:
        page.lines(page.say(text), lead="• ")


# ----------------------------------------------------------------------------------------------- page

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


def render_html(alike: ClassSimilarity, course: Course, lang: Lang) -> str:
    """The page, self-contained and without scripts; first shown in ``lang``."""
    from grader.report.html import self_contained, sheet  # loads jinja2

    made = find_clusters(alike.found)
    return self_contained(
        "similarity.html",
        sheet(_TEMPLATES / "similarity.css"),
        _TEMPLATES,
        course=course,
        title=TITLE,
        view=sys.modules[__name__],  # it has the words
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
        code = similarity.side_by_side(alike.found, pair, left, right) if left and right else ((), ())
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


# ----------------------------------------------------------------------------------------------- data


@dataclass(frozen=True, slots=True)
class Submitted:
    """A submission.

    - `submission`: its key in the gradebook
    - `learners`: the ids of its learners; none if it belongs to nobody
    """

    submission: str
    learners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairJson:
    """Two submissions that are similar.

    - `left`: one of them
    - `right`: the other one
    - `exercise`: where they are similar; `null` for the whole submission
    - `score`: the share of both sides' own tokens that occur on both sides in the same order
    - `tokens`: the number of these tokens
    - `names`: the share of identical variable names among these
    - `common`: whether they are identical, and so is at least one more submission, although many others wrote the same
      parts
    """

    left: Submitted
    right: Submitted
    exercise: str | None
    score: float
    tokens: int
    names: float
    common: bool


@dataclass(frozen=True, slots=True)
class ClusterJson:
    """Submissions that pairs link, directly or through others.

    - `submissions`: the submissions
    - `tokens`: the most tokens that two of them share
    - `exercises`: where they, or some of them, are similar
    """

    submissions: tuple[Submitted, ...]
    tokens: int
    exercises: tuple[ClusterScope, ...]


@dataclass(frozen=True, slots=True)
class GroupJson:
    """A solution that more than eight submissions share; its pairs are not listed.

    - `exercise`: the exercise; `null` for the whole submission
    - `tokens`: the number of its own tokens
    - `names`: the share of identical names in the submission that differs most
    - `submissions`: all that share it
    """

    exercise: str | None
    tokens: int
    names: float
    submissions: tuple[Submitted, ...]


@dataclass(frozen=True, slots=True)
class SimilarityJson:
    """Solutions that are nearly the same. That is a reason to ask, never proof.

    - `format`: 1
    - `submissions`: how many were compared
    - `threshold`: the score from which a pair is reported
    - `shortest`: code with fewer own tokens is not compared
    - `pairs`: the most similar first
    - `clusters`: of these pairs
    - `groups`: solutions that many submissions share
    - `exercises`: what was compared
    - `shortened`: submissions that were too long: only their first 12,000 tokens were compared
    - `unaligned`: how many pairs were not compared, because the class as a whole has too much similar code
    - `left_out`: the keys of submissions that could not be read
    """

    format: int
    submissions: int
    threshold: float
    shortest: int
    pairs: tuple[PairJson, ...]
    clusters: tuple[ClusterJson, ...]
    groups: tuple[GroupJson, ...]
    exercises: tuple[ScopeCount, ...]
    shortened: tuple[Submitted, ...]
    unaligned: int
    left_out: tuple[str, ...]


def as_data(alike: ClassSimilarity) -> SimilarityJson:
    """The result as data for ``serialize.to_json``."""
    found = alike.found

    def whose(key: str) -> Submitted:
        return Submitted(clean(key), tuple(map(clean, alike.people[key])))

    def as_pair(pair: SimilarPair) -> PairJson:
        sides = whose(pair.left), whose(pair.right)
        return PairJson(*sides, pair.scope or None, pair.score, pair.tokens, pair.names, pair.common)

    return SimilarityJson(
        format=1,
        submissions=found.submissions,
        threshold=found.threshold,
        shortest=SHORTEST,
        pairs=tuple(map(as_pair, found.pairs)),
        clusters=tuple(
            ClusterJson(tuple(map(whose, cluster.keys)), cluster.tokens, cluster.scopes)
            for cluster in find_clusters(found)
        ),
        groups=tuple(
            GroupJson(group.scope or None, group.tokens, group.names, tuple(map(whose, group.keys)))
            for group in found.groups
        ),
        exercises=found.scopes,
        shortened=tuple(map(whose, found.shortened)),
        unaligned=found.unaligned,
        left_out=tuple(map(clean, alike.left_out)),
    )
