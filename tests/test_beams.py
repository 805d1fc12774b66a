"""The graded cases of beam_search do not depend on what becomes of hypotheses that have ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.grading.courses import load
from grader.grading.inputs import DrawnMade, Seed, draw
from grader.sandbox.inside.helpers import next_logits

SEEDS = [Seed.public(), *map(Seed.number, range(20))]
Hypothesis = tuple[float, list[int]]
Search = Callable[..., list[int]]


def continued(step: Any, bos: int, hypothesis: Hypothesis) -> list[Hypothesis]:
    """With every word, by its log-probability."""
    score, ids = hypothesis
    logits = step([bos, *ids])
    gains = logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())
    return [(score + gain, [*ids, token]) for token, gain in enumerate(gains)]


def best(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """The likeliest first."""
    return sorted(hypotheses, key=lambda hypothesis: -hypothesis[0])


def keeping(step: Any, bos: int, eos: int, longest: int, width: int, gaps: list[float]) -> list[int]:
    """What has ended keeps its place. ``gaps``: how far apart neighbours are of which one goes on."""
    beam: list[Hypothesis] = [(0.0, [])]
    for _ in range(longest):
        ended = [one for one in beam if one[1][-1:] == [eos]]
        open_ = [one for one in beam if one not in ended]
        found = best(ended + [longer for one in open_ for longer in continued(step, bos, one)])
        gaps += [found[at][0] - found[at + 1][0] for at in {0, width - 1} if at + 1 < len(found)]
        beam = found[:width]
    return beam[0][1]


def leaving(
    step: Any, bos: int, eos: int, longest: int, width: int, refilled: bool, wide: bool = False, until: str = ""
) -> list[int]:
    """What has ended leaves the beam, and its place is ``refilled`` or not.

    ``wide``: an end counts only among the best ``width``. ``until``: ends after so many ended ones, or when none of
    the others can become better.
    """
    beam: list[Hypothesis] = [(0.0, [])]
    ended: list[Hypothesis] = []
    for _ in range(longest):
        found = best([longer for one in beam for longer in continued(step, bos, one)])
        beam = []
        for rank, one in enumerate(found if refilled else found[:width]):
            if one[1][-1] != eos:
                beam.append(one)
            elif rank < width or not wide:
                ended.append(one)
            if len(beam) == width:
                break
        enough = until == "as many as wide" and len(ended) >= width
        sure = until == "the best" and ended and (not beam or best(ended)[0][0] >= beam[0][0])
        if not beam or enough or sure:
            break
    return best(ended + beam)[0][1]


OTHERS: dict[str, Search] = {
    "leaving": partial(leaving, refilled=False),
    "leaving, the best": partial(leaving, refilled=False, until="the best"),
    "refilled": partial(leaving, refilled=True),
    "refilled, wide": partial(leaving, refilled=True, wide=True),
    "refilled, the best": partial(leaving, refilled=True, until="the best"),
    "refilled, as many as wide": partial(leaving, refilled=True, until="as many as wide"),
}


def searches() -> list[Any]:
    """Every case with the arguments of its search, once for each seed where they are drawn."""
    found = load(Path(__file__).parents[1]).exercise("beam_search")
    assert found is not None
    seen, result = set(), []
    for case in found[1].cases:
        for seed in SEEDS:
            given = dict(draw(case, "beam_search", seed).args)
            if str(given) not in seen:
                seen.add(str(given))
                result.append(pytest.param(case.name, given, id=f"{case.name}, {seed.label}"))
    return result


@pytest.mark.parametrize(("name", "given"), searches())
def test_all_ways_of_ending_agree(name: str, given: dict[str, Any]) -> None:
    """On the result; and in cases that are the same for everybody nothing hangs on rounding."""
    made = given["step"]
    assert isinstance(made, DrawnMade)
    step = next_logits(**{key: np.float64(part) if key == "table" else part for key, part in made.parts})
    bos, eos, longest, width = (given[key] for key in ("bos_id", "eos_id", "max_len", "beam_width"))
    gaps: list[float] = []
    expected = keeping(step, bos, eos, longest, width, gaps)
    assert {label: search(step, bos, eos, longest, width) for label, search in OTHERS.items()} == dict.fromkeys(
        OTHERS, expected
    )
    if name in ("by hand", "without an end", "an end on the way", "a long way to the end", "an unended text is best"):
        assert min(gaps) > 1e-3
