"""The scoreboard of docs/security.md: not among the tests that write it."""

from __future__ import annotations

from tests.attacks import matrix


def test_the_scoreboard_is_about_these_attacks() -> None:
    """It lists every attack that exists, and none that does not: `make attacks` writes it anew."""
    assert matrix.listed(matrix.PAGE.read_text(encoding="utf-8")) == [
        attack.name for family in matrix.FAMILIES for attack in matrix.attacks() if attack.family == family
    ]
