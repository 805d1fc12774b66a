"""The scoreboard of docs/security.md and its list of places, apart from the tests that write it."""

from __future__ import annotations

import re

import pytest

from tests.attacks import grader, matrix
from tests.attacks.matrix import Score, Tried


def board(page: str) -> str:
    """What `make attacks` writes into a page."""
    return page.partition(matrix.BEGIN)[2].partition(matrix.END)[0]


def figures(page: str) -> tuple[int, int, int]:
    """The attacks, the configurations and the attacks that succeeded, as the first line says."""
    (found,) = re.findall(
        r"^(\d+) attacks, (\d+) configurations, (\d+) attacks that succeeded\.$", board(page), re.MULTILINE
    )
    first, second, third = map(int, found)
    return first, second, third


def rows(page: str) -> dict[str, list[tuple[int, int]]]:
    """The table of families: of each configuration, how many attacks were held and tried; (0, 0) for none."""
    table = re.findall(r"^\| (\w+|\*\*all\*\*) \|((?: (?:\d+/\d+|–) \|)+)$", board(page), re.MULTILINE)
    return {family.strip("*"): [cell(each) for each in cells.strip(" |").split("|")] for family, cells in table}


def cell(text: str) -> tuple[int, int]:
    """Held and tried."""
    held, _, tried = text.strip().partition("/")
    return (int(held), int(tried)) if tried else (0, 0)


def attacks(page: str) -> list[tuple[str, int, int]]:
    """Each attack that is listed: family, and how often it was held and tried."""
    found, family = [], ""
    for line in board(page).splitlines():
        if heading := re.fullmatch(r"\*\*(\w+)\*\*", line):
            family = heading[1]
        elif re.match(r"\| `\w+` \|", line):
            found.append((family, *cell(line.rstrip(" |").rpartition("|")[2])))
    return found


def check(page: str) -> None:
    """Every figure of the scoreboard follows from the others."""
    total, configurations, succeeded = figures(page)
    table = rows(page)
    everything = table.pop("all")
    tried = [(family, held, times) for family, held, times in attacks(page) if times]
    assert len(tried) == total
    assert sum(1 for _, times in everything if times) == configurations
    assert sum(held < times for _, held, times in tried) == succeeded
    assert table.keys() == set(matrix.FAMILIES)
    for at, (held, times) in enumerate(everything):
        assert held == sum(row[at][0] for row in table.values())
        assert times == sum(row[at][1] for row in table.values())
    for family, row in table.items():
        mine = [(held, times) for named, held, times in tried if named == family]
        assert sum(held for held, _ in row) == sum(held for held, _ in mine)
        assert sum(times for _, times in row) == sum(times for _, times in mine)
        assert max(times for _, times in row) == len(mine)


def test_the_scoreboard_is_about_these_attacks() -> None:
    """It lists exactly the attacks that exist; `make attacks` updates it."""
    assert matrix.listed(matrix.PAGE.read_text(encoding="utf-8")) == [
        attack.name for family in matrix.FAMILIES for attack in matrix.attacks() if attack.family == family
    ]


def test_the_figures_add_up() -> None:
    """The first line, the table of families and the list of attacks say the same."""
    check(matrix.PAGE.read_text(encoding="utf-8"))


def test_the_scoreboard_names_its_commit() -> None:
    """Twelve digits, and whether the files were those of the commit."""
    page = matrix.PAGE.read_text(encoding="utf-8")
    assert re.search(r"^- Commit [0-9a-f]{12}(, dirty)?$", board(page), re.MULTILINE)


def recorded(failed: str | None) -> Score:
    """A run as an ordinary user with two configurations, in which one attack was not tried, and one may succeed."""
    codeless = {attack.name for attack in matrix.attacks() if attack.family in matrix.WITHOUT_CODE}
    names = [attack.name for attack in matrix.attacks()]
    held = {("U1", name): Tried("held", "seccomp") for name in names[1:]}
    held |= {("U3", name): Tried("held", "seccomp") for name in names[1:] if name not in codeless}
    held |= {("C1", name): Tried("needs root") for name in names}
    return held if failed is None else held | {("U3", failed): Tried("failed", "seccomp")}


@pytest.mark.parametrize("failed", [None, "tamper/scalar"])
def test_what_is_written_adds_up(failed: str | None) -> None:
    """Whatever was tried, and whatever came of it; the commit is named."""
    page = matrix.written(f"before\n{matrix.BEGIN}\nthe last one\n{matrix.END}\nafter\n", recorded(failed))
    check(page)
    assert figures(page) == (len(matrix.attacks()) - 1, 2, int(failed is not None))
    assert re.search(r"^- Commit ([0-9a-f]{12}|unknown)(, dirty)?$", board(page), re.MULTILINE)
    assert page.startswith("before\n") and page.endswith("after\n") and "the last one" not in page


def test_every_attack_can_be_told_from_others() -> None:
    """Every attack has a unique name and says what it tries."""
    names = [attack.name for attack in matrix.attacks()]
    assert sorted(set(names)) == sorted(names)
    assert all(attack.tries for attack in matrix.attacks())


def test_every_place_is_attacked() -> None:
    """The places listed in docs/security.md are those of these attacks."""
    page = matrix.PAGE.read_text(encoding="utf-8")
    listed = re.findall(
        r"^\| \*\*([a-z ]+)\*\* \|", page.partition("## What learners wrote")[2].partition("\n## ")[0], re.M
    )
    assert sorted(set(listed)) == sorted(listed)
    assert {case.place for case in grader.CASES} == set(listed)
