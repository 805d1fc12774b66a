from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest

from grader.core.model import Status, Text
from grader.core.value_problems import show_path
from grader.course.items import Context, _patterns, text
from grader.course.items.text import Idea, Spec, WrongIdea

ADA = Context("spring", "ada", "Q3.own-words")
GROW = Idea(
    "grow",
    Text("scores grow", "分数变大"),
    (r"\b(variance|scores?|products?)\b.{0,40}\b(grow|increas|large)", "(方差|分数|点积).{0,12}(增大|变大|很大)"),
)
VANISH = Idea(
    "vanish",
    Text("gradients vanish", "梯度消失"),
    (r"\bgradients?\b.{0,30}\b(vanish|small|zero)", "梯度.{0,8}(消失|很小|接近 ?0)", r"\bno gradient", "没有梯度"),
)
EXPLODE = WrongIdea((r"\bexplod", "爆炸"), "exploding")
GOOD = Text("The scores grow with d_k, and gradients vanish.", "分数随 d_k 增大，梯度消失。")
SPEC = Spec((GROW, VANISH), GOOD, (EXPLODE, WrongIdea(("overflow", "溢出"), "overflow")))

PASSES = """\
The scores grow with d_k, and gradients vanish.
the SCORES are LARGE and the gradient is nearly zero
Ｔｈｅ　ｓｃｏｒｅｓ　ｇｒｏｗ，gradients vanish
If we do not divide the scores get large, and the gradients are small.
If we don’t divide the variance increases. The gradients vanish.
Without the root the dot products grow; gradients are then close to zero.
With no scaling the scores are large, so gradients vanish.
Not because of overflow, but because scores grow and gradients vanish.
The scores not only grow with d_k, they make gradients vanish.
The variance is 0.5 d_k, so it grows; its growing scores leave no gradient.
The weights do not sum to 2, but the scores grow with d_k, and so gradients vanish.
分数随 d_k 增大，梯度消失。
不缩放的话点积的方差会变大，梯度就很小。
如果不除以 √d_k 分数会很大，梯度接近0
不缩放时，分数会非常大地增大，几乎没有梯度。
原因不是溢出，而是分数变大，使梯度消失
the scores grow，所以梯度很小"""

WAITS = """\
I am not sure, but it has something to do with training.
The scores grow with d_k and something happens.
The scores do not grow, and the gradients vanish.
The scores grow, but gradients do not vanish.
The scores grow, and gradients never become small.
The scores would not grow and gradients wouldn't vanish.
Do scores grow with d_k? Do gradients vanish?
It is false that scores grow; gradients vanish.
That scores grow is wrong, gradients vanish.
Some believe that the scores grow. Gradients vanish.
The scores grow. Nobody knows of the gradient. Small numbers are fine.
The scores grow. The scores do not grow. Gradients vanish.
The variance is known. We like to grow. Gradients vanish.
分数不会变大，梯度消失。
分数变大，梯度不会消失。
有人说分数变大，梯度消失。
误以为分数变大，梯度消失。
分数变大？梯度消失？
说分数变大是错误的，梯度消失。"""

SOUNDS = """\
The gradients explode without it, that is why.
exploding, because the scores grow and the gradients vanish
梯度会爆炸，所以要做这个除法。
to prevent an overflow of exp"""


@pytest.mark.parametrize("answer", PASSES.splitlines())
def test_an_answer_with_all_ideas_passes(answer: str) -> None:
    """In either language, however it is typed; what is found is named."""
    found = text.judge(SPEC, answer, ADA)
    assert (found.status, found.fraction, found.misconception) == (Status.PASSED, 1.0, None)
    assert found.message == Text(
        "Marked automatically. Points found: scores grow; gradients vanish.",
        "已自动评分，找到的要点：分数变大；梯度消失。",
    )


