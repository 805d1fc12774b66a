"""The place where code goes wrong, found in a real sandbox, and said without reference code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import numpy as np
import pytest
import yaml

from grader.core.marks import plain
from grader.core.model import Call, Course, Diagnosis, Job, Landmark, Limits, Observed, Program, ResourceUsage, Returned
from grader.grading.context import GradingContext
from grader.grading.explaining import landmarks, place, place_text, unsuitable
from grader.grading.explaining import traces as traced
from grader.grading.explaining.reruns import Reruns, SearchBudget
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.selection import Selection
from grader.sandbox import Sandbox
from tests.helpers import submission

ATTENTION = """
import torch
def scaled_dot_product_attention(q, k, v, mask=None):
    d = q.shape[-1]
    scores = {scores}
    if mask is not None:
        scores = {masked}
    weights = {weights}
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v
"""
RIGHT = {
    "scores": "q @ k.transpose(-2, -1) / d**0.5",
    "masked": "scores.masked_fill(~mask, float('-inf'))",
    "weights": "torch.softmax(scores, -1)",
}
WRONG = ("scaled_dot_product_attention", ATTENTION.format(**RIGHT | {"scores": "q @ k.transpose(-2, -1) / d"}))
NORM = """
import numpy as np
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    c = x - mean
    var = (c**2).mean(axis=-1, keepdims=True)
    c /= {divisor}
    return gamma * c + beta
"""
FLOPS = """
def product(a, b, c):
    return 2 * a * b * c
def attention_flops(n, d_model):
    return product(n, d_model, n) + product(n, d_model, d_model)
"""
ENCODER = """
import torch
from torch import nn
class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_len, d_model))
    def forward(self, x):
        n = x.shape[-2]
        if n > self.table.shape[0]:
            raise ValueError("too many")
        return x + {rows}
"""


@pytest.fixture(scope="module")
def context(course: Course, sandbox: Sandbox) -> GradingContext:
    """What all submissions share, so that references and mistakes run once."""
    return GradingContext(course, Seed.public(), sandbox.observe, public_only=True)


def graded(context: GradingContext, observe: Any, name: str, text: str) -> Any:
    """The result of one exercise."""
    selection = Selection(exercises=(name,))
    report = grade(context.course, submission(attention=text), observe, selection=selection, context=context)
    return report.questions[0].exercises[0]


def places(context: GradingContext, sandbox: Sandbox, name: str, text: str) -> list[Diagnosis]:
    """What is said about one exercise."""
    found = graded(context, sandbox.observe, name, text).diagnosis
    return [each for each in found if each.voice == "place"]


@pytest.mark.parametrize(
    ("changed", "line", "said"),
    [
        ({"scores": "q @ k.transpose(-2, -1) / d"}, 5, "This should be the scores divided by √d_k"),
        ({"scores": "q @ k.transpose(-2, -1)"}, 5, "Still missing after it: the scores divided by √d_k"),
        ({"masked": "scores + mask"}, 7, "This should be the scores, with −∞ at the blocked keys"),
        ({"weights": "torch.sigmoid(scores)"}, 8, "the attention weights"),
    ],
)
def test_the_place_is_found(
    context: GradingContext, sandbox: Sandbox, changed: dict[str, str], line: int, said: str
) -> None:
    """The line of the mistake, with what belongs there in words; the code of the reference is never shown."""
    text = ATTENTION.format(**RIGHT | changed)
    (found,) = places(context, sandbox, "scaled_dot_product_attention", text)
    assert found.span is not None and found.span.line == line
    assert text.split("\n")[line - 1][found.span.column : found.span.end_column] in text
    assert said in plain(found.text.en) and found.unfinished == said.startswith("Still missing")
    assert "masked_fill(~mask, -math.inf)" not in plain(found.text.en) + plain(found.text.zh)


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("layer_norm", NORM.format(divisor="(var + eps) ** 0.25"), 7),
        ("LearnedPositionalEncoding", ENCODER.format(rows="self.table[-n:]"), 12),
        ("LearnedPositionalEncoding", ENCODER.format(rows="self.table[torch.arange(n) + 1 - 1].flip(0)"), 12),
    ],
)
def test_classes_numpy_and_changes_in_place(
    context: GradingContext, sandbox: Sandbox, name: str, text: str, line: int
) -> None:
    """They have places like torch functions."""
    found = places(context, sandbox, name, text)
    assert found and all(each.span is not None and abs(each.span.line - line) <= 1 for each in found)


def test_equal_values_have_all_their_names(context: GradingContext, sandbox: Sandbox) -> None:
    """Nothing tells QKᵀ from the other product, which costs as much."""
    (found,) = places(context, sandbox, "attention_flops", FLOPS)
    assert "the product QKᵀ or the cost of multiplying the weights by the values" in plain(found.text.en)


EMBED = """
import numpy as np
def embed(tokens, table, positions):
    x = table[tokens] * np.sqrt(table.shape[-1])
    n = tokens.shape[-1]
    return x + np.roll(positions, 1, axis=0)[:n]
