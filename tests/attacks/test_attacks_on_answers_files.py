"""What a learner writes into answers files earns nothing around the rules, takes no other name, and asks nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from grader.classroom import inbox
from grader.classroom.inbox import stored_answers
from grader.core.marks import plain
from grader.core.model import Answer, Course, Item, Observed, Status, Submission
from grader.course import items
from grader.grading.grade import grade
from grader.submission import learner_named, read
from tests.attacks import answers_files
from tests.attacks.answers_files import CASES, HEAD, ITEM, OTHER, Case
from tests.attacks.cases import parameters

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def item_of(course: Course, name: str) -> Item:
    """The item with this id."""
    return next(item for question in course.questions for item in question.items if item.id == name)


def right_and_wrong(course: Course) -> tuple[str, str]:
    """A right and a wrong answer to the item of all cases."""
    context = items.Context(course.public_id, "mallory", ITEM)
    right = plain(items.key(item_of(course, ITEM), context).en).split()[0].strip(".:")
    wrong = next(choice.id for choice in items.ask(item_of(course, ITEM), context).choices if choice.id != right)
    return right, wrong


def run_nothing(*args: object) -> Observed:
    """There is no code to run."""
    raise AssertionError("nothing was submitted that could run")


def test_the_right_answer_earns_its_points(course: Course, tmp_path: Path) -> None:
    """Otherwise nothing that the other tests say would mean anything."""
    right, _ = right_and_wrong(course)
    case = Case("", "", {"answers.yaml": f"{HEAD}  {ITEM}: {right}\n"})
    report = grade(course, read(answers_files.packed(tmp_path, case, "", "")), run_nothing)
    (result,) = [item for question in report.questions for item in question.items if item.id == ITEM]
    assert result.status is Status.PASSED and result.earned == result.possible > 0


@pytest.mark.parametrize("case", parameters(CASES))
def test_attack(case: Case, course: Course, tmp_path: Path) -> None:
    """It earns what it may, and an answer that does not count because it cannot be read has its mark."""
    path = answers_files.packed(tmp_path, case, *right_and_wrong(course))
    report = grade(course, read(path), run_nothing)
    (result,) = [item for question in report.questions for item in question.items if item.id == ITEM]
    assert result.earned <= case.most and result.possible == item_of(course, ITEM).points
    assert result.unread is case.unread
    assert report.learner == "mallory"


@pytest.mark.parametrize(
    "head",
    [
        "format: 1\nlearner: mallory\nlearner: bob\n",
        "format: 1\nlearner: bob\nLearner: mallory\n",
        "format: 1\nlearner: bob\n---\nlearner: mallory\n",
        'format: 1\nlearner: "bob\n',
        "format: 1\nlearner： bob\n",
        "format: 1\nlearner: &x bob\n",
        "format: 1\nlearner: [bob]\n",
        "format: 1\nlearner:bob\n",
        "format: 1\nlerner: bob\n",
    ],
)
def test_no_other_name_is_taken(head: str, tmp_path: Path) -> None:
    """A name that is unclear is nobody's, so that the work counts for whoever submitted it."""
    path = tmp_path / "answers.yaml"
    path.write_text(f"{head}answers:\n  {ITEM}: a\n", encoding="utf-8")
    assert learner_named(path) is None and read(path, "mallory").learner == "mallory"
    assert any((notice.urgent and "learner" in notice.text.en + notice.text.zh) or "line" in notice.text.en
               for notice in read(path, "mallory").notices)  # fmt: skip


def derivations(course: Course) -> list[Item]:
    """The derivations of the course."""
    return [item for question in course.questions for item in question.items if item.kind == "derivation"]


def judged(course: Course, item: Item, lines: Sequence[str]) -> items.Judgment:
    """The judgment of a derivation."""
    return items.judge(item, "\n".join(lines), items.Context(course.public_id, "mallory", item.id))


def test_an_unread_line_tells_nothing_and_completes_nothing(course: Course) -> None:
    """Lines before an unread one earn their share without a word about them; what comes after it cannot count."""
    earning = 0
    for item in derivations(course):
        context = items.Context(course.public_id, "mallory", item.id)
        key = [line for line in plain(items.key(item, context).en).split("\n") if line.strip()]
        right = judged(course, item, [*key, "((?!"])
        wrong = judged(course, item, [key[0], *("1234567 = 7654321" for _ in key[1:]), "((?!"])
        hidden = judged(course, item, ["((?!", *key])
        for each in (right, wrong, hidden):
            assert not each.readable and each.misconception is None and each.reading is None
        assert right.message == wrong.message
        assert wrong.fraction <= right.fraction < 1 and hidden.fraction == 0
        earning += right.fraction > 0
    assert earning > len(derivations(course)) / 2


