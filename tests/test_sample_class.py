"""The invented class is the same every time, and has everything in it that a class can have."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from grader.core.model import Course, Status
from grader.course import items
from grader.submission import fingerprint, read
from tests import sample_class


def test_the_same_learners_hand_in_the_same(course: Course, tmp_path: Path) -> None:
    """The number and the seed say all: who comes before makes no difference, another seed does."""
    for folder, numbers, seed in (("a", (3, 4, 15), "class"), ("b", (15, 3), "class"), ("c", (3,), "other")):
        sample_class.fill(tmp_path / folder, numbers, course, seed)
    digests = {
        folder: {path.stem: fingerprint(path) for path in (tmp_path / folder).iterdir()} for folder in ("a", "b", "c")
    }
    assert len(digests["a"]) == 3
    assert digests["b"].items() < digests["a"].items()
    assert digests["c"].keys() < digests["a"].keys()
    assert not digests["c"].items() & digests["a"].items()


def test_names_are_all_different() -> None:
    """However many."""
    assert len({sample_class.name(number).casefold() for number in range(2000)}) == 2000


@pytest.mark.parametrize("number", sample_class.ODD)
def test_special_cases_are_what_they_say(number: int, course: Course, tmp_path: Path) -> None:
    """Their files can be read, or (one) cannot, as the batch will find."""
    files = sample_class.ODD[number](Random(number), 0.5, course)
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    (tmp_path / "answers.yaml").write_text("{format: 1, answers: {}}")
    submission = read(tmp_path)
    broken = number in (37, 59)
    assert len(submission.files) == len(files) - broken


def test_a_learner_who_knows_everything_is_right(course: Course) -> None:
    """Answers of the able are right answers, but where a derivation has to state what is given, or two may tie."""
    wrong = []
    for question in course.questions:
        for item in question.items:
            said = sample_class.answer(Random(1), 2.0, item, question, course.public_id, "Ada")
            judged = items.judge(item, said, items.Context(course.public_id, "Ada", item.id))
            settled = Status.PENDING if item.kind == "text" else Status.PASSED  # a person reads texts
            wrong += [item.kind] if judged.status is not settled else []
    assert set(wrong) <= {"derivation", "order", "number"}
    assert len(wrong) < 10
