"""``export canvas``: one column of a downloaded gradebook is filled in, and not one other byte changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.classroom.gradebook import LearnerRow
from grader.core.errors import UsageError

if TYPE_CHECKING:
    from conftest import Made

HEAD = "Student,ID,SIS User ID,SIS Login ID,Section,Attention (501),Current Score"
POINTS = "    Points Possible,,,,,10.00,(read only)"
ROWS = (
    '"Lovelace, Ada",11,,,"A, ""first""",,',
    "Bo Bø,12,,,B,3.5,77",
    "Cy,13,,,B,,",
    "Dee,14,,,B,1,",
    "Student; Test,99,,,,,",
)


def sheet(tmp_path: Path, *rows: str, head: str = HEAD, end: str = "\r\n", points: str = POINTS) -> Path:
    """A file as it might have been downloaded."""
    path = tmp_path / "download.csv"
    path.write_text(end.join([head, points, *rows, ""]), encoding="utf-8", newline="")
    return path


def test_one_column_is_filled_in(small: Made, tmp_path: Path) -> None:
    """Learners are found by the number that their submission came under; the rest stays, byte for byte."""
    template = sheet(tmp_path, *ROWS)
    before = template.read_bytes()
    after = small.export("canvas", tmp_path / "up.csv", template=template).read_bytes()
    changed = before.replace(b'"A, ""first""",,', b'"A, ""first""",5.4,').replace(b"B,3.5,77", b"B,0,77")
    assert after == changed
    assert template.read_bytes() == before


def test_what_is_said(small: Made, tmp_path: Path) -> None:
    """Whom the two do not have in common, and whose cells were left alone."""
    small.export("canvas", tmp_path / "up.csv", template=sheet(tmp_path, *ROWS[1:]))
    assert "not found in the gradebook: Student; Test" in small.told
    assert "but not in the template: ada" in small.told
    assert "nothing was submitted: cy" in small.told
    assert "not everything could be graded: dee" in small.told
    assert "have to be graded by hand: bo" in small.told
    assert "Filled in: 1 of 4 rows." in small.told


@pytest.mark.parametrize("kept", ["EX", "N/A"])
def test_excused_stays_excused(small: Made, tmp_path: Path, kept: str) -> None:
    """What an instructor decided is not graded away."""
    template = sheet(tmp_path, f"Bo Bø,12,,,B,{kept},")
    assert small.export("canvas", tmp_path / "up.csv", template=template).read_bytes() == template.read_bytes()


@pytest.mark.parametrize(
    ("end", "bom", "row"),
    [
        ("\n", "", "Bo Bø,12,,,B,,"),
        ("\r\n", "\ufeff", "Bo Bø,12,,,B,,"),
        ("\r", "", '"Bo\nBø",12,"",,B,"3,5",'),
        ("\n", "", "=cmd|x!A0,12,,,B,,"),
    ],
)
def test_every_way_of_writing_a_file(small: Made, tmp_path: Path, end: str, bom: str, row: str) -> None:
    """Marks, line ends, quotes and lines in cells are kept."""
    template = sheet(tmp_path, row, head=bom + HEAD, end=end)
    after = small.export("canvas", tmp_path / "up.csv", template=template).read_bytes().decode()
    cells = row.replace('"3,5"', "").rsplit(",", 2)
    assert after == end.join([bom + HEAD, POINTS, ",".join([cells[0], "0", cells[2]]), ""])


def test_semicolons_and_decimal_commas(small: Made, tmp_path: Path) -> None:
    """Points are written as the file writes numbers."""
    template = sheet(
        tmp_path, "Lovelace, Ada;11;;;A;;", head=HEAD.replace(",", ";"), points="    Points Possible;;;;;10,00;"
    )
    after = small.export("canvas", tmp_path / "up.csv", template=template).read_text(encoding="utf-8")
    assert "Lovelace, Ada;11;;;A;5,4;" in after


