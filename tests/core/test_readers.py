"""The readers of a server: whose turn it is, what a person may use, and what is read once."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from grader.core import bounded, readers
from grader.core.bounded import READING, Bounds, Exceeded, Helper
from grader.core.errors import UsageError
from grader.core.readers import Budget, Readers, Turns

HOUR = 3600.0


@pytest.fixture
def pool() -> Iterator[Readers]:
    """Two quick readers, which import a module at the start; everybody has a minute."""
    made = Readers(2, 60.0, ("xmlrpc.client",))
    yield made
    made.close()


def test_a_turn_does_not_depend_on_how_much_others_queued() -> None:
    """Somebody who has used nothing is next, before the five calls that were there first."""
    used = {"mal": 9.0, "ada": 0.0}
    turns = Turns([Helper()], used.__getitem__)
    order: list[str] = []

    def go(person: str) -> None:
        with turns.turn(person):
            order.append(person)

    with ThreadPoolExecutor(8) as threads, turns.turn("mal"):
        for number, person in enumerate(["mal"] * 5 + ["ada"], 1):
            threads.submit(go, person)
            while len(turns.waiting()) < number:
                time.sleep(0.001)
    assert order == ["ada"] + ["mal"] * 5


def test_one_person_has_one_helper_at_a_time() -> None:
    """The second helper is free for others while somebody's first call runs."""
    turns = Turns([Helper(), Helper()], lambda person: 0.0)
    entered = threading.Event()

    def again() -> None:
        with turns.turn("mal"):
            entered.set()

    with ThreadPoolExecutor(1) as threads, turns.turn("mal"):
        threads.submit(again)
        while not turns.waiting():
            time.sleep(0.001)
        with turns.turn("ada"):
            assert turns.waiting() == ("mal",)
            assert not entered.is_set()
    assert entered.is_set()


def test_the_last_helper_is_for_those_who_used_least() -> None:
    """Two people who used much never have both helpers, so a third one always finds one free."""
    used = {"mal": 2.0, "eve": 3.0, "ada": 0.1}
    turns = Turns([Helper(), Helper()], used.__getitem__, little=1.0)
    entered = threading.Event()

    def second() -> None:
        with turns.turn("eve"):
            entered.set()

    with ThreadPoolExecutor(1) as threads:
        with turns.turn("mal"):
            threads.submit(second)
            while not turns.waiting():
                time.sleep(0.001)
            for _ in range(3):
                with turns.turn("ada"):
                    assert turns.waiting() == ("eve",)
        assert entered.wait(60)


def test_a_budget_is_for_an_hour() -> None:
    """What was used counts for an hour; the time until there is some again is told."""
    budget = Budget(10.0)
    budget.note("mal", 6.0, 0.0)
    budget.note("mal", 6.0, 600.0)
    assert (budget.used("mal", 700.0), budget.wait("mal", 700.0)) == (12.0, HOUR - 700.0)
    assert budget.wait("ada", 700.0) == 0.0
    assert budget.wait("mal", HOUR) == 0.0
    assert budget.used("mal", HOUR) == 6.0


def test_many_small_uses_are_no_long_list() -> None:
    """Uses within a minute are one entry, and add up."""
    budget = Budget(10.0)
    for at in range(1000):
        budget.note("mal", 0.001, at / 100)
    assert budget.used("mal", 10.0) == pytest.approx(1.0)
    assert len(budget._uses["mal"]) == 1


def test_a_used_up_budget_is_said_and_is_of_one_person_only(pool: Readers) -> None:
    """The words name the limit and the time; others go on, and so do calls that are for nobody."""
    pool._budget.note("mal", 61.0, time.monotonic())
    with pool.reading_for("mal"), pytest.raises(UsageError, match=r"60 seconds.*within an hour.*again in 1 h"):
        bounded.call(READING, len, "abc")
    with pool.reading_for("ada"):
        assert bounded.call(READING, len, "abc") == 3
    assert bounded.call(READING, len, "abc") == 3


