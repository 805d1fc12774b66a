"""The pages of one learner, in a browser: a workspace with the bundled course, and a stand-in for the sandbox."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from grader.core.model import Course, Diagnosis, ExerciseResult, QuestionResult, Report, Span, Status, Text
from grader.grading.checker import CheckedSubmission, Checker
from grader.web.learner import LearnerWorkspace
from grader.web.pages import make_app
from grader.web.security import COOKIE, Guard
from tests.helpers import WORDS

HOST, TOKEN = "127.0.0.1:8000", "s3cret"
OWN = {"origin": f"http://{HOST}"}


def shown(text: str) -> str:
    """What a page says, in one line without tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


class Checks:
    """Stands for the sandbox: notes what is checked, and gives a wrong first exercise with a place."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.seen: list[tuple[str, tuple[str, ...]]] = []
        self.closed = False
        self.origins: list[str] = []

    def check(self, submission: Any, exercises: tuple[str, ...]) -> CheckedSubmission:
        """The first exercise is wrong, the others passed."""
        self.origins.append(submission.origin)
        self.seen.append(("".join(part.text for file in submission.files for part in file.parts), exercises))
        span = Span("q03.py", 2, 2, 11, 16, "    return q @ k")
        place = Diagnosis("place", Text("Not scaled.", "没有缩放。"), None, span)
        question = next(q for q in self.course.questions if any(e.name in exercises for e in q.exercises))
        results = [
            ExerciseResult(
                each.name,
                Status.FAILED if at == 0 else Status.PASSED,
                float(at > 0),
                1.0,
                outcomes=(),
                file="q03.py",
                diagnosis=(place,) if at == 0 else (),
            )
            for at, each in enumerate(question.exercises)
        ]
        found = QuestionResult(question.id, question.title, exercises=tuple(results), items=())
        return CheckedSubmission(Report("ada", WORDS, "", "public", (found,), ("landlock",), False, (), 0.1), ())

    def close(self) -> None:
        """Ends it."""
        self.closed = True


@pytest.fixture
def learner_name() -> str:
    """The name of the learner."""
    return "ada"


@pytest.fixture
def learner(course: Course, tmp_path: Path, learner_name: str) -> Iterator[LearnerWorkspace]:
    """A new learner with an empty log and no files."""
    checks = Checks(course)
    workspace = LearnerWorkspace(
        course, tmp_path / "work", tmp_path / "log.jsonl", learner_name, lambda: cast(Checker, checks)
    )
    yield workspace
    workspace.close()


@pytest.fixture
def browser(learner: LearnerWorkspace) -> TestClient:
    """A browser that is signed in."""
    app = Guard(make_app(learner, "en"), TOKEN, frozenset({HOST}))
    return TestClient(app, base_url=f"http://{HOST}", cookies={COOKIE: TOKEN})
