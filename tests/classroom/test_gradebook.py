from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import Mock

import pytest

from grader.classroom.gradebook import (
    FILE,
    FORMAT,
    INTAKE,
    Gradebook,
    GradingRun,
    LearnerRow,
    Override,
    SubmissionRow,
    change_token,
    open_gradebook,
)
from grader.classroom.task import pack
from grader.core.errors import GradebookError
from grader.core.model import ItemResult, Notice, QuestionResult, Rules, Status, Text
from tests.tiny import give, withdraw

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
RUN = GradingRun(
    NOW, 0.25, "public", "abc", (("attncheck", "0.1.0"), ("torch", "2.13.0")), ("seccomp", "rlimits"), False
)
ADA = SubmissionRow("ada", "in/ada", ("ada", "bo"), "d1", "ada", NOW, True, 2)
CY = SubmissionRow("cy", "in/cy.py", ("cy",), "d2", "cy")
NOT_PYTHON = Text("not Python", "不是 Python")
NOTICES = (Notice("q03.py", Text("odd", "奇怪")),)


def unit(question: str = "Q3", version: str = "v1", earned: float = 1.0) -> tuple[str, QuestionResult]:
    """A question with one item, and its version."""
    item = ItemResult(f"{question}.a", "choice", Status.PASSED, earned, 1.0)
    return version, QuestionResult(question, Text("t", "题"), (item,), ())


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Gradebook]:
    """A new book with two submissions, one of them graded."""
    found = open_gradebook(tmp_path, create=True)
    found.enrol([LearnerRow("ada", "Ada"), LearnerRow("bo", "Bo", "B", 24.0), LearnerRow("cy", "Cy")])
    found.save_collection([ADA, CY])
    found.record(ADA, RUN, [unit("Q3"), unit("Q5")], {"Q3.a": "b", "Q3.b": [1, 2]}, NOTICES)
    yield found
    found.close()


def again(book: Gradebook) -> Gradebook:
    """The book as another process would find it."""
    book.close()
    return open_gradebook(book.path.parent)


def test_what_was_written_is_there(book: Gradebook) -> None:
    """After the process has ended, with the provenance of every unit."""
    with closing(again(book)) as found:
        assert found.learners() == (LearnerRow("ada", "Ada"), LearnerRow("bo", "Bo", "B", 24.0), LearnerRow("cy", "Cy"))
        assert found.submissions() == (ADA, CY)
        assert found.units(ADA, {"Q5": "v1", "Q3": "v1"}) == ((unit("Q5")[1], RUN), (unit("Q3")[1], RUN))
        assert found.answers(ADA) == {"Q3.a": "b", "Q3.b": [1, 2]}
        assert found.notices(ADA) == NOTICES
        assert found.units(CY, {"Q3": "v1"}) == ()
        assert found.answers(CY) == found.answers(replace(CY, key="none")) == {}
        assert found.notices(replace(CY, key="none")) == ()


@pytest.mark.parametrize("change", [{"digest": "d9"}, {"seed_name": "bo"}])
def test_a_unit_is_for_what_decided_it(book: Gradebook, change: dict[str, str]) -> None:
    """Other files, other numbers, another question or another version of it are not graded yet."""
    assert ("Q3", "v1") in book.graded(ADA)
    assert ("Q3", "v1") not in book.graded(replace(ADA, **change))
    assert ("Q3", "v2") not in book.graded(ADA)
    assert ("Q6", "v1") not in book.graded(ADA)


def test_units_are_of_the_files_not_of_the_folder(book: Gradebook) -> None:
    """The same files handed in under another key are graded."""
    assert ("Q3", "v1") in book.graded(replace(ADA, key="ada-again"))


def test_a_new_collection_takes_the_place_of_the_old(book: Gradebook) -> None:
    """What is no longer there does not count; what is there again counts again."""
    book.save_collection([replace(CY, attempt=2)])
    assert book.submissions() == (replace(CY, attempt=2),)
    book.save_collection([ADA])
    assert book.submissions() == (ADA,)
    assert book.answers(ADA)


