"""Exercises with a memory: how they are written in the bank, called, and shown to learners."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.core.model import (
    Apply,
    Case,
    Exercise,
    Job,
    LocatedOwn,
    Own,
    Parameter,
    Program,
    Question,
    Ref,
    Text,
    Value,
    Variant,
)
from grader.course.schema import ExerciseSchema
from grader.course.schema_problems import validate
from grader.course.starter import stub
from grader.course.validate import KnownNames, check_question
from grader.grading.checks import kinds
from grader.grading.grade import grade
from grader.grading.inputs import Drawn, DrawnMade, Seed, draw
from grader.grading.programs import Target, Writer, apply_variant
from grader.grading.selection import Selection
from grader.sandbox.wire import tasks_of
from tests.helpers import source, submission
from tests.solving import Bench

WORDS = Text("words", "文字")
TWO = {"en": "a", "zh": "一"}
STEP: dict[str, Any] = {
    "function": "step",
    "signature": "(state, x)",
    "through": "row_by_row(q, k, v, as_rows=False)",
    "summary": TWO,
    "result": TWO,
    "reference": "a.b",
    "cases": [{"name": "basic", "args": {"q": {"own": "KVCache", "else": "kv_cache"}, "k": 1, "v": 2}}],
    "checks": ["values"],
    "variants": [{"name": "rows", "give": {"as_rows": True}}],
}
CACHE = STEP | {"class": "KVCache", "signature": "()", "methods": ["append(k, v)", "__len__()"], "variants": []}
del CACHE["function"]


def built(raw: dict[str, Any]) -> Exercise:
    """The exercise as the bank has it."""
    edge = validate(ExerciseSchema, raw)
    assert isinstance(edge, ExerciseSchema), edge
    return edge.build(kinds())


# ---------------------------------------------------------------------------------------- in the bank


def test_what_the_helper_takes_is_what_cases_give() -> None:
    """The signature is the learner's; the arguments of the cases are the helper's."""
    step = built(STEP)
    assert (step.signature, step.through) == ("step(state, x)", "row_by_row")
    assert [p.name for p in step.parameters] == ["state", "x"]
    assert [(p.name, p.required) for p in step.takes] == [("q", True), ("k", True), ("v", True), ("as_rows", False)]
    assert dict(step.cases[0].args)["q"] == Own("KVCache", "kv_cache")
    assert step.variants == (Variant("rows", give=(("as_rows", True),)),)
    assert built(CACHE).methods == ("append(k, v)", "__len__()")
    assert [p.name for p in replace(step, through=None).takes] == ["state", "x"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"through": "row_by_row"}, "plain Python parameters"),
        ({"through": "(q)"}, "such as append(k, v)"),
        ({"methods": ["append(k, v)"]}, "`methods` with a `class` only"),
        ({"forward": "(x)"}, "with a `class` only"),
    ],
)
def test_faults_of_functions(change: dict[str, Any], said: str) -> None:
    """A helper has parameters, and only classes have methods."""
    found = validate(ExerciseSchema, STEP | change)
    assert isinstance(found, list)
    assert said in " ".join(str(fault) for fault in found)


def test_faults_of_classes_and_variants() -> None:
    """Either a helper calls the class, or its forward is called; a variant changes something."""
    found = validate(ExerciseSchema, CACHE | {"forward": "(x)"})
    assert isinstance(found, list)
    assert "either `through`" in str(found)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, None),
        ({"through": "row_by_rwo(q, k, v, as_rows=False)"}, "did you mean 'row_by_row'?"),
        ({"variants": [{"name": "rows", "give": {"as_row": True}}]}, "did you mean 'as_rows'?"),
        (
            {"cases": [{"name": "basic", "args": {"q": {"own": "A", "else": "kv_cahce"}, "k": 1, "v": 2}}]},
            "'kv_cache'?",
        ),
        ({"cases": [{"name": "basic", "args": {"state": 1}}]}, "an argument of row_by_row"),
        ({"cases": [{"name": "basic", "args": {"q": 1, "k": 1, "v": 2}, "construct": {"n": 1}}]}, "without `through`"),
    ],
)
def test_what_is_named_is_there(change: dict[str, Any], said: str | None) -> None:
    """Helpers, and their arguments."""
    question = Question("Q21", WORDS, "efficiency", WORDS, "q21.yaml", exercises=(built(STEP | change),))
    known = KnownNames(None, None, None, None, kinds())
    found = [str(fault) for fault in check_question(question, {"exercises": [{}]}, known)]
    if said is None:
        assert not found
    else:
        assert any(said in fault for fault in found), found


# -------------------------------------------------------------------------------------------- calling


@pytest.mark.parametrize("raw", [STEP, CACHE])
def test_the_helper_is_given_what_was_handed_in(raw: dict[str, Any]) -> None:
    """Function or class, first; nothing is constructed here. What is counted begins after the inputs are made."""
    exercise = built(raw)
    made = DrawnMade("filled_cache", (("own", Own("KVCache", "kv_cache")), ("k", np.ones(2, np.float32))))
    drawn = Drawn((("q", made), ("k", Own("other")), ("v", 3), ("as_rows", True)), (), ())
    writer = Writer.to(Target(exercise, "q21"))
    assert writer.instance(drawn) == (None, None)
    called = writer.call(drawn, before=Apply("watch"))
    cache, filled, other, v, rows, own, watch, call = writer.steps
    assert cache == Own("KVCache", "kv_cache")
    assert isinstance(filled, Apply)
    assert dict(filled.kwargs)["own"] == Ref(0)
    assert (other, v, rows, own) == (Own("other"), Value(3), Value(True), Own(exercise.name))
    assert watch == Apply("watch")
    assert call == Apply("row_by_row", (Ref(5), Ref(1), Ref(2), Ref(3)), (("as_rows", Ref(4)),))
    assert called.output == Ref(7)


def test_a_variant_gives_other_arguments() -> None:
    """Also those that the case leaves at their defaults."""
    drawn = draw(Case("basic", True, (("q", Own("f")),)), "step", Seed.public())
    assert apply_variant(Variant("rows", give=(("as_rows", True),)), drawn).args == (("q", Own("f")), ("as_rows", True))
    assert apply_variant(None, drawn) is drawn


def test_names_are_looked_for_in_all_files() -> None:
    """The file that has the name is loaded, too; if that is the program's own, or there is none, nothing changes."""
    files = (source("step.py", "def step(): ..."), source("cache.py", "class KVCache: ..."))

    def tasks(module: str, *files: Any) -> list[tuple[str, Any]]:
        steps = (Own("KVCache", "kv_cache"), Own("step"), Value(1))
        job = Job(files, (Program(module, steps, (0,)),))
        return [(task.module, task.program and task.program.steps[:2]) for task in tasks_of(job)]

    own, step = Own("KVCache", "kv_cache"), Own("step")
    assert tasks("step", *files) == [
        ("step", None),
        ("cache", None),
        ("step", (LocatedOwn("KVCache", "kv_cache", "cache"), step)),
    ]
    assert tasks("cache", *files) == [("cache", None), ("cache", (own, step))]
    assert tasks("step", files[0]) == [("step", None), ("step", (own, step))]


