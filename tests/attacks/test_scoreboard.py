"""The scoreboard of docs/security.md and its list of places, apart from the tests that write it."""

from __future__ import annotations

import re

from tests.attacks import grader, matrix


def test_the_scoreboard_is_about_these_attacks() -> None:
    """It lists exactly the attacks that exist; `make attacks` updates it."""
    assert matrix.listed(matrix.PAGE.read_text(encoding="utf-8")) == [
        attack.name for family in matrix.FAMILIES for attack in matrix.attacks() if attack.family == family
    ]


def test_every_place_is_attacked() -> None:
    """The places listed in docs/security.md are those of these attacks."""
    page = matrix.PAGE.read_text(encoding="utf-8")
    listed = re.findall(
        r"^\| \*\*([a-z ]+)\*\* \|", page.partition("## What learners wrote")[2].partition("\n## ")[0], re.M
    )
    assert sorted(set(listed)) == sorted(listed)
    assert {case.place for case in grader.CASES} == set(listed)