"""


def test_a_whole_submission_is_explained_like_each_exercise_alone(course: Course, sandbox: Sandbox) -> None:
    """In a class, too: every wrong exercise has the explanation that it would have if it were the only one."""
    wrong = {
        "scaled_dot_product_attention": ATTENTION.format(**RIGHT | {"weights": "torch.sigmoid(scores)"}),
        "layer_norm": NORM.format(divisor="(var + eps) ** 0.25"),
        "embed": EMBED,
    }
    context = GradingContext(course, Seed.public(), sandbox.observe, public_only=True, max_graded_code=8)
    whole = submission(**{f"q{at:02}": text for at, text in enumerate(wrong.values(), 1)})
    selection = Selection(exercises=tuple(wrong))
    report = grade(course, whole, sandbox.observe, selection=selection, context=context)
    together = {result.name: result for question in report.questions for result in question.exercises}
    for name, text in wrong.items():
        alone = places(context, sandbox, name, text)
        found = [each for each in together[name].diagnosis if each.voice == "place"]
        assert [each.text for each in found] == [each.text for each in alone]
        assert alone, name


ONLINE = """
import math
import torch
def online_softmax_attention(q, k, v, block_size):
    m = q.new_full((*q.shape[:-1], 1), -math.inf)
    total = torch.zeros_like(m)
    output = q.new_zeros((*q.shape[:-1], v.shape[-1]))
    for start in range(0, k.shape[-2], block_size):
        block = slice(start, start + block_size)
        scores = q @ k[..., block, :].transpose(-2, -1) / math.sqrt(q.shape[-1])
        m_new = torch.maximum(m, scores.amax(dim=-1, keepdim=True))
        p = torch.exp(scores - m_new)
        total = total * torch.exp(m - m_new) + p.sum(dim=-1, keepdim=True)
        output = output * torch.exp(m - m_new) + p @ v[..., block, :]
    return output / total
"""
CROSSOVER = """
def crossover_length(d_model):
    lo, hi = 1, 16 * d_model
    while lo < hi:
        n = (lo + hi) // 2
        if 4 * n * n * d_model > 8 * n * d_model**2:
            hi = n
        else:
            lo = n + 1
    return lo
"""
ACCEPT = """
def speculative_accept(drafts, target_logits, draft_logits, u):
    p = target_logits.double().softmax(-1)
    q = draft_logits.double().softmax(-1)
    out, t = [], 0
    while t < len(drafts) and u[t] < p[t, drafts[t]] / q[t, drafts[t]]:
        out.append(int(drafts[t]))
        t += 1
    if t < len(drafts):
        rest = (p[t] - q[t]).abs()
        rest = rest / rest.sum()
    else:
        rest = p[t]
    return out + [int((rest.cumsum(0) > u[-1]).nonzero()[0, 0])]