# ------------------------------------------------------------------------------------------- learners


def test_a_stub_has_the_methods() -> None:
    """And is not told about forward."""
    question = Question("Q21", WORDS, "efficiency", WORDS, "q21.yaml", exercises=(built(CACHE),))
    text = stub(question, "en")
    assert "    def append(self, k, v):\n" in text
    assert "    def __len__(self):\n" in text
    assert "forward" not in text
    assert Parameter("k", True) in built(CACHE).forward


_ATTRIBUTES = """
class KVCache:
    def __init__(self):
        self.k, self.v, self.mine = [], [], True

    def append(self, k, v):
        self.k.append(k)
        self.v.append(v)
        return np.concatenate(self.k, -2), np.concatenate(self.v, -2)

    def __len__(self):
        return sum(k.shape[-2] for k in self.k)
"""
_STEP = """
def decode_step(x_t, cache, w_q, w_k, w_v):
    assert cache.mine
    k, v = cache.append(x_t @ w_k, x_t @ w_v)
    scores = x_t @ w_q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v
"""


def test_a_cache_from_another_file(bench: Bench, tmp_path: Path) -> None:
    """The step is given the submission's own cache, whichever file it stands in."""
    handed_in = submission(cache=f"import numpy as np\n{_ATTRIBUTES}", step=f"import numpy as np\n{_STEP}")
    report = grade(bench.course, handed_in, bench.observe, selection=Selection(exercises=("decode_step",)))
    ((found,),) = (question.exercises for question in report.questions)
    assert found.earned == found.possible
