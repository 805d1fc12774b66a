"""Requests for regrading: saved before anything is said, answered once, and never changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from grader.core.errors import UsageError
from grader.instructor import learner_requests

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_a_request_is_answered_once(tmp_path: Path) -> None:
    """It keeps its number; the learner finds it with its answer; a second answer is refused."""
    one = learner_requests.add_request(tmp_path, "ada", "Q5.output", " It is right.\x1b[2J ", AT)
    two = learner_requests.add_request(tmp_path, "bo", "Q5.output", "Mine too.", AT)
    assert (one.number, one.reason, two.number) == (1, "It is right.", 2)
    later = AT + timedelta(hours=1)
    learner_requests.answer_request(tmp_path, 1, "You are right.", "Prof. Invented", later)
    done = replace(one, answer=learner_requests.RequestReply("You are right.", "Prof. Invented", later))
    assert learner_requests.list_requests(tmp_path) == (done, two)
    assert learner_requests.list_requests(tmp_path, "bo") == (two,)
    with pytest.raises(UsageError, match=r"answered by Prof\. Invented"):
        learner_requests.answer_request(tmp_path, 1, "No.", "somebody", later)


def test_what_is_refused(tmp_path: Path) -> None:
    """No reason, no answer, an open request about the same part, a request that is not there; nothing is saved."""
    learner_requests.add_request(tmp_path, "ada", "Q5.output", "Why?", AT)
    before = (tmp_path / learner_requests.FILE).read_bytes()
    for wrong in (
        lambda: learner_requests.add_request(tmp_path, "ada", "Q5.output", "Why?", AT),
        lambda: learner_requests.add_request(tmp_path, "ada", "Q5.size", " \n", AT),
        lambda: learner_requests.answer_request(tmp_path, 1, " ", "x", AT),
        lambda: learner_requests.answer_request(tmp_path, 2, "Yes.", "x", AT),
    ):
        with pytest.raises(UsageError):
            wrong()
    assert (tmp_path / learner_requests.FILE).read_bytes() == before
    learner_requests.answer_request(tmp_path, 1, "No.", "x", AT)
    assert learner_requests.add_request(tmp_path, "ada", "Q5.output", "Really?", AT).number == 2


def test_a_line_that_was_cut_short(tmp_path: Path) -> None:
    """Is skipped and ended: what comes after it counts. Lines of another form are skipped as well."""
    learner_requests.add_request(tmp_path, "ada", "Q5.output", "Why?", AT)
    with (tmp_path / learner_requests.FILE).open("a") as file:
        file.write('[1]\n{"request": "x"}\n{"answers": 9, "text": "", "author": "", "at": ""}\n{"request": 2, "lea')
    assert learner_requests.add_request(tmp_path, "bo", "Q5.output", "为什么？", AT).number == 2
    assert [(one.learner, one.reason, one.at) for one in learner_requests.list_requests(tmp_path)] == [
        ("ada", "Why?", AT),
        ("bo", "为什么？", AT),
    ]


def test_forgetting(tmp_path: Path) -> None:
    """Removes a learner's requests with their answers; numbers of others stay, and are not given again."""
    for name in ("ada", "bo", "cy"):
        learner_requests.add_request(tmp_path, name, "Q5.output", f"{name} asks", AT)
    learner_requests.answer_request(tmp_path, 1, "about ada", "x", AT)
    learner_requests.forget(tmp_path, "ada")
    assert "ada" not in (tmp_path / learner_requests.FILE).read_text()
    assert [(one.number, one.learner) for one in learner_requests.list_requests(tmp_path)] == [(2, "bo"), (3, "cy")]
    learner_requests.forget(tmp_path / "nowhere", "ada")


def test_an_answer_is_taken_back(tmp_path: Path) -> None:
    """Then the request is open, and the answer is known; restored, it counts again; all of it is forgotten."""
    learner_requests.add_request(tmp_path, "ada", "Q1.a", "Why?", AT)
    learner_requests.answer_request(tmp_path, 1, "Because.", "prof", AT)
    (answered,) = learner_requests.list_requests(tmp_path)
    learner_requests.set_withdrawn(tmp_path, 1, True, "prof", AT)
    (found,) = learner_requests.list_requests(tmp_path)
    assert (found.answer, found.withdrawn) == (None, answered.answer)
    learner_requests.set_withdrawn(tmp_path, 1, False, "prof", AT)
    assert learner_requests.list_requests(tmp_path) == (answered,)
    learner_requests.set_withdrawn(tmp_path, 1, True, "prof", AT)
    learner_requests.answer_request(tmp_path, 1, "No.", "prof", AT)
    learner_requests.set_withdrawn(tmp_path, 1, False, "prof", AT)
    (found,) = learner_requests.list_requests(tmp_path)
    assert (found.answer and found.answer.text, found.withdrawn) == ("No.", None)
    learner_requests.forget(tmp_path, "ada")
    assert not (tmp_path / learner_requests.FILE).read_bytes()
