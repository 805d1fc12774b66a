"""The pages of a learner, asked for anything: never an error of ours, a traceback, a path, or a key before its time."""

from __future__ import annotations

import functools
import html
import shutil
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from hypothesis import strategies as st
from starlette.testclient import TestClient

from grader.core.marks import plain
from grader.core.model import Course, ExerciseResult, QuestionResult, Report, Status
from grader.course import items, loader
from grader.grading import courses
from grader.grading.checker import CheckedSubmission, Checker
from grader.learning.log import Answered
from grader.report.figures import kinds
from grader.web.learner import LearnerWorkspace
from grader.web.pages import make_app
from grader.web.security import COOKIE, Guard
from tests.fuzz.reading import Reader, fuzzing
from tests.helpers import WORDS

HOST, TOKEN = "127.0.0.1:8000", "s3cret"


@functools.cache
def course() -> Course:
    """The bundled course."""
    return courses.load(loader.find(None))


class Checks:
    """Stands for the sandbox: passes everything, unless the code says that it is wrong."""

    def check(self, submission: Any, exercises: tuple[str, ...]) -> CheckedSubmission:
        """A result for each exercise."""
        text = "".join(part.text for file in submission.files for part in file.parts)
        status = Status.FAILED if "wrong" in text else Status.PASSED
        question = next(q for q in course().questions if any(e.name in exercises for e in q.exercises))
        results = tuple(ExerciseResult(name, status, 0.0, 1.0, outcomes=(), file="q01.py") for name in exercises)
        found = QuestionResult(question.id, question.title, exercises=results, items=())
        return CheckedSubmission(Report("ada", WORDS, "", "public", (found,), (), False, (), 0.1), ())

    def use(self, work: Any) -> Any:
        """Nothing was counted. Pictures, which need a real sandbox, are not asked for."""
        return ()

    def close(self) -> None:
        """Ends it."""


ITEMS = [item.id for question in course().questions for item in question.items]
EXERCISES = [exercise.name for question in course().questions for exercise in question.exercises]
WILD = st.text(max_size=40) | st.sampled_from(["../../etc/passwd", "%00", "-1", "٣", "\ud800", "9" * 400, "<script>"])
NAMES = st.sampled_from(
    ["answer", "do", "doubted", "comparing", "code", "lang", "back", "tries", "seen", "word", "replace", "files"]
)
VALUES = WILD | st.sampled_from(
    [
        *"abcd",
        "wrong = 1",
        "x = 1",
        "answer",
        "skip",
        "key",
        "yes",
        "rate",
        "hint",
        "check",
        "reset",
        "easy",
        "1",
        "n^2 / 2",
        "2 n\n= 2·n",
    ]
)
PATHS = st.one_of(
    st.sampled_from(["/", "/progress", "/review", "/review/next", "/work", "/work.zip", "/pictures", "/language"]),
    st.builds("/items/{}{}".format, st.sampled_from(ITEMS) | WILD, st.sampled_from(["", "/reading"])),
    st.builds("/review/items/{}".format, st.sampled_from(ITEMS) | WILD),
    st.builds("/review/exercises/{}".format, st.sampled_from(EXERCISES) | WILD),
    st.builds("/exercises/{}/hint".format, st.sampled_from(EXERCISES) | WILD),
    st.builds(
        "/questions/{}{}".format,
        st.sampled_from([question.id for question in course().questions]) | WILD,
        st.sampled_from(["", "/code", "/file"]),
    ),
    st.builds("/questions/{}/reference".format, st.sampled_from(["Q1", "Q3", "Q99"])),
    st.builds("/pictures/{}".format, WILD.filter(lambda name: name not in kinds.kinds())),
    st.builds("/static/{}".format, WILD),
    st.builds("/{}".format, WILD),
)
ASKED = st.fixed_dictionaries(
    {
        "method": st.sampled_from(["GET", "POST", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"]),
        "path": PATHS,
        "query": st.dictionaries(NAMES | st.just("after") | st.just("again"), VALUES, max_size=2),
        "fields": st.dictionaries(NAMES, VALUES | st.lists(VALUES, max_size=4), max_size=5),
        "files": st.lists(st.tuples(WILD | st.sampled_from(["q03.py", "a.zip"]), st.binary(max_size=60)), max_size=2),
        "headers": st.dictionaries(st.sampled_from(["hx-request", "content-type"]), st.sampled_from(["true", "x/y"])),
    }
)


def asked_for(requests: list[dict[str, Any]], scratch: Path) -> None:
    """A learner's visit: every answer is a page, a file or a refusal in words, and gives nothing away."""
    for old in scratch.iterdir():
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    learner = LearnerWorkspace(
        course(), scratch / "work", scratch / "log.jsonl", "ada", lambda: cast(Checker, Checks())
    )
    app = Guard(make_app(learner, "en"), TOKEN, frozenset({HOST}))
    browser = TestClient(app, base_url=f"http://{HOST}", cookies={COOKIE: TOKEN}, follow_redirects=False)
    explained = {item.id: item.explain.en for q in course().questions for item in q.items if item.explain}
    keys = {
        item.id: plain(items.key(item, items.Context(course().public_id, "ada", item.id)).en)
        for item in (i for q in course().questions for i in q.items)
        if item.kind == "derivation"
    }
    for one in requests:
        headers = {"origin": f"http://{HOST}", **one["headers"]}
        fields = {name: _sendable(value) for name, value in one["fields"].items()}
        files = [("files", (_sendable(name) or "x", data)) for name, data in one["files"]] or None
        path = quote(_sendable(one["path"]).lstrip("/"))
        query = {name: _sendable(value) for name, value in one["query"].items()}
        found = browser.request(
            one["method"], f"http://{HOST}/{path}", params=query, data=fields, files=files, headers=headers
        )
        assert found.status_code < 500, found.text
        text = html.unescape(found.text)
        assert "Traceback" not in text and str(scratch) not in text and str(Path(__file__).parents[2]) not in text
        settled = {event.item for event in learner.events() if isinstance(event, Answered) and event.settled}
        for name, secret in [*explained.items(), *keys.items()]:
            assert name in settled or secret not in text, name


def _sendable(value: Any) -> Any:
    """Text as a client can send it."""
    if isinstance(value, list):
        return [_sendable(each) for each in value]
    return value.encode("utf-8", "replace").decode()


test_sample, test_long = fuzzing(Reader("pages of a learner", st.lists(ASKED, min_size=1, max_size=6), asked_for))