def test_a_receipt_tells_nothing_about_answers(course: Course, tmp_path: Path) -> None:
    """For a right and a wrong answer it says the same, apart from digests, sizes and number."""
    right, wrong = right_and_wrong(course)
    (tmp_path / "inbox").mkdir()
    said = []
    for at, answer in enumerate((right, wrong)):
        case = Case("", "", {"answers.yaml": f"{HEAD}  {ITEM}: {answer}\n"})
        (tmp_path / str(at)).mkdir()
        path = answers_files.packed(tmp_path / str(at), case, "", "")
        receipt, new = inbox.submit(path, tmp_path / "inbox", "mallory", NOW, course)
        assert new and receipt.answers == (ITEM,)
        said.append(replace(receipt, digest="", files=(), number=0))
    assert said[0] == said[1]


def test_every_right_formula_counts_as_read(course: Course) -> None:
    """A receipt must not warn about a right answer: the quick look at formulas agrees with the judgment."""
    unread = []
    for item in (item for question in course.questions for item in question.items):
        context = items.Context(course.public_id, "mallory", item.id)
        if items.ask(item, context).choices:  # whose keys quote the options as well
            continue
        submitted = Submission("mallory", (), (Answer(item.id, plain(items.key(item, context).en), 4),))
        unread += [] if stored_answers(course, submitted).items == (item.id,) else [item.id]
    assert not unread


def text_of(course: Course) -> str:
    """An item that is answered in words."""
    return next(item.id for question in course.questions for item in question.items if item.kind == "text")


@pytest.mark.parametrize(
    ("written", "line"),
    [
        (f"  Q5.outputs: a\n  {ITEM.upper()}X: b\n", 4),
        ("".join(f"  Q5.no-{number}: a\n" for number in range(40)), 4),
        (f"  @text@: |\n    A soft lookup.\n    {ITEM}: a\n", 4),
        (f"  @text@: >\n    A soft lookup.\n    {ITEM}: a\n", 4),
        (f'  @text@: "A soft lookup.\n\n  {ITEM}: a\n\n  Further: b"\n', 4),
        (f"  {OTHER}: a\n  @text@:\n    A soft lookup,\n\n    {ITEM}:a\n", 5),
    ],
)
def test_what_no_item_gets_is_said(written: str, line: int, course: Course, tmp_path: Path) -> None:
    """An answer to no item, or inside the text of another one: receipt and report name its line, a few of many."""
    text = f"{HEAD}{written}".replace("@text@", text_of(course))
    path = answers_files.packed(tmp_path, Case("", "", {"answers.yaml": text + "  Q5.width: a\n"}), "", "")
    submission = read(path)
    unread = [each for each in stored_answers(course, submission).unread if each.why.en.startswith("line ")]
    assert 1 <= len(unread) <= 6 and unread[0].line == line
    said = [notice.text for notice in grade(course, submission, run_nothing).notices if notice.urgent]
    assert {each.why.en for each in unread} <= {each.en for each in said}


@pytest.mark.parametrize("lost", ["  Q5 output: a\n", "  output = a\n", "  a\n"])
def test_lines_before_the_first_entry_are_not_lost(lost: str, tmp_path: Path) -> None:
    """In a file that is broken elsewhere, with `answers:` and without."""
    for head, line in ((HEAD, 4), ("", 1)):
        (tmp_path / "answers.yaml").write_text(f"{head}{lost}  {OTHER}: b\n  {ITEM}: [a\n", encoding="utf-8")
        found = read(tmp_path / "answers.yaml")
        names = {answer.item for answer in found.answers or ()}
        said = [notice.text.en for notice in found.notices if notice.urgent]
        assert {ITEM, OTHER} <= names and (names - {ITEM, OTHER} or any(f"line {line}:" in each for each in said))
        assert not any("no `format`" in notice.text.en for notice in found.notices)


@pytest.mark.prove
def test_nonsense_after_a_derivation_earns_nothing(course: Course) -> None:
    """Lines earn no less without a mistake after them than with it, wherever a chain ends."""
    for item in derivations(course):
        context = items.Context(course.public_id, "mallory", item.id)
        key = [line for line in plain(items.key(item, context).en).split("\n") if line.strip()]
        for lines in [key[:at] for at in range(1, len(key) + 1)] + [key[::-1]]:
            alone = judged(course, item, lines).fraction
            for nonsense in ("1234567 = 7654321", "1/0"):
                assert judged(course, item, [*lines, nonsense]).fraction <= alone, (item.id, lines)
