from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from grader.core import cache
from grader.core.errors import CourseError
from grader.core.model import (
    Case,
    Causal,
    CheckSpec,
    Course,
    Edit,
    Equivalent,
    Integers,
    Literal_,
    Made,
    Mistake,
    Normal,
    Pace,
    Parameter,
    Permutation,
    RandomMask,
    Same,
    Symbol,
    Text,
    Variant,
)
from grader.core.text import same
from grader.core.yaml_positions import parse
from grader.course import loader, misconceptions, validate
from grader.course.items import number
from grader.course.problems import ProblemsError
from grader.course.starter import stub
from grader.course.validate import CheckKind
from grader.grading import courses
from grader.grading.checks import kinds

ROOT = Path(__file__).parents[2]
FILE = "q05_attention.yaml"

GOOD = """\
id: Q5
title: {en: What attention returns, zh: 注意力的输出}
group: self-attention
prompt: {en: Write it., zh: 请写出来。}
sources: [vaswani2017]
misconceptions:
  output-is-scores:
    truth: {en: It is a mixture of values., zh: 它是值的混合。}
    ask_next: Q5.output
items:
  - id: Q5.output
    kind: choice
    use: practice
    points: 2
    ask: {en: What is it?, zh: 它是什么？}
    options:
      - {id: a, text: {en: Values, zh: 值}, correct: true}
      - {id: b, text: {en: Scores, zh: 分数}, misconception: output-is-scores}
    sources: [vaswani2017]
exercises:
  - function: attend
    signature: (q, k, v, mask=None)
    summary: {en: Attend., zh: 注意力。}
    result: {en: "(n, d)", zh: "(n, d)"}
    reference: attention.attend
    hints: [{en: Look., zh: 看。}]
    cases:
      - name: basic
        public: true
        draw: {n: [4, 7]}
        args: {q: {normal: [2, n, 8]}, k: {normal: [2, "n + 2", 8], scale: 3}, v: {same_as: k}}
      - name: empty rows
        only: [gradients]
        args: {q: {normal: [4, 8]}, k: {integers: [5, 8]}, v: 1.5, mask: {mask: [4, 5], empty: [0]}}
    checks: [values, {gradients: {on: [basic], weight: 0.5, rtol: 0.1}}]
  - class: Attention
    signature: (d_model, num_heads=1)
    forward: (query, mask=None)
    adapter: projections
    summary: {en: Attend., zh: 注意力。}
    result: {en: "(n, d)", zh: "(n, d)"}
    returns: attention
    reference: attention.Attention
    points: 7
    array_types: [torch]
    cases:
      - name: basic
        draw: {h: [2, 3]}
        construct: {d_model: "4 * h", num_heads: h}
        parameters: {w_q: {normal: [12, 12], shift: 0.3}}
        args: {query: {value: [[1, 2]], dtype: float32}, mask: {causal: [5, 5]}}
      - {name: indivisible, raises: ValueError, construct: {d_model: 10}}
    checks: [values, raises]
    variants:
      - {name: mask per sample, expand: {mask: [query, query]}}
"""
SOURCES = "vaswani2017: {title: Attention Is All You Need, authors: Vaswani et al., year: 2017, where: NeurIPS}\n"
REFERENCE = """\
import torch

SCALE = 1.0


def attend(q, k, v, mask=None):
    return q


class Attention:
    pass
"""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What the bank may set of one of these checks."""

    rtol: float = 1e-3
    axes: tuple[int, ...] = ()
    is_: float = 1.0


#: Check kinds of this test's own, so that it does not depend on those there are.
KINDS: Any = {
    "dtype": SimpleNamespace(KIND=CheckKind(same("kind"))),
    "gradients": SimpleNamespace(KIND=CheckKind(same("kind"), Tolerance)),
    "raises": SimpleNamespace(KIND=CheckKind(same("kind"))),
    "values": SimpleNamespace(KIND=CheckKind(same("kind"), weight=4.0, every_case=True)),
}


def load(folder: Path) -> Course:
    """The course in ``folder``, with these kinds."""
    return loader.load(folder, lambda: KINDS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small course, and a cache that is empty."""
    monkeypatch.setenv("ATTNCHECK_CACHE", str(tmp_path / "cache"))
    found = tmp_path / "course"
    write(found, f"questions/{FILE}", GOOD)
    write(found, "questions/sources.yaml", SOURCES)
    write(found, "reference/__init__.py", "")
    write(found, "reference/attention.py", REFERENCE)
    return found


