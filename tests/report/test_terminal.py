"""What people see of a report."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.core.model import (
    Course,
    ExerciseResult,
    ItemResult,
    Lang,
    Notice,
    Outcome,
    QuestionResult,
    Report,
    Status,
    Text,
    Verdict,
    WatchState,
)
from grader.course.items.choice import Option, Spec
from grader.report.terminal import ranges, render, render_watch
from tests.helpers import exercise, flat

NAMED = exercise("scaled_dot_product_attention(q, k, v)")


def shown(report: Report, course: Course, lang: Lang = "en", *, width: int = 80, colour: bool = False) -> str:
    """The report as it stands on a terminal."""
    out = io.StringIO()
    system = "truecolor" if colour else None
    render(report, course, lang, Console(file=out, width=width, color_system=system, force_terminal=colour))
    return out.getvalue()


def changed(report: Report, **more: object) -> Report:
    """The report with this changed in its only question."""
    (question,) = report.questions
    return replace(report, questions=(replace(question, **more),))  # type: ignore[arg-type]


def watched(page: WatchState, course: Course, lang: Lang = "en") -> str:
    """What ``watch`` shows of it."""
    out = io.StringIO()
    render_watch(page, course, lang, Console(file=out, width=80), keys=False)
    return out.getvalue()


@pytest.mark.parametrize(
    "fragment",
    [
        "ada",
        "5 of 21 points",
        "Q5 Scaled dot-product attention",
        "✓ Q5.shape 1 of 1",
        "✗ Q5.output 0 of 1 The output is a weighted mean of the values. → What shape do the values have?",
        "not answered: Q5.scale",
        "✗ scaled_dot_product_attention not correct yet 1 of 7",
        "Fix this first (values, case “basic”): The values differ.",
        "at [0, 2, 1]: expected 0.25, got 0.5",
        "24 of 120 entries differ",
        "Scores are divided by the square root of d_k. → What happens to the softmax as d_k grows?",
        "→ Practise this idea: `attncheck quiz Q5.scale`",
        "1 of 4 checks passed; not passed: values ×2; perhaps only as a result: gradients; tested with NumPy",
        "Points decided by hidden cases: 4 of 7.",
        "· The result has dtype float64.",
        "Fix this first (values, hidden case “more keys than queries”): The values differ there too.",
        "– uniform_attention not found 0 of 4 Not defined anywhere.",
        "submitted 2 h 1 min late",
        "· notes.txt: This file was not read.",
        "Not attempted: Q1–Q3, Q6",
        "Sandbox: seccomp, landlock-7; seed: public; 0.4 s",
    ],
)
def test_says(fragment: str, report: Report, course: Course) -> None:
    """Everything a learner needs stands in the report, in this order of words."""
    assert fragment in flat(shown(report, course))


@pytest.mark.parametrize(
    "fragment",
    [
        "5 / 21 分",
        "Q5 缩放点积注意力",
        "✗ Q5.output 0 / 1 输出是值的加权平均。 → 值的形状是什么？",
        "先改这里（数值，用例“基本的例子”）： 数值不同。",
        "先改这里（数值，隐藏用例“键比查询多”）： 那里的数值也不同。",
        "[0, 2, 1] 处：应为 0.25，实际为 0.5",
        "120 个元素中有 24 个不同",
        "4 项检查通过 1 项；未通过：数值 ×2；可能只是由此引起：梯度；用 NumPy",
        "这 7 分中有 4 分由隐藏用例决定。",
        "– uniform_attention 未找到",
        "迟交 2 小时 1 分钟",
        "沙箱：seccomp、landlock-7；随机种子：公开；0.4 秒",
    ],
)
def test_says_in_chinese(fragment: str, report: Report, course: Course) -> None:
    """The same in Chinese, with full-width punctuation."""
    assert fragment in flat(shown(report, course, "zh"))


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [40, 80])
def test_fits(lang: Lang, width: int, report: Report, course: Course) -> None:
    """No line is wider than the terminal, whatever the language and however long the sentences."""
    long = Text("A long sentence about attention and its many keys. " * 9, "这是一个关于注意力和许多键的长句子。" * 15)
    (question,) = report.questions
    exercises = tuple(replace(e, remarks=(long,), message=long) for e in question.exercises)
    wide = replace(changed(report, title=long, exercises=exercises), notices=(Notice("x" * 300, long),))
    text = shown(wide, course, lang, width=width)
    assert max(map(cell_len, text.splitlines())) <= width


def test_what_may_follow_from_wrong_values(report: Report, course: Course) -> None:
    """A check that compares all values fails on its own only if it says something that `values` does not say."""
    wrong = report.questions[0].exercises[0]
    result, own = "perhaps only as a result: gradients, fully masked rows;", "not passed: values ×2, fully masked rows;"
    for message, said in ((wrong.message, result), (Text("NaN", "NaN"), own)):
        rows = Outcome("fully_masked_rows", "a", "public", Verdict(Status.FAILED, message), 0, 1)
        page = shown(changed(report, exercises=(replace(wrong, outcomes=(*wrong.outcomes, rows)),)), course)
        assert said in flat(page)
    first = replace(rows, verdict=Verdict(Status.FAILED, wrong.message))
    page = shown(changed(report, exercises=(replace(wrong, outcomes=(first, *wrong.outcomes)),)), course)
    assert "not passed: fully masked rows, values ×2; perhaps" in flat(page)  # what is to be fixed first is no result


def test_keeps_hidden_values(report: Report, course: Course) -> None:
    """No value of a hidden case is shown, even where its verdict carries some."""
    text = shown(report, course)
    assert "7.125" not in text
    assert "8.375" not in text


def test_no_escape_sequences_without_colour(report: Report, course: Course) -> None:
    """Without a terminal, or with NO_COLOR, nothing but text is written."""
    assert "\x1b" not in shown(report, course)
    assert "\x1b" in shown(report, course, colour=True)


HOSTILE = "[bold red]x[/bold red]\x1b[2J\x1b]0;title\x07\u202eesrever\u200b\r\n\x9b31m"


def test_hostile_text_is_harmless(report: Report, course: Course) -> None:
    """Names, file names and messages of a learner cannot style, clear, move or reverse anything."""
    hostile = Text(HOSTILE, HOSTILE)
    exercise = ExerciseResult("f", Status.RAISED, 0, 4, (), message=hostile, file=HOSTILE, remarks=(hostile,))
    question = QuestionResult("Q5", Text("t", "t"), (), (exercise,))
    text = shown(replace(report, learner=HOSTILE, questions=(question,), notices=(Notice(HOSTILE, hostile),)), course)
    assert "[bold red]x[/bold red]" in text
    assert "title" not in text
    assert "31m" not in text
    assert all(char == "\n" or char.isprintable() for char in text)


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        ({"unsafe": True, "layers": ()}, "! This code ran WITHOUT a sandbox"),
        ({"layers": ()}, "No code was run; seed: public"),
    ],
)
def test_says_how_it_ran(change: dict[str, object], fragment: str, report: Report, course: Course) -> None:
    """The last lines say what stood between the code and the machine."""
    assert fragment in flat(shown(replace(report, **change), course))


def test_a_file_that_cannot_be_loaded(report: Report, course: Course) -> None:
    """What every check says is said once, without naming one of them, although hidden cases say less."""
    (question,) = report.questions
    said = Text("q05.py cannot be loaded", "无法加载 q05.py")
    verdict = Verdict(Status.RAISED, said)
    outcomes = tuple(Outcome(check, "basic", "public", verdict, 0, 2) for check in ("values", "dtype"))
    outcomes += (Outcome("scaling", "long", "hidden", replace(verdict, message=Text("it raised", "抛出异常")), 0, 2),)
    broken = replace(question.exercises[0], status=Status.RAISED, outcomes=outcomes, message=said, misconception=None)
    text = flat(shown(changed(report, exercises=(broken,)), course))
    assert "Fix this first: q05.py cannot be loaded q05.py: 0 of 3 checks passed; tested with NumPy arrays" in text
    other = replace(outcomes[1], verdict=replace(verdict, message=Text("it raised", "抛出异常")))
    broken = replace(broken, outcomes=(outcomes[0], other))
    text = flat(shown(changed(report, exercises=(broken,)), course))
    assert "Fix this first (values, case “basic”): q05.py" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_was_left_out_comes_first(lang: Lang, report: Report, course: Course) -> None:
    """Before the questions, and once; other notices stay at the end. So does ``watch``, which shows no others."""
    left_out = Notice("answers.yaml", Text("Nobody can read this.", "读不懂。"), urgent=True)
    urgent = replace(report, notices=(left_out, Notice("notes.txt", Text("Not read.", "没有读取。"))))
    text = shown(urgent, course, lang)
    said = left_out.text.of(lang)
    assert text.count(said) == 1
    assert text.index(said) < text.index("Q5") < text.index("notes.txt")
    text = watched(WatchState(urgent, None, urgent.questions[0].exercises[0], 1, ()), course, lang)
    assert text.count(said) == 1 and "notes.txt" not in text
    assert text.index("answers.yaml") < text.rindex("scaled_dot_product_attention")


@pytest.mark.parametrize(("lang", "said"), [("en", "Q5 answers: 1 of 2 correct"), ("zh", "Q5 答案：2 个中对了 1 个")])
def test_watch_covers_answers(lang: Lang, said: str, report: Report, course: Course) -> None:
    """How many are correct, and for each that cannot be read what to change; unanswered items do not count."""
    (question,) = report.questions
    right, wrong, missing = question.items
    unread = replace(wrong, misconception=None, message=Text("“z” is no option", "没有选项“z”"), readable=False)
    answered = changed(report, items=(right, unread, missing))
    page = WatchState(answered, None, question.exercises[1], 1, ())
    text = flat(watched(page, course, lang))
    assert said in text and unread.message is not None
    assert unread.id in text and unread.message.of(lang) in text and missing.id not in text
    text = shown(answered, course, lang)
    assert {"en": "could not be read", "zh": "无法读取"}[lang] in text


@pytest.mark.parametrize(
    ("height", "lang", "said", "unsaid"),
    [
        (
            24,
            "en",
            ["0 of 75 points", "– 30 not written yet: todo_0, todo_1", "2 correct", "✗ wrong_4", "answers to 25 more"],
            ["todo_29"],
        ),
        (24, "en", ["✗ 8 more, not correct yet"], ["wrong_5 ", "Q1.a: not correct"]),
        (24, "zh", ["30 个还没有写：todo_0", "2 个正确", "另有 8 个还不正确", "另有 25 个问题的回答：答对 0 题"], []),
        (400, "en", ["todo_29", "right_1", "wrong_12", "Q1.a: not correct"], ["more"]),
    ],
)
def test_watch_fits_the_screen(
    height: int, lang: Lang, said: list[str], unsaid: list[str], report: Report, course: Course
) -> None:
    """With a whole course in the folder the points stay on the screen: whatever is too much is counted."""
    many = [("right", Status.PASSED, 2), ("wrong", Status.FAILED, 13), ("todo", Status.MISSING, 30)]
    exercises = tuple(
        ExerciseResult(f"{name}_{at}", status, 0, 1, ()) for name, status, count in many for at in range(count)
    )
    question = replace(report.questions[0], exercises=exercises, items=())
    answered = [
        replace(question, id=f"Q{at}", exercises=(), items=(ItemResult(f"Q{at}.a", "choice", Status.FAILED, 0, 1),))
        for at in range(1, 31)
    ]
    full = replace(report, questions=(question, *answered), notices=())
    out = io.StringIO()
    console = Console(file=out, width=80, height=height, force_terminal=True, color_system=None)
    render_watch(WatchState(full, None, exercises[2], 43, ()), course, lang, console, keys=True)
    lines = out.getvalue().splitlines()
    assert [part for part in said if part not in flat(out.getvalue())] == []
    assert [part for part in unsaid if part in out.getvalue()] == []
    assert len(lines) < height


@pytest.mark.parametrize("unsafe", [True, False])
def test_watch_says_when_code_ran_unconfined(unsafe: bool, report: Report, course: Course) -> None:
    """As ``grade`` does: what falls back to a process without a sandbox never does so in silence."""
    page = WatchState(replace(report, unsafe=unsafe), None, report.questions[0].exercises[0], 1, ())
    assert ("ran WITHOUT a sandbox" in flat(watched(page, course))) is unsafe


def test_praises(report: Report, course: Course) -> None:
    """When everything passed, that is said; when all code did, how many answers are left."""
    passed = replace(report.questions[0].exercises[0], status=Status.PASSED)
    missing, wrong = Status.MISSING, Status.FAILED
    left_by_items = {
        (): "Everything that is graded here",
        (missing,): "One answer left.",
        (missing, missing): "2 answers left.",
        (missing, wrong): "2 answers left; 1 of them incorrect",
        (wrong,): "One answer is not.",
        (Status.PENDING,): "The answers wait",
    }
    for statuses, left in left_by_items.items():
        items = tuple(replace(report.questions[0].items[0], status=status) for status in statuses)
        only_code = changed(report, items=items, exercises=(passed,))
        for text in (shown(only_code, course), watched(WatchState(only_code, None, None, 0, ()), course)):
            assert left in flat(text) and "Everything is correct" not in text
    right = changed(report, items=report.questions[0].items[:1], exercises=())
    assert "Everything is correct" in shown(right, course)
    lost = Notice("answers.yaml", Text("Your answers were not graded.", "答案没有评分。"), urgent=True)
    text = flat(shown(replace(right, notices=(lost,)), course))
    assert "Everything that could be graded is correct" in text and "Everything is correct" not in text


def test_admits_a_fault_of_ours(report: Report, course: Course) -> None:
    """What could not be graded is named as our fault."""
    broken = replace(report.questions[0].exercises[0], status=Status.UNMARKED, outcomes=())
    text = flat(shown(changed(report, exercises=(broken,)), course))
    assert "! scaled_dot_product_attention could not be graded" in text
    assert "It does not count for or against you" in text


@pytest.mark.parametrize(
    ("names", "expected"),
    [((), []), (("Q1",), ["Q1"]), (("Q1", "Q2"), ["Q1–Q2"]), (("Q1", "Q3", "Q4", "Q5", "x"), ["Q1", "Q3–Q5", "x"])],
)
def test_ranges(names: tuple[str, ...], expected: list[str]) -> None:
    """Neighbours are joined, others stand alone."""
    assert ranges(names) == expected


@pytest.mark.parametrize(("belief", "item"), [("no-scaling", "Q5.scale"), ("output-is-scores", "Q5.output")])
def test_a_mistake_in_code_leads_to_a_question_about_it(belief: str, item: str, report: Report, course: Course) -> None:
    """What the author says to ask next, else any item whose answers can show the same."""
    spec = Spec(
        (Option("a", Text("Means", "平均"), True), Option("b", Text("Scores", "分"), False, "output-is-scores"))
    )
    asking = replace(course.questions[0], items=(replace(course.questions[0].items[0], spec=spec),))
    failed = replace(report.questions[0].exercises[0], misconception=belief)
    known = replace(course, questions=(replace(asking, exercises=(NAMED,)),))
    said = shown(changed(report, items=(), exercises=(failed,)), known)
    assert f"→ Practise this idea: `attncheck quiz {item}`" in said
    assert f"attncheck quiz {item}" in watched(WatchState(report, None, failed, 1, ()), known)


def test_a_stub_takes_one_line(stub: Report, course: Course) -> None:
    """Code that is not written yet is not a failure to explain: its line says where to write."""
    said = flat(shown(stub, course))
    assert "– soft_lookup not written yet at q05.py, line 9 0 of 7" in said
    assert "raised" not in said and "Fix this first" not in said and "checks passed" not in said
    assert "– soft_lookup 还没有写（q05.py 第 9 行） 0 / 7" in flat(shown(stub, course, "zh"))
    done = replace(stub.questions[0].exercises[0], message=Text("it raised ValueError", "抛出了 ValueError"))
    assert "✗ soft_lookup raised an exception" in flat(shown(changed(stub, exercises=(done,)), course))


@pytest.mark.parametrize("name", ["Ada Augusta King-Noel, Countess of Lovelace", "阿" * 60, "a" * 150])
def test_names_are_whole(report: Report, course: Course, name: str) -> None:
    """However long a learner's name is, all of it is shown, and every line fits."""
    named = replace(report, learner=name)
    for text in (shown(named, course), watched(WatchState(named, None, None, 0, ()), course)):
        assert name.replace(" ", "") in "".join(text.split())
        assert "5 of 21 points" in text
        assert max(map(cell_len, text.splitlines())) <= 80
