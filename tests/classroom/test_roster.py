from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.intake import Person
from grader.classroom.roster import Learner, csv_separator, read_roster
from grader.core.errors import UsageError

CSV = """\ufeffSIS User ID,Name,Email,Canvas ID,Extra time,Section,Colour
100,Jane Invented,jane@example.org,1234,,A,red
101,"Li, Lei",lei@example.org,5678,24,B,blue
102,李雷,,,12h,,
103,Jane Invented-Smith,jis@example.org,9,0,A,
,,,,,,
104,Li Lei,l2@example.org,10,,,
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A roster with what rosters have."""
    path = tmp_path / "roster.csv"
    path.write_text(CSV, "utf-8")
    return path


def test_a_roster_is_read(place: Path) -> None:
    """Headings are known in several spellings; unknown columns and empty lines do not matter."""
    learners = read_roster(place).learners
    assert [learner.id for learner in learners] == ["100", "101", "102", "103", "104"]
    assert learners[1] == Learner(
        "101",
        "Li, Lei",
        "B",
        24.0,
        (("learner", "101"), ("canvas", "5678"), ("sid", "101"), ("email", "lei@example.org")),
    )
    assert learners[2].extra_hours == 12


@pytest.mark.parametrize(
    ("person", "found", "why"),
    [
        (Person("whoever", (("canvas", "1234"),)), "100", ""),
        (Person("whoever", (("email", "LEI@example.org"),)), "101", ""),
        (Person("whoever", (("sid", "102"),)), "102", ""),
        (Person("100", (("learner", "100"),)), "100", ""),
        (Person("lei@example.org", (("learner", "lei@example.org"),)), "101", ""),
        (Person("LEI", (("learner", "LEI"),)), "101", ""),
        (Person("lei@elsewhere.org", (("learner", "lei@elsewhere.org"),)), None, "unknown"),
        (Person("janeinvented"), "100", ""),
        (Person("inventedjane"), "100", ""),
        (Person("JANE  invented"), "100", ""),
        (Person("janeinventedsmith"), "103", ""),
        (Person("李雷"), "102", ""),
        (Person("Lei Li"), None, "ambiguous"),
        (Person("lilei", (("canvas", "10"),)), "104", ""),
        (Person("x", (("canvas", "1234"), ("email", "lei@example.org"))), None, "ambiguous"),
        (Person("Jane"), None, "unknown"),
        (Person("jane invente"), None, "unknown"),
        (Person("", (("canvas", "12345"),)), None, "unknown"),
    ],
)
def test_matching(place: Path, person: Person, found: str | None, why: str) -> None:
    """A number or address decides; a name does where only one has it; nothing like it is ever good enough."""
    match = read_roster(place).match(person)
    assert (match.learner and match.learner.id, match.why) == (found, why)


@pytest.mark.parametrize(
    ("ids", "found", "why"),
    [
        ((("canvas", "11"),), None, "unknown"),
        ((("moodle", "77"),), None, "unknown"),
        ((("sid", "S2"),), None, "unknown"),
        ((("email", "jane@elsewhere.org"),), None, "unknown"),
        ((("email", "jane@elsewhere.org"), ("sid", "s1")), "jane", ""),
        ((("login", "jd"),), "jane", ""),
        ((("learner", "Jane Doe"), ("entry", "11")), "jane", ""),
    ],
)
def test_a_namesake_is_somebody_else(
    ids: tuple[tuple[str, str], ...], found: str | None, why: str, tmp_path: Path
) -> None:
    """A name does not count against a number or an address of the same kind; what the roster lacks says nothing."""
    (tmp_path / "class.csv").write_text(
        "id,name,canvas,moodle,sid,email\njane,Jane Doe,9999,Participant 8,S1,jane@example.org\n"
    )
    match = read_roster(tmp_path / "class.csv").match(Person("Jane Doe", ids))
    assert (match.learner and match.learner.id, match.why) == (found, why)


@pytest.mark.parametrize(("other", "why"), [("9998", "unknown"), ("", "ambiguous")])
def test_the_last_of_several_namesakes_is_not_guessed(other: str, why: str, tmp_path: Path) -> None:
    """That all others have other numbers does not say who it is; that all have, says that it is none of them."""
    (tmp_path / "class.csv").write_text(f"id,name,canvas\na,Jane Doe,9999\nb,Jane Doe,{other}\n")
    match = read_roster(tmp_path / "class.csv").match(Person("Jane Doe", (("canvas", "11"),)))
    assert (match.learner, match.why) == (None, why)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("id,name\n1;2;3", ","),
        ("id;name", ";"),
        ("id\tname\r\na,b,c", "\t"),
        ('"a,b","c,d";e;f;g', ";"),
        ('"a ""x,y,z"", b";c\n', ";"),
        ('"a\nb,c";d\n,,,', ";"),
        ("id", ","),
        ('"never closed,,;', ","),
    ],
)
def test_what_separates_cells(text: str, found: str) -> None:
    """The heading says it, and nothing in quotes."""
    assert csv_separator(text) == found


