"""Answers files as people break and copy them: what is kept, what is refused, and which of several files counts."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from grader.core.errors import SubmissionError
from grader.core.model import Submission
from grader.submission import fingerprint, learner_named, read
from grader.submission.files import MAX_SOURCE
from tests.fuzz.reading import bounded
from tests.fuzz.reading import read as reading

HEAD = "format: 1\nlearner: ada\nanswers:\n"
#: (name, text below the head, answers that are kept, (item, line, part of the reason) of those that are refused).
BROKEN = [
    ("a tab", "  Q1.a: b\n\tQ1.b: c\n  Q1.c: d\n", {"Q1.a": "b", "Q1.c": "d"}, [("Q1.b", 5, "not tabs")]),
    ("an unquoted colon", "  Q1.a: b\n  Q1.b: so: c\n  Q1.c: d", {"Q1.a": "b", "Q1.c": "d"}, [("Q1.b", 5, "quotes")]),
    ("a full-width colon", "  Q1.a: b\n  Q1.b： c\n  Q1.c: d", {"Q1.a": "b", "Q1.c": "d"}, [("Q1.b", 5, "half-width")]),
    ("... further in", "  Q1.a: b\n    Q1.b： c\n", {"Q1.a": "b"}, [("Q1.b", 5, "half-width")]),
    ("all full-width", "  Q1.a：b\n  Q1.b： c\n", {}, [("Q1.a", 4, "half-width"), ("Q1.b", 5, "half-width")]),
    ("no space", "  Q1.a:b\n  Q1.b: c\n", {"Q1.b": "c"}, [("Q1.a", 4, "space")]),
    ("an anchor", "  Q1.a: &x b\n  Q1.b: c\n", {"Q1.b": "c"}, [("Q1.a", 4, "anchor")]),
    ("an alias", "  Q1.a: b\n  Q1.b: *x\n", {"Q1.a": "b"}, [("Q1.b", 5, "alias")]),
    ("a tag", "  Q1.a: !!python/name:os b\n  Q1.b: c\n", {"Q1.b": "c"}, [("Q1.a", 4, "tag")]),
    ("a quote", '  Q1.a: "b\n  Q1.b: c\n', {"Q1.b": "c"}, [("Q1.a", 4, "quote")]),
    ("a pair of halves", '  Q1.a: "b\n  Q1.b: c\n  Q1.c: "d"\n', {"Q1.b": "c", "Q1.c": "d"}, [("Q1.a", 4, "quote")]),
    ("a swallowing quote", '  Q1.a: "b\n  Q1.b: c\n  Q1.c: d"\n', {"Q1.b": "c", "Q1.c": 'd"'}, [("Q1.a", 4, "quote")]),
    ("a bracket", "  Q1.a: [b, c\n  Q1.b: [d]\n", {"Q1.b": ["d"]}, [("Q1.a", 5, "[ ]")]),
    ("a control character", "  Q1.a: b\x07\n  Q1.b: c\n", {"Q1.b": "c"}, [("Q1.a", 4, "not allowed")]),
    ("a sign", "  Q1.a: @b\n  Q1.b: `c`\n  Q1.c: d\n", {"Q1.c": "d"}, [("Q1.a", 4, "@"), ("Q1.b", 5, "backtick")]),
    ("two answers", "  Q1.a: b\n  Q1.b: c\n  Q1.a: d\n", {"Q1.b": "c"}, [("Q1.a", 6, "on line 4")]),
    ("one beside them", "  Q1.a: b\nQ1.a: c\nQ1.b: d\n", {"Q1.b": "d"}, [("Q1.a", 5, "on line 4")]),
    ("three", "  Q1.a: b\n  Q1.a: b\n  Q1.a: d\n  Q1.b: c\n", {"Q1.b": "c"}, [("Q1.a", 6, "on line 4")]),
    ("an empty one", "  Q1.a:\n  Q1.b: c\n  Q1.a: d\n", {"Q1.a": "d", "Q1.b": "c"}, []),
    (
        "indentation",
        "  Q1.a: b\n    Q1.b: c\n Q1.c: d\nQ1.d: e\n",
        {"Q1.a": "b", "Q1.b": "c", "Q1.c": "d", "Q1.d": "e"},
        [],
    ),
    (
        "a list",
        "  - Q1.a: b\n  - Q1.b: c\n",
        {},
        [("Q1.a", 4, "on a line of its own"), ("Q1.b", 5, "nothing before it")],
    ),
    ("braces", "  {Q1.a: b, Q1.b: [}\n", {}, [("Q1.a", 4, "such as"), ("Q1.b", 4, "such as")]),
    ("no id at first", "  Q1 a: b\n  Q1.b: c\n  Q1.c: [d\n", {"Q1.b": "c"}, [("Q1.c", 7, "[ ]")]),
    (
        "lines",
        "  Q1.a: |\n    x = 1\n    y: 2\n  Q1.b: {a: x\n  Q1.c:\n  - a\n  - b\n  Q1.d:\n    lines: [a]\n",
        {"Q1.a": "x = 1\ny: 2\n", "Q1.c": ["a", "b"], "Q1.d": {"lines": ["a"]}},
        [("Q1.b", 8, "{ }")],
    ),
]


def of_text(folder: Path, text: str, name: str = "answers.yaml") -> Submission:
    """The submission that a file with this text makes."""
    (folder / name).write_text(text, encoding="utf-8")
    return read(folder / name)


def kept(found: Submission) -> dict[str, object]:
    """The answers that were read."""
    given = [each for each in found.answers or () if each.problem is None and each.value is not None]
    return {each.item: each.value.rstrip("\n") if isinstance(each.value, str) else each.value for each in given}


@pytest.mark.parametrize(
    ("text", "expected", "refused"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN]
)
def test_a_mistake_costs_the_entry_that_it_is_in(
    tmp_path: Path, text: str, expected: dict[str, object], refused: list[tuple[str, int, str]]
) -> None:
    """The other answers are kept, and the reason names the line and what to write; the name is read, too."""
    if not expected and not refused:
        with pytest.raises(SubmissionError, match="line 4"):
            of_text(tmp_path, HEAD + text)
        return
    found = of_text(tmp_path, HEAD + text)
    expected = {item: value.rstrip("\n") if isinstance(value, str) else value for item, value in expected.items()}
    assert (found.learner, kept(found)) == ("ada", expected)
    problems = [(each.item, each.problem) for each in found.answers or () if each.problem is not None]
    assert [item for item, _ in problems] == [item for item, _, _ in refused]
    for (_, problem), (_, line, reason) in zip(problems, refused, strict=True):
        assert problem is not None and f"line {line}" in problem.en and f"第 {line} 行" in problem.zh
        assert reason in problem.en


@pytest.mark.parametrize(
    ("text", "learner", "answers"),
    [
        ('format: 1\nlearner: "ada\nanswers:\n  Q1.a: b\n', "hw", {"Q1.a": "b"}),
        ("format: 1\nlearner：ada\nanswers:\n  Q1.a: b\n", "hw", {"Q1.a": "b"}),
        ("format: 1\nlearner: [ada]\nanswers:\n  Q1.a: b\n", "hw", {"Q1.a": "b"}),
        ("format: 1\nlearner: ada\nlearner: bob\nanswers:\n  Q1.a: b\n", "hw", {"Q1.a": "b"}),
        ("format: 1\nlearner: ada\nLearner: bob\nanswers:\n  Q1.a: b\n", "hw", {"Q1.a": "b"}),
        ("format: one\nlearner: ada\nanswers:\n  Q1.a: b\n", "ada", {"Q1.a": "b"}),
        ("format: 1\nlearner: ada\nnote: x\nanswers:\n  Q1.a: b\n", "ada", {"Q1.a": "b"}),
    ],
)
def test_a_mistake_in_the_header_is_said(tmp_path: Path, text: str, learner: str, answers: dict[str, object]) -> None:
    """It costs no answers. A name that cannot be read, or one of two, is nobody's: it never counts."""
    folder = tmp_path / "hw"
    folder.mkdir()
    of_text(folder, text)
    found = read(folder)
    assert (found.learner, kept(found)) == (learner, answers)
    assert learner_named(folder) == (None if learner == "hw" else learner)
    (urgent,) = [notice for notice in found.notices if notice.urgent]
    assert urgent.where == "answers.yaml" and ("line" in urgent.text.en or "Keep one line" in urgent.text.en)