"""
LORA = """
import torch
from torch import nn
class LoRALinear(nn.Module):
    def __init__(self, weight, r, alpha):
        super().__init__()
        self.register_buffer("weight", weight.detach().clone())
        self.a = nn.Parameter(torch.zeros(weight.shape[0], r, dtype=weight.dtype))
        self.b = nn.Parameter(torch.randn(r, weight.shape[1], dtype=weight.dtype))
        self.scale = alpha / r
    def forward(self, x):
        return x @ self.weight + self.scale * (x @ self.a @ self.b)
    def merge(self):
        return self.weight + self.scale * (self.a @ self.b)
"""
SHARED = """
import numpy as np
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
def cross_attention(x, memory, w_q, w_k, w_v):
    return softmax(x @ w_q @ np.swapaxes(memory @ w_k, -1, -2) / w_q.shape[-1] ** 0.5, -2) @ (memory @ w_v)
"""

OWN_SOFTMAX = """
import numpy as np
def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
def self_attention(x, w_q, w_k, w_v, causal=False):
    scores = x @ w_q @ np.swapaxes(x @ w_k, -1, -2) / np.sqrt(x.shape[-1])
    blocked = np.tri(x.shape[-2], dtype=bool).T
    return softmax(np.where(blocked, -1e9, scores) if causal else scores) @ (x @ w_v)
"""
SHARE = "def ffn_parameter_share(d_model, d_ff):\n    rest = 4 * d_model**2\n    return 2 * d_model * d_ff / rest\n"


@pytest.mark.prove
@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("self_attention", OWN_SOFTMAX, [7, 8]),
        ("ffn_parameter_share", SHARE, [3]),
        ("online_softmax_attention", ONLINE, range(11, 16)),
        ("crossover_length", CROSSOVER, [6]),
        ("speculative_accept", ACCEPT, [10, 11]),
        ("LoRALinear", LORA, [8, 9]),
        ("cross_attention", SHARED, [6, 7]),
    ],
)
def test_correct_lines_are_no_places(
    context: GradingContext, sandbox: Sandbox, name: str, text: str, wrong: Sequence[int]
) -> None:
    """What repairs everything may be right: initial values, bounds, conditions, draws, what other code uses, too.

    So may what a softmax takes the exponential of, and what it gives: it undoes a shift or a factor.
    """
    found = places(context, sandbox, name, text)
    blamed = [each for each in found if " is correct" not in plain(each.text.en)]
    assert all(each.span is not None and each.span.line in wrong for each in blamed), [
        plain(each.text.en) for each in blamed
    ]


UNSUITABLE = """
import torch
def f(x, n):
    m, total = torch.zeros(3), -1.0
    kept = x * 2
    for i in range(n + 1):
        m = m + x[i]
        total += kept[i]
        kept[i] = 0
    while n > 2:
        n -= 1
    return m + torch.rand(3) if x.sum() > 0 else total