def test_what_takes_long_goes_on_slowly_and_is_charged(pool: Readers, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that exceeds the quick turn is made again on the helper with the lowest priority, with all its time."""
    monkeypatch.setattr(readers, "QUICK", 0.05)
    with pool.reading_for("mal"):
        assert bounded.call(READING, os.nice, 0) < 19
        assert bounded.call(READING, eval, "sum(range(2 * 10**7)) and __import__('os').nice(0)") == 19
        with pytest.raises(Exceeded, match="cpu"):
            bounded.call(Bounds(cpu=0.5), pow, 3, 10**8)
        assert bounded.call(READING, len, "abc") == 3
    assert 0.5 < pool._budget.used("mal", time.monotonic()) < 30


def test_a_turn_that_is_cut_short_costs_others_nothing(pool: Readers, monkeypatch: pytest.MonkeyPatch) -> None:
    """No helper starts again and no module is imported again, however the calls of one person end."""
    started = count_starts(monkeypatch)
    monkeypatch.setattr(readers, "QUICK", 0.05)
    pool.start()
    assert len(started) == 3
    loaded = "'xmlrpc.client' in __import__('sys').modules"
    with pool.reading_for("mal"):
        assert bounded.call(READING, eval, f"pow(3, 10**6) and {loaded}")
        for call in ("pow(3, 10**8)", "__import__('os').abort()", "__import__('os')._exit(3)"):
            with pytest.raises(Exceeded):
                bounded.call(Bounds(cpu=0.2), eval, call)
    with pool.reading_for("ada"):
        assert bounded.call(READING, eval, loaded)
    assert len(started) == 3


def test_others_are_read_for_while_somebody_keeps_a_helper_busy(pool: Readers) -> None:
    """However often somebody asks at once, a helper is free for others, and none of theirs waits for a call to end."""
    release = threading.Event()
    with ThreadPoolExecutor(4) as threads:
        turns = [threads.submit(hold, pool._quick, "mal", release) for _ in range(4)]
        while len(pool._quick.waiting()) < 3:
            time.sleep(0.001)
        for person in ("ada", "bo") * 5:
            with pool.reading_for(person):
                assert bounded.call(READING, len, "abc") == 3
        assert not any(turn.done() for turn in turns)
        release.set()


def hold(turns: Turns, person: str, release: threading.Event) -> None:
    """Keeps a helper until it is released."""
    with turns.turn(person):
        release.wait()


def count_starts(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A list that gets an entry for each helper that starts."""
    real, started = subprocess.Popen, list[object]()

    def popen(*args: Any, **kwargs: Any) -> Any:
        started.append(args)
        return real(*args, **kwargs)

    monkeypatch.setattr(subprocess, "Popen", popen)
    return started


def test_the_same_content_is_read_once(pool: Readers, tmp_path: Path) -> None:
    """A result that depends on the arguments alone is kept, with errors, for anybody; other results are not."""
    note = tmp_path / "note"
    count = "open(p, 'a').write('x') and 7"
    with pool.reading_for("ada"):
        assert [bounded.call_pure(READING, eval, count, {"p": str(note)}) for _ in range(3)] == [7] * 3
        assert note.read_text() == "x"
        assert [bounded.call(READING, eval, count, {"p": str(note)}) for _ in range(2)] == [7] * 2
    assert note.read_text() == "xxx"
    with pool.reading_for("bo"):
        assert bounded.call_pure(READING, eval, count, {"p": str(note)}) == 7
        for _ in range(2):
            with pytest.raises(Exceeded, match="size"):
                bounded.call_pure(Bounds(cpu=5, result=1000), eval, f"({count}) and b'x' * 2000", {"p": str(note)})
    assert note.read_text() == "xxxx"


def test_who_has_used_much_is_read_for_slowly(pool: Readers) -> None:
    """Above a tenth of the budget, no quick helper is taken any more; others have all of them."""
    pool._budget.note("mal", 7.0, time.monotonic())
    with pool.reading_for("mal"):
        assert bounded.call(READING, os.nice, 0) == 19
    with pool.reading_for("ada"):
        assert bounded.call(READING, os.nice, 0) < 19