def test_harmless_mistakes(tmp_path: Path) -> None:
    """Ids without ``answers:``, other capitals in the header and a full-width colon after ``answers`` lose nothing."""
    for text in (
        "format: 1\nlearner: ada\nQ1.a: b\nQ1.b: c\n",
        "Format: 1\nLEARNER: ada\nAnswers:\n  Q1.a: b\n  Q1.b: c\n",
        "format: 1\nlearner: ada\nanswers：\n  Q1.a: b\n  Q1.b: c\n",
        '{"format": 1, "learner": "ada", "answers": {"Q1.a": "b", "Q1.b": "c"}}',
        '{\n "format": 1,\n "learner": "ada",\n "answers": {\n  "Q1.a": "b"\n  "Q1.b": "c",\n }\n}\n',
    ):
        found = of_text(tmp_path, text)
        assert (found.learner, kept(found)) == ("ada", {"Q1.a": "b", "Q1.b": "c"}), text
        assert not any(notice.urgent for notice in found.notices)


def test_text_of_several_lines_may_say_anything(tmp_path: Path) -> None:
    """In a valid file, a line of text that looks like an entry stays text."""
    found = of_text(tmp_path, f"{HEAD}  Q1.a: |\n    as in\n    Q1.b: c\n  Q1.c: d\n")
    assert kept(found) == {"Q1.a": "as in\nQ1.b: c", "Q1.c": "d"}


