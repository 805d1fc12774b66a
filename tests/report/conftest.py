"""A course with one question, and a report in which much went wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.model import (
    Case,
    Course,
    Difference,
    ExerciseResult,
    Item,
    ItemResult,
    Misconception,
    Notice,
    Outcome,
    Question,
    QuestionResult,
    Report,
    Status,
    Text,
    Verdict,
)
from tests.helpers import exercise

NO_SCALING = Misconception(
    "no-scaling",
    truth=Text("Scores are divided by the square root of d_k.", "得分要除以 √d_k。"),
    ask=Text("What happens to the softmax as d_k grows?", "d_k 变大时，softmax 会怎样？"),
    ask_next="Q5.scale",
)
CASES = (Case("basic", public=True, zh="基本的例子"), Case("more keys than queries", zh="键比查询多"))
OUTPUT_IS_SCORES = Misconception(
    "output-is-scores",
    truth=Text("The output is a weighted mean of the values.", "输出是值的加权平均。"),
    ask=Text("What shape do the values have?", "值的形状是什么？"),
)


@pytest.fixture
def course() -> Course:
    """What a report needs of a course: misconceptions in words."""
    question = Question(
        id="Q5",
        title=Text("Scaled dot-product attention", "缩放点积注意力"),
        group="self-attention",
        prompt=Text("Write it.", "写出来。"),
        file="q05.yaml",
        misconceptions=(NO_SCALING, OUTPUT_IS_SCORES),
        items=(Item("Q5.output", "choice", Text("What comes out?", "结果是什么？"), 1, "graded", None),),
        exercises=(exercise("scaled_dot_product_attention(q)", *CASES), exercise("soft_lookup(q)", *CASES)),
    )
    return Course(Text("Attention", "注意力"), "test", (), (question,), (), (), "digest", "")


@pytest.fixture
def report() -> Report:
    """A failed item, an unanswered one, and one exercise of every kind of failure."""
    differ = Difference((0, 2, 1), "0.25", "0.5", 24, 120)
    shown = Verdict(Status.FAILED, Text("The values differ.", "数值不同。"), differ)
    secret = Text("The values differ there too.", "那里的数值也不同。")
    public = Outcome("values", "basic", "public", shown, 0, 2)
    unseen = Verdict(Status.FAILED, secret, Difference((1, 1), "7.125", "8.375", 3, 9))
    hidden = Outcome("values", "more keys than queries", "hidden", unseen, 0, 4)
    passed = Outcome("dtype", "basic", "public", Verdict(Status.PASSED), 1, 1)
    without_weight = Outcome("gradients", "basic", "public", Verdict(Status.SKIPPED, applies=False), 0, 0)
    exercises = (
        ExerciseResult(
            "scaled_dot_product_attention",
            Status.FAILED,
            1,
            7,
            (passed, public, hidden, Outcome("gradients", "basic", "public", public.verdict, 0, 0), without_weight),
            message=Text("The values differ.", "数值不同。"),
            misconception="no-scaling",
            file="q05.py",
            array_type="numpy",
            remarks=(Text("The result has dtype float64.", "结果的 dtype 是 float64。"),),
        ),
        ExerciseResult("soft_lookup", Status.FAILED, 3, 7, (passed, hidden), file="q06.py", array_type="torch"),
        ExerciseResult(
            "uniform_attention", Status.MISSING, 0, 4, (), message=Text("Not defined anywhere.", "没有定义。")
        ),
    )
    items = (
        ItemResult("Q5.shape", "choice", Status.PASSED, 1, 1),
        ItemResult("Q5.output", "choice", Status.FAILED, 0, 1, None, "output-is-scores"),
        ItemResult("Q5.scale", "choice", Status.MISSING, 0, 1),
    )
    return Report(
        learner="ada",
        course_title=Text("Attention", "注意力"),
        course_digest="digest",
        seed="public",
        questions=(QuestionResult("Q5", Text("Scaled dot-product attention", "缩放点积注意力"), items, exercises),),
        layers=("seccomp", "landlock-7"),
        unsafe=False,
        versions=(("torch", "2.13.0"), ("attncheck", "0.0.9")),
        seconds=0.4123456789,
        notices=(Notice("notes.txt", Text("This file was not read.", "没有读取这个文件。")),),
        late_by_seconds=7260.0,
        not_attempted=("Q1", "Q2", "Q3", "Q6"),
    )


@pytest.fixture
def stub(report: Report) -> Report:
    """The report of an exercise that its learner has not written yet."""
    failed = Verdict(Status.RAISED, Text("not written yet at q05.py, line 9", "还没有写（q05.py 第 9 行）"), final=True)
    outcomes = (Outcome("values", "basic", "public", failed, 0, 3), Outcome("values", "large", "hidden", failed, 0, 4))
    result = ExerciseResult("soft_lookup", Status.RAISED, 0, 7, outcomes, failed.message, file="q05.py")
    return replace(report, questions=(replace(report.questions[0], items=(), exercises=(result,)),))