"""


def test_what_is_no_place() -> None:
    """Bounds, conditions, draws, and initial values that a loop changes; not what is computed from inputs."""

    def said_of(text: str, find: Any) -> set[str]:
        found = find(submission(attention=text).files)
        return {text.split("\n")[line - 1][column:end] for _, line, _, column, end in found}

    said = said_of(UNSUITABLE, unsuitable.unsuitable)
    whole = {"torch.zeros(3)", "-1.0", "n + 1", "n > 2", "torch.rand(3)", "x.sum() > 0"}
    assert whole <= said and not said & {"x * 2", "x[i]", "kept[i]", "m + x[i]", "n - 1"}
    shifted = "z - z.max(axis=-1, keepdims=True)"
    assert said_of(OWN_SOFTMAX, unsuitable.relative) == {shifted, f"np.exp({shifted})"}


def test_a_value_that_was_put_in_is_not_one_that_the_code_computed(context: GradingContext, sandbox: Sandbox) -> None:
    """The correct result repairs everything, so that counts only after values that the code itself has."""
    found = places(context, sandbox, "shift_right", "def shift_right(t, b):\n    return t * 0 + (t + b) * 2\n")
    assert not found


def test_beside_a_name_only_repairs_are_said() -> None:
    """What never appears may be computed in another way, so it is not said where a mistake explains everything."""
    search, _, trace = made_up("attention.py", 1)
    budget = SearchBudget(cast(Any, None), ResourceUsage(), 0.0, 0)
    for named in (False, True):
        search.mistakes, context = int(named), cast(Any, SimpleNamespace(for_class=True))
        search.code = replace(search.code, context=context, child=budget)
        assert len(list(search._diagnoses("float64", {0: replace(trace, tried=())}))) == (0 if named else 1)


def test_what_is_false_is_not_said(context: GradingContext, sandbox: Sandbox) -> None:
    """Each case is a report that a reader found false, or in which nothing was said."""
    for each in yaml.safe_load((Path(__file__).parent / "said.yaml").read_text("utf-8")):
        found = graded(context, sandbox.observe, each["exercise"], each["code"]).diagnosis
        told = [f"line {one.span and one.span.line} {plain(one.text.en)}" for one in found]
        assert any(each["says"] in text for text in told) is each.get("holds", False), (each["says"], told)


def test_points_stay(context: GradingContext, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without the voice, and if it breaks, all else in the report is the same."""
    with_it = replace(graded(context, sandbox.observe, *WRONG), diagnosis=())

    def broken(*_: object) -> tuple[()]:
        raise ValueError

    monkeypatch.setattr(place, "_reference_values", broken)
    assert replace(graded(context, sandbox.observe, *WRONG), diagnosis=()) == with_it


EMPTY: dict[str, list[object]] = {"result": [], "again": [], "probes": [], "places": [], "values": [], "tried": []}


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        EMPTY | {"probes": [0]},
        EMPTY | {"probes": [0], "places": [["a", 1, 1, 0, 1]], "values": [["x"]]},
        EMPTY | {"probes": [float("inf")]},
        EMPTY | {"tried": [[0, 0, []]] * 401},
        EMPTY | {"probes": [0], "places": [["a", 1, 1, 0, 1]], "values": [[1.0] * 9]},
        EMPTY | {"probes": [0, 0], "places": [["a", 1, 1, 0, 1]] * 2, "values": [[1.0]] * 2},
    ],
)
def test_an_answer_of_another_form_is_no_trace(answer: object) -> None:
    """What a child made up is not looked at."""
    assert traced.read_trace(Returned((answer,))) is None


class Search(place._Search):
    """A search whose child says that every substitution repairs everything."""

    def wrong(self, at: int, result: tuple[Any, ...]) -> set[place.Part]:
        """The result without substitutions."""
        return {(at, 0)} if result else set()


def made_up(label: str, line: int, probes: int = 2) -> tuple[Search, tuple[traced.ReferenceValue, ...], traced.Trace]:
    """A search, three named values and a result, and a trace with two of them, all in ``line`` of ``label``."""
    values = [np.arange(4.0).reshape(2, 2) + number for number in range(4)]
    marks = tuple(
        traced.ReferenceValue(((value,),), None if at == 3 else Landmark("q @ k", f"value {at}", f"值 {at}"), at == 3)
        for at, value in enumerate(values)
    )
    trace = traced.Trace(
        result=("wrong",),
        again=(),
        order=tuple(range(probes)),
        where=dict.fromkeys(range(probes), (label, line, line, 0, 1)),
        values={number: (values[number % 2],) for number in range(probes)},
        tried=tuple((number, 2, ()) for number in range(probes)),
    )
    search = Search(
        code=Reruns(*[cast(Any, None)] * 3, submission(attention="x = 1\n").files, cast(Any, print)),
        cases=(),
        chosen=1,
        reference=place.ReferenceRun(marks, (traced.to_array(values[3]),)),
        unfit=frozenset(),
        lines=None,
    )
    return search, marks, trace