@pytest.mark.parametrize("answer", WAITS.splitlines())
def test_what_is_not_clearly_said_waits_for_a_person(answer: str) -> None:
    """Ideas that are missing, denied, doubted, asked, or put together from two sentences."""
    found = text.judge(SPEC, answer, ADA)
    assert (found.status, found.fraction, found.misconception) == (Status.PENDING, 0.0, None)
    assert found.message is not None
    assert found.message.en.startswith("Your instructor will mark this answer.")
    assert found.message.zh.startswith("这个答案由老师批改。")


def test_what_was_found_is_said_and_what_is_missing_is_not() -> None:
    """The answer waits, and the key stays where it is."""
    found = text.judge(SPEC, "The scores grow with d_k and something happens.", ADA)
    assert found.message == Text(
        "Your instructor will mark this answer. Points found so far: scores grow.",
        "这个答案由老师批改。目前找到的要点：分数变大。",
    )


@pytest.mark.parametrize("answer", SOUNDS.splitlines())
def test_a_misconception_is_only_guessed(answer: str) -> None:
    """It is named, for its guiding question, but no pattern takes a point away."""
    found = text.judge(SPEC, answer, ADA)
    assert (found.status, found.fraction) == (Status.PENDING, 0.0)
    assert found.misconception in ("exploding", "overflow")
    assert found.message is not None and "only a guess" in found.message.en and "猜测" in found.message.zh


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        "scores",
        "scores grow",
        "分数变大",
        "…",
        None,
        7,
        1.5,
        True,
        [],
        [1],
        {"a": "b"},
        ["a", ["b"]],
        10**50,
    ],
)
def test_less_than_a_sentence_is_no_answer(value: object) -> None:
    """It costs no try, and earns nothing."""
    found = text.judge(SPEC, value, ADA)
    assert (found.status, found.fraction, found.readable) == (Status.FAILED, 0.0, False)
    assert found.message == Text("Write a full sentence of at least 4 words.", "请写完整的句子，至少 8 字。")


def test_lines_are_one_answer() -> None:
    """As a list in answers.yaml, or with line breaks."""
    lines = ["The scores grow", "with d_k; the gradient", "is small."]
    assert text.judge(SPEC, lines, ADA).status is text.judge(SPEC, "\n".join(lines), ADA).status is Status.PASSED


@pytest.mark.parametrize(
    "value", ["The scores grow, and gradients vanish. " * 30, "x" * 10_000_000, "分数变大，" * 100]
)
def test_a_long_text_waits_unread(value: str) -> None:
    """Nobody loses a point for it, and nothing is searched in it."""
    found = text.judge(SPEC, value, ADA)
    assert (found.status, found.fraction) == (Status.PENDING, 0.0)
    assert found.message == Text(
        "Your instructor will mark this answer. It is longer than 120 words.", "这个答案由老师批改。它超过了 240 字。"
    )


def test_noise_is_never_an_exception() -> None:
    """Any characters whatever, brackets and controls and half characters among them."""
    dice = random.Random(5)
    signs = "scores grow 梯度消失 not 不 . ? , ( [ { \\ * + \x00\x1b\u202e\ud800\u0301 {said} %s"
    for _ in range(300):
        text.judge(SPEC, "".join(dice.choices(signs, k=dice.randrange(200))), ADA)


