"""A large class with the whole bank: memory stays flat, and being killed changes nothing.

``ATTNCHECK_LEARNERS=1000 make prove`` takes a larger one, and hours: each learner has the whole bank.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.large_class import Ran, disturbed, files, invented, undisturbed

LEARNERS = int(os.environ.get("ATTNCHECK_LEARNERS", "80"))
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
        if found != expected:  # compared by hand: the files have hundreds of megabytes
            pytest.fail(f"{told}: {list(_differences(json.loads(found), json.loads(expected)))[:20]}")
        assert files(rough.out) == files(calm.out)
        for each in (calm, rough):
            assert not _litter(each.scratch / "tmp")


def _differences(found: Any, expected: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """The paths at which two documents differ, with what is there."""
    if isinstance(found, dict) and isinstance(expected, dict) and found.keys() == expected.keys():
        for key, one in found.items():
            yield from _differences(one, expected[key], f"{path}/{key}")
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for at, (one, other) in enumerate(zip(found, expected, strict=True)):
            yield from _differences(one, other, f"{path}/{at}")
    elif found != expected:
        yield path, repr(found)[:300], repr(expected)[:300]


def _flat(ran: Ran) -> None:
    for role, growth in _GROWTH.items():
        second, last = ran.quarter(2, role), ran.quarter(4, role)
        assert 0 < last < second * growth, f"{role}: {second:.0f} bytes, later {last:.0f}"


def _litter(folder: Path) -> list[Path]:
    return [*folder.iterdir()]