@pytest.mark.parametrize(("label", "line"), [("All points\n\x1b[31m", 1), ("attention.py", 400), ("attention.py", -1)])
def test_a_place_that_the_child_made_up_is_not_shown(label: str, line: int) -> None:
    """Only lines of the submission are. Code can reach the list of its probes, and change it."""
    search, _, trace = made_up(label, line)
    with pytest.raises((ValueError, StopIteration)):
        search.missing({0: trace})


def test_a_place_of_the_submission_is_shown() -> None:
    """The same trace, if the place is there."""
    search, _, trace = made_up("attention.py", 1)
    found = search.missing({0: trace})
    assert found is not None and found.span is not None and found.span.line == 1
    assert "value 1" in plain(found.text.en) and "value 2" in plain(found.text.en)


@pytest.mark.parametrize("secret", [False, True])
def test_values_of_the_code_are_shown_only_if_no_input_is_secret(secret: bool) -> None:
    """It runs after other processes of the submission had hidden inputs, and could have learned something from them."""
    search, _, trace = made_up("attention.py", 1)
    trace = replace(trace, values={0: (np.full((2, 2), 31337.0),), 1: (np.full((2, 2), 31337.0),)})
    context = cast(Any, SimpleNamespace(seed=SimpleNamespace(secret=secret)))
    search.code = replace(search.code, context=context)
    (found,) = search.diagnosis({0: trace}, place.Substitution(1, 2, frozenset({(0, 0)})))
    assert "This should be value 2" in plain(found.text.en)
    assert ("31337" in plain(found.text.en), "31337" in plain(found.text.zh)) == (not secret, not secret)


def test_each_value_is_compared_once_however_many_repairs_are_claimed() -> None:
    """The grader's work grows with the number of values, not with that times the number of repairs."""
    search, marks, trace = made_up("attention.py", 1, probes=200)
    with mock.patch.object(traced, "same_content", wraps=traced.same_content) as compared:
        search.best({0: trace}, {0: trace})
    assert 0 < compared.call_count <= 200 * len(marks)


def test_landmarks_are_found_in_the_reference(course: Course) -> None:
    """All of them, in the function or a helper; one that is not there has no place, nor has one too many."""
    for question in course.questions:
        for exercise in question.exercises:
            assert all(where for _, where in landmarks.places(course.reference, exercise)), exercise.name
    (found,) = (each for q in course.questions for each in q.exercises if each.name == "scaled_dot_product_attention")
    first = found.landmarks[0]
    several = (replace(first, expression="q @ q"), replace(first, at=2), first)
    places = landmarks.places(course.reference, replace(found, landmarks=several))
    assert [where is None for _, where in places] == [True, True, False]


def test_the_right_value_of_a_sum_is_shown() -> None:
    """The first entry that differs, one that is just blocked in another way last, or the shapes."""
    name = Landmark("x", "the sum", "和")
    right, mine = np.array([1.0, 2.0]), np.array([1.0, 3.0])
    telling = (traced.to_array(right), traced.to_array(mine))  # the first alone if the code raises
    text = place_text.sentence(name, place_text.first_difference((right,), (mine,), telling[:1]))
    assert "Entry [1]" in place_text.first_difference((right,), (mine + 1,), telling).en, "[0] is put right later"
    assert "Entry [1] is 3 and should be 2" in plain(text.en) and "下标 [1]" in plain(text.zh)
    hidden, filled = np.array([-np.inf, 1.0, 2.0]), np.array([-1e9, 1.0, 3.0])
    assert "Entry [2] is 3" in place_text.first_difference((hidden,), (filled,)).en
    assert "Entry [0] is -1e+09" in place_text.first_difference((hidden[:2],), (filled[:2],)).en
    assert "Its shape is (2,)" in place_text.first_difference((np.ones(3),), (np.ones(2),)).en


