"""Answers in one's own words: a person decides, whatever they say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.model import Item, Lang, Status, Text
from grader.core.text import show_path
from grader.course import items
from grader.course.items import Context, text
from grader.course.items.text import Confusion, Spec
from grader.grading import courses

ROOT = Path(__file__).parents[3]
ADA = Context("spring", "ada", "Q3.own-words")
GOOD = Text("The scores grow with d_k, and gradients vanish.", "分数随 d_k 增大，梯度消失。")
SPEC = Spec((Text("scores grow", "分数变大"), Text("gradients vanish", "梯度消失")), GOOD, (Confusion("overflow"),))


@pytest.fixture(scope="module")
def bank() -> list[Item]:
    """The text items of the course."""
    course = courses.load(ROOT)
    return [item for question in course.questions for item in question.items if item.kind == "text"]


@pytest.mark.parametrize(
    "said",
    [
        GOOD.en,
        GOOD.zh,
        "If we divide, scores are large, softmax saturates and the gradients vanish.",
        "缩放后分数变大，softmax 饱和，梯度消失。",
        ["The scores", "grow with it"],
        "nonsense about something else entirely",
        "word " * 5000,
    ],
)
def test_nothing_is_decided_without_a_person(said: object) -> None:
    """Not for a good answer, not for a misconception in the words of a good one, and not for nonsense."""
    judged = text.judge(SPEC, said, ADA)
    assert (judged.status, judged.fraction, judged.misconception, judged.readable) == (Status.PENDING, 0, None, True)


def test_no_item_of_the_bank_decides_either(bank: list[Item]) -> None:
    """Its own model answer and every misconception included; so no adversarial text can pass."""
    langs: tuple[Lang, ...] = ("en", "zh")
    assert bank
    for item in bank:
        context = Context("attncheck", "ada", item.id)
        said = [*items.key_points(item), items.Choice("", items.key(item, context))]
        for words in (point.text.of(lang) for point in said for lang in langs):
            assert items.judge(item, words * 2, context).status is Status.PENDING


@pytest.mark.parametrize("said", ["", "  ", "scores grow", "分数变大", None, 3, ["scores", 3], {"a": "b"}])
def test_what_is_too_short_is_asked_again(said: object) -> None:
    """It is no answer, and nothing but text is."""
    judged = text.judge(SPEC, said, ADA)
    assert not judged.readable and judged.message is not None
    assert "at least 4 words" in judged.message.en and "至少 8 字" in judged.message.zh


def test_long_answers_are_read_by_a_person() -> None:
    """And the learner hears that they are long."""
    message = text.judge(SPEC, "word " * 121, ADA).message
    assert message is not None and "longer than 120 words" in message.en and "超过了 240 字" in message.zh


@pytest.mark.parametrize(
    ("spec", "path", "said"),
    [
        (replace(SPEC, least=1), "least", "2 or more"),
        (replace(SPEC, least=9, most=9), "least", "9 to 9 words"),
        (replace(SPEC, most=300), "least", "250 or fewer"),
        (replace(SPEC, key_points=SPEC.key_points[:1]), "key_points", "found 1; expected 2 to 4"),
        (replace(SPEC, key_points=SPEC.key_points * 3), "key_points", "found 6; expected 2 to 4"),
        (replace(SPEC, answer=Text("Short.", GOOD.zh)), "answer.en", "found 1 words"),
        (replace(SPEC, answer=Text(GOOD.en, "短")), "answer.zh", "found 0 words"),
    ],
)
def test_faults_in_the_bank_are_named(spec: Spec, path: str, said: str) -> None:
    """With their places."""
    fault = next(text.validate(spec))
    assert said in fault.text and show_path(fault.path) == path


def test_a_good_spec_has_no_faults() -> None:
    """And an edition without keys keeps the limits, but neither points nor answer."""
    assert list(text.validate(SPEC)) == []
    bare = text.without_key(replace(SPEC, least=6))
    assert (bare.key_points, bare.wrong, bare.answer.en, bare.least) == ((), (), "…", 6)


def test_learners_are_told_how_long(bank: list[Item]) -> None:
    """In words, or in characters."""
    how = text.prompt(SPEC, ADA).how
    assert "4 to 120 words" in how.en and "8 到 240 字" in how.zh


def test_key_points_are_written_in_both_languages(bank: list[Item]) -> None:
    """Each as a sentence of its own, and no two alike."""
    for item in bank:
        points = [point.text for point in items.key_points(item)]
        assert len({point.en for point in points}) == len({point.zh for point in points}) == len(points)
        assert all(point.en[-1] == "." and point.zh[-1] == "。" for point in points), item.id