@pytest.mark.parametrize(
    "text",
    [
        HEAD + '  a.b: "\n' * 28_000,
        HEAD + "  Q1.a: [\n" + "x.y" * 80_000,
        HEAD + "  Q1.a: &x " + "a.b: " * 50_000,
        HEAD + "  Q1.a: &x\n" + " " * 250_000,
        HEAD + "  Q1.a: &x\n" + "   z\n" * 40_000,
        HEAD + "".join(f"  Q1.x{n}: &x b\n" for n in range(1999)) + "  Q1.y: " + "[" * 200_000,
    ],
)
def test_broken_files_are_read_quickly(tmp_path: Path, text: str) -> None:
    """However a file is broken, reading it takes time in proportion to its size."""
    assert len(text.encode()) <= MAX_SOURCE
    with bounded():
        found = reading(lambda: of_text(tmp_path, text), SubmissionError)
    assert found is None or any(answer.problem is not None for answer in found.answers or ())


NAMES = [
    "answers.yml", "ANSWERS.YAML", "Answers.yaml", "answers (1).yaml", "answers(2).yml", "answers - Copy.yaml",
    "answers copy.yaml", "answers copy 2.yaml", "Copy of answers.yaml", "answers-1.yaml", "answers_2.yaml",
    "answers.yaml.txt", "answers (1).yaml.txt", "answers.txt", "answer.yaml", "answers - 副本.yaml",
    "answers（1）.yaml",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_other_names(tmp_path: Path, name: str) -> None:
    """A copy or a name with another ending is read beside code, as by itself and from a zip."""
    (tmp_path / "q05.py").write_text("def f(): pass")
    (tmp_path / name).write_text(HEAD + "  Q1.a: b\n", encoding="utf-8")
    with zipfile.ZipFile(tmp_path.parent / f"{tmp_path.name}.zip", "w") as archive:
        for path in tmp_path.iterdir():
            archive.write(path, path.name)
    for place in (tmp_path, tmp_path / name, tmp_path.parent / f"{tmp_path.name}.zip"):
        found = read(place)
        assert (found.learner, kept(found), found.notices) == ("ada", {"Q1.a": "b"}, ())


def test_json(tmp_path: Path) -> None:
    """``answers.json`` has the same keys."""
    assert kept(of_text(tmp_path, '{"format": 1, "answers": {"Q1.a": ["b", "c"]}}', "answers.json")) == {
        "Q1.a": ["b", "c"]
    }


@pytest.mark.parametrize("name", ["answers.old1.txt", "my_answers_notes.txt", "answers.csv", "questions.yaml"])
def test_other_files_are_no_answers(tmp_path: Path, name: str) -> None:
    """What is kept aside, and files of other names beside code, are not read; the report says so."""
    (tmp_path / "q05.py").write_text("def f(): pass")
    (tmp_path / name).write_text(HEAD + "  Q1.a: b\n")
    found = read(tmp_path)
    assert found.answers is None and name in found.notices[0].text.en


def test_an_office_document_is_said(tmp_path: Path) -> None:
    """Answers in a form that cannot be read are an urgent notice, not a file that nobody looks at."""
    (tmp_path / "q05.py").write_text("def f(): pass")
    (tmp_path / "answers.docx").write_bytes(b"PK\x03\x04[Content_Types].xml")
    found = read(tmp_path)
    assert found.lost is not None and found.notices[0].urgent and "an Office document" in found.notices[0].text.en


def stamped(folder: Path, files: dict[str, tuple[str, int]]) -> tuple[Path, Path]:
    """A folder with these texts and time stamps (minutes), and a zip of it."""
    folder.mkdir()
    with zipfile.ZipFile(folder.with_suffix(".zip"), "w") as archive:
        for name, (text, minute) in files.items():
            place = folder / name
            place.parent.mkdir(exist_ok=True)
            place.write_text(text, encoding="utf-8")
            os.utime(place, (1_700_000_000 + 60 * minute, 1_700_000_000 + 60 * minute))
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, 23, 12, minute, 0)), text)
    return folder, folder.with_suffix(".zip")