def write(folder: Path, name: str, text: str) -> None:
    """Puts a file into a course."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def faults(folder: Path) -> list[str]:
    """The lines that loading a broken course is refused with, without the ids of the problems at their ends."""
    with pytest.raises(ProblemsError) as caught:
        load(folder)
    first, *lines = str(caught.value).split("\n")
    assert first == f"The course in {folder} has {'problems' if len(lines) > 1 else 'a problem'}:"
    shown = [line for line in lines if not line.startswith("…")]
    assert shown == list(map(str, caught.value.problems))[: len(shown)]
    return [line.removesuffix(f" [{line.rpartition('[')[2]}") for line in lines]


# ------------------------------------------------------------------------------------------ what is read


def test_a_question_is_read_as_written(folder: Path) -> None:
    """Every key of a question file arrives where the model has it."""
    found = load(folder)
    (question,) = found.questions
    assert (question.id, question.group, question.file) == ("Q5", "self-attention", f"questions/{FILE}")
    assert question.title == Text("What attention returns", "注意力的输出")
    assert question.misconceptions[0].ask_next == "Q5.output"
    (item,) = question.items
    assert (item.kind, item.use, item.points, item.sources) == ("choice", "practice", 2.0, ("vaswani2017",))
    assert [(option.id, option.correct, option.misconception) for option in item.spec.options] == [
        ("a", True, None),
        ("b", False, "output-is-scores"),
    ]
    assert found.sources[0].year == 2017
    assert (found.title.en, found.public_id, found.folder) == ("Attention in Transformers", "attncheck", str(folder))
    assert [name for name, _ in found.groups][:2] == ["self-attention", "multi-head-attention"]


def test_a_function_exercise_is_read_as_written(folder: Path) -> None:
    """Signatures, cases, recipes and checks of a function."""
    exercise = load(folder).questions[0].exercises[0]
    assert (exercise.name, exercise.kind, exercise.points, exercise.returns) == ("attend", "function", 4.0, "value")
    assert exercise.signature == "attend(q, k, v, mask=None)"
    assert exercise.parameters == (*(Parameter(name, True) for name in "qkv"), Parameter("mask", False))
    assert (exercise.forward_signature, exercise.forward, exercise.adapter) == (None, (), None)
    assert exercise.array_types == ("torch", "numpy")
    assert exercise.hints == (Text("Look.", "看。"),)
    basic, empty = exercise.cases
    assert basic == Case(
        name="basic",
        public=True,
        draw=(("n", (4, 7)),),
        args=(("q", Normal((2, "n", 8))), ("k", Normal((2, "n + 2", 8), scale=3.0)), ("v", Same("k"))),
    )
    assert empty.only == ("gradients",)
    assert dict(empty.args) == {
        "q": Normal((4, 8)),
        "k": Integers((5, 8), 0, 10),
        "v": Literal_(1.5),
        "mask": RandomMask((4, 5), 0.6, (0,)),
    }
    assert exercise.checks == (CheckSpec("values", 4.0), CheckSpec("gradients", 0.5, ("basic",), (("rtol", 0.1),)))


def test_a_class_exercise_is_read_as_written(folder: Path) -> None:
    """What classes have besides: ``forward``, ``construct``, ``parameters``, variants."""
    exercise = load(folder).questions[0].exercises[1]
    assert (exercise.name, exercise.kind, exercise.adapter) == ("Attention", "class", "projections")
    assert exercise.signature == "Attention(d_model, num_heads=1)"
    assert exercise.forward_signature == "forward(query, mask=None)"
    assert exercise.forward == (Parameter("query", True), Parameter("mask", False))
    assert (exercise.points, exercise.returns, exercise.array_types) == (7.0, "attention", ("torch",))
    assert exercise.variants == (Variant("mask per sample", (("mask", ("query", "query")),)),)
    basic, indivisible = exercise.cases
    assert basic.construct == (("d_model", Symbol("4 * h")), ("num_heads", Symbol("h")))
    assert basic.parameters == (("w_q", Normal((12, 12), shift=0.3)),)
    assert basic.args == (("query", Literal_([[1, 2]], "float32")), ("mask", Causal((5, 5))))
    assert (indivisible.raises, indivisible.construct) == ("ValueError", (("d_model", Literal_(10)),))
    assert [check.weight for check in exercise.checks] == [4.0, 1.0]


def test_references_are_text_with_what_they_define(folder: Path) -> None:
    """They are a submission of their own: read, with modules and definitions, and never imported."""
    package, attention = load(folder).reference
    assert (package.path, package.module, package.is_package) == ("reference/__init__.py", "reference", True)
    assert (attention.path, attention.module, attention.is_package) == (
        "reference/attention.py",
        "reference.attention",
        False,
    )
    assert attention.defines == (("SCALE", 3), ("attend", 6), ("Attention", 10))
    assert attention.imports_torch
    assert [part.text for part in attention.parts] == [REFERENCE]


def test_course_yaml_overrides_the_bundled_one_key_by_key(folder: Path) -> None:
    """A course has its own title, groups and choice of questions where it says so."""
    write(folder, "questions/q12_other.yaml", question("Q12", group="extras"))
    write(folder, "questions/q07_more.yaml", question("Q7", group="self-attention"))
    write(folder, "course.yaml", "groups: {self-attention: {en: A, zh: 甲}, extras: {en: B, zh: 乙}}\n")
    found = load(folder)
    assert [q.id for q in found.questions] == ["Q5", "Q7", "Q12"]
    assert [name for name, _ in found.groups] == ["self-attention", "extras"]
    assert found.public_id == "attncheck"
    write(folder, "course.yaml", "public_id: spring\nquestions: [Q7, Q5]\ngroups: {self-attention: {en: A, zh: 甲}}\n")
    assert faults(folder) == [
        "questions/q12_other.yaml:3: group: found 'extras'; expected a group of course.yaml: self-attention"
    ]
    write(folder, "questions/q12_other.yaml", question("Q12", group="self-attention"))
    found = load(folder)
    assert ([q.id for q in found.questions], found.public_id) == (["Q7", "Q5"], "spring")


def test_a_question_gives_the_points_that_the_course_says(folder: Path) -> None:
    """Its parts keep their proportions, practice among them; another question stays as it is."""
    write(
        folder, "questions/q07_more.yaml", GOOD.replace("Q5", "Q7").split("exercises:")[0].replace("practice", "graded")
    )
    before = load(folder).questions
    write(folder, "course.yaml", "points: {Q5: 22}\n")
    scaled, same = load(folder).questions
    assert (before[0].points, scaled.points) == (11, 22)
    assert [each.points for each in (*scaled.items, *scaled.exercises)] == [4, 8, 14]
    assert same == before[1]


def test_what_is_not_graded_cannot_be_given_points(folder: Path) -> None:
    """A question with practice items alone has nothing to be scaled."""
    write(folder, "questions/q07_more.yaml", GOOD.replace("Q5", "Q7").split("exercises:")[0])
    write(folder, "course.yaml", "points: {Q7: 5}\n")
    assert faults(folder) == ["course.yaml:1: points.Q7: nothing of Q7 is graded; leave it out here"]


def test_files_beside_a_course(folder: Path) -> None:
    """Are found from the folder of course.yaml, whatever the current one; where there is none, course.yaml is named."""
    assert (
        loader.file_named_in_course(load(folder), "roster"),
        loader.file_named_in_course(load(folder), "seed_file"),
    ) == (None,) * 2
    write(folder, "course.yaml", "roster: class.csv\nseed_file: ../SEED\n")
    write(folder, "class.csv", "id\n")
    found = load(folder)
    assert loader.file_named_in_course(found, "roster") == folder / "class.csv"
    with pytest.raises(CourseError, match=r"course\.yaml: seed_file: there is no file .*SEED.*--seed-file"):
        loader.file_named_in_course(found, "seed_file")


def test_limits_of_the_pages_of_a_class(folder: Path) -> None:
    """Each has a default of its own."""
    assert load(folder).pace == Pace(60, 20)
    write(folder, "course.yaml", "limits: {submissions_per_day: 3}\n")
    assert load(folder).pace == Pace(60, 3)
    write(folder, "course.yaml", "limits: {checks_per_hour: 0}\n")
    with pytest.raises(CourseError, match="checks_per_hour"):
        load(folder)


@pytest.mark.parametrize(("late", "hours"), [("grace_days: 2", 48), ("grace_hours: 6", 6), ("percent: 5", 0)])
def test_a_grace_is_said_in_hours_or_in_days(folder: Path, late: str, hours: float) -> None:
    """Up to the cut-off and with it."""
    write(folder, "course.yaml", f"late: {{{late}, cut_off_days: 2}}\n")
    assert load(folder).rules.grace_hours == hours


def test_packages_are_named_once(folder: Path) -> None:
    """In the order of course.yaml; without it there are none."""
    assert load(folder).packages == ()
    write(folder, "course.yaml", "packages: [einops, scikit-learn, einops]\n")
    assert load(folder).packages == ("einops", "scikit-learn")


def test_what_is_forbidden_stands_in_both_places(folder: Path) -> None:
    """An exercise's own names come first, those of course.yaml after them, and the stub tells learners."""
    head = "  - function: attend\n"
    write(folder, f"questions/{FILE}", GOOD.replace(head, f"{head}    forbids: [torch.softmax]\n"))
    write(folder, "course.yaml", "forbids: {attend: [torch.exp, torch.softmax]}\n")
    (found,) = load(folder).questions
    (exercise,) = (each for each in found.exercises if each.name == "attend")
    assert exercise.forbids == ("torch.softmax", "torch.exp")
    assert [each.forbids for each in found.exercises if each is not exercise] == [()] * (len(found.exercises) - 1)
    assert "Write it without torch.softmax, torch.exp." in stub(found, "en")
    assert "不要使用 torch.softmax、torch.exp" in stub(found, "zh")