@pytest.mark.parametrize("column", [None, "Attention (501)", "Attention", "501"])
def test_which_column(small: Made, tmp_path: Path, column: str | None) -> None:
    """By heading, title or number; the only one needs no name."""
    path = small.export("canvas", tmp_path / "up.csv", template=sheet(tmp_path, ROWS[1]), column=column)
    assert ",B,0,77" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("column", "head", "said"),
    [
        ("Other", HEAD, "0 columns “Other”; expected one. Available: Attention \\(501\\)"),
        ("Current Score", HEAD, "0 columns “Current Score”; expected one"),
        (None, HEAD.replace("Current Score", "Other (502)"), "2 assignments; name one of them"),
        ("Attention", HEAD.replace("Current Score", "Attention (502)"), "2 columns “Attention”"),
        (None, HEAD.replace("Attention (501)", "Notes"), "0 assignments"),
        (None, HEAD + "".join(f",No {n} ({n})" for n in range(99)), "100 assignments.*No 18 .18.; and 80 more"),
        (None, "Name,Points", "expected a gradebook exported from Canvas"),
    ],
)
def test_columns_that_are_not_there(small: Made, tmp_path: Path, column: str | None, head: str, said: str) -> None:
    """Nothing is guessed, and nothing written."""
    with pytest.raises(UsageError, match=said):
        small.export("canvas", tmp_path / "up.csv", template=sheet(tmp_path, ROWS[1], head=head), column=column)
    assert not (tmp_path / "up.csv").exists()


def test_other_points(small: Made, tmp_path: Path) -> None:
    """Are said, and left for the instructor to decide about."""
    small.export("canvas", tmp_path / "1.csv", template=sheet(tmp_path, ROWS[1]))
    assert "Points Possible" not in small.told
    template = sheet(tmp_path, ROWS[1], points=POINTS.replace("10.00", "25"))
    assert "25,(read only)" in small.export("canvas", tmp_path / "2.csv", template=template).read_text(encoding="utf-8")
    assert "Points Possible is 25, but the course has 10 points" in small.told


NAMES = "Student,ID,SIS User ID,SIS Login ID,Attention (501)"


@pytest.mark.parametrize(
    ("people", "rows", "filled"),
    [
        ([("s1", "Jane Doe", "key-1")], ['"Doe, Jane",5,,,'], [0]),
        ([("s1", "Jane Doe", "key-1")], ["Somebody,5,s1,,"], [0]),
        ([("s1", "Jane Doe", "key-1")], ["Somebody,5,,S1,"], [0]),
        ([("5", "Jane Doe", "key-1")], ["Somebody,5,,,"], []),
        ([("doejane", "doejane", "canvas-7")], ['"Doe, Jane",5,,,'], []),
        ([("doejane", "doejane", "canvas-7")], ['"Doe, Jane",5,,,', '"Doe, Jane",7,,,'], [1]),
        ([("s1", "Jane Doe", "key-1")], ['"Doe, Jane",5,,,', '"Doe, Jane",7,,,'], []),
        ([("s1", "Jane Doe", "k-1"), ("s2", "Jane Doe", "k-2")], ['"Doe, Jane",5,,,'], []),
        ([("s1", "Jane Doe", "k-1"), ("s2", "Joe", "k-2")], ["Somebody,5,s1,s2,"], []),
    ],
)
def test_who_is_who(
    made: Made, tmp_path: Path, people: list[tuple[str, str, str]], rows: list[str], filled: list[int]
) -> None:
    """By numbers first, then by a name that only one has; a number that says otherwise settles it."""
    made.fill(*((LearnerRow(one, name), key, True, -1.0) for one, name, key in people))
    template = sheet(tmp_path, *rows, head=NAMES, end="\n", points="    Points Possible,,,,10")
    lines = made.export("canvas", tmp_path / "up.csv", template=template).read_text(encoding="utf-8").splitlines()
    assert [at for at, line in enumerate(lines[2:]) if not line.endswith(",")] == filled


