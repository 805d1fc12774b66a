"""What instructors download: rosters, collections from course systems, and the tables that grades are filled into."""

from __future__ import annotations

import contextlib
import io
import json
import math
import shutil
import warnings
import zipfile
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from hypothesis import strategies as st

from grader.classroom import inbox, intake, roster
from grader.classroom.collect import collect
from grader.classroom.gradebook import LearnerRow, SubmissionRow, open_gradebook
from grader.classroom.intake import Person
from grader.classroom.marks import late_by
from grader.classroom.results import Book
from grader.core.errors import SubmissionError, UsageError
from grader.core.model import Rules, Text
from grader.instructor.export import ExportOptions, _class_list, canvas, moodle
from grader.instructor.export._autograding import read_facts
from tests.fuzz import bending
from tests.fuzz.reading import Reader, fuzzing, read
from tests.instructor.export.conftest import COURSE, Made

RULES = Rules(due="2026-11-20T12:00:00+00:00", late_percent=10, grace_hours=1, cut_off_days=3)

# -------------------------------------------------------------------------------------------- rosters

ROSTERS = (
    "id,name,email,section,extra time\nada,Ada Lovelace,ada@example.org,A,24\nbo,Bo Bø,bo@example.org,B,\n",
    'Student;First name;Last name;SIS User ID\r\n"Lovelace; Ada";Ada;Lovelace;100\r\n',
    "学号,姓名,邮箱\n001,李雷,li@example.org\n002,韩梅梅,han@example.org\n",
    '"id","name"\n"a","A ""the"" B"\n"b","two\nlines"\n',
)
CELLS = (
    ",", ";", "\t", '"', '""', '"a\nb"', "\n", "\r", "\r\n", "id", "name", "email", "extra time", "last", "48h",
    "-3", "inf", "1e300", "nan", "0", "=1+1", "@", "a@b", "-", "Ada", "ADA", "ada", " ada ", "ａｄａ", "100",
    "learner", "moodle", "canvas",
)  # fmt: skip
PEOPLE = [
    Person("Ada Lovelace"),
    Person("lovelaceada", (("canvas", "100"),)),
    Person("", (("email", "ADA@example.org"), ("learner", "ada"), ("sid", "001"))),
    Person("李雷", (("moodle", "1"),)),
]


def a_class(data: bytes, scratch: Path) -> None:
    """A roster has each learner once, finds every one, and its extra hours can be added to a date."""
    path = scratch / "class.csv"
    path.write_bytes(data)
    found = read(lambda: roster.read_roster(path), UsageError)
    if found is None:
        return
    assert found.learners and len({one.id for one in found.learners}) == len(found.learners)
    for person in (*PEOPLE, *(Person(one.name, one.ids) for one in found.learners[:20])):
        match = found.match(person)
        assert (match.learner is None) == bool(match.why)
    for one in found.learners[:20]:
        assert one.id.strip() and one.name.strip()
        assert math.isfinite(one.extra_hours)
        late = late_by(SubmissionRow("k", "p", (one.id,), at=datetime(2026, 11, 21, tzinfo=UTC)), one, RULES)
        assert math.isfinite(late)


# ---------------------------------------------------------------------------------------- collections

GRADESCOPE = """
submission_1:
  :submitters:
  - :name: Ada Invented
    :sid: '100'
    :email: ada@example.org
  :created_at: 2026-11-06 07:13:47.644186000 Z
  :history: [{}, {}]
submission_2:
  submitters: [{name: Cy Invented}]
  created_at: '2026-11-06 08:00:00 +0100'
"""
RUBY = (
    "&1 ", "*1", "<<: *1", "!ruby/object:A ", "!!timestamp ", "!!binary ", "!!set ", "!!omap ", "!!float ", "!!int ",
    "2026-13-01", "2026-02-30 25:61:61 Z", "9999-12-31 23:59:59 -1400", "0001-01-01", "1:61", "0b2", "1_000", ": ",
    "- ", ":name: ", "~", "[*1,*1]", "? ", "{", "}", "\n", "  ", "0x", "!!python/object/apply:os.system [ls]",
    "? [a]\n: b\n", "=", ".nan", "1e9",
)  # fmt: skip
RECEIPT = inbox.Receipt(
    "ada", datetime(2026, 11, 20, 11, tzinfo=UTC), "d" * 64, (inbox.ReceiptFile("q05.py", 9, "e" * 64),)
).to_json()
TREES: tuple[dict[str, str], ...] = (
    {"doejane_1234_5678_q05.py": "x = 1\n", "quizbo_LATE_77_88_Q5 final.ipynb": "{}", "quizbo_LATE_77_text.html": "t"},
    {"Ada B_657768_assignsubmission_file_/q05.py": "x = 1\n", "Bo_12_assignsubmission_onlinetext/onlinetext.html": "t"},
    {"Ada B_657768_assignsubmission_file_q05.py": "x = 1\n", "Bo_assignsubmission_file_/sub/q06.py": "y = 2\n"},
    {
        "a_export/submission_metadata.yml": GRADESCOPE,
        "a_export/submission_1/q05.py": "x",
        "a_export/submission_2/a": "y",
    },
    {"submission_metadata.yml": GRADESCOPE, "submission_1/q05.py": "x = 1\n", "submission_9/q05.py": "x = 1\n"},
    {"submitted/ada/ps1/ps1.ipynb": "{}", "submitted/ada/ps1/timestamp.txt": "2026-11-20 18:00:00.5 UTC"},
    {"ada/ps1/timestamp.txt": "soon", "ada/ps1/a.ipynb": "{}", "ada/ps2/b.ipynb": "{}"},
    {"ada/20261120T110000Z-dddddddddddd/receipt.json": RECEIPT, "ada/20261120T110000Z-dddddddddddd/files/q05.py": "x"},
    {"ada/q05.py": "x = 1\n", "bo.py": "y = 2\n", "cy.zip": "PK", "README.md": "hello", "__MACOSX/._bo.py": "m"},
)
_NAMES = [name for tree in TREES for name in tree]
_BITS = (
    "_", "/", "//", "..", ".", "LATE_", "anon_x", "1234_", "_assignsubmission_file_", "submitted/", "receipt.json",
    "/files/", "timestamp.txt", "submission_metadata.yml", "submission_1", "__MACOSX", "CON", "a" * 300, ".py",
    "Ada", "ada", "\\", "C:",
)  # fmt: skip
JSON = ("1e999", "-1", '"', "9" * 30, "[" * 2000, "\\ud800", "NaN", "-Infinity", "null", "true", "{}", "\\u0000")
_TEXTS = bending.texts([GRADESCOPE], RUBY) | bending.texts([RECEIPT], JSON)
FILES = st.lists(st.tuples(bending.texts(_NAMES, _BITS), _TEXTS), max_size=3)
COLLECTIONS = st.tuples(st.sampled_from(TREES), FILES, _TEXTS, st.integers(0, 8))