def test_who_left_nothing_can_be_dismissed(book: Gradebook) -> None:
    """Who is in the class no longer stays only with a submission or with points given by hand."""
    book.enrol([LearnerRow("dee", "Dee"), LearnerRow("eve", "Eve")])
    give(book, Override("dee", "Q5.output", 1.0, "spoken", "Prof. Invented", NOW))
    before = {one.id for one in book.learners()}
    book.remove_departed({"cy"})
    assert before - {one.id for one in book.learners()} == {"eve"}


def stored(text: str) -> str:
    """The statement that replaces all results by ``text``."""
    return f"UPDATE result SET body = x'{pack(text).hex()}'"


STRANGE = {
    "a body": ("UPDATE result SET body = x'00'", lambda book: book.units(ADA, {"Q3": "v1"})),
    "no result": ("DELETE FROM result", lambda book: book.units(ADA, {"Q3": "v1"})),
    "no version": ("DELETE FROM version", lambda book: book.graded(ADA)),
    "no run": ("DELETE FROM run", lambda book: book.units(ADA, {"Q3": "v1"})),
    "a name": ("UPDATE learner SET name = x'ff'", lambda book: book.learners()),
    "hours": ("UPDATE learner SET extra_hours = 'many'", lambda book: book.learners()),
    "a time": ("UPDATE submission SET at = 'soon'", lambda book: book.submissions()),
    "an attempt": ("UPDATE submission SET attempt = 'two'", lambda book: book.submissions()),
    "a member": ("UPDATE member SET learner = x'00' WHERE learner = 'bo'", lambda book: book.submissions()),
    "nobody": ("UPDATE member SET learner = '' WHERE learner = 'bo'", lambda book: book.submissions()),
    "answers": ("UPDATE submission SET answers = '[1, 2]'", lambda book: book.answers(ADA)),
    "notices": ("UPDATE submission SET notices = '[[]]'", lambda book: book.notices(ADA)),
    "a result": (stored('{"id": 3}'), lambda book: book.units(ADA, {"Q3": "v1"})),
    "deep results": (stored("[" * 9999), lambda book: book.units(ADA, {"Q3": "v1"})),
    "versions": ("UPDATE setting SET versions = '[[1]]'", lambda book: book.units(ADA, {"Q3": "v1"})),
    "seconds": ("UPDATE run SET seconds = 'long'", lambda book: book.units(ADA, {"Q3": "v1"})),
    "points": ("UPDATE override SET points = 'all'", lambda book: book.overrides()),
    "points of a question": (
        "UPDATE meta SET value = '{\"Q3\": \"many\"}' WHERE name = 'questions'",
        lambda book: book.table("questions", float),
    ),
    "no table": ("UPDATE meta SET value = '3' WHERE name = 'questions'", lambda book: book.table("questions", float)),
    "rules": ("UPDATE meta SET value = '3' WHERE name = 'questions'", lambda book: book.fact("questions", Rules)),
    "a fact": ("UPDATE meta SET value = 'no JSON' WHERE name = 'questions'", lambda book: book.recall("questions")),
}


@pytest.mark.parametrize(("change", "look"), STRANGE.values(), ids=STRANGE)
def test_what_is_strange_is_said(book: Gradebook, change: str, look: Callable[[Gradebook], object]) -> None:
    """Nothing is made of values of other types, and the book stays as it is."""
    give(book, Override("ada", "Q3.a", 1.0, "seen", "me", NOW))
    book.remember("questions", {"Q3": 1.0})
    book._connection.execute(change)
    with closing(again(book)) as found, pytest.raises(GradebookError, match=r"cannot read .*was not changed"):
        look(found)


def test_damage_is_said_whatever_it_is(book: Gradebook) -> None:
    """Even where SQLite's own words about it are no text."""
    book.close()
    data = book.path.read_bytes()
    book.path.write_bytes(data.replace(b"CREATE TABLE learner", b"CREATE \xff\x80BLE learner"))
    with pytest.raises(GradebookError, match="was not changed"):
        open_gradebook(book.path.parent)


