"""``attncheck submit``: what is handed in, what is said to be missing, and receipts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.model import Course, Edition, Rules
from grader.course.items.number import Spec as Number
from grader.grading import courses
from tests.commands.conftest import Ran

Attncheck = Callable[..., Ran]

CODE = "def scaled_dot_product_attention(q, mask=None):\n    return q\n"
ANSWERS = "{format: 1, learner: Ada Invented, answers: {Q5.output: b}}\n"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """All of Q5, beside an inbox."""
    (tmp_path / "inbox").mkdir()
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "q05.py").write_text(CODE)
    (folder / "answers.yaml").write_text(ANSWERS)
    return folder


@pytest.fixture
def submit(attncheck: Attncheck, work: Path) -> Attncheck:
    """Hands in ``work``."""
    return lambda *more: attncheck("submit", str(work), "--to", str(work.parent / "inbox"), *more)


def inside(work: Path) -> list[str]:
    """The learners in the inbox."""
    return sorted(path.name for path in (work.parent / "inbox").iterdir())


@pytest.mark.parametrize(
    ("lang", "fragments"),
    [
        ("en", ["Submitted for Ada Invented at 20", " UTC:\n", "  61  q05.py\n", "Receipt: "]),
        ("zh", ["已为 Ada Invented 提交（20", "回执："]),
    ],
)
def test_handing_in(lang: str, fragments: list[str], submit: Attncheck, work: Path) -> None:
    """Says for whom, when, and what; the name is the one in answers.yaml."""
    ran = submit("--lang", lang)
    assert ran.code == 0
    for fragment in fragments:
        assert fragment in ran.out
    assert inside(work) == ["Ada Invented"]


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "numbers: 1, under the name “Ada"), ("zh", "答了 1 道，用的名字是“Ada")]
)
def test_whose_numbers_the_answers_are_for(
    lang: str, said: str, submit: Attncheck, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it costs anything: a class judges them for its ids. Nothing is said where no item has such numbers."""
    assert said not in submit("--lang", lang, "--learner", "ai").err
    (question, *others) = course.questions
    item = replace(question.items[0], kind="number", spec=Number("2 * n", {"n": (3, 5)}))
    drawing = replace(course, questions=(replace(question, items=(item,)), *others))
    monkeypatch.setattr(courses, "load", lambda folder, *_: drawing)
    assert said in submit("--lang", lang, "--learner", "ai").err


@pytest.mark.parametrize(
    ("lang", "entry", "said"),
    [
        ("en", "q5.Output: b", "Answers stored: Q5.output"),
        ("zh", "q5.Output: b", "已存入的答案：Q5.output"),
        ("en", "Q5.output: about four", "Q5.output: line 4: "),
        ("zh", "Q5.output: about four", "Q5.output：第 4 行："),
        ("en", "Q5.output： b", "Q5.output: line 4: expected `Q5.output: …`"),
        ("zh", "Q5.output： b", "Q5.output：第 4 行：应单独成行"),
    ],
)
def test_answers_in_the_receipt(lang: str, entry: str, said: str, submit: Attncheck, work: Path) -> None:
    """Which were stored, and which cannot be read: also those that are no answers of the kind that is asked for."""
    (work / "answers.yaml").unlink()
    text = f"format: 1\nlearner: Ada Invented\nanswers:\n  {entry}\n"
    (work / "answers (1).yaml").write_text(text, encoding="utf-8")
    ran = submit("--lang", lang)
    assert ran.code == 0 and said in " ".join(ran.out.split())
    receipt = json.loads(submit("--json").out)
    listed = [*receipt.get("answers", []), *(each["item"] for each in receipt.get("unread", []))]
    assert listed == ["Q5.output"] and ("unread" in receipt) is ("line" in said or "行" in said)


def test_a_name_that_cannot_be_read(submit: Attncheck, work: Path) -> None:
    """Nothing is stored under another name; the reason and the remedy are said."""
    (work / "answers.yaml").write_text('format: 1\nlearner: "Ada Invented\nanswers:\n  Q5.output: b\n')
    ran = submit()
    assert ran.code == 3 and "line 2" in ran.err and "--learner" in ran.err
    assert inside(work) == []


def test_again(submit: Attncheck, work: Path) -> None:
    """The same files are one submission, and the first receipt is shown."""
    first = json.loads(submit("--json").out)
    again = json.loads(submit("--json").out)
    assert (first.pop("new"), again.pop("new")) == (True, False)
    assert first == again
    assert "were already submitted for Ada Invented at 20" in submit().out


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, ["this submission has nothing for Q11"]),
        ({"answers.yaml": None}, ["this submission has no answers.yaml", "nothing for Q11"]),
        ({"answers.yaml": ANSWERS.replace("b}", "null}")}, ["Q5: still missing: Q5.output", "Q11"]),
        ({"q05.py": "x = 1\n"}, ["Q5: still missing: scaled_dot_product_attention", "Q11"]),
        ({"b.py": CODE}, ["b.py, q05.py; the one in q05.py", "Q11"]),
        ({"bad.py": "def broken(:\n"}, ["bad.py: ", "Q11"]),
        ({"answers.yaml": ANSWERS.replace("b}", "b, Q5.outptu: c}")}, ["there is no item Q5.outptu", "Q11"]),
    ],
)
def test_what_is_missing_is_said(files: dict[str, str | None], said: list[str], submit: Attncheck, work: Path) -> None:
    """Nothing is run for it, and it is handed in nevertheless."""
    for name, text in files.items():
        (work / name).unlink() if text is None else (work / name).write_text(text)
    ran = submit("--learner", "ada", "--lang", "en", "--json")
    remarks = json.loads(ran.out)["remarks"]
    assert len(remarks) == len(said)
    for remark, part in zip(remarks, said, strict=True):
        assert part in remark
        assert f"attncheck: {remark}\n" in ran.err
    assert inside(work) == ["ada"]


