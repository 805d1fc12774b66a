"""Similar submissions for instructors: in a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grader.classroom.words import AND_MORE
from grader.core.model import Message, Text
from grader.core.text import clean, name_list
from grader.instructor.analysis.clusters import find_clusters
from grader.instructor.analysis.similarity import MOST_TOKENS, SHORTEST, WHOLE
from grader.report.json import number

if TYPE_CHECKING:
    from grader.core.page import Page
    from grader.instructor.analysis.clusters import Cluster, ClusterScope
    from grader.instructor.analysis.similarity import ScopeCount, SimilarityResult, SimilarPair

FORMAT = 1
_MOST = 20
_MOST_GROUPS = 10
_LONGEST = 60

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
COUPLE = Message("{left}  ↔  {right}")
CLUSTER = Message("{count} submissions: {names}")
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
        return COUPLE.fill(left=left, right=right)
    return CLUSTER.fill(count=len(names), names=_listed(names))


def alike_in(one: ClusterScope, cluster: Cluster, who: Mapping[str, str]) -> Text:
    """A sentence that says how much a cluster has in common in one scope, with ranges if its pairs differ."""
    what = scope(one.scope)
    if len(one.keys) < len(cluster.keys):
        what = SOME.fill(scope=what, names=_listed([who[key] for key in one.keys]))
    tokens = "–".join(dict.fromkeys(map(str, one.tokens)))
    return ALIKE.fill(scope=what, score=_range(one.scores), tokens=tokens, names=_range(one.names))


def _range(ends: tuple[float, float]) -> str:
    return "–".join(dict.fromkeys(f"{end:.0%}" for end in ends))


def honest() -> Text:
    """What can and cannot be concluded from the result."""
    return HONEST.fill(shortest=SHORTEST)


def short(found: SimilarityResult) -> tuple[ScopeCount, ...]:
    """The exercises for which most submissions are too short to compare."""
    return tuple(one for one in found.scopes if one.name != WHOLE and one.written and 2 * one.compared < one.written)


def notes(found: SimilarityResult, who: Mapping[str, str], left_out: Sequence[str]) -> list[Text]:
    """What else to know besides the pairs: large groups, and what was not compared."""
    said = []
    popular = [group for group in found.groups if group.scope != WHOLE]
    for group in sorted(popular, key=lambda group: -group.tokens)[:_MOST_GROUPS]:
        names = _listed([who[key] for key in group.keys])
        said.append(GROUP.fill(exercise=group.scope, count=len(group.keys), tokens=group.tokens, names=names))
    if few := short(found):
        said.append(SHORT.fill(names=_listed([f"{one.name} ({one.compared}/{one.written})" for one in few], len(few))))
    exercises = [one for one in found.scopes if one.name != WHOLE]
    if empty := [one for one in exercises if not one.written]:
        said.append(NO_CODE.fill(count=len(empty), all=len(exercises)))
    if found.shortened:
        names = _listed([who[key] for key in found.shortened])
        said.append(SHORTENED.fill(most=MOST_TOKENS, names=names))
    if found.unaligned:
        said.append(UNALIGNED.fill(count=found.unaligned))
    if left_out:
        said.append(LEFT_OUT.fill(names=_listed(left_out)))
    return said


def _listed(names: Sequence[str], most: int = 20) -> Text:
    shown = [clean(name, _LONGEST) for name in names[:most]]
    listed = name_list(shown)
    if len(names) <= most:
        return listed
    more = AND_MORE.fill(more=len(names) - most)
    return Text(listed.en + more.en, listed.zh + more.zh)


# ------------------------------------------------------------------------------------------- terminal


def render(page: Page, found: SimilarityResult, who: Mapping[str, str], left_out: Sequence[str] = ()) -> None:
    """Print the clusters, what was not compared, and how to interpret it. ``who`` names each submission."""
    page.row([(page.say(TITLE), "bold")], page.say(COMPARED, submissions=found.submissions), style="bold")
    page.rule()
    page.lines(page.say(honest()), style="dim")
    page.blank()
    made = find_clusters(found)
    for at, cluster in enumerate(made[:_MOST]):
        page.lines(page.say(title(cluster, who)), lead=f"{at + 1:>2}. ", style="bold")
        for one in cluster.scopes:
            page.lines(page.say(alike_in(one, cluster, who)), indent=4)
        if all(pair.common for pair in cluster.links):
            page.lines(page.say(COMMON_CODE), indent=4, style="dim")
    if len(made) > _MOST:
        page.lines(page.say(MORE, count=len(made) - _MOST), indent=4)
    if not made:
        page.lines(page.say(NOTHING, threshold=f"{found.threshold:.0%}"))
    said = notes(found, who, left_out)
    if said:
        page.blank()
    for text in said:
        page.lines(page.say(text), lead="• ")


# ----------------------------------------------------------------------------------------------- data


def to_json(
    found: SimilarityResult, people: Mapping[str, Sequence[str]], left_out: Sequence[str] = ()
) -> dict[str, Any]:
    """The result as JSON values, documented in docs/json.md. ``people`` maps each submission to its learners."""

    def whose(key: str) -> dict[str, Any]:
        return {"submission": clean(key), "learners": [clean(name) for name in people[key]]}

    return {
        "format": FORMAT,
        "submissions": found.submissions,
        "threshold": number(found.threshold),
        "shortest": SHORTEST,
        "pairs": [
            {
                "left": whose(pair.left),
                "right": whose(pair.right),
                "exercise": pair.scope or None,
                "score": number(pair.score),
                "tokens": pair.tokens,
                "names": number(pair.names),
                "common": pair.common,
            }
            for pair in found.pairs
        ],
        "clusters": [
            {
                "submissions": [whose(key) for key in cluster.keys],
                "tokens": cluster.tokens,
                "exercises": [
                    {
                        "exercise": one.scope or None,
                        "submissions": [clean(key) for key in one.keys],
                        "score": [number(value) for value in one.scores],
                        "tokens": list(one.tokens),
                        "names": [number(value) for value in one.names],
                    }
                    for one in cluster.scopes
                ],
            }
            for cluster in find_clusters(found)
        ],
        "groups": [
            {
                "exercise": group.scope or None,
                "tokens": group.tokens,
                "names": number(group.names),
                "submissions": [whose(key) for key in group.keys],
            }
            for group in found.groups
        ],
        "exercises": [
            {"exercise": one.name or None, "written": one.written, "compared": one.compared} for one in found.scopes
        ],
        "shortened": [whose(key) for key in found.shortened],
        "unaligned": found.unaligned,
        "left_out": [clean(name) for name in left_out],
    }
