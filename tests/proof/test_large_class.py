"""A large class with the whole bank: memory stays flat, and being killed changes nothing.

``ATTNCHECK_LEARNERS=100 make prove`` makes do with a smaller one.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.large_class import Ran, disturbed, files, invented, undisturbed

LEARNERS = int(os.environ.get("ATTNCHECK_LEARNERS", "1000"))
KILLS = 10

#: How much more the last quarter may take than the second: what is loaded late, and noise, but nothing that grows.
_GROWTH = {"command": 1.25, "workers": 1.25, "zygotes": 1.1}


@pytest.mark.prove
def test_a_large_class() -> None:
    """Right, wrong, endless and crashing code of everybody: graded with flat memory; killed ten times, graded alike."""
    with invented(range(LEARNERS)) as order:
        calm, rough = order("undisturbed"), order("disturbed")
        ran = undisturbed(calm)
        summary = json.loads((calm.scratch / "undisturbed.log").read_bytes())
        assert ran.code == (5 if any(row["error"] for row in summary["learners"]) else 0)
        assert summary["graded"] + sum(row["error"] is not None for row in summary["learners"]) == LEARNERS
        assert all("attncheck itself" not in (row["error"] or "") for row in summary["learners"])
        _flat(ran)

        ended, told = disturbed(rough, LEARNERS, KILLS)
        assert len(told) == KILLS
        assert ended.code == ran.code, told
        found, expected = (each.export(each.scratch / "book.json") for each in (rough, calm))
        assert found == expected, (told, *_first_difference(found, expected))
        assert files(rough.out) == files(calm.out)
        for each in (calm, rough):
            assert not _litter(each.scratch / "tmp")


def _first_difference(found: bytes, expected: bytes) -> tuple[bytes, bytes]:
    """What comes before and after the first byte that differs."""
    at = next((n for n, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b), 0)
    return found[max(0, at - 400) : at + 100], expected[max(0, at - 100) : at + 100]


def _flat(ran: Ran) -> None:
    for role, growth in _GROWTH.items():
        second, last = ran.quarter(2, role), ran.quarter(4, role)
        assert 0 < last < second * growth, f"{role}: {second:.0f} bytes, later {last:.0f}"


def _litter(folder: Path) -> list[Path]:
    return [*folder.iterdir()]