def question(name: str, group: str = "self-attention") -> str:
    """A question with nothing to do."""
    return f"id: {name}\ntitle: {{en: T, zh: 题}}\ngroup: {group}\nprompt: {{en: P, zh: 请}}\n"


def test_the_bundled_course_is_sound() -> None:
    """What is shipped loads without a fault, against the checks there are."""
    found = courses.load(loader.find(None))
    assert found.questions
    assert {q.group for q in found.questions} <= {name for name, _ in found.groups}
    listed = sorted(path.stem for path in (ROOT / "grader" / "grading" / "checks").glob("[!_]*.py"))
    assert sorted(kinds()) == listed


# --------------------------------------------------------------------------------------------- what is wrong

ARGS = "args: {q: {normal: [2, n, 8]}"
MASK = "{mask: [4, 5], empty: [0]}"
BROKEN: list[tuple[str, str, int, str, list[str]]] = [
    # what stands there, what is put in its place, line, path, and what the message says
    ("group: self", "grup: self", 3, "grup", ["found 'grup'", "one of the keys: id, title, group", "mean 'group'?"]),
    ("group: self", "grup: self", 1, "group", ["missing", "lower-case words joined by -"]),
    ("group: self-", "group: slef-", 3, "group", ["found 'slef-attention'", "a group of", "mean 'self-attention'?"]),
    ("id: Q5\n", "id: 5\n", 1, "id", ["found 5", "an id such as Q5"]),
    ("id: Q5\n", "id: Q6\n", 1, "id", ["found 'Q6'", "the number in the file's name (q05_attention.yaml)", "q06_"]),
    (", zh: 注意力的输出}", "}", 2, "title.zh", ["missing", "a text", "in English and in Chinese"]),
    ("zh: 它是什么？", "zh: ' '", 15, "items[0].ask.zh", ["found ' '", "a text in every language"]),
    (
        "{en: What attention returns, zh: 注意力的输出}",
        "Attention",
        2,
        "title",
        ["found 'Attention'", "{en: …, zh: …}"],
    ),
    (
        "en: What attention",
        "en: What, really, attention",
        2,
        "title.really",
        ["one of the keys: en, zh", "comma needs quotes"],
    ),
    ("en: What attention", "en: What: attention", 2, "", ["not YAML", "needs quotes"]),
    ("id: Q5\n", "id: Q5\nid: Q5\n", 2, "", ["the key 'id' is given twice", "line 1"]),
    ("id: Q5.output", "id: Q4.output", 11, "items[0].id", ["found 'Q4.output'", "an id that begins with Q5."]),
    ("id: Q5.output", "id: Output", 11, "items[0].id", ["found 'Output'", "an id such as Q5.output-shape"]),
    (
        "kind: choice",
        "kind: choise",
        12,
        "items[0].kind",
        ["found 'choise'", "one of: blanks, choice", "mean 'choice'?"],
    ),
    ("kind: choice", "kind: 3", 12, "items[0].kind", ["found 3", "one of: blanks, choice"]),
    ("    kind: choice\n", "", 11, "items[0].kind", ["missing", "one of: blanks, choice"]),
    ("items:\n", "items:\n  - text\n", 11, "items[0]", ["found 'text'", "a mapping with `kind`"]),
    ("use: practice", "use: practise", 13, "items[0].use", ["one of: graded, practice", "mean 'practice'?"]),
    ("points: 2", "points: 0", 14, "items[0].points", ["found 0", "a number above 0"]),
    ("points: 2", "points: .inf", 14, "items[0].points", ["a finite number"]),
    ("    options:", "    option:", 16, "items[0].option", ["one of the keys: id, kind", "mean 'options'?"]),
    ("correct: true", "correct: yes", 17, "items[0].options[0].correct", ["found 'yes'", "true or false"]),
    (", correct: true", "", 16, "items[0].options", ["found none marked", "exactly one option with `correct: true`"]),
    ("id: b", "id: A", 18, "items[0].options[1].id", ["found 'A'", "no other option"]),
    (
        "n: output-is",
        "n: output-ist",
        18,
        "items[0].options[1].misconception",
        ["a misconception", "mean 'output-is-scores'?"],
    ),
    (
        "ask_next: Q5.out",
        "ask_next: Q5.ou",
        9,
        "misconceptions.output-is-scores.ask_next",
        ["item: Q5.output", "'Q5.output'?"],
    ),
    ("sources: [vaswani", "sources: [wasvani", 5, "sources[0]", ["an id of sources.yaml: vas", "mean 'vaswani2017'?"]),
    ("sources: [vaswani2017]", "sources: vaswani2017", 5, "sources", ["found 'vaswani2017'", "a list"]),
    (
        "function: attend",
        "functon: attend",
        21,
        "exercises[0].functon",
        ["one of the keys: function", "mean 'function'?"],
    ),
    ("function: attend", "function: 2x", 21, "exercises[0].function", ["found '2x'", "a Python name"]),
    (
        "function: attend",
        "function: attend\n    class: A",
        21,
        "exercises[0]",
        ["either `function: name` or `class: Name`"],
    ),
    ("function: attend", "function: attend\n    adapter: x", 21, "exercises[0]", ["`adapter` with a `class` only"]),
    ("function: attend", "function: Attention\n    ", 37, "exercises[1].class", ["a name of its own", FILE]),
    (
        "(q, k, v, mask=None)",
        "q, k, v",
        22,
        "exercises[0].signature",
        ["found 'q, k, v'", "such as (q, k, v, mask=None)"],
    ),
    ("(q, k, v, mask=None)", "(q, *k)", 22, "exercises[0].signature", ["found '(q, *k)'", "no *, /, **"]),
    (
        "attention.attend",
        "attention.atend",
        25,
        "exercises[0].reference",
        ["reference/attention.py", "'attention.attend'?"],
    ),
    ("attention.attend", "atention.attend", 25, "exercises[0].reference", ["found 'atention'", "mean 'attention'?"]),
    ("attention.attend", "attend", 25, "exercises[0].reference", ["found 'attend'", "module.name"]),
    ("hints: [{en: Look., zh: 看。}]", "hints: [{zh: 看。}]", 26, "exercises[0].hints[0].en", ["missing"]),
    ("name: empty rows", "name: basic", 32, "exercises[0].cases[1].name", ["found 'basic'", "no other case"]),
    ("name: empty rows", "name: a/b", 32, "exercises[0].cases[1].name", ["a name without /"]),
    ("public: true", "pubic: true", 29, "exercises[0].cases[0].pubic", ["found 'pubic'", "mean 'public'?"]),
    ("draw: {n: [4, 7]}", "draw: {n: 4}", 30, "exercises[0].cases[0].draw.n", ["found 4", "a list"]),
    ("draw: {n: [4, 7]}", "draw: {n: []}", 30, "exercises[0].cases[0].draw.n", ["found []", "1 or more"]),
    (
        ARGS,
        "args: {q: {nromal: [2]}",
        31,
        "exercises[0].cases[0].args.q.nromal",
        ["a recipe: normal, ", "mean 'normal'?"],
    ),
    (ARGS, "args: {q: {normal: 2}", 31, "exercises[0].cases[0].args.q.normal", ["found 2", "a list"]),
    (ARGS, "args: {q: [1, 2]", 31, "exercises[0].cases[0].args.q", ["found [1, 2]", "a list is written {value: […]}"]),
    (
        ARGS,
        "args: {q: words",
        31,
        "exercises[0].cases[0].args.q",
        ["the case draws: n", "a text is written {value: …}"],
    ),
    (ARGS, "args: {q: {normal: [m]}", 31, "exercises[0].cases[0].args.q.normal[0]", ["found 'm'", "the case draws: n"]),
    (ARGS, "args: {q: {normal: [n / 2]}", 31, "exercises[0].cases[0].args.q.normal[0]", ["'n / 2' is not allowed"]),
    (ARGS, "args: {q: {normal: [1.5]}", 31, "exercises[0].cases[0].args.q.normal[0]", ["found 1.5", "a whole number"]),
    (ARGS, "args: {q: {normal: [n - 5]}", 31, "exercises[0].cases[0].args.q.normal[0]", ["it is -1 with n = 4"]),
    (ARGS, "args: {q: 7 // (n - 4)", 31, "exercises[0].cases[0].args.q", ["divides by zero with n = 4"]),
    (
        ARGS,
        "args: {query: {normal: [2]}",
        31,
        "exercises[0].cases[0].args.query",
        ["an argument of attend(q, k, v, mask=None)"],
    ),
    (ARGS + ", ", "args: {", 31, "exercises[0].cases[0].args", ["missing: q", "attend(q, k, v, mask=None) requires"]),
    ("scale: 3", "scael: 3", 31, "exercises[0].cases[0].args.k.scael", ["keys: normal, scale, shift", "mean 'scale'?"]),
    ("scale: 3", "scale: big", 31, "exercises[0].cases[0].args.k.scale", ["found 'big'", "a number"]),
    ("same_as: k", "same_as: kk", 31, "exercises[0].cases[0].args.v.same_as", ["found 'kk'", "q, k", "mean 'k'?"]),
    ("same_as: k", "same_as: v", 31, "exercises[0].cases[0].args.v.same_as", ["found 'v'", "another argument"]),
    ("only: [gradients]", "only: [gradient]", 33, "exercises[0].cases[1].only[0]", ["a check of this", "'gradients'?"]),
    (MASK, "{mask: [5]}", 34, "exercises[0].cases[1].args.mask.mask", ["found [5]", "2 or more"]),
    (MASK, "{mask: [4, 5], keep: 2}", 34, "exercises[0].cases[1].args.mask.keep", ["a number below 1"]),
    (MASK, "{causal: [4]}", 34, "exercises[0].cases[1].args.mask.causal", ["found [4]", "2 or more"]),
    (MASK, "{integers: [4], low: 3, high: 2}", 34, "exercises[0].cases[1].args.mask", ["low 3 and high 2"]),
    (MASK, "{value: [{a: 1}]}", 34, "exercises[0].cases[1].args.mask.value", ["a list of these"]),
    (MASK, "{value: 1, dtype: float16}", 34, "exercises[0].cases[1].args.mask.dtype", ["float32", "mean 'float64'?"]),
    (
        "checks: [values, {",
        "checks: [valeus, {",
        35,
        "exercises[0].checks[0]",
        ["grader/grading/checks: dtype", "mean 'values'?"],
    ),
    ("{gradients: {on", "{gradeints: {on", 35, "exercises[0].checks[1]", ["checks: dtype", "mean 'gradients'?"]),
    ("rtol: 0.1", "rotl: 0.1", 35, "exercises[0].checks[1].gradients.rotl", ["on, weight, rtol", "mean 'rtol'?"]),
    ("rtol: 0.1", "rtol: small", 35, "exercises[0].checks[1].gradients.rtol", ["found 'small'", "expected a number"]),
    ("rtol: 0.1", "is_: 0.1", 35, "exercises[0].checks[1].gradients.is_", ["mean 'is'?"]),
    ("rtol: 0.1", "axes: [a]", 35, "exercises[0].checks[1].gradients.axes[0]", ["found 'a'", "a whole number"]),
    ("checks: [values, {", "checks: [3, {", 35, "exercises[0].checks[0]", ["found 3", "the name of a check"]),
    ("on: [basic]", "on: [basik]", 35, "exercises[0].checks[1].gradients.on[0]", ["found 'basik'", "mean 'basic'?"]),
    ("weight: 0.5", "weight: much", 35, "exercises[0].checks[1].gradients.weight", ["found 'much'", "a number"]),
    (
        "weight: 0.5",
        "wieght: 0.5",
        35,
        "exercises[0].checks[1].gradients.wieght",
        ["on, weight, rtol", "mean 'weight'?"],
    ),
    ("checks: [values, raises]", "checks: []", 53, "exercises[1].checks", ["found []", "1 or more"]),
    ("    forward: (query, mask=None)\n", "", 50, "exercises[1].cases[0].args", ["no `forward`"]),
    ("    adapter: projections\n", "", 49, "exercises[1].cases[0].parameters", ["no `adapter`"]),
    ("returns: attention", "returns: atention", 42, "exercises[1].returns", ["value, attention", "mean 'attention'?"]),
    ("array_types: [torch]", "array_types: [jax]", 45, "exercises[1].array_types[0]", ["found 'jax'", "numpy, torch"]),
    (
        '{d_model: "4 * h", ',
        "{dmodel: 1, ",
        49,
        "exercises[1].cases[0].construct.dmodel",
        ["Attention(d_model", "'d_model'?"],
    ),
    ('{d_model: "4 * h", ', "{", 49, "exercises[1].cases[0].construct", ["missing: d_model"]),
    (
        "raises: ValueError",
        "raises: ValuError",
        52,
        "exercises[1].cases[1].raises",
        ["found 'ValuError'", "'ValueError'?"],
    ),
    (", raises: ValueError", "", 53, "exercises[1].checks[1]", ["raises has no case", "one with `raises`"]),
    (
        "mask: [query, query]",
        "mask: [query]",
        55,
        "exercises[1].variants[0].expand.mask[1]",
        ["missing", "a Python name"],
    ),
    (
        "[query, query]",
        "[query, qery]",
        55,
        "exercises[1].variants[0].expand.mask[1]",
        ["found 'qery'", "mean 'query'?"],
    ),
    (GOOD, "", 1, "", ["found null", "a mapping {id: …, title: …, group: …, prompt: …}"]),
    (GOOD, "- Q5\n", 1, "", ['found ["Q5"]', "a mapping"]),
]