EMPTY = HEAD + "  Q1.a:\n"
GOOD, OTHER = HEAD + "  Q1.a: b\n", HEAD + "  Q1.a: c\n"


@pytest.mark.parametrize(
    ("files", "counts", "value", "why"),
    [
        ({"answers.yaml": (GOOD, 1), "answers (1).yaml": (OTHER, 2)}, "answers (1).yaml", "c", "is newer"),
        ({"answers.yaml": (GOOD, 2), "answers (1).yaml": (OTHER, 1)}, "answers.yaml", "b", "is newer"),
        ({"answers.yaml": (GOOD, 1), "answers.yml": (OTHER, 1)}, "answers.yaml", "b", "same time stamp"),
        ({"answers.json": (GOOD, 1), "answers.yml": (OTHER, 1)}, "answers.yml", "c", "same time stamp"),
        ({"answers.yaml": (GOOD, 1), "answers.yml": (EMPTY, 2)}, "answers.yaml", "b", "no answers"),
        ({"answers.yaml": (GOOD, 1), "answers.txt": ("[", 2)}, "answers.yaml", "b", "no answers"),
        ({"a/answers.yaml": (GOOD, 1), "b/answers.yaml": (OTHER, 2)}, "b/answers.yaml", "c", "is newer"),
    ],
)
def test_of_two_files_the_newer_counts(
    tmp_path: Path, files: dict[str, tuple[str, int]], counts: str, value: str, why: str
) -> None:
    """The usual name on a tie, never one without answers. What is left out is an urgent notice that names both."""
    for place in stamped(tmp_path / "hw", files):
        found = read(place)
        assert kept(found) == {"Q1.a": value} and found.lost is None
        (notice,) = found.notices
        (left_out,) = files.keys() - {counts}
        assert notice.urgent and notice.where == left_out and counts in notice.text.en and why in notice.text.en
        assert fingerprint(place) == found.digest