def test_first_and_last_names_apart(made: Made, tmp_path: Path) -> None:
    """As some schools have them."""
    made.fill((LearnerRow("s1", "Jane Doe"), "key-1", True, -1.0))
    template = sheet(tmp_path, "Doe,Jane,5,", head="LastName,FirstName,ID,A (1)", points="    Points Possible,,,10")
    assert "Doe,Jane,5,5" in made.export("canvas", tmp_path / "up.csv", template=template).read_text(encoding="utf-8")


def test_a_roster_says_who_is_who(made: Made, tmp_path: Path) -> None:
    """Where the gradebook knows learners by other names than Canvas does."""
    made.fill((LearnerRow("s1", "J."), "key-1", True, -1.0))
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name,canvas\ns1,J.,5\n", encoding="utf-8")
    template = sheet(tmp_path, "Doe,5,,,", head=NAMES, points="    Points Possible,,,,10")
    path = made.export("canvas", tmp_path / "up.csv", template=template, roster=roster)
    assert "Doe,5,,,5" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"Student,ID,A (1)\n\xff\xfe,1,2\n", "not UTF-8 \\(byte 17\\)"),
        (b'Student,ID,A (1)\n"Doe,1,2\n', ":2 has a quoted cell that is not closed"),
        (b"", "expected a gradebook exported from Canvas"),
    ],
)
def test_files_that_are_none(small: Made, tmp_path: Path, raw: bytes, said: str) -> None:
    """Are refused with the place."""
    template = tmp_path / "download.csv"
    template.write_bytes(raw)
    with pytest.raises(UsageError, match=said):
        small.export("canvas", tmp_path / "up.csv", template=template)


@pytest.mark.parametrize(
    ("template", "said"), [(None, "There is no file to fill in"), (Path("/none.csv"), "cannot be read")]
)
def test_no_file(small: Made, tmp_path: Path, template: Path | None, said: str) -> None:
    """Is refused, too."""
    with pytest.raises(UsageError, match=said):
        small.export("canvas", tmp_path / "up.csv", template=template)


def test_the_download_itself_is_not_overwritten(small: Made, tmp_path: Path) -> None:
    """Until that is asked for."""
    template = sheet(tmp_path, ROWS[1])
    with pytest.raises(UsageError, match="--force"):
        small.export("canvas", template, template=template)
    small.export("canvas", template, template=template, force=True)
    assert b"B,0,77" in template.read_bytes()


def test_hostile_names(hostile: Made, tmp_path: Path, names: tuple[str, ...]) -> None:
    """What is written are numbers, whoever earned them."""
    rows = ['"' + name.replace('"', '""') + f'",{at + 100},,,' for at, name in enumerate(names)]
    template = sheet(tmp_path, *rows, head=NAMES, points="    Points Possible,,,,10")
    before = template.read_text(encoding="utf-8")
    after = hostile.export("canvas", tmp_path / "up.csv", template=template).read_text(encoding="utf-8")
    assert "Filled in: " in hostile.told
    assert not set("\x1b\u202e") & set(hostile.told)
    assert after.replace(",,,0", ",,,") == before.replace(",,,0", ",,,")


def test_points_by_hand_are_filled_in(by_hand: Made, tmp_path: Path) -> None:
    """Also for what could not be graded, and where nothing was handed in."""
    after = by_hand.export("canvas", tmp_path / "up.csv", template=sheet(tmp_path, *ROWS)).read_text(encoding="utf-8")
    assert "Cy,13,,,B,0.5," in after
    assert "Dee,14,,,B,0.5," in after
    assert "Left as it was" not in by_hand.told
    assert "Filled in: 4 of 5 rows." in by_hand.told


def test_a_learner_called_like_the_line_of_points(small: Made, tmp_path: Path) -> None:
    """Has a number, which that line has not: nobody else's points are written otherwise because of the name."""
    row = "Points Possible,98,,,,,"
    template = sheet(tmp_path, *ROWS, row, points=POINTS.replace("10.00", '"10,00"'))
    small.export("canvas", tmp_path / "up.csv", template=template)
    assert b'"5,4"' in (tmp_path / "up.csv").read_bytes()