@pytest.mark.parametrize(("old", "new", "line", "path", "fragments"), BROKEN, ids=lambda value: str(value)[:24])
def test_a_broken_question_says_where_what_and_what_instead(
    folder: Path, old: str, new: str, line: int, path: str, fragments: list[str]
) -> None:
    """Each fault is one line: file, line, key path, the value seen, what was expected, the nearest spelling."""
    assert old in GOOD
    write(folder, f"questions/{FILE}", GOOD.replace(old, new, 1))
    place = f"questions/{FILE}:{line}: " + (f"{path}: " if path else "")
    found = [fault for fault in faults(folder) if fault.startswith(place)]
    assert any(all(fragment in fault for fragment in fragments) for fault in found), faults(folder)


def test_all_faults_of_a_file_are_told_at_once(folder: Path) -> None:
    """Four mistakes, four lines; nothing has to be mended first to see the next."""
    text = GOOD.replace("group:", "grup:").replace("zh: 看。", "hz: 看。").replace("kind: choice", "kind: choise")
    write(folder, f"questions/{FILE}", text)
    places = [fault.split(": ")[1] for fault in faults(folder)]
    assert sorted(places) == ["exercises[0].hints[0].hz", "exercises[0].hints[0].zh", "group", "grup", "items[0].kind"]