@pytest.mark.parametrize("value", [str(FORMAT + 1), "soon", "", "9" * 5000, "[]", "-1"])
def test_other_formats_are_refused(book: Gradebook, value: str) -> None:
    """Newer ones, and what is no format at all."""
    book._connection.execute("UPDATE meta SET value = ? WHERE name = 'format'", (value,))
    with pytest.raises(GradebookError, match="Update" if value == str(FORMAT + 1) else "new folder"):
        again(book)


def test_what_cannot_be_graded_is_kept_with_the_reason(book: Gradebook) -> None:
    """Until it is collected again."""
    book.refuse(CY, NOT_PYTHON)
    assert book.submissions()[1] == replace(CY, error=NOT_PYTHON)
    book.save_collection([ADA, CY])
    assert book.submissions()[1] == CY


def test_the_same_files_share_what_was_found(book: Gradebook) -> None:
    """With the same numbers, and the same reason where nothing could be found; other files wait."""
    twin, other, broken = replace(ADA, key="twin"), replace(ADA, key="other", seed_name="bo"), replace(CY, key="broken")
    book.save_collection([ADA, twin, other, CY, broken])
    book.refuse(CY, NOT_PYTHON)
    book.copy_to_identical()
    assert book.answers(twin) == book.answers(ADA)
    assert book.notices(twin) == NOTICES
    assert book.answers(other) == {}
    assert {row.key: row.error for row in book.submissions()} == {
        "ada": None,
        "twin": None,
        "other": None,
        "cy": NOT_PYTHON,
        "broken": NOT_PYTHON,
    }
    book.save_collection([replace(twin, digest="d9")])
    book.copy_to_identical()
    book.save_collection([ADA, twin])
    assert book.answers(ADA)


def test_overrides_are_kept(book: Gradebook) -> None:
    """One for each part of a learner, the latest."""
    first = Override("ada", "Q3.a", 0.5, "partly right", "Prof. Invented", NOW)
    give(book, replace(first, points=0.25))
    give(book, first)
    assert book.overrides() == (first,)


def test_changes_of_overrides_are_kept(book: Gradebook) -> None:
    """Each save with what was before, the last one first; a save is whole or not at all; forgetting removes it."""
    first = Override("ada", "Q3.a", 0.5, "partly right", "Prof. Invented", NOW)
    better, other = replace(first, points=1.0), replace(first, learner="cy")
    give(book, first)
    number = book.change_overrides({("ada", "Q3.a"): better, ("cy", "Q3.a"): other}, "tutor", NOW, request=7)
    withdraw(book, "ada", "Q3.a")
    third, second, one = book.saves(9)
    assert [(each.before, each.after) for each in second.changes] == [(first, better), (None, other)]
    assert (second.number, second.author, second.at, second.request) == (number, "tutor", NOW, 7)
    assert [each.latest for each in (third, second, one)] == [True, False, False]
    assert book.saves(1, before=third.number) == (second,)
    assert book.saves(9, part="Q5.x") == ()
    wrong: dict[tuple[str, str], Override | None] = {("bo", "Q3.a"): other, ("bo", "Q3.b"): 1}  # type: ignore[dict-item]
    with pytest.raises(AttributeError):
        book.change_overrides(wrong, "tutor", NOW)
    assert (book.overrides(), len(book.saves(9))) == ((other,), 3)
    book.forget("ada")
    assert [each.changes for each in book.saves(9)] == [second.changes[1:]]


def test_facts(book: Gradebook) -> None:
    """Small things about the whole."""
    book.remember("intake", {"kind": "canvas"})
    assert book.recall("intake") == {"kind": "canvas"}
    assert book.recall("outtake") is None


def test_a_transaction_is_whole_or_not_at_all(book: Gradebook) -> None:
    """Where writing breaks off, nothing of the submission is there."""

    def units() -> Iterator[tuple[str, QuestionResult]]:
        yield unit("Q7")
        raise RuntimeError("pulled the plug")

    with pytest.raises(RuntimeError, match="plug"):
        book.record(CY, RUN, units(), {}, ())
    assert ("Q7", "v1") not in book.graded(CY)
    book.record(CY, RUN, [unit("Q7")], {}, ())
    assert ("Q7", "v1") in book.graded(CY)