def test_same_content() -> None:
    """Up to axes of length 1 and the order of two axes, and nothing else."""
    a = np.arange(6.0).reshape(2, 3)
    assert traced.same_content(a, a.T) and traced.same_content(a, a[None])
    assert not traced.same_content(a, a[::-1]) and not traced.same_content(a, a.reshape(3, 2))


def test_searches_share_their_time() -> None:
    """What the child used for one search is not left for the next."""

    def run(job: Job, limits: Limits) -> Observed:
        return Observed((), (), unsafe=False, cpu_seconds=0.125)

    child = SearchBudget(run, ResourceUsage(), 0.25, 9)
    lefts = [child.left]
    for _ in range(2):
        child.observe(Job((), ()), Limits())
        lefts.append(child.left)
    assert lefts == [0.25, 0.125, 0.0]


def test_searches_have_limits_of_their_own() -> None:
    """What the tests used is not taken from them; loading more of torch costs the same on every machine."""
    seen: list[Limits] = []
    run = lambda job, limits: seen.append(limits) or Observed((), (), unsafe=False)  # noqa: E731
    child = SearchBudget(run, ResourceUsage(cpu=19.0, wall=59.0, received=9, deaths=7), 18.0, 9)
    late = submission(q05="from torch.func import grad\n").files
    child.observe(Job(late, (Program(late[0].module, (Call("f"),), (0,)),)), Limits(fresh_children=8))
    more = replace(Limits(), total_cpu=39.0, total_wall=119.0, total_bytes=Limits().total_bytes + 9, fresh_children=15)
    assert (child.left, seen) == (17.5, [more])


def test_values_of_the_reference_belong_to_the_inputs(context: GradingContext) -> None:
    """Two forms of the code may have different inputs in cases of the same names."""
    _, exercise = cast(Any, context.course.exercise("shift_right"))
    entry = next(each for each in context.entries(exercise) if each.spec.kind == "values" and each.case.public)
    inputs = (entry.drawn, entry.drawn.changed(bos_id=7))
    probed = [[place.ProbedCase(entry.case, entry.spec, drawn, drawn)] for drawn in inputs]
    ran = [place._reference_values(context, exercise, cases) for cases in probed]
    assert all(ran) and not np.array_equal(*(each.results[0].values for each in ran))


@pytest.mark.parametrize("budget", ["CPU_OF_A_SUBMISSION", "RERUNS_OF_A_SUBMISSION"])
def test_without_a_budget_nothing_is_searched(
    context: GradingContext, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, budget: str
) -> None:
    """In a class, no exercise is searched once the time or the runs of the submission are used up."""
    ran: list[Job] = []

    def observe(job: Job, limits: Limits) -> Observed:
        ran.append(job)
        return sandbox.observe(job, limits)

    shared = replace(context, max_graded_code=1)
    searched = []
    for most in (getattr(place, budget), 0):
        monkeypatch.setattr(place, budget, most)
        shared.graded_code.clear()
        ran.clear()
        graded(shared, observe, *WRONG)
        searched.append(any(program.probing for job in ran for program in job.programs))
    assert searched == [True, False]


def test_in_a_class_runs_end_a_search_and_seconds_do_not(
    context: GradingContext, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seconds that somebody may have to wait do not limit it: a layer on a busy machine would need more."""
    asked: list[list[float]] = []

    def observe(job: Job, limits: Limits) -> Observed:
        asked.append([program.probing.cpu for program in job.programs if program.probing])
        return sandbox.observe(job, limits)

    monkeypatch.setattr(place, "CPU", 0.0)
    shared = replace(context, max_graded_code=1)
    shared.graded_code.clear()
    graded(shared, observe, *WRONG)
    rounds = [sum(each) for each in asked if each]
    assert rounds and rounds[0] == pytest.approx(place.CPU_IN_A_CLASS)