def tree(example: tuple[dict[str, str], list[tuple[str, str]], str, int]) -> dict[str, bytes]:
    """A tree of files whose contents are swapped, and perhaps altered."""
    files, more, text, which = example
    said = {name: text if which == at or (name.endswith(("metadata.yml", "receipt.json")) and which > 3) else was
            for at, (name, was) in enumerate(files.items())}  # fmt: skip
    return {name: was.encode("utf-8", "surrogatepass") for name, was in (*said.items(), *more)}


def looked_at(example: Any, scratch: Path) -> None:
    """Every file belongs to somebody or is left over, and file names within a submission are unique."""
    files = {name: data for name, data in tree(example).items() if name}
    seen = intake.Tree(tuple(files), lambda name: files[name], lambda name: None)
    found = read(lambda: intake.detect_layout(seen), UsageError)
    if found is None:
        return
    _, layout = found
    names = [name for placed in layout.submissions for name, _ in placed.files]
    assert len(set(names)) == len(names) and set(names) <= set(files)
    assert not set(names) & set(layout.leftovers)
    assert len({placed.key for placed in layout.submissions}) == len(layout.submissions)
    assert len({stray.entry for stray in layout.strays}) == len(layout.strays)
    assert {name for stray in layout.strays for name in stray.files} <= set(files) - set(names)
    for placed in layout.submissions:
        inner = [name.casefold() for _, name in placed.files]
        assert placed.files or placed.key.startswith("gradescope-")  # the metadata name who has no files
        assert len(set(inner)) == len(inner)
        assert placed.people and placed.attempt >= 1
        assert placed.at is None or placed.at.tzinfo is UTC
        for person in placed.people:
            assert type(person.name) is str and all(type(value) is str for _, value in person.ids)
            assert len(person.name) + sum(len(value) for _, value in person.ids) < 1_000_000