def test_two_writers(book: Gradebook, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second is told to wait, not let in."""
    other = sqlite3.connect(book.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    book._connection.execute("PRAGMA busy_timeout = 10")
    with pytest.raises(GradebookError, match="another process is using it"):
        book.refuse(CY, NOT_PYTHON)
    other.close()
    book.refuse(CY, NOT_PYTHON)


def test_a_full_disk(book: Gradebook) -> None:
    """Says that nothing is lost, and so it is."""
    book._connection.execute("PRAGMA max_page_count = 1")
    pages = book._connection.execute("PRAGMA page_count").fetchone()[0]
    book._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(GradebookError, match="free some space"):
        book.remember("large", "x" * 100_000)
    with closing(again(book)) as found:
        assert ("Q3", "v1") in found.graded(ADA)


def test_a_learner_can_be_forgotten(book: Gradebook) -> None:
    """What is theirs alone goes, even out of the bytes of the file; what others share stays."""
    secret = "pneumonoultramicroscopic"
    book.record(CY, RUN, [unit("Q3")], {"Q3.a": secret}, ())
    give(book, Override("cy", "Q3.a", 1, secret, "me", NOW))
    assert secret.encode() in book.path.read_bytes()
    assert book.forget("cy")
    assert book.forget("bo")
    assert not book.forget("dee")
    assert [learner.id for learner in book.learners()] == ["ada"]
    assert book.submissions() == (replace(ADA, learners=("ada",)),)
    assert ("Q3", "v1") in book.graded(ADA)
    assert ("Q3", "v1") not in book.graded(CY)
    assert book.overrides() == ()
    book.close()
    assert secret.encode() not in book.path.read_bytes()


def test_no_book(tmp_path: Path) -> None:
    """A folder that was mistyped is not made into one of results."""
    with pytest.raises(GradebookError, match="Expected a folder written by `attncheck batch --out`"):
        open_gradebook(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("found", "said"), [(str(FORMAT + 1), "Update attncheck"), ("0", "Grade into a new folder")])
def test_books_of_other_versions(book: Gradebook, found: str, said: str) -> None:
    """They are left as they are."""
    book._connection.execute("UPDATE meta SET value = ? WHERE name = 'format'", (found,))
    with pytest.raises(GradebookError, match=said):
        again(book)


def test_another_file(tmp_path: Path) -> None:
    """What is no gradebook is not overwritten."""
    (tmp_path / FILE).write_text("something else, and long enough for a database\n" * 40)
    with pytest.raises(GradebookError, match="was not changed"):
        open_gradebook(tmp_path, create=True)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """Says what to do instead."""
    with pytest.raises(GradebookError, match="use another folder"):
        open_gradebook(tmp_path / "none", create=True)


def test_points_given_by_hand_can_be_taken_back(book: Gradebook) -> None:
    """Of one part of one learner."""
    give(book, Override("ada", "Q3.a", 0.5, "partly right", "Prof. Invented", NOW))
    withdraw(book, "bo", "Q3.a")
    assert len(book.overrides()) == 1
    withdraw(book, "ada", "Q3.a")
    assert book.overrides() == ()


def test_work_of_nobody_in_the_class(book: Gradebook) -> None:
    """It is not forgotten along with somebody, and can be forgotten by its key."""
    stranger = SubmissionRow("eve", "in/eve.py", (), "d3", "Eve")
    book.save_collection([ADA, CY, stranger])
    book.record(stranger, RUN, [unit("Q3")], {}, ())
    assert book.forget("cy")
    assert book.submissions() == (ADA, stranger)
    assert ("Q3", "v1") in book.graded(stranger)
    assert book.forget("eve")
    assert not book.forget("eve")
    assert book.submissions() == (ADA,)
    assert ("Q3", "v1") not in book.graded(stranger)
    assert not book.forget("ada-") and book.submissions() == (ADA,)


def test_everything_of_a_learner(book: Gradebook) -> None:
    """Also what no longer counts."""
    book.save_collection([CY])
    assert book.everything_of("ada") == book.everything_of("bo") == (ADA,)
    assert book.everything_of("dee") == ()


def test_a_copy_is_another_book(book: Gradebook, tmp_path: Path) -> None:
    """What is tried in it changes nothing."""
    (tmp_path / "copy").mkdir()
    with closing(book.copy(tmp_path / "copy")) as copy:
        assert copy.submissions() == book.submissions()
        copy.refuse(ADA, NOT_PYTHON)
    assert book.submissions()[0].error is None


@pytest.mark.parametrize(("kept", "path"), [(True, "here"), (False, "there")])
def test_unpacked_submissions_move_with_the_book(kept: bool, path: str, book: Gradebook, tmp_path: Path) -> None:
    """They are looked for beside it; anything else where it was collected."""
    if kept:
        (tmp_path / INTAKE / "abc").mkdir(parents=True)
    there = Path("/somewhere/else", INTAKE, "abc")
    places = {"here": tmp_path / INTAKE / "abc", "there": there}
    assert book.place(replace(CY, path=str(there))) == places[path]
    assert book.place(CY) == Path("in/cy.py")


def test_a_result_that_cannot_be_read(book: Gradebook) -> None:
    """Is one of another version: said, with whose it is."""
    book._connection.execute(stored('{"ident": 3}'))
    with pytest.raises(GradebookError, match=r"cannot read \(ada, Q3: not a QuestionResult"):
        book.units(ADA, {"Q3": "v1"})


def test_a_damaged_book(book: Gradebook) -> None:
    """Is was not changed, whether it is read or written."""
    book._connection.execute("DROP TABLE unit")
    for use in (lambda: book.units(ADA, {"Q3": "v1"}), lambda: book.record(ADA, RUN, [unit()], {}, ())):
        with pytest.raises(GradebookError, match="restore it from a backup"):
            use()


def test_a_damaged_book_that_asks_for_more_memory_than_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As SQLite does where a length in the file is damaged: it is damaged all the same."""
    (tmp_path / FILE).touch()
    found = Mock(execute=Mock(side_effect=MemoryError))
    monkeypatch.setattr(sqlite3, "connect", lambda *_, **__: found)
    with pytest.raises(GradebookError, match=r"out of memory\): close other programs.*restore it from a backup"):
        open_gradebook(tmp_path)
    found.close.assert_called_once()


def test_an_empty_file_is_no_book(tmp_path: Path) -> None:
    """A batch that was stopped at its very start left it; only a batch makes a book of it."""
    (tmp_path / FILE).touch()
    with pytest.raises(GradebookError, match=r"is empty\. Run `attncheck batch` again"):
        open_gradebook(tmp_path)
    with closing(open_gradebook(tmp_path, create=True)) as book:
        assert book.submissions() == ()


def test_a_copy_needs_room(book: Gradebook, tmp_path: Path) -> None:
    """A file that is no book is in the way."""
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / FILE).write_text(
        "something else, and long enough not to be taken for an empty database\n" * 20
    )
    with pytest.raises(GradebookError, match="copy"):
        book.copy(tmp_path / "copy")


def test_reading_only(tmp_path: Path) -> None:
    """Nothing can be changed through such a gradebook, whatever is called; others may change it meanwhile."""
    with closing(open_gradebook(tmp_path, create=True)) as book:
        book.enrol([LearnerRow("ada", "Ada")])
        with closing(open_gradebook(tmp_path, read_only=True)) as reader:
            with pytest.raises(GradebookError, match="readonly"):
                reader.enrol([LearnerRow("bo", "Bo")])
            book.enrol([LearnerRow("cy", "Cy")])
            assert [one.id for one in reader.learners()] == ["ada", "cy"]


def test_every_change_is_noticed(tmp_path: Path) -> None:
    """Even if the size stays the same and no clock has moved on; reading changes nothing."""
    assert change_token(tmp_path) == b""
    with closing(open_gradebook(tmp_path, create=True)) as book:
        seen = [change_token(tmp_path)]
        for points in (1.0, 2.0, 1.0):
            book.remember("x", points)
            assert book.recall("x") == points
            seen.append(change_token(tmp_path))
        assert len(set(seen)) == 4
        book.learners()
        assert change_token(tmp_path) == seen[-1]
