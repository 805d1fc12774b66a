"""``answers.yaml`` as answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import SubmissionError
from grader.model import Answer, Submission
from grader.submission import read


def of_text(folder: Path, text: str, name: str = "answers.yaml") -> Submission:
    """The submission that a YAML file with this text makes."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read(path)


def test_answers_with_their_lines(tmp_path: Path) -> None:
    """Every answer is plain data with the line it stands on, in the order of the file."""
    text = """\
# 我的答案
format: 1
learner: 小明
answers:
  Q5.output: b
  Q3.chain:
    given: {q: iid}
    lines: [a, 1.5, true]
  Q3.purpose:
"""
    found = of_text(tmp_path, text)
    assert found.learner == "小明"
    assert found.files == () and found.notices == ()
    assert found.answers == (
        Answer("Q5.output", "b", 5),
        Answer("Q3.chain", {"given": {"q": "iid"}, "lines": ["a", 1.5, True]}, 6),
        Answer("Q3.purpose", None, 9),
    )


@pytest.mark.parametrize("name", ["answers.yaml", "ANSWERS.YML", "ada.yaml"])
def test_a_lone_answers_file(tmp_path: Path, name: str) -> None:
    """A YAML file given by itself is an answers file, whatever its name."""
    assert of_text(tmp_path, "format: 1\nanswers: {Q1.x: a}", name).answers == (Answer("Q1.x", "a", 2),)


@pytest.mark.parametrize(
    ("text", "learner"),
    [
        ("format: 1", "answers"),
        ("format: 1\nlearner:", "answers"),
        ("format: 1\nlearner: ' '", "answers"),
        ("format: 1\nlearner: 2023001", "2023001"),
        ("format: 1\nlearner: 0123", "0123"),
        ("format: 1\nlearner: no", "no"),
        ("\ufeffformat: 1\r\nlearner: ada\r\nanswers:\r\n", "ada"),
    ],
)
def test_learner_and_missing_parts(tmp_path: Path, text: str, learner: str) -> None:
    """Answers and learner may be missing; a student number is a name too."""
    found = of_text(tmp_path, text)
    assert (found.learner, found.answers) == (learner, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "found nothing"),
        ("# only a comment", "found nothing"),
        ("- a\n- b", "found a list"),
        ("b", "found 'b'"),
        ("answers: {}", "expected `format: 1`, found no `format`"),
        ("learner: x\nformat: 2", "line 2: expected `format: 1`, found 2"),
        ("format: '1'", "line 1: expected `format: 1`, found '1'"),
        ("format: true", "expected `format: 1`, found true"),
        ("format: 1.0", "expected `format: 1`, found 1.0"),
        ("format:", "expected `format: 1`, found null"),
        ("format: 1\nanswer: {}", "line 2: “answer” is not a key of an answers file. Did you mean “answers”?"),
        ("format: 1\nLearner: x", "Did you mean “learner”?"),
        ("format: 1\nQ5.output: b", "“Q5.output” is not a key of an answers file. The keys are"),
        ("format: 1\nlearner: [a]", "line 2: `learner` should be a name, found a list"),
        ("format: 1\nlearner: true", "found true"),
        ("format: 1\nanswers: [a]", "line 2: `answers` should hold lines such as `Q5.output: b`, found a list"),
        ("format: 1\nanswers: b", "found 'b'"),
        ("format: {a: 1}", "found a mapping"),
        ("format: 1\nanswers: {Q1: a, Q1: b}", "answers.yaml:2: "),
        ("format: 1\nanswers: {1: a}", "answers.yaml:2: "),
        ("format: 1\nanswers: &a {}", "answers.yaml:2: "),
        ("format: 1\nanswers: {x: !!python/object/apply:os.system [ls]}", "answers.yaml:2: "),
        ("format: 1\n---\nformat: 1", "answers.yaml:2: "),
        ("format: [", "answers.yaml:"),
        ("[" * 5000, "answers.yaml:"),
        ("\x1b[31m: 1", "answers.yaml"),
    ],
)
def test_answers_refused(tmp_path: Path, text: str, expected: str) -> None:
    """A broken answers file is an error that names file, line, what was found and what to write."""
    with pytest.raises(SubmissionError) as caught:
        of_text(tmp_path, text)
    message = str(caught.value)
    assert message.startswith("answers.yaml") and expected in message and "\x1b" not in message


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    """An answers file in another encoding is told so."""
    (tmp_path / "answers.yaml").write_bytes("format: 1\nlearner: 小明".encode("gbk"))
    with pytest.raises(SubmissionError, match="line 2 is not valid UTF-8"):
        read(tmp_path / "answers.yaml")


def test_a_broken_answers_file_is_not_passed_over(tmp_path: Path) -> None:
    """Beside code, a broken answers file is still an error: silently losing the answers would be worse."""
    (tmp_path / "q05.py").write_text("x = 1")
    with pytest.raises(SubmissionError, match="expected `format: 1`"):
        of_text(tmp_path, "answers: {}")
    with pytest.raises(SubmissionError, match="expected `format: 1`"):
        read(tmp_path)


def test_broken_code_beside_answers(tmp_path: Path) -> None:
    """Answers are graded even when no code can be."""
    (tmp_path / "q05.py").write_text("(")
    (tmp_path / "answers.yaml").write_text("format: 1\nanswers: {Q1.x: a}")
    found = read(tmp_path)
    assert found.answers and not found.files and [notice.where for notice in found.notices] == ["q05.py"]