def test_a_name_without_end(tmp_path: Path) -> None:
    """Is found as it stands; nobody tries all its turns."""
    name = "no " * 40_000 + "end"
    (tmp_path / "r.csv").write_text(f"id,name\na,{name}\n", encoding="utf-8")
    known = read_roster(tmp_path / "r.csv")
    assert known.match(Person(name)).learner == known.learners[0]
    assert known.match(Person("end " + "no " * 40_000)).why == "unknown"


def test_a_learner_in_several_groups(tmp_path: Path) -> None:
    """Has a part in the work of each; the name of one group may be a list itself."""
    (tmp_path / "class.csv").write_text('id,group\n1,"Team 1, Team 2"\n2,Team 2，Team 3\n3,"Lab, Tuesday"\n', "utf-8")
    roster = read_roster(tmp_path / "class.csv")
    found = {
        name: [match.learner and match.learner.id for match in roster.matches(Person(name))]
        for name in ("team1", "Team 2", "Team 3", "labtuesday", "Team 1, Team 2", "Team")
    }
    assert found == {
        "team1": ["1"],
        "Team 2": ["1", "2"],
        "Team 3": ["2"],
        "labtuesday": ["3"],
        "Team 1, Team 2": ["1"],
        "Team": [None],
    }


@pytest.mark.parametrize(
    ("person", "found"),
    [
        (Person("Team 1"), ["1", "2"]),
        (Person("team1", (("canvas", "12"),)), ["1", "2"]),
        (Person("team1", (("canvas", "13"),)), ["3"]),
        (Person("Ann", (("canvas", "11"),)), ["1"]),
        (Person("Team 9"), [None]),
        (Person("Dan"), ["4"]),
        (Person(""), [None]),
    ],
)
def test_a_group_is_all_its_members(person: Person, found: list[str | None], tmp_path: Path) -> None:
    """Whether its work comes under its name, or under the number of one of them; others keep what is theirs."""
    (tmp_path / "class.csv").write_text(
        "id,name,canvas,group\n1,Ann,11,Team 1\n2,Ben,12,TEAM-1\n3,Cas,13,Team 2\n4,Dan,14,\n"
    )
    matches = read_roster(tmp_path / "class.csv").matches(person)
    assert [match.learner.id if match.learner else None for match in matches] == found


@pytest.mark.parametrize(
    ("text", "people", "ids"),
    [
        (
            'Student,ID,SIS User ID,SIS Login ID,Section,"Attention (4711)"\n    Points Possible,,,,,41\n'
            '"Invented, Jane",1234,S1,jane,A,\n"Test, Tim",99,,,A,\n',
            [Person("inventedjane", (("canvas", "1234"),)), Person("x", (("canvas", "99"),))],
            ["S1", "99"],
        ),
        (
            "Identifier,Full name,Email address,Status,Grade\nParticipant 77,Jane Invented,jane@example.org,,\n"
            "Participante 78,Tim Test,,,\n",
            [Person("Jane I.", (("moodle", "77"),)), Person("x", (("moodle", "78"),))],
            ["Jane Invented", "Tim Test"],
        ),
        (
            "LastName,FirstName,ID,SIS User ID,SIS Login ID,Section,Attention (4711)\n,,,,,,Manual Posting\n"
            "    Points Possible,,,,,,41\nInvented,Jane,1234,S1,jane,A,\nTest,Tim,99,,,A,\n",
            [Person("inventedjane", (("canvas", "1234"),)), Person("x", (("canvas", "99"),))],
            ["S1", "99"],
        ),
        (
            "Student;ID;SIS User ID;SIS Login ID;Section;Attention, first (4711)\n    Points Possible;;;;;41,00\n"
            "Invented, Jane;1234;S1;jane;A;\n",
            [Person("x", (("canvas", "1234"),))],
            ["S1"],
        ),
        (
            '"Name, as in the list"\tName\tEmail\n1\tInvented, Jane\tjane@example.org\n',
            [Person("janeinvented")],
            ["Invented, Jane"],
        ),
    ],
)
def test_what_course_systems_export_is_a_roster(
    text: str, people: list[Person], ids: list[str], tmp_path: Path
) -> None:
    """Learners are found by the numbers that their submissions come under; a line for points is nobody."""
    (tmp_path / "class.csv").write_text(text)
    roster = read_roster(tmp_path / "class.csv")
    assert [learner.id for learner in roster.learners] == ids
    found = [roster.match(person).learner for person in people]
    assert [learner.id if learner else None for learner in found] == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("id,name,\n1,A,,,\n2,B,\n", ["1", "2"]),
        ("First name,Last name,Email address\nLi,Wei,a@b.org\nAda,Abacus,c@b.org\n", ["Li Wei", "Ada Abacus"]),
        ("SIS Login ID,Canvas ID,Name\na@b.org,7,A\nb,8,B\n", ["7", "b"]),
        ("id\na@b.org\n", ["a@b.org"]),
        ("Name,Identifier\nLi Wei,Participant 5\nLi Wei,Participant 6\n", ["Li Wei (5)", "Li Wei (6)"]),
    ],
)
def test_what_learners_are_called(text: str, ids: list[str], tmp_path: Path) -> None:
    """By an id, number or login, else by name; never by an address that nobody called an id."""
    (tmp_path / "class.csv").write_text(text)
    assert [learner.id for learner in read_roster(tmp_path / "class.csv").learners] == ids