def zipped(example: Any, scratch: Path) -> None:
    """A zip of such a tree becomes submissions in the scratch folder or is refused; the gradebook accepts them."""
    folder = _fresh(scratch)
    with zipfile.ZipFile(folder / "all.zip", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # names that are the same once they are cut
        for name, data in tree(example).items():
            with contextlib.suppress(UnicodeEncodeError):
                archive.writestr(zipfile.ZipInfo(name[:9000]) if name else "x", data)
    _collected(folder / "all.zip", folder)


def bent_zip(data: bytes, scratch: Path) -> None:
    """A zip, damaged anywhere."""
    folder = _fresh(scratch)
    (folder / "all.zip").write_bytes(data)
    _collected(folder / "all.zip", folder)


def unpacked(example: Any, scratch: Path) -> None:
    """The same for a folder, with any names that the file system accepts."""
    folder = _fresh(scratch)
    for name, data in tree(example).items():
        parts = [part for part in name.split("/") if part not in ("", ".", "..")]
        with contextlib.suppress(OSError, ValueError):
            place = folder.joinpath("all", *parts)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    (folder / "all").mkdir(exist_ok=True)
    _collected(folder / "all", folder)


def _fresh(scratch: Path) -> Path:
    shutil.rmtree(scratch / "in", ignore_errors=True)
    (scratch / "in").mkdir()
    return scratch / "in"


def _collected(path: Path, folder: Path) -> None:
    found = read(lambda: collect(path, folder / "scratch"), UsageError, SubmissionError)
    for handed in found.submissions if found else ():
        place = handed.path.resolve()
        assert place.exists() or handed.error is not None
        assert place.is_relative_to((folder / "scratch").resolve()) or (path.is_dir() and place.is_relative_to(path))
        handed.found.key.encode()
    outside = [entry.name for entry in folder.iterdir() if entry.name not in ("all", "all.zip", "scratch")]
    assert not outside


def _zip_of(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text * 20)
    return out.getvalue()


# ------------------------------------------------------------------------------------ tables to fill in

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Attention (501),Current Score\r\n"
    "    Points Possible,,,,,10.00,(read only)\r\n"
    '"Lovelace, Ada",11,,,"A, ""first""",,\r\nBo Bø,12,,,B,3.5,77\r\nCy,13,,,B,EX,\r\n',
    "\ufeffStudent;ID;Attention (501);Other (502)\n  Points Possible;;10,00;\nBo Bø;12;;\n",
)
MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments\n"
    'Participant 11,Ada Lovelace,ada@example.org,Submitted,,10.00,"old\nwords"\nParticipant 12,Bo Bø,,,,10.00,\n',
    "编号,姓名,成绩,最高分,反馈评语\n参与者 11,Ada Lovelace,,10,\n",
)
_SIGNS = (
    *CELLS,
    "Student",
    "ID",
    "(501)",
    "Attention (9)",
    "Participant 11",
    "EX",
    "N/A",
    "10,00",
    "    Points Possible",
)


class Paper:
    """An export target in memory."""

    def __init__(self) -> None:
        self.data = b""
        self.said: list[Text] = []

    def write_file(self, chunks: Iterable[bytes]) -> None:
        """Keeps the export."""
        self.data = b"".join(chunks)

    def say(self, text: Text) -> None:
        """Ignores messages for the instructor."""
        self.said.append(text)


def table(export: ModuleType) -> Callable[[bytes, Path], None]:
    """Any table is refused, or a few of its cells change and nothing else."""

    def check(data: bytes, scratch: Path) -> None:
        path = scratch / "table.csv"
        path.write_bytes(data)
        made = Made(scratch / "results", COURSE)
        if not made.folder.exists():
            made.folder.mkdir()
            made.fill(
                (LearnerRow("ada", "Ada Lovelace"), f"{export.__name__[13:]}-11", True, 3.0), (BO, None, False, 0.0)
            )
        paper = Paper()

        def write() -> bool:
            with contextlib.closing(open_gradebook(made.folder)) as book:
                export.write(Book.of(book, COURSE), ExportOptions(template=path), paper)
            return True

        if read(write, UsageError) is None:
            assert not paper.data
            return
        (scratch / "out.csv").write_bytes(paper.data)
        before, after = _class_list.read_sheet(path), _class_list.read_sheet(scratch / "out.csv")
        assert [len(row) for row in before.rows] == [len(row) for row in after.rows]
        pairs = [(old.text, new.text) for was, now in zip(before.rows, after.rows, strict=True)
                 for old, new in zip(was, now, strict=True)]  # fmt: skip
        assert sum(old != new for old, new in pairs) <= 2
        for text in paper.said:
            assert text.en.encode() and text.zh.encode()

    return check


BO = LearnerRow("bo", "Bo Bø")

# ----------------------------------------------------------------------- what Gradescope says of a submission

_DUE = {"due_date": "2026-11-20T12:00:00-08:00"}
FACTS = (
    {
        "id": 12,
        "created_at": "2026-11-20T12:00:00.0-08:00",
        "users": [{"name": "Ada", "assignment": {"due_date": "2026-11-22T12:00:00-08:00"}}],
        "assignment": _DUE,
        "previous_submissions": [{"submission_time": "2026-11-19T12:00:00-08:00", "score": 1.0, "results": {}}],
    },
)


def facts(text: str, scratch: Path) -> None:
    """Strange entries are left out; the rest can be used."""
    path = scratch / "submission_metadata.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with contextlib.redirect_stdout(io.StringIO()):
        found = read_facts(path, "en")
    assert found.learner.encode() and found.key.encode() and found.attempt >= 1
    late_by(SubmissionRow("k", "p", ("a",), at=found.at), LearnerRow("a", "a", "", found.extra_hours), RULES)


test_sample, test_long = fuzzing(
    Reader("rosters", bending.encoded(bending.texts(ROSTERS, CELLS)), a_class),
    Reader("trees", COLLECTIONS, looked_at),
    Reader("collections", COLLECTIONS, zipped),
    Reader("folders of a class", COLLECTIONS, unpacked),
    Reader("damaged collections", bending.byte_strings([_zip_of(each) for each in TREES]), bent_zip),
    Reader("canvas tables", bending.encoded(bending.texts(CANVAS, _SIGNS)), table(canvas)),
    Reader("moodle tables", bending.encoded(bending.texts(MOODLE, _SIGNS)), table(moodle)),
    Reader("gradescope facts", bending.data(FACTS).map(json.dumps), facts),
)
