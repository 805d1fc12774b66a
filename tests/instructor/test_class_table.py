"""The class as a table: what a row says, and which rows are shown in which order."""

from __future__ import annotations

import pytest

from grader.core.model import Text
from grader.instructor.class_table import FLAGS, ClassRow, TableFilter, filter_rows


def row(name: str, called: str = "", earned: float = 0.0, **more: object) -> ClassRow:
    """A row of a class with one question."""
    said = Text("graded", "已评分")
    return ClassRow(name, called, "A", earned, 10.0, (("Q5", earned, 10.0),), said, **more)  # type: ignore[arg-type]


CLASS = (
    row("ada", "Ada Lovelace", 8.0, late=True, late_seconds=3600.0),
    row("bo", "Åsa Bø", 10.0, waiting=2),
    row("cy", "", 2.0, complete=False),
    row("dee", "陈", submitted=False, has_points=False),
    row("eve", "Eve", graded=False, late=True, given=True),
)


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        (TableFilter(), "ada bo cy eve dee"),
        (TableFilter(sort="points", descending=True), "bo ada cy eve dee"),
        (TableFilter(sort="Q5"), "dee eve cy ada bo"),
        (TableFilter(sort="late", descending=True), "ada eve bo cy dee"),
        (TableFilter(sort="id", descending=True), "eve dee cy bo ada"),
        (TableFilter(sort="status"), "ada bo cy dee eve"),
        (TableFilter(sort="nothing"), "ada bo cy dee eve"),
        (TableFilter(search="ASA"), "bo"),
        (TableFilter(search="陈"), "dee"),
        (TableFilter(search="e"), "ada eve dee"),
        (TableFilter(section="B"), ""),
        (TableFilter(flag="ungraded"), "cy eve"),
        (TableFilter(flag="person"), "bo cy eve"),
        (TableFilter(flag="is_late"), "ada eve"),
        (TableFilter(flag="missing"), "dee"),
        (TableFilter(flag="given", search="eve"), "eve"),
        (TableFilter(flag="nothing"), "ada bo cy eve dee"),
    ],
)
def test_choosing(choice: TableFilter, names: str) -> None:
    """Search ignores case and accents; who has no points comes below who has none of them; unknown words do nothing."""
    assert [each.id for each in filter_rows(CLASS, choice)] == names.split()


def test_what_a_row_says() -> None:
    """How late it is."""
    assert [each.late_text.en for each in CLASS] == ["1 h", "", "", "", "yes"]
    assert set(FLAGS) == {"ungraded", "person", "is_late", "missing", "given"}