def test_faults_of_several_files_are_told_together_but_not_by_the_hundred(folder: Path) -> None:
    """Ten lines are enough to work on; the rest is counted."""
    write(folder, "questions/q06_more.yaml", "id: Q6\n")
    write(folder, "questions/sources.yaml", "".join(f"paper-{n}: {{}}\n" for n in range(4)))
    lines = faults(folder)
    assert len(lines) == 11
    assert lines[-1] == "… and 9 more"


@pytest.mark.parametrize(
    ("name", "text", "start", "fragments"),
    [
        ("course.yaml", "titel: {en: A, zh: 甲}\n", "course.yaml:1: titel: ", ["'title'"]),
        ("course.yaml", "groups: {}\n", "course.yaml:1: groups: ", ["1 or more"]),
        ("course.yaml", "forbids:\n  soft_max: [torch.exp]\n", "course.yaml:2: forbids.soft_max: ", ["an exercise"]),
        ("course.yaml", "forbids:\n  x: [softmax]\n", "course.yaml:2: forbids.x[0]: ", ["library in front"]),
        (
            "course.yaml",
            "packages: [einops, grader]\n",
            "course.yaml:1: packages[1]: ",
            ["holds the keys and references"],
        ),
        (
            "course.yaml",
            "packages:\n  - Reference\n",
            "course.yaml:2: packages[0]: ",
            ["holds the keys and references"],
        ),
        ("course.yaml", "packages: [pytest]\n", "course.yaml:1: packages[0]: ", ["pytest is a tool that tests"]),
        ("course.yaml", "packages: [../x]\n", "course.yaml:1: packages[0]: ", ["such as einops"]),
        ("course.yaml", "points:\n  Q6: 3\n", "course.yaml:2: points.Q6: ", ["a question of this course: Q5"]),
        ("course.yaml", "points:\n  Q5: 0\n", "course.yaml:2: points.Q5: ", ["found 0", "above 0"]),
        ("course.yaml", "roster: [a]\n", "course.yaml:1: roster: ", ["expected non-empty text"]),
        ("course.yaml", "seed_file: ' '\n", "course.yaml:1: seed_file: ", ["expected non-empty text"]),
        (
            "course.yaml",
            "late: {grace_hours: 1, grace_days: 1}\n",
            "course.yaml:1: late: ",
            ["either `grace_hours: …` or `grace_days: …`"],
        ),
        (
            "course.yaml",
            "late: {grace_hours: 60, cut_off_days: 2}\n",
            "course.yaml:1: late: ",
            ["a grace of at most 2 days (48 hours)"],
        ),
        ("course.yaml", "hidden_results: after-due\n", "course.yaml:1: hidden_results: ", ["found 'after-due'", "due"]),
        (
            "course.yaml",
            "due: '2026-11-30T23:59:00+08:00'\nlate: {grace_hours: 2}\nhidden_results: after-due\n",
            "course.yaml:3: hidden_results: ",
            ["found 'after-due'", "`late: {cut_off_days: …}` or `late: {percent: …}`"],
        ),
        ("course.yaml", "questions:\n  - Q5\n  - Q6\n", "course.yaml:3: questions[1]: ", ["found 'Q6'", "Q5"]),
        (
            "questions/sources.yaml",
            "v: {title: t}\n",
            "questions/sources.yaml:1: v.authors: ",
            ["missing; expected a text"],
        ),
        ("questions/sources.yaml", "V: {}\n", "questions/sources.yaml:1: V: ", ["lower-case words"]),
        ("questions/q06_x.yaml", "a: [1\n", "questions/q06_x.yaml:2: ", ["not YAML"]),
        ("questions/q06_x.yaml", question("Q5"), "questions/q06_x.yaml:1: id: ", ["a name of its own", FILE]),
        ("reference/heads.py", "def f(:\n", "reference/heads.py:1: ", ["not Python", "invalid syntax"]),
        ("reference/heads.py", "x = " + "-" * 100_000 + "1\n", "reference/heads.py:1: ", ["not Python"]),
    ],
)
def test_other_files_are_checked_too(folder: Path, name: str, text: str, start: str, fragments: list[str]) -> None:
    """Course, sources and references have the same kind of messages."""
    write(folder, name, text)
    found = [fault for fault in faults(folder) if fault.startswith(start)]
    assert any(all(fragment in fault for fragment in fragments) for fault in found), faults(folder)


def test_files_are_utf_8(folder: Path) -> None:
    """Another encoding is named as such, with the line."""
    (folder / "questions" / FILE).write_bytes(b"id: Q5\n# \xe9\n")
    assert faults(folder) == [f"questions/{FILE}:2: found the byte 0xe9; expected UTF-8"]


def test_a_course_without_questions_is_refused(folder: Path) -> None:
    """An empty bank is a fault, not an empty course."""
    (folder / "questions" / FILE).unlink()
    assert faults(folder) == [f"{folder / 'questions'}: no question in it; expected files such as q05_attention.yaml"]


# --------------------------------------------------------------------------------------------- where it is


def test_find_prefers_the_argument_to_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``--course``, then ATTNCHECK_COURSE, then the content that is there."""
    other = folder.parent / "other"
    (other / "questions").mkdir(parents=True)
    assert loader.find(None) == ROOT
    monkeypatch.setenv("ATTNCHECK_COURSE", str(other))
    assert loader.find(None) == other
    assert loader.find(folder) == folder


def test_installed_content_comes_before_the_checkout(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel carries its content inside the package; with neither, the way out is named."""
    package = folder.parent / "site-packages" / "grader"
    monkeypatch.setattr(loader, "_GRADER", package)
    with pytest.raises(CourseError, match=r"no course.*--course"):
        loader.find(None)
    (package.parent / "questions").mkdir(parents=True)
    assert loader.find(None) == package.parent
    (package / "_content" / "questions").mkdir(parents=True)
    assert loader.find(None) == package / "_content"