@pytest.mark.parametrize(
    ("text", "learner"),
    [
        ("First name,Last name,ID number,Email address\nAda,Love,1001,a@b.org\n", ("1001", "Ada Love")),
        ("姓,名,学号,电子邮件地址\n王,小明,2001,w@b.org\n", ("2001", "王小明")),
        ("名,姓氏,电子邮件\n小明,王,w@b.org\n", ("王小明", "王小明")),
        ("First name,Last name\n小明,王\n", ("王小明", "王小明")),
    ],
)
def test_names_in_two_columns(text: str, learner: tuple[str, str], tmp_path: Path) -> None:
    """Moodle's participant lists show names, in English and in Chinese, each in its own order."""
    (tmp_path / "class.csv").write_text(text, encoding="utf-8")
    assert [(found.id, found.name) for found in read_roster(tmp_path / "class.csv").learners] == [learner]


def test_namesakes_with_addresses_only(tmp_path: Path) -> None:
    """They are told apart by what does not change with their order, and found by their addresses."""
    lines = ["Li Wei,a@b.org\n", "Li Wei,c@d.org\n"]
    found = []
    for each in (lines, lines[::-1]):
        (tmp_path / "class.csv").write_text("name,email\n" + "".join(each))
        roster = read_roster(tmp_path / "class.csv")
        found.append({learner.id for learner in roster.learners})
        match = roster.match(Person("whoever", (("email", "a@b.org"),)))
        assert match.learner is not None and match.learner.id.startswith("Li Wei (") and "@" not in match.learner.id
    assert found[0] == found[1] and len(found[0]) == 2


def test_who_is_missing(place: Path) -> None:
    """Those of the roster to whom no submission belongs."""
    roster = read_roster(place)
    matches = [roster.match(Person(name)) for name in ("janeinvented", "李雷", "invented jane", "nobody")]
    assert [learner.id for learner in roster.missing(matches)] == ["101", "103", "104"]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "found an empty file"),
        (b"colour,size\nred,3\n", "found colour, size"),
        (b"id,name\n", "no learner"),
        (b"id,name\n1,A\n1,B\n", ":3: the id 1 appears a second time"),
        (b"colour " + b"u" * 9000 + b",size\nred,3\n", "found colour " + "u" * 33 + ", size"),
        (b"name,extra time\nA,soon\n", ":2: extra time is “soon”"),
        (b"name,section\n,A\n", ":2: expected an id"),
        (b"id,name\n1,A\n2\n", ":3: expected 2 cells, as in the heading; found 1"),
        (b"id,name\n1,Invented, Jane\n", ":2: expected 2 cells, as in the heading; found 3"),
        (b'id,name\n"1\n",A\n\n2\n', ":5: expected 2 cells"),
        (b"id,name\n1,A\n,B\n", ":3: expected an id"),
        (b"email,section\na@b.org,A\n", "To use e-mail addresses as ids, rename that column to id"),
        (b"name,extra time\nA,inf\n", ":2: extra time is “inf”"),
        (b"name,extra time\nA,nan\n", ":2: extra time is “nan”"),
        (b"name,extra time\nA,1e300\n", ":2: extra time is “1e300”"),
        (b"id,name\n1," + b"A" * 200_000, ":2: this is not CSV"),
        ("姓名\n李雷".encode("gb18030"), "not UTF-8"),
    ],
)
def test_rosters_that_cannot_be_used(tmp_path: Path, raw: bytes, said: str) -> None:
    """The message names the line and what was expected."""
    path = tmp_path / "roster.csv"
    path.write_bytes(raw)
    with pytest.raises(UsageError, match="roster") as caught:
        read_roster(path)
    assert said in str(caught.value)


def test_a_roster_that_is_not_there(tmp_path: Path) -> None:
    """The system's reason is passed on."""
    with pytest.raises(UsageError, match="cannot be read"):
        read_roster(tmp_path / "none.csv")
