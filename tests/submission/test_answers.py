"""``answers.yaml`` as answers."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from grader.core.errors import SubmissionError
from grader.core.marks import plain
from grader.core.model import Answer, Submission
from grader.submission import fingerprint, learner_named, parse_files, read, read_files
from grader.submission.files import MAX_SOURCE


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
        ("learner: x\nformat: 2", "line 2: expected `format: 1`, found 2"),
        ("format: '1'", "line 1: expected `format: 1`, found '1'"),
        ("format: true", "expected `format: 1`, found true"),
        ("format: 1.0", "expected `format: 1`, found 1.0"),
        ("format:", "expected `format: 1`, found null"),
        ("format: 1\nanswer: {}", "line 2: “answer” is not a key of an answers file. Did you mean “answers”?"),
        ("format: 1\nlerner: x", "Did you mean “learner”?"),
        ("format: 1\nlearner: [a]", "line 2: `learner` should be a name, found a list"),
        ("format: 1\nlearner: true", "found true"),
        ("format: 1\nanswers: [a]", "line 2: `answers` should have lines such as `Q5.output: b`, found a list"),
        ("format: 1\nanswers: b", "found 'b'"),
        ("format: {a: 1}", "found a mapping"),
        ("format: 1\nanswers: {Q1: a, Q1: b}", "answers.yaml: line 2: "),
        ("format: 1\nanswers: {1: a}", "answers.yaml: line 2: "),
        ("format: 1\nanswers: &a {}", "answers.yaml: line 2: "),
        ("format: 1\nanswers: {x: !!python/object/apply:os.system [ls]}", "answers.yaml: line 2: "),
        ("format: 1\n---\nformat: 1", "answers.yaml: line 2: "),
        ("format: [", "this is not YAML"),
        ("[" * 5000, "nested more than"),
        ("\x1b[31m: 1", "answers.yaml"),
    ],
)
def test_answers_refused(tmp_path: Path, text: str, expected: str) -> None:
    """A broken answers file is an error that names file, line, what was found and what to write."""
    with pytest.raises(SubmissionError) as caught:
        of_text(tmp_path, text)
    message = str(caught.value)
    assert message.startswith("answers.yaml") and expected in message and "\x1b" not in message


def test_a_missing_format_is_forgiven(tmp_path: Path) -> None:
    """With a remark; every other format is refused."""
    found = of_text(tmp_path, "learner: ada\nanswers: {Q1.x: a}")
    assert (found.learner, found.answers) == ("ada", (Answer("Q1.x", "a", 2),))
    (notice,) = found.notices
    assert "Write `format: 1`" in plain(notice.text.en) and not notice.urgent


def test_answers_in_gb18030(tmp_path: Path) -> None:
    """Chinese that an old editor saved is read, with a remark; what can be no text is refused with its line."""
    path = tmp_path / "answers.yaml"
    path.write_bytes("format: 1\nlearner: 小明\nanswers: {Q1.x: 注意力权重}".encode("gbk"))
    found = read(path)
    assert (found.learner, found.answers) == ("小明", (Answer("Q1.x", "注意力权重", 3),))
    assert "read as GB18030" in found.notices[0].text.en
    path.write_bytes(b"format: 1\nlearner: \xe9\xff")
    with pytest.raises(SubmissionError, match="line 2 is not valid UTF-8"):
        read(path)


def breaking(folder: Path, how: str) -> None:
    """Puts an answers file into ``folder`` that cannot be read."""
    place = folder / "answers.yaml"
    match how:
        case "folder":
            place.mkdir()
        case "link":
            (folder.parent / "elsewhere.yaml").write_text("format: 1\nlearner: eve\nanswers: {Q1.x: secret}")
            place.symlink_to(folder.parent / "elsewhere.yaml")
        case "pipe":
            os.mkfifo(place)
        case "large":
            place.write_bytes(b"#" * (MAX_SOURCE + 1))
        case _:
            place.write_bytes(how.encode("latin-1"))


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("", "Expected `format: 1`, `learner:` and `answers:`, found nothing"),
        ("# nothing", "found nothing"),
        ("answers: {a: [", "this is not YAML"),
        ("format: 2", "Line 1: expected `format: 1`, found 2"),
        ("format: 1\nanswers: {Q1: a, Q1: b}", "Line 2: answers: the key 'Q1' is given twice"),
        ("format: 1\nlearner: \xe9\xff", "Byte 0xE9 on line 2 is not valid UTF-8"),
        ("%PDF-1.7", "this is a PDF document"),
        ("folder", "This is a folder with a name like a file"),
        ("link", "This is a symbolic link"),
        ("pipe", "but a pipe"),
        ("large", "more than the limit of 256 KiB"),
    ],
)
def test_a_broken_answers_file_costs_the_answers_alone(tmp_path: Path, how: str, expected: str) -> None:
    """The code beside it is read as ever, and what comes first says that the answers were not, and why."""
    folder = tmp_path / "hw"
    folder.mkdir()
    breaking(folder, how)
    (folder / "notes.txt").write_text("")
    with pytest.raises(SubmissionError):
        read(folder)
    with pytest.raises(SubmissionError):
        parse_files(read_files(folder), None, "")
    (folder / "q05.py").write_text("def f(): pass\n(")
    (folder / "q06.py").write_text("def g(): pass")
    found = read(folder)
    assert ([file.path for file in found.files], found.answers, found.learner) == (["q06.py"], (), "hw")
    first, second, *_ = found.notices
    assert first.where == "answers.yaml" and first.urgent and "你的" not in first.text.zh
    assert first.text.en.startswith("this file cannot be read, so your answers were not graded; your code was. ")
    assert expected in plain(first.text.en) and found.lost is not None
    assert (second.where, second.urgent) == ("q05.py", True)
    assert [broken.where for broken in found.broken] == ["q05.py"]
    assert learner_named(folder) is None and fingerprint(folder) == found.digest
    if how in ("folder", "link", "pipe"):
        return
    with zipfile.ZipFile(tmp_path / "hw.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in folder.iterdir():
            archive.write(file, f"hw/{file.name}")
    zipped = read(tmp_path / "hw.zip")
    assert zipped.notices[0].text.en.replace("hw/", "") == first.text.en and zipped.answers == ()


def test_a_link_beside_the_answers_costs_nothing_else(tmp_path: Path) -> None:
    """Where one answers file can be read, another that cannot is left out."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "answers.yaml").write_text("format: 1\nanswers: {Q1.x: a}")
    (tmp_path / "answers.yaml").symlink_to("/dev/null")
    found = read(tmp_path)
    assert found.answers == (Answer("Q1.x", "a", 2),) and found.lost is None
    assert [notice.where for notice in found.notices if notice.urgent] == ["answers.yaml"]


def test_broken_code_beside_answers(tmp_path: Path) -> None:
    """Answers are graded even when no code can be."""
    (tmp_path / "q05.py").write_text("(")
    (tmp_path / "answers.yaml").write_text("format: 1\nanswers: {Q1.x: a}")
    found = read(tmp_path)
    assert found.answers and not found.files and [notice.where for notice in found.notices] == ["q05.py"]