@pytest.mark.parametrize(
    ("name", "fragment"), [("nowhere", r"\(No such file or directory\)"), ("cache", r"questions/ in it, found: x\.py")]
)
def test_a_folder_without_questions_is_no_course(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, fragment: str
) -> None:
    """Who named the folder, what is in it, and what should be."""
    write(folder.parent, "cache/x.py", "")
    with pytest.raises(CourseError, match=f"--course names .*{name}.*{fragment}"):
        loader.find(folder.parent / name)
    monkeypatch.setenv("ATTNCHECK_COURSE", str(folder.parent / name))
    with pytest.raises(CourseError, match=f"ATTNCHECK_COURSE names .*{name}"):
        loader.find(None)


# ------------------------------------------------------------------------------------------------ the cache


def test_the_digest_follows_everything_that_matters(folder: Path) -> None:
    """Any change of bank or reference changes it; the folder's name and other files do not."""
    first = load(folder).digest
    moved = folder.parent / "moved"
    shutil.copytree(folder, moved)
    write(moved, "notes.txt", "nothing")
    assert (load(moved).digest, load(moved).folder) == (first, str(moved))
    seen = {first}
    for name in (f"questions/{FILE}", "questions/sources.yaml", "reference/attention.py"):
        write(moved, name, (moved / name).read_text("utf-8") + "\n# changed\n")
        seen.add(load(moved).digest)
    write(moved, "course.yaml", "public_id: other\n")
    seen.add(load(moved).digest)
    assert len(seen) == 5


def test_a_cached_course_is_the_course(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes back equal, without being read again; an edit is seen at once."""
    first = load(folder)
    with monkeypatch.context() as patch:
        patch.setattr("grader.course.build.course", None)
        assert load(folder) == first
    write(folder, f"questions/{FILE}", GOOD.replace("What attention returns", "Edited"))
    assert load(folder).questions[0].title.en == "Edited"


def test_a_warm_cache_needs_no_heavy_library(folder: Path) -> None:
    """Commands that print text start fast: no YAML, pydantic, NumPy or torch on the second time."""
    program = (
        "import sys; from pathlib import Path; from grader.grading import courses; courses.load(Path(sys.argv[1]));"
        "print(*[name for name in ('pydantic', 'yaml', 'numpy', 'torch') if name in sys.modules])"
    )
    write(folder, f"questions/{FILE}", GOOD.replace(", rtol: 0.1", ""))
    seen = [
        subprocess.run(
            [sys.executable, "-c", program, str(folder)], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert seen == [["pydantic", "yaml", "numpy"], []]


def test_a_warm_cache_imports_a_kind_of_item_when_it_is_asked() -> None:
    """A cached course imports no kind of item; reading the spec of one item, and asking it, imports its kind alone.

    Which misconceptions items name is known before.
    """
    program = (
        "import sys; from grader.course import items, loader, misconceptions; from grader.grading import courses;"
        "loaded = lambda: [name.rpartition('.')[2] for name in sys.modules"
        " if name.startswith('grader.course.items.') and '._' not in name];"
        "course = courses.load(loader.find(None)); misconceptions.indexed(course); before = loaded();"
        "item = next(item for q in course.questions for item in q.items if item.kind == 'choice');"
        "items.ask(item, items.Context('', '', '')); print(before, loaded())"
    )
    courses.load(loader.find(None))
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n")[0] == "[] ['choice']"


def test_a_cached_course_names_the_same_misconceptions() -> None:
    """What is known of the specs without reading them is what they say when read."""
    courses.load(loader.find(None))
    every = [item for question in courses.load(loader.find(None)).questions for item in question.items]
    before = [misconceptions.misconceptions_of(item) for item in every]
    assert all(item.spec is not None for item in every)
    assert before == [misconceptions.misconceptions_of(item) for item in every]
    assert any(before)


class Trap:
    """What a forged cache entry could hold."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (self.path,)

    def __init__(self, path: Path) -> None:
        self.path = str(path)


@pytest.mark.parametrize("damage", ["empty", "cut", "noise", "other", "trap", "class"])
def test_a_damaged_entry_is_ignored(folder: Path, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever stands in the cache, nothing of it runs, and the course is read again."""
    first = load(folder)
    (entry,) = (folder.parent / "cache" / "course").iterdir()
    sprung = folder.parent / "sprung"
    data = {
        "empty": b"",
        "cut": (cache.get("course", entry.name) or b"")[:-20],
        "noise": b"\x80\x05" + bytes(range(256)),
        "other": pickle.dumps(first.title),
        "trap": pickle.dumps(Trap(sprung)),
        "class": b"cgrader.items.choice\ndataclass.__call__\n.",
    }[damage]
    cache.put("course", entry.name, data)
    assert cache.get("course", entry.name) == data
    assert load(folder) == first
    assert not sprung.exists()
    assert cache.get("course", entry.name) != data


def test_without_a_cache_it_only_takes_longer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that cannot be written is no fault."""
    write(folder.parent, "file", "")
    monkeypatch.setenv("ATTNCHECK_CACHE", str(folder.parent / "file"))
    assert load(folder) == load(folder)


# ----------------------------------------------------------------------------------------------- the schema


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    """The schema, which must be one."""
    found = courses.schema()
    jsonschema.Draft202012Validator.check_schema(found)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    json.dumps(found)
    return jsonschema.Draft202012Validator(found)


def test_defaults_fit_the_schema(schema: jsonschema.Draft202012Validator) -> None:
    """What an editor fills in for a key is a value that the key takes."""
    root: Any = schema.schema
    properties = [
        found
        for each in (root, *root["$defs"].values())
        for found in each.get("properties", {}).values()
        if "default" in found
    ]
    assert len(properties) > 40
    for found in properties:
        whole = {"$defs": root["$defs"], **found}
        assert list(jsonschema.Draft202012Validator(whole).iter_errors(found["default"])) == [], found


def test_a_good_file_fits_the_schema(schema: jsonschema.Draft202012Validator) -> None:
    """Editors have nothing against what the loader accepts."""
    assert list(schema.iter_errors(parse(GOOD, FILE, CourseError).value)) == []


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(path, id=path.stem, marks=() if number % 6 == 0 else pytest.mark.prove)
        for number, path in enumerate(sorted((ROOT / "questions").glob("q*.yaml")))
    ],
)
def test_the_bank_fits_the_schema(schema: jsonschema.Draft202012Validator, file: Path) -> None:
    """As it is."""
    assert list(schema.iter_errors(parse(file.read_text("utf-8"), file.name, CourseError).value)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("group:", "grup:"),
        (", zh: 注意力的输出}", "}"),
        ("id: Q5\n", "id: 5\n"),
        ("kind: choice", "kind: choise"),
        ("correct: true", "correct: 1"),
        ("    options:", "    option:"),
        ("normal: [2, n, 8]", "nromal: [2, n, 8]"),
        ("normal: [2, n, 8]", "normal: [2, 1.5, 8]"),
        ("scale: 3", "scael: 3"),
        ("checks: [values, {", "checks: [valeus, {"),
        ("{gradients: {", "{gradient: {"),
        ("weight: 0.5", "weight: 0"),
        ("function: attend", "functon: attend"),
        ("function: attend", "function: attend\n    class: A"),
        ("mask: [query, query]", "mask: [query]"),
    ],
)
def test_a_bad_file_does_not(schema: jsonschema.Draft202012Validator, old: str, new: str) -> None:
    """What is wrong by its form alone is shown while typing."""
    assert old in GOOD
    assert list(schema.iter_errors(parse(GOOD.replace(old, new, 1), FILE, CourseError).value))


