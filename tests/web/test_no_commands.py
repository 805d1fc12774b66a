"""No page names a command, an option or a file of the sources: they cannot be typed there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import grader
from grader.commands import names
from grader.core.model import Course, Lang
from grader.instructor import export
from grader.web.learner import LearnerWorkspace
from tests.web.conftest import OWN, shown
from tests.web.test_pages import first, page, post

_COMMANDS = sorted(names())
#: What only a terminal understands: an option, a command, or a file of the sources.
FOR_TERMINALS = re.compile(
    rf"(?<![\w-])--[a-z]|\battncheck (?:{'|'.join(_COMMANDS)})\b|['`](?:export|batch|regrade) |pip install|docs/\w"
)
#: The modules whose errors and remarks the pages show, besides those of the pages.
_SHOWN = (
    "classroom/gradebook.py classroom/results.py instructor/overrides.py instructor/rubric.py "
    "instructor/mark_reports.py instructor/learner_requests.py grading/missing.py "
    "instructor/export/_class_list.py instructor/export/canvas.py instructor/export/canvas_feedback.py "
    "instructor/export/moodle.py submission/messages.py report/figures/run.py sandbox/zygote.py sandbox/launch.py"
)


def found(text: str) -> str:
    """What a page names for terminals, with what is around it; files that are shown are the learner's own."""
    text = re.sub(r"<(textarea|pre|script)\b.*?</\1>", "", text, flags=re.S)
    said = shown(text)
    match = FOR_TERMINALS.search(said)
    return said[max(0, match.start() - 90) : match.end() + 30] if match else ""


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_pages(browser: TestClient, course: Course, lang: Lang) -> None:
    """Every page of every question, before anything was done."""
    post(browser, "/language", lang=lang, back="/")
    paths = ["/", "/progress", "/review", "/pictures", "/work"]
    for question in course.questions:
        paths += [f"/questions/{question.id}", f"/questions/{question.id}/code"]
        paths += [f"/items/{item.id}" for item in question.items[:3]]
    assert {path: said for path in paths if (said := found(page(browser, path)))} == {}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_after_wrong_answers(browser: TestClient, course: Course, lang: Lang) -> None:
    """What is said about each option of each item, with what to do about it, and the answer when it is shown."""
    post(browser, "/language", lang=lang, back="/")
    advice = 0
    for question in course.questions[:4]:  # others are asked in the same words
        for item in question.items:
            path = f"/items/{item.id}"
            for option in getattr(item.spec, "options", ()):
                text = browser.post(path, data={"answer": option.id, "do": "answer"}, headers=OWN).text
                assert not found(text), (path, option.id)
                advice += len(re.findall("The exercise|练习 ", text))
            assert not found(browser.post(path, data={"do": "key"}, headers=OWN).text), path
    assert advice > 2
    for path in ("/", "/progress", "/review"):
        assert not found(page(browser, path)), path


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_errors(browser: TestClient, learner: LearnerWorkspace, course: Course, lang: Lang) -> None:
    """An error says what is wrong; what to type in a terminal is left out."""
    post(browser, "/language", lang=lang, back="/")
    item = first(course, "line")
    for value in ("", "((", "x" * 5000):
        assert not found(browser.post(f"/items/{item.id}", data={"answer": value, "do": "answer"}, headers=OWN).text)
    learner.state.write_text("{broken\n{}\n")
    text = page(browser, "/", 400)
    assert not found(text) and ("not a line of JSON" in text or "JSON" in text)


@pytest.mark.parametrize("path", _SHOWN.split())
def test_messages_keep_commands_apart(path: str) -> None:
    """Whatever names a command is advice, which is a part of its own, so that pages have something left to say."""
    tree = ast.parse((Path(grader.__file__).parent / path).read_text("utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    advised = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "with_advice"]
    advice = {id(argument) for call in advised for argument in call.args}
    messages = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Message"]
    named = [ast.literal_eval(call.args[0]) for call in messages if id(call) not in advice]
    of_help = {export.format_module(name).ABOUT.en for name in export.format_names()}  # pages show ``ON_PAGE``
    assert [text for text in named if FOR_TERMINALS.search(text) and text not in of_help] == []
