"""Class statistics: a self-contained HTML page in both languages, with pictures and without scripts.

Learners appear as numbered rows, sorted by points, unless their ids are requested.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from grader.core.model import Course, Lang, Message
from grader.instructor.analysis import statistics_view as view
from grader.instructor.analysis.statistics import FEW, Statistics
from grader.report.array_svg import Scale
from grader.report.html import brief, self_contained, sheet

_TEMPLATES = Path(__file__).parent / "templates"

TITLE = Message("Class statistics")
#: With more learners, each row of the heat map is the mean of several.
_ROWS = 200
_SCALE = Scale("rising", 0.0, 1.0)

_LEARNER = Message("One row per learner, the best first; one column per question; the last row is the class mean.")
_SEVERAL = Message(
    "Each row is the mean of {each} learners, the best first; one column per question; the last row is the class mean."
)


def render(statistics: Statistics, course: Course, lang: Lang, *, names: bool = False) -> str:
    """The page, in ``lang`` until its reader chooses the other language."""
    parts = groupby(view.begun(statistics), key=lambda part: part.question)
    return self_contained(
        "statistics.html",
        sheet(_TEMPLATES / "statistics.css"),
        _TEMPLATES,
        view=view,
        found=statistics,
        spread=statistics.spread,
        course=course,
        title=TITLE,
        FEW=FEW,
        OF_CLASS=Message("{times} of {learners} learners"),
        MORE=Message("{count} more", "chart"),
        findings=view.findings(statistics, course, names=names),
        parts=[(question, list(inside)) for question, inside in parts],
        bar=_SCALE.bar(),
        map=heat_map(statistics, names=names) if statistics.questions else None,
        lang=course.language(lang),
    )


def heat_map(statistics: Statistics, *, names: bool) -> dict[str, Any]:
    """What the heat map shows: the labels and cells of its rows, and the means of the class with their cells."""
    order = view.by_points(statistics)
    each = -(-len(order) // _ROWS) or 1  # learners in one row
    grid = np.array([statistics.grid[at] for at in order])
    firsts = range(0, len(order), each)
    labels = [str(at + 1) for at in firsts]
    if each > 1:
        labels = [f"{at + 1}–{min(at + each, len(order))}" for at in firsts]
    elif names:
        labels = [brief(statistics.learners[at], 18) for at in order]
    means = grid.mean(axis=0)
    return {
        "each": each,
        "said": _LEARNER if each == 1 else _SEVERAL.fill(each=each),
        "named": names,
        "labels": labels,
        "cells": _cells([grid[at : at + each].mean(axis=0) for at in firsts]),
        "means": list(zip(means.tolist(), _SCALE.levels(means).tolist(), strict=True)),
        "mean_cells": _cells([means]),
    }


def _cells(rows: Sequence[np.ndarray]) -> dict[int, list[tuple[int, int]]]:
    """The cells of each colour, as (row, column)."""
    places: dict[int, list[tuple[int, int]]] = {}
    for at, row in enumerate(rows):
        for column, level in enumerate(_SCALE.levels(row).tolist()):
            places.setdefault(level, []).append((at, column))
    return dict(sorted(places.items()))
