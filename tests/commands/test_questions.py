"""Looking at questions and starting on them."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml
from rich.cells import cell_len

from grader.core.model import Course, Text
from grader.course.items import Context, draw
from grader.course.items.number import Spec
from grader.submission import read

Attncheck = Callable[..., object]


@pytest.mark.parametrize(
    ("lang", "fragments"),
    [
        ("en", ["id   title", "Q5   Scaled dot-product attention", "product attention", "Q11  A title", "any table\n"]),
        ("zh", ["题号  标题", "Q5    缩放点积注意力", "  8\n", "      头头"]),
    ],
)
def test_questions(lang: str, fragments: list[str], attncheck: Attncheck) -> None:
    """A table on 80 columns with id, title and points; long titles go on in the next line, and leave out the group."""
    ran = attncheck("questions", "--lang", lang)
    assert ran.code == 0
    assert max(map(cell_len, ran.out.splitlines())) <= 80
    for fragment in fragments:
        assert fragment in ran.out


def test_questions_of_a_group(attncheck: Attncheck) -> None:
    """A group narrows the list; an unknown one is answered with the nearest."""
    for lang, group in (("en", "multi-head"), ("zh", "多头")):
        assert "Q5" not in attncheck("questions", "--group", group, "--lang", lang).out
    ran = attncheck("questions", "--group", "multihead")
    assert ran.code == 2
    assert "There is no group “multihead”. Did you mean multi-head?" in ran.err


def test_questions_as_json(attncheck: Attncheck) -> None:
    """The same as data, with both titles."""
    listed = json.loads(attncheck("questions", "--json").out)
    assert listed[0] == {
        "id": "Q5",
        "title": {"en": "Scaled dot-product attention", "zh": "缩放点积注意力"},
        "group": "self-attention",
        "points": 8,
        "items": ["Q5.output"],
        "exercises": ["scaled_dot_product_attention"],
        "right": 0,
        "all": 2,
    }
    assert [question["id"] for question in listed] == ["Q5", "Q11"]


@pytest.mark.parametrize("name", ["Q5", "q5", "Q05", "5"])
def test_show(name: str, attncheck: Attncheck) -> None:
    """Prompt, items with options, exercises with signatures and conventions, however the question is called."""
    ran = attncheck("show", name, "--full")
    assert ran.code == 0
    for fragment in (
        "Q5  Scaled dot-product attention (8 points)",
        "Write it **yourself**.",
        "Q5.output (1 point)",
        "What comes out?",
        "a  Scores",
        "scaled_dot_product_attention(q, k, v, mask=None) (7 points)",
        "Result: (..., n_q, d_v)",
        "Public cases: basic; hidden: 2",
        "- Masks are boolean",
        "`attncheck start Q5`",
    ):
        assert fragment in ran.out
    assert max(map(cell_len, ran.out.splitlines())) <= 80


def test_show_in_short(attncheck: Attncheck) -> None:
    """Without --full, each item and exercise is one line, and conventions and options are left out."""
    out = attncheck("show", "Q5").out
    assert "  Q5.output  What comes out?\n" in out and "Write it **yourself**." in out
    assert "Masks" not in out and "Scores" not in out and "attncheck show Q5 --full" in out
    assert max(map(cell_len, attncheck("show", "Q11", "--lang", "zh").out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "there", "absent"),
    [
        ("q5.OUTPUT", ["What comes out?", "a  Scores", "attncheck quiz Q5.output"], "Masks"),
        ("scaled_dot_product_attention", ["(7 points)", "- Masks are boolean", "attncheck start Q5"], "What comes"),
        ("multiheadattention", ["class MultiHeadAttention", "Result: (batch"], "What comes"),
    ],
)
def test_show_one_part(name: str, there: list[str], absent: str, attncheck: Attncheck) -> None:
    """An item or an exercise by its name, in any case, with what belongs to it."""
    ran = attncheck("show", name)
    assert ran.code == 0 and absent not in ran.out
    for fragment in there:
        assert fragment in ran.out


def test_show_a_class_in_chinese(attncheck: Attncheck) -> None:
    """Classes show both signatures; what needs torch is marked."""
    ran = attncheck("show", "Q11", "--full", "--lang", "zh")
    for fragment in (
        "class MultiHeadAttention(d_model, num_heads)（9 分、torch）",
        "forward(query, key, value, mask=None)",
        "公开用例：无；隐藏用例：1 个",
        "标有“torch”的练习必须用 torch 完成。",
    ):
        assert fragment in ran.out
    assert max(map(cell_len, ran.out.splitlines())) <= 80


def test_numbers_go_by_the_learner(attncheck: Attncheck, course: Course, tmp_path: Path) -> None:
    """What ``show`` asks a learner, ``start`` writes down for the same one; whose name is known need not say it."""
    spec = Spec("sqrt(d_k)", {"d_k": (16, 64, 256)})
    item = replace(course.questions[0].items[0], kind="number", ask=Text("√{d_k}?", "√{d_k}？"), spec=spec)
    object.__setattr__(course, "questions", (replace(course.questions[0], items=(item,)),))
    d_k = draw(spec, Context("test", "ada", item.id))["d_k"]
    anybody = attncheck("show", "Q5", "--full").out
    assert "√{d_k}?" in anybody
    assert "{d_k} is one of 16, 64, 256" in anybody
    assert "`attncheck show Q5 --learner NAME`" in " ".join(anybody.split())
    shown = attncheck("show", "Q5", "--full", "--learner", "ada").out
    assert f"√{d_k}?" in shown and "one of 16, 64, 256" not in shown
    attncheck("name", "ada")
    assert attncheck("show", "Q5", "--full").out == shown
    attncheck("start", "Q5", str(tmp_path), "--learner", "ada")
    written = (tmp_path / "answers.yaml").read_text("utf-8")
    assert f"√{d_k}?" in written
    assert yaml.safe_load(written)["learner"] == "ada"


@pytest.mark.parametrize("verb", ["show", "start"])
def test_unknown_question(verb: str, attncheck: Attncheck) -> None:
    """A question that is not there is answered with the nearest one."""
    ran = attncheck(verb, "Q111")
    assert ran.code == 2
    assert "There is no question" in ran.err and "“Q111”. Did you mean Q11?" in ran.err


def test_start(attncheck: Attncheck, tmp_path: Path) -> None:
    """Writes a stub for the code and a skeleton for the answers, into a folder it may have to make."""
    folder = tmp_path / "new" / "folder"
    ran = attncheck("start", "Q5", str(folder))
    assert ran.code == 0
    assert ran.out.count("written: ") == 2
    assert ast.parse((folder / "q05.py").read_text("utf-8"))
    assert yaml.safe_load((folder / "answers.yaml").read_text("utf-8"))["answers"] == {"Q5.output": None}


def test_start_all(attncheck: Attncheck, tmp_path: Path) -> None:
    """One file for each question, in the language asked for."""
    attncheck("start", "all", str(tmp_path), "--lang", "zh")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.yaml", "q05.py", "q11.py"]
    assert "多头注意力。" in (tmp_path / "q11.py").read_text("utf-8")


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ("", "  Q5.output\n"),
        ("answers:\n  Q5.output: b\n", None),
        ('answers: {"Q5.output": b}\n', None),
        ("answers: {Q5.other: b}\n", "  Q5.output\n"),
        ("answers: [broken", "  Q5.output\n"),
    ],
)
def test_start_never_overwrites(there: str, said: str | None, attncheck: Attncheck, tmp_path: Path) -> None:
    """Files that exist stay byte for byte; what an answers.yaml lacks is named if it cannot be extended."""
    (tmp_path / "q05.py").write_text("mine")
    (tmp_path / "answers.yaml").write_text(there)
    ran = attncheck("start", "Q5", str(tmp_path))
    assert ran.code == 0
    assert ran.out.count("kept as it is: ") == (1 if said else 2)
    assert (tmp_path / "q05.py").read_text() == "mine"
    assert (tmp_path / "answers.yaml").read_text() == there
    assert f"{said}\n" in ran.out if said else "does not have" not in ran.out


@pytest.mark.parametrize(
    "there",
    [
        "answers:\n  # Q5.output: b\n  Q5.outputs: c\n",
        "format: 1\nlearner: Ada\nanswers:\n  Q5.outputs: c # mine",
        "format: 1\nanswers: {}\n",
    ],
)
def test_start_adds_missing_items(there: str, attncheck: Attncheck, tmp_path: Path) -> None:
    """An answers.yaml gets the items that it lacks, with their options; what was in it stays."""
    path = tmp_path / "answers.yaml"
    path.write_text(there)
    assert "added to" in attncheck("start", "Q5", str(tmp_path)).out
    text = path.read_text("utf-8")
    assert text.startswith(there.removesuffix(" {}\n").rstrip("\n")) and "#   a: Scores" in text
    before, after = (yaml.safe_load(each) for each in (there, text))
    assert after == before | {"answers": (before["answers"] or {}) | {"Q5.output": None}}
    assert "kept as it is" in attncheck("start", "Q5", str(tmp_path)).out and path.read_text("utf-8") == text


def test_start_a_notebook(attncheck: Attncheck, tmp_path: Path) -> None:
    """A notebook has the prompt, an empty cell and a check for each exercise, and the quiz; it is a valid notebook."""
    attncheck("start", "all", str(tmp_path), "--notebook")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.yaml", "q05.ipynb", "q11.ipynb"]
    made = nbformat.read(tmp_path / "q05.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(made)
    sources = [cell.source for cell in made.cells]
    assert "Write it **yourself**." in sources[0] and sources[1].startswith("import numpy")
    assert "raise NotImplementedError" in sources[2]
    assert sources[3] == 'check("scaled_dot_product_attention")' and sources[-1] == "submit()"
    assert 'quiz("Q5")' in sources
    read(tmp_path / "q05.ipynb")


def test_reset(attncheck: Attncheck, tmp_path: Path) -> None:
    """One exercise is empty again, the rest of the file is as it was, and the old file stays beside it."""
    attncheck("start", "Q5", str(tmp_path))
    path = tmp_path / "q05.py"
    fresh = path.read_text("utf-8")
    mine = fresh.replace("    raise NotImplementedError", "    return q\n\n\nHELPER = 1")
    path.write_text(mine, "utf-8")
    ran = attncheck("start", "Q5", str(tmp_path), "--reset", "scaled_dot_product_attention")
    assert ran.code == 0 and "q05.old1.txt" in ran.out
    assert path.read_text("utf-8") == fresh.rstrip("\n") + "\n\n\nHELPER = 1\n"
    assert (tmp_path / "q05.old1.txt").read_text("utf-8") == mine
    for text, said in (("x = (", "not valid Python"), ("x = 1", "does not define")):
        path.write_text(text)
        ran = attncheck("start", "Q5", str(tmp_path), "--reset", "scaled_dot_product_attention")
        assert ran.code == 2 and said in ran.err and path.read_text() == text


def test_start_changes_no_file_that_is_not_utf8(attncheck: Attncheck, tmp_path: Path) -> None:
    """Characters that cannot be read would be lost: the file is left as it is, and the items are named."""
    code, answers = tmp_path / "q05.py", tmp_path / "answers.yaml"
    before = {
        code: "# coding: gbk\ndef scaled_dot_product_attention():\n    return 1  # 缩放\n".encode("gbk"),
        answers: "answers:\n  Q1.why: 因为要归一化\n".encode("gbk"),
    }
    for path, data in before.items():
        path.write_bytes(data)
    ran = attncheck("start", "Q5", str(tmp_path), "--reset", "scaled_dot_product_attention")
    assert ran.code == 2 and "not saved as UTF-8" in ran.err
    assert "could not be added" in attncheck("start", "Q5", str(tmp_path)).out
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_start_does_not_write_through_a_dangling_link(attncheck: Attncheck, tmp_path: Path) -> None:
    """A link to nowhere counts as a file that exists."""
    (tmp_path / "q05.py").symlink_to(tmp_path / "elsewhere.py")
    assert "kept as it is: " in attncheck("start", "Q5", str(tmp_path)).out
    assert not (tmp_path / "elsewhere.py").exists()


def test_start_where_no_folder_can_be(attncheck: Attncheck, tmp_path: Path) -> None:
    """A folder that cannot be made is a readable error."""
    (tmp_path / "file").write_text("")
    ran = attncheck("start", "Q5", str(tmp_path / "file" / "below"))
    assert ran.code == 2
    assert "cannot be written: Not a directory" in ran.err


@pytest.mark.parametrize(("lang", "nothing"), [("en", "nothing yet"), ("zh", "暂无")])
def test_the_map(lang: str, nothing: str, attncheck: Attncheck, course: object) -> None:
    """Every exercise and misconception with what is about it, for people, for programs, and as a page."""
    out = attncheck("questions", "--map", "--lang", lang).out
    assert "MultiHeadAttention" in out
    assert nothing in out
    data = json.loads(attncheck("questions", "--map", "--json").out)
    assert [each["id"] for each in data] == ["Q5", "Q11"]
    assert {exercise["name"] for each in data for exercise in each["exercises"]} >= {"MultiHeadAttention"}
    assert attncheck("questions", "--markdown", "--lang", lang).out.startswith("# ")


def test_start_knows_the_name(attncheck: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A learner who has given a name finds it in answers.yaml; one at a terminal is asked for it. Without a question,
    the next one is begun in the folder work."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("click.prompt", lambda text, default: "Ada Lovelace")
    assert attncheck("start").code == 0 and "Ada Lovelace" in attncheck("name").out
    assert 'learner: "Ada Lovelace"' in (tmp_path / "work" / "answers.yaml").read_text("utf-8")