def test_how_long_an_answer_is_said_beforehand() -> None:
    """In words, or in Chinese characters."""
    asked = text.prompt(SPEC, ADA)
    assert asked.form == "line"
    assert "(4 to 120 words" in asked.how.en and "（8 到 240 字" in asked.how.zh
    assert text.key(SPEC, ADA) == GOOD


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (SPEC, []),
        (replace(SPEC, ideas=()), ["ideas: saw []; expected one idea or more"]),
        (replace(SPEC, ideas=(GROW, VANISH, replace(GROW, any=("large|增大|grow",)))), ["ideas[2].id: saw 'grow'"]),
        (replace(SPEC, ideas=(replace(GROW, any=()),)), ["ideas[0].any: saw []; expected one pattern or more"]),
        (replace(SPEC, ideas=(replace(GROW, any=("(grow",)),)), ["ideas[0].any[0]: saw '(grow'; expected a regular"]),
        (replace(SPEC, wrong=(WrongIdea(("a", "b**"), "m"),)), ["wrong[0].any[1]: saw 'b**'; expected a regular"]),
        (
            replace(SPEC, answer=Text("The scores grow and that is all.", GOOD.zh)),
            ["answer.en: vanish cannot be found in it; expected all ideas"],
        ),
        (
            replace(SPEC, answer=Text(GOOD.en, "分数变大，梯度消失，不是爆炸，而是爆炸。")),
            ["answer.zh: it matches the misconception exploding; expected that it does not"],
        ),
        (
            replace(SPEC, answer=Text(f"{GOOD.en} The scores do not grow.", GOOD.zh)),
            ["answer.en: it denies an idea somewhere"],
        ),
        (replace(SPEC, least=20, most=60), ["answer.en: saw 8 words; expected 20 to 60", "answer.zh: saw 5 words"]),
        (replace(SPEC, least=1), ["least: saw 1 to 120 words; expected from 2"]),
        (replace(SPEC, most=300), ["least: saw 4 to 300 words"]),
    ],
)
def test_specs_are_checked(spec: Spec, said: list[str]) -> None:
    """Patterns are sound, and the good answer of the bank is one."""
    found = [f"{show_path(fault.path)}: {fault.text}" for fault in text.validate(spec)]
    assert len(found) == len(said), found
    for fault, start in zip(found, said, strict=True):
        assert fault.startswith(start)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"\bgrow(s|ing)?\b", None),
        (r"(a|b|c).{0,40}[^,]{0,40}d", None),
        (r"[]x\]]{2}(?:a|b){3}(?=c)(?!d)(?<=c)(?<!e)x", None),
        (r"x.*", None),
        (r"x{,3}y{2,}", None),
        ("{a}", None),
        ("(", "a regular expression, but"),
        ("a{2,1}", "a regular expression, but"),
        ("x²", "it in the normalized form of answers: 'x2'"),
        ("（a）", "it in the normalized form"),
        ("a?", "a pattern that does not match an empty text"),
        ("a|", "a pattern that does not match an empty text"),
        ("(?i)a", "plain regular expressions"),
        ("(?P<a>b)", "plain regular expressions"),
        ("(?>ab)", "plain regular expressions"),
        ("a++b", "plain regular expressions"),
        (r"(a)\1", "plain regular expressions"),
        ("(a+)+b", "at most 8,000 ways to match (too many here)"),
        ("(a|aa)+b", "at most 8,000 ways"),
        ("(a|a){0,99999}b", "at most 8,000 ways"),
        ("(.{0,9}){400,}b", "at most 8,000 ways"),
        (".*a.*b", "at most 8,000 ways to match (4,004,001 here)"),
        ("(a?){13}b", "at most 8,000 ways to match (8,192 here)"),
    ],
)
def test_patterns_are_a_part_of_regular_expressions(pattern: str, said: str | None) -> None:
    """Broken ones, ones that match nothing at all, and slow ones are refused, with a reason."""
    found = _patterns.explain_invalid(pattern)
    assert (found is None) is (said is None), found
    assert said is None or (found is not None and found.startswith(said))


@pytest.mark.parametrize("pattern", ["a.{0,60}a.{0,60}b", ".*b", r"\w+.?b", "(a{0,3}){6}b", "(a|a|a|a){6}b"])
def test_an_accepted_pattern_is_fast_on_any_text(pattern: str) -> None:
    """The worst that a learner can write takes a moment, and no more."""
    assert _patterns.explain_invalid(pattern) is None
    start = time.process_time()
    assert _patterns.search(pattern, "a" * _patterns.MAX_LENGTH) == []
    assert time.process_time() - start < 5