@pytest.mark.parametrize(("due", "late"), [("2020-01-01T00:00:00+08:00", True), ("2999-01-01T00:00:00+00:00", False)])
def test_what_is_late_is_said(
    due: str, late: bool, submit: Attncheck, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And handed in."""
    monkeypatch.setattr(courses, "load", lambda folder, *_: replace(course, rules=Rules(due=due)))
    ran = submit("--lang", "en")
    assert ("it was due 2020-01-01 00:00+08:00, so this is " in ran.err) == late
    assert ran.code == 0


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "your instructor grades the answers to graded items"), ("zh", "也在教师一侧运行")]
)
def test_what_an_edition_does_not_decide_is_said(
    lang: str, said: str, submit: Attncheck, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the receipt; of a whole course nothing of the kind."""
    assert said not in submit("--lang", lang).out
    monkeypatch.setattr(courses, "load", lambda folder, *_: replace(course, edition=Edition("0", "0", ())))
    ran = submit("--lang", lang)
    assert said in ran.out.splitlines()[-1] and ran.code == 0


@pytest.mark.parametrize(
    ("files", "options", "code", "said"),
    [
        ({"answers.yaml": ANSWERS.replace("Ada Invented", "your-name")}, [], 2, "--learner"),
        ({"answers.yaml": None}, [], 2, "--learner"),
        ({"answers.yaml": None, "q05.py": "x = 1\n"}, ["--learner", "ada"], 3, "nothing to grade"),
        ({"q05.py": "def broken(:\n", "answers.yaml": None}, ["--learner", "ada"], 3, "q05.py"),
        ({"answers.yaml": "{format: 1"}, [], 3, "answers.yaml"),
        ({}, ["--verify", "receipt.json"], 2, "--to INBOX"),
    ],
)
def test_what_is_refused(
    files: dict[str, str | None], options: list[str], code: int, said: str, submit: Attncheck, work: Path
) -> None:
    """Before anything is in the inbox."""
    for name, text in files.items():
        (work / name).unlink() if text is None else (work / name).write_text(text)
    ran = submit(*options)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert inside(work) == []


def test_no_inbox(attncheck: Attncheck, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is not there is refused. Without one, the work is packed, with its digest; ``grade`` passes it by."""
    ran = attncheck("submit", str(work), "--to", str(work / "nowhere"))
    assert (ran.code, "nowhere does not exist" in ran.err) == (2, True)
    monkeypatch.chdir(work)
    ran, packed = attncheck("submit"), attncheck("submit", "work-submission.zip", "--json")
    assert "work-submission.zip" in ran.out and "nothing for Q11" in ran.err
    assert json.loads(packed.out)["digest"] in ran.out
    assert "work-submission.zip" not in attncheck("grade", "--json").out
    (work / "q05.py").write_text("def broken(:\n")
    ran = attncheck("submit")
    assert (ran.code, "q05.py" in ran.err) == (2, True)


def test_verifying(attncheck: Attncheck, submit: Attncheck, work: Path) -> None:
    """A receipt that was kept shows whether files are what was handed in."""
    receipt = work.parent / "receipt.json"
    receipt.write_text(submit("--json").out)
    command = ["submit", str(work), "--verify", str(receipt), "--lang"]
    ran = attncheck(*command, "en")
    assert ran.code == 0 and "Ada Invented submitted at 20" in ran.out
    (work / "q05.py").write_text(CODE + "\n")
    ran = attncheck(*command, "zh")
    assert ran.code == 1 and "：q05.py\n" in ran.out
    ran = attncheck(*command, "en", "--json")
    found = json.loads(ran.out)
    assert (ran.code, found["same"], found["different"]) == (1, False, ["q05.py"])


@pytest.mark.parametrize(("content", "said"), [(None, "cannot be read"), ("{}", "is not an attncheck receipt")])
def test_other_files_are_no_receipts(content: str | None, said: str, attncheck: Attncheck, work: Path) -> None:
    """And it is said which."""
    place = work.parent / "receipt.json"
    if content is not None:
        place.write_text(content)
    ran = attncheck("submit", str(work), "--verify", str(place))
    assert (ran.code, said in ran.err, "receipt.json" in ran.err) == (2, True, True)


@pytest.mark.parametrize(("lang", "said"), [("en", "is for you alone"), ("zh", "只供你本人使用")])
def test_an_inbox_is_made(lang: str, said: str, attncheck: Attncheck, tmp_path: Path) -> None:
    """With a key, which is named; once."""
    made = attncheck("inbox", str(tmp_path / "new"), "--lang", lang)
    assert (made.code, said in made.out) == (0, True)
    again = attncheck("inbox", str(tmp_path / "new"))
    assert (again.code, "already has a key" in again.err) == (2, True)