# ---------------------------------------------------------------------------------- other kinds of items

ITEMS = """\
items:
  - id: Q6.root
    kind: number
    draw: {d_k: [16, 49, 256]}
    ask: {en: "√{d_k}?", zh: "√{d_k} 是多少？"}
    explain: {en: "Not {d_k}.", zh: "不是 {d_k}。"}
    answer: sqrt(d_k)
    tolerance: 0.001
    unit: {en: units, zh: 个}
    wrong: [{answer: d_k, misconception: no-scaling}]
  - id: Q6.eight
    kind: number
    ask: {en: "{d_k}?", zh: 八？}
    answer: 8
    unit: MiB
  - id: Q6.several
    kind: multi
    ask: {en: Which?, zh: 哪些？}
    options:
      - {id: a, text: {en: A, zh: 甲}, correct: true}
      - {id: b, text: {en: B, zh: 乙}, misconception: no-halves}
      - {id: c, text: {en: C, zh: 丙}, correct: true}
"""


@pytest.fixture
def asking(folder: Path) -> Path:
    """A course with items of the other kinds."""
    (folder / "questions" / FILE).unlink()
    write(folder, "questions/q06_asking.yaml", question("Q6") + BELIEFS + ITEMS)
    return folder


def test_other_kinds_are_read_as_written(asking: Path) -> None:
    """Numbers with draws, units in two languages or none, options of which several are right."""
    root, eight, several = load(asking).questions[0].items
    assert root.spec == number.Spec(
        "sqrt(d_k)", {"d_k": (16, 49, 256)}, 0.001, Text("units", "个"), (number.KnownWrongAnswer("d_k", "no-scaling"),)
    )
    assert eight.spec == number.Spec(8, unit="MiB")
    assert [(each.id, each.correct, each.misconception) for each in several.spec.options] == [
        ("a", True, None),
        ("b", False, "no-halves"),
        ("c", True, None),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.course.build.course", None)
        assert load(asking).questions[0].items == (root, eight, several)


def test_other_kinds_fit_the_schema(schema: jsonschema.Draft202012Validator) -> None:
    """Editors know their keys."""
    text = question("Q6") + BELIEFS + ITEMS
    assert list(schema.iter_errors(parse(text, FILE, CourseError).value)) == []
    for old, new in (("tolerance:", "tolerence:"), ("[16, 49, 256]", "[16, many]"), ("answer: 8", "answer: [8]")):
        assert list(schema.iter_errors(parse(text.replace(old, new), FILE, CourseError).value))


@pytest.mark.parametrize(
    ("old", "new", "path", "fragments"),
    [
        ('en: "√{d_k}?"', 'en: "√16?"', "items[0].ask.en", ["expected {d_k} in the text"]),
        ('"√{d_k} 是多少？"', '"√{d_q}，{d_k}"', "items[0].ask.zh", ["found 'd_q'", "draws: d_k", "mean 'd_k'?"]),
        ('en: "Not {d_k}."', 'en: "Not {n}."', "items[0].explain.en", ["found 'n'", "that the item draws: d_k"]),
        ("answer: sqrt(d_k)", "answer: sqrt(d_q)", "items[0].answer", ["found 'd_q'", "mean 'd_k'?"]),
        ("answer: sqrt(d_k)", "answer: [1]", "items[0].answer", ["found [1]", "a whole number or a number or a text"]),
        ("answer: d_k,", "answer: d_k ** 0.5,", "items[0].wrong[0].answer", ["never right", "with d_k = 16"]),
        ("n: no-scaling", "n: no-scale", "items[0].wrong[0].misconception", ["mean 'no-scaling'?"]),
        ("[16, 49, 256]", "[]", "items[0].draw.d_k", ["found []", "one number or more"]),
        ("[16, 49, 256]", "[16, many]", "items[0].draw.d_k[1]", ["found 'many'", "a whole number or a number"]),
        (
            "unit: {en: units, zh: 个}",
            "unit: {en: units}",
            "items[0].unit.zh",
            ["missing", "in English and in Chinese"],
        ),
        ("unit: MiB", "unit: 3", "items[1].unit", ["found 3", "a mapping {en: …, zh: …} or a text"]),
        ("tolerance: 0.001", "tolerance: 1", "items[0].tolerance", ["found 1", "from 0 up to, but not including, 1"]),
        (
            "c, text: {en: C, zh: 丙}, correct",
            "B, text: {en: C, zh: 丙}, correct",
            "items[2].options[2].id",
            ["found 'B'"],
        ),
        ("n: no-halves", "n: no-half", "items[2].options[1].misconception", ["mean 'no-halves'?"]),
    ],
)
def test_a_broken_item_of_another_kind_says_where_and_what(
    asking: Path, old: str, new: str, path: str, fragments: list[str]
) -> None:
    """What a number draws is asked about; everything that is named is there."""
    assert old in ITEMS
    write(asking, "questions/q06_asking.yaml", question("Q6") + BELIEFS + ITEMS.replace(old, new, 1))
    (found,) = faults(asking)
    assert f": {path}: " in found
    assert all(fragment in found for fragment in fragments), found


# ---------------------------------------------------------------------- mistakes and what else they need

MISTAKEN = """\
exercises:
  - function: attend
    signature: (attend, perm=None)
    summary: {en: Attend., zh: 注意力。}
    result: {en: "(n, d)", zh: "(n, d)"}
    reference: wrong.attend
    cases:
      - name: basic
        draw: {n: [4, 7]}
        args: {attend: {make: ready, with: {instance: {normal: [n, n]}}}, perm: {permutation: n}}
      - {name: second, args: {attend: 1}}
      - {name: third, only: [dtype], args: {attend: 1}}
    checks: [values, gradients, dtype]
    mistakes:
      - misconception: no-scaling
        replace: " / 2"
        with: ""
        fails: [values, values/second, gradients/basic, dtype/third]
      - misconception: no-halves
        fails: [values]
        edits:
          - {in: half, body: return 0}
          - {replace: attend +, with: perm +}
equivalent:
  - {mutant: "attend: Div→Mult", why: Nothing is seen of it.}
"""
BELIEFS = """\
misconceptions:
  no-scaling: {truth: {en: T, zh: 真}}
  no-halves: {truth: {en: T, zh: 真}}
"""
WRONG = """\
from reference.halves import half


def attend(attend, perm=None):
    return attend + half(perm) / 2


class Heads:
    def forward(self):
        return 1
"""


@pytest.fixture
def mistaken(folder: Path) -> Path:
    """A course whose one exercise has mistakes."""
    write(folder, "reference/wrong.py", WRONG)
    write(folder, "reference/halves.py", "def half(x):\n    return x / 2\n")
    (folder / "questions" / FILE).unlink()
    write(folder, "questions/q06_mistaken.yaml", question("Q6") + BELIEFS + MISTAKEN)
    return folder


def test_one_belief_may_have_several_mistakes_with_different_edits(mistaken: Path) -> None:
    """Two programs from one belief are two mistakes; the same edits twice are refused."""
    path = mistaken / "questions/q06_mistaken.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("n: no-halves", "n: no-scaling"), encoding="utf-8")
    (found,) = load(mistaken).questions
    assert [each.misconception for each in found.exercises[0].mistakes] == ["no-scaling"] * 2
    first = text.index("      - misconception: no-scaling")
    second = text.index("      - misconception: no-halves")
    path.write_text(text[:second] + text[first:second] + text[second:], encoding="utf-8")
    with pytest.raises(ProblemsError, match="edits that no other mistake of the exercise has"):
        load(mistaken)


def test_mistakes_are_read_as_written(mistaken: Path) -> None:
    """One edit right in the mistake or several in a list; the function is the reference unless it says."""
    (found,) = load(mistaken).questions
    exercise = found.exercises[0]
    assert exercise.mistakes == (
        Mistake(
            "no-scaling", (Edit("attend", " / 2", ""),), ("values", "values/second", "gradients/basic", "dtype/third")
        ),
        Mistake("no-halves", (Edit("half", None, "return 0"), Edit("attend", "attend +", "perm +")), ("values",)),
    )
    assert found.equivalent == (Equivalent("attend: Div→Mult", "Nothing is seen of it."),)
    assert dict(exercise.cases[0].args) == {
        "attend": Made("ready", (("instance", Normal(("n", "n"))),)),
        "perm": Permutation("n"),
    }
    assert load(mistaken) == load(mistaken)


def test_mistakes_fit_the_schema(mistaken: Path, schema: jsonschema.Draft202012Validator) -> None:
    """Editors know them, and tell what is half an edit."""
    text = (mistaken / "questions" / "q06_mistaken.yaml").read_text("utf-8")
    assert list(schema.iter_errors(parse(text, FILE, CourseError).value)) == []
    for old, new in [
        ('        with: ""\n', ""),
        ("mutant:", "mutnat:"),
        ("[values]\n        edits:", "[values]\n        x:"),
    ]:
        assert old in text
        assert list(schema.iter_errors(parse(text.replace(old, new), FILE, CourseError).value))


@pytest.mark.parametrize(
    ("old", "new", "path", "fragments"),
    [
        ("n: no-scaling", "n: no-scalling", "mistakes[0].misconception", ["of this question", "mean 'no-scaling'?"]),
        ('replace: " / 2"', 'replace: " / 3"', "mistakes[0].replace", ["found ' / 3'", "attend has it 0 times"]),
        ('replace: " / 2"', "replace: attend", "mistakes[0].replace", ["attend has it 3 times"]),
        ('replace: " / 2"', 'replace: ""', "mistakes[0].replace", ["found ''", "non-empty text"]),
        ('        with: ""\n', "", "mistakes[0]", ["either `replace: …` and `with: …`, or `body: …`"]),
        ('        with: ""\n', '        with: ""\n        body: a\n', "mistakes[0]", ["or `body: …`"]),
        ('with: ""', 'with: "("', "mistakes[0].with", ["Python that fits into attend", "was never closed"]),
        ('        with: ""\n', '        with: ""\n        in: haff\n', "mistakes[0].in", ["mean 'half'?"]),
        ('        with: ""\n', '        with: ""\n        in: a b\n', "mistakes[0].in", ["or Class.method"]),
        ("{in: half, body", "{in: Heads, body", "mistakes[1].edits[0].in", ["attend, Heads.forward, half"]),
        ("body: return 0", 'body: "return )"', "mistakes[1].edits[0].body", ["Python that fits into half"]),
        ("body: return 0", "bdoy: return 0", "mistakes[1].edits[0].bdoy", ["in, replace, with, body", "mean 'body'?"]),
        ("{replace: attend +", "{replace: attend -", "mistakes[1].edits[1].replace", ["0 times"]),
        ("        edits:", "        body: a\n        edits:", "mistakes[1]", ["under `edits`, not both"]),
        ("fails: [values]", "fails: []", "mistakes[1].fails", ["1 or more"]),
        ("fails: [values]", "fails: [valeus]", "mistakes[1].fails[0]", ["values/basic", "mean 'values'?"]),
        ("fails: [values]", "fails: [values/third]", "mistakes[1].fails[0]", ["check/case: dtype, gradients, values"]),
        ("gradients/basic", "gradients/second", "mistakes[0].fails[2]", ["mean 'gradients/basic'?"]),
        ("make: ready", "make: raedy", "cases[0].args.attend.make", ["a helper in grader/sandbox", "mean 'ready'?"]),
        ("normal: [n, n]", "normal: [m]", "cases[0].args.attend.with.instance.normal[0]", ["found 'm'", "draws: n"]),
        ("{normal: [n, n]}", "{same_as: perm}", "cases[0].args.attend.with.instance", ["of its own inside `make`"]),
        ("{normal: [n, n]}", "[1]", "cases[0].args.attend.with.instance", ["a list is written {value: […]}"]),
        ("permutation: n", "permutation: n - 3", "cases[0].args.perm.permutation", ["2 or more", "it is 1 with n = 4"]),
        ("permutation: n", "permtation: n", "cases[0].args.perm.permtation", ["a recipe: normal", "'permutation'?"]),
    ],
)
def test_a_broken_mistake_says_where_and_what(
    mistaken: Path, old: str, new: str, path: str, fragments: list[str]
) -> None:
    """What a mistake names must be there, and its edits must be possible."""
    assert old in MISTAKEN
    write(mistaken, "questions/q06_mistaken.yaml", question("Q6") + BELIEFS + MISTAKEN.replace(old, new, 1))
    (found,) = faults(mistaken)
    assert found.startswith("questions/q06_mistaken.yaml:")
    assert f": exercises[0].{path}: " in found
    assert all(fragment in found for fragment in fragments), found


def test_helpers_are_known_without_torch() -> None:
    """The names that a bank is checked against are those of the functions, which need torch."""
    from grader.sandbox.inside import helpers as inside

    assert set(validate.helpers()) == set(inside.HELPERS)
