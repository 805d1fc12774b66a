from __future__ import annotations

import errno
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom import collect as module
from grader.classroom.collect import collect
from grader.core.errors import AttncheckError, UsageError
from grader.submission import read

CODE = "def scaled_scores(q, k):\n    return q\n"
CANVAS = {
    "doejane_1_2_q03.py": CODE,
    "doejane_1_3_answers.yaml": "format: 1\nanswers: {Q3.purpose: c}\n",
    "bo_LATE_4_5_q03.py": CODE,
    "notes.txt": "",
}


def zipped(path: Path, files: dict[str, str]) -> Path:
    """A zip with these files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def laid_out(path: Path, files: dict[str, str]) -> Path:
    """A folder with these files."""
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return path


@pytest.mark.parametrize("make", [zipped, laid_out])
def test_a_collection_can_be_read(make: Callable[[Path, dict[str, str]], Path], tmp_path: Path) -> None:
    """As a zip or unpacked, what belongs together is read together."""
    found = collect(make(tmp_path / "class.zip", CANVAS), tmp_path / "scratch")
    assert (found.kind, found.leftovers) == ("canvas", ("notes.txt",))
    bo, jane = (read(handed.path, handed.found.key) for handed in found.submissions)
    assert [file.path for file in jane.files] == ["q03.py"]
    assert jane.answers is not None
    assert [file.path for file in bo.files] == ["q03.py"]
    assert [handed.found.late for handed in found.submissions] == [True, False]


def test_nothing_is_copied_that_lies_well(tmp_path: Path) -> None:
    """A folder or a file to itself is read where it is."""
    root = laid_out(tmp_path / "class", {"ada/q03.py": CODE, "ada/more/q05.py": CODE, "bo.py": CODE})
    found = collect(root, tmp_path / "scratch")
    assert [handed.path for handed in found.submissions] == [root / "ada", root / "bo.py"]
    assert not (tmp_path / "scratch").exists()


def test_a_zip_alone_in_a_folder_is_what_was_handed_in(tmp_path: Path) -> None:
    """The layout of platforms that make one folder per learner."""
    inner = zipped(tmp_path / "inner.zip", {"q03.py": CODE})
    for name in ("ada/work.ZIP", "bo/work.zip", "bo/q05.py"):
        (tmp_path / "class" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "class" / name).write_bytes(inner.read_bytes() if name.lower().endswith(".zip") else CODE.encode())
    ada, bo = collect(tmp_path / "class", tmp_path / "scratch").submissions
    assert (ada.path.name, bo.path.name) == ("work.ZIP", "bo")
    assert [file.path for file in read(ada.path).files] == ["q03.py"]


def test_a_zip_in_a_zip_is_its_learners(tmp_path: Path) -> None:
    """Learners hand in zips; they are read as such, not unpacked."""
    inner = zipped(tmp_path / "inner.zip", {"q03.py": CODE}).read_bytes()
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr("bo_4_5_work.zip", inner)
    (handed,) = collect(tmp_path / "class.zip", tmp_path / "scratch").submissions
    assert handed.path.suffix == ".zip"
    assert read(handed.path).files[0].path == "q03.py"


def test_collecting_again_finds_what_is_there(tmp_path: Path) -> None:
    """After an interruption, complete copies are reused and incomplete ones are made again."""
    place = zipped(tmp_path / "class.zip", CANVAS)
    first = collect(place, tmp_path / "scratch").submissions
    half, whole = first[0].path.parent, first[1].path
    stamp = os.stat(whole).st_mtime_ns
    (half / ".complete").unlink()
    (half / "q03.py").write_text("half")
    assert collect(place, tmp_path / "scratch").submissions == first
    assert os.stat(whole).st_mtime_ns == stamp
    assert (half / "q03.py").read_text() == CODE


def link(archive: zipfile.ZipFile) -> None:
    """A link that leads out."""
    info = zipfile.ZipInfo("bo_4_5_q03.py")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    archive.writestr(info, "/etc/passwd")


@pytest.mark.parametrize(
    ("fill", "said"),
    [
        (lambda archive: archive.writestr("../bo_4_5_q03.py", CODE), "bo_4_5_q03.py"),
        (lambda archive: archive.writestr("/bo_4_5_q03.py", CODE), "bo_4_5_q03.py"),
        (link, "link"),
        (lambda archive: archive.writestr("x/./bo.py", CODE) or archive.writestr("x/bo.py", CODE), "twice"),
    ],
)
def test_zips_that_are_not_what_they_seem(fill: Callable[[zipfile.ZipFile], None], said: str, tmp_path: Path) -> None:
    """Names that leave the zip, links and doubles are refused with the entry named, and nothing is written."""
    with zipfile.ZipFile(tmp_path / "class.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        fill(archive)
    with pytest.raises(AttncheckError, match=said):
        collect(tmp_path / "class.zip", tmp_path / "scratch")
    assert not (tmp_path / "scratch").exists()


def locked(path: Path, name: str) -> None:
    """Marks an entry of a zip as protected by a password."""
    data = path.read_bytes()
    for start, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.rindex(start, 0, data.rindex(name.encode()) if flags == 8 else data.index(name.encode())) + flags
        data = data[:at] + bytes([data[at] | 1]) + data[at + 1 :]
    path.write_bytes(data)


@pytest.mark.parametrize("wrong", ["bomb", "large", "password", "damage"])
def test_one_file_is_the_fault_of_one_submission(wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its error names the file and nothing is left of it; all others are collected."""
    code = " " * (5 << 20) if wrong == "bomb" else CODE * 9
    path = zipped(tmp_path / "class.zip", {"ada_1_2_q03.py": CODE, "bo_4_5_q03.py": code, "bo_4_6_q05.py": CODE})
    if wrong == "large":
        monkeypatch.setattr(module, "MAX_FILE", len(CODE))
    elif wrong == "password":
        locked(path, "bo_4_5_q03.py")
    elif wrong == "damage":
        data = bytearray(path.read_bytes())
        data[data.index(b"bo_4_5_q03.py") + 15] ^= 0xFF
        path.write_bytes(data)
    ada, bo = collect(path, tmp_path / "scratch").submissions
    assert ada.error is None and read(ada.path).files
    said = {"bomb": "would expand", "large": "more than the", "password": "password", "damage": "cannot be unpacked"}
    assert bo.error is not None and "bo_4_5_q03.py" in bo.error.en and said[wrong] in bo.error.en
    assert not bo.path.exists()


def test_files_that_never_count_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However large they are: the work beside them is graded, with their names in a notice, and copied once."""
    monkeypatch.setattr(module, "MAX_FILE", 4 << 20)
    monkeypatch.setattr(module, "MAX_ALL", 4 << 20)
    path = zipped(tmp_path / "class.zip", {"ada_1_2_q03.py": CODE, "ada_1_3_data.txt": "\0" * (5 << 20)})
    for _ in range(2):
        (ada,) = collect(path, tmp_path / "scratch").submissions
        assert ada.error is None
        assert ["data.txt" in notice.text.en for notice in read(ada.path).notices] == [True]
        assert (ada.path / "data.txt").stat().st_size == 0
        stamp = (ada.path / ".complete").stat().st_mtime_ns
    assert (ada.path / ".complete").stat().st_mtime_ns == stamp


def test_all_may_not_be_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is not filled."""
    monkeypatch.setattr(module, "MAX_ALL", 10)
    with pytest.raises(UsageError, match="split it"):
        collect(zipped(tmp_path / "class.zip", CANVAS), tmp_path / "scratch")


def test_metadata_may_not_be_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read whole."""
    monkeypatch.setattr(module, "_MAX_METADATA", 10)
    files = {"submission_metadata.yml": "submission_1: {}\n", "submission_1/q03.py": CODE}
    with pytest.raises(UsageError, match="expected metadata"):
        collect(zipped(tmp_path / "class.zip", files), tmp_path / "scratch")


def test_links_in_folders_are_not_followed(tmp_path: Path) -> None:
    """Whoever handed in a link has handed in nothing that could be graded, and is named with the reason."""
    root = laid_out(tmp_path / "class", {"ada/q03.py": CODE})
    (root / "bo.py").symlink_to("/etc/passwd")
    (root / "cy").symlink_to(tmp_path)
    ada, *others = collect(root, tmp_path / "scratch").submissions
    assert (ada.found.key, ada.error) == ("ada", None)
    assert [one.found.people[0].name for one in others] == ["bo", "cy"]
    assert ["nothing to grade" in one.error.en and "link" in one.error.en for one in others if one.error] == [
        True,
        True,
    ]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    """A disk may hold any bytes; what is put down can be written and read."""
    odd = b"caf\xe9".decode("utf-8", "surrogateescape")
    root = laid_out(tmp_path / "class", {f"{odd}/q03.py": CODE, f"{odd}.py": CODE, f"ada/{odd}.py": CODE})
    found = collect(root, tmp_path / "scratch").submissions
    assert len({handed.found.key for handed in found}) == 3
    for handed in found:
        assert f"{handed.found.key}{handed.path}".encode()
        assert read(handed.path).files


@pytest.mark.parametrize(
    ("files", "kind", "said"),
    [
        ({}, None, "no submission found"),
        ({"notes.txt": ""}, None, "no submission found"),
        ({"ada.py": CODE}, "moodle", "looked for: moodle"),
        ({"ada.py": CODE}, "blackboard", "no intake “blackboard”; available: .*canvas"),
    ],
)
def test_what_cannot_be_collected(files: dict[str, str], kind: str | None, said: str, tmp_path: Path) -> None:
    """The message says what was looked for."""
    (tmp_path / "class").mkdir()
    with pytest.raises(UsageError, match=said):
        collect(laid_out(tmp_path / "class", files), tmp_path / "scratch", kind)


def test_metadata_that_cannot_be_unpacked(tmp_path: Path) -> None:
    """They belong to everybody."""
    files = {"submission_metadata.yml": "#" * (5 << 20), "submission_1/q03.py": CODE}
    with pytest.raises(UsageError, match=r"submission_metadata\.yml.*would expand"):
        collect(zipped(tmp_path / "class.zip", files), tmp_path / "scratch")


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, type[OSError]], None]:
    """Makes a folder one that cannot be looked into; for whoever runs the tests, root too."""
    scan = os.scandir

    def close(folder: Path, error: type[OSError]) -> None:
        def scandir(path: Path) -> object:
            if Path(path) == folder:
                raise error(errno.EACCES, "No way in", str(path))
            return scan(path)

        monkeypatch.setattr(os, "scandir", scandir)

    return close


def test_folders_that_cannot_be_looked_into(tmp_path: Path, closed: Callable[[Path, type[OSError]], None]) -> None:
    """Their learners are named with the reason, and others are collected."""
    root = laid_out(tmp_path / "class", {"ada/q03.py": CODE, "bo/q03.py": CODE})
    closed(root / "bo", PermissionError)
    found = collect(root, tmp_path / "scratch")
    ada, bo = found.submissions
    assert (ada.found.key, ada.error, bo.found.key) == ("ada", None, "bo")
    assert bo.error is not None and "not readable (No way in)" in bo.error.en
    assert found.leftovers == ("not readable (No way in): bo/",)


def test_what_moves_while_it_is_collected(
    tmp_path: Path, closed: Callable[[Path, type[OSError]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder or a file that is gone again was on its way; the next time it is there."""
    root = laid_out(tmp_path / "class", {"ada/q03.py": CODE, "bo/q03.py": CODE, "cy/q03.py": CODE, "cy/q05.py": CODE})
    closed(root / "bo", FileNotFoundError)
    look = Path.lstat

    def lstat(path: Path) -> os.stat_result:
        if path.name == "q05.py":
            path.unlink()
        return look(path)

    monkeypatch.setattr(Path, "lstat", lstat)
    found = collect(root, tmp_path / "scratch")
    assert [(one.found.key, len(one.found.files)) for one in found.submissions] == [("ada", 1), ("cy", 1)]
    assert found.leftovers == ()


def test_time_stamps_are_not_work(tmp_path: Path) -> None:
    """What nbgrader puts beside a notebook is in no notice, and the notebook lies where it was without it."""
    files = {"submitted/ada/ps1/q03.py": CODE, "submitted/ada/ps1/timestamp.txt": "2026-11-20 18:00:00 UTC"}
    files |= {"submitted/bo/ps1/q03.py": CODE, "submitted/ada/ps1/feedback/q03.html": "<p>"}
    root = laid_out(tmp_path / "course", files)
    ada, bo = collect(root, tmp_path / "scratch").submissions
    assert [read(one.path).notices for one in (ada, bo)] == [(), ()]
    assert bo.path == root / "submitted" / "bo" / "ps1"


@pytest.mark.parametrize("damaged", [False, True])
def test_a_time_stamp_that_cannot_be_read(damaged: bool, tmp_path: Path) -> None:
    """It says nothing, and stops nobody."""
    stamp = "2026-11-20 18:00:00 UTC" if damaged else " " * (5 << 20)
    files = {"submitted/ada/ps1/timestamp.txt": stamp, "submitted/ada/ps1/q03.py": CODE}
    path = zipped(tmp_path / "class.zip", files)
    if damaged:
        data = bytearray(path.read_bytes())
        data[data.index(b"timestamp.txt") + 15] ^= 0xFF
        path.write_bytes(data)
    (ada,) = collect(path, tmp_path / "scratch").submissions
    assert (ada.found.at, ada.error) == (None, None)


@pytest.mark.parametrize("make", [zipped, laid_out])
def test_a_second_try_on_canvas(make: Callable[[Path, dict[str, str]], Path], tmp_path: Path) -> None:
    """Its answers are answers, and its files import each other by the names that their author gave them."""
    files = {
        "ada_1_2_q05-1.py": CODE,
        "ada_1_3_q06-1.py": "from q05 import scaled_scores\n",
        "ada_1_4_answers-1.yaml": "format: 1\nanswers: {Q3.purpose: c}\n",
    }
    (ada,) = collect(make(tmp_path / "class.zip", files), tmp_path / "scratch").submissions
    found = read(ada.path)
    assert found.answers is not None and len(found.answers) == 1
    assert [file.module for file in found.files] == ["q05", "q06"]


@pytest.mark.parametrize("make", [zipped, laid_out])
def test_a_class_in_a_folder(make: Callable[[Path, dict[str, str]], Path], tmp_path: Path) -> None:
    """What is in it can be read."""
    files = {"class/ada/q03.py": CODE, "class/bo/q03.py": CODE}
    found = collect(make(tmp_path / "class.zip", files), tmp_path / "scratch").submissions
    assert [(one.found.key, len(read(one.path).files)) for one in found] == [("ada", 1), ("bo", 1)]


def test_long_names_are_shortened(tmp_path: Path) -> None:
    """A zip can hold names that no disk takes; what kind of file it is can still be seen."""
    name = "注意力机制" * 20
    found = collect(zipped(tmp_path / "class.zip", {f"doejane_1_2_{name}.py": CODE}), tmp_path / "scratch")
    (handed,) = found.submissions
    assert len(handed.path.name.encode()) < 256 and handed.path.name.startswith("注意力机制")
    assert read(handed.path).files


@pytest.mark.parametrize("content", [None, b"no zip"])
def test_neither_folder_nor_zip(content: bytes | None, tmp_path: Path) -> None:
    """A path that is wrong is said to be."""
    if content is not None:
        (tmp_path / "class.zip").write_bytes(content)
    with pytest.raises(UsageError, match=r"class\.zip"):
        collect(tmp_path / "class.zip", tmp_path / "scratch")


def test_a_later_download_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    """Under the same names: other contents, more files and fewer ones are what is graded then."""
    ada = "Ada Invented_123_assignsubmission_file"
    for files in (
        {f"{ada}/q03.py": "x = 1\n", f"{ada}/q05.py": "y = 1\n"},
        {f"{ada}/q03.py": "x = 2\n", f"{ada}/q05.py": "y = 1\n"},
        {f"{ada}/q03.py": "x = 2\n", f"{ada}/q05.py": "y = 1\n", f"{ada}/q06.py": "z = 1\n"},
        {f"{ada}/q05.py": "y = 1\n"},
    ):
        place = zipped(tmp_path / "class.zip", files)
        (handed,) = collect(place, tmp_path / "scratch").submissions
        found = {part.text for file in read(handed.path).files for part in file.parts}
        assert found == set(files.values())


@pytest.mark.parametrize("left", ["", "x", "\0" * len(CODE)])
def test_copies_that_lost_power(left: str, tmp_path: Path) -> None:
    """A file whose bytes never reached the disk is copied again, though its folder says that it is whole."""
    place = zipped(tmp_path / "class.zip", CANVAS)
    copy = collect(place, tmp_path / "scratch").submissions[0].path
    file = copy if copy.is_file() else copy / "q03.py"
    file.write_text(left)
    assert file.read_text() != CODE
    collect(place, tmp_path / "scratch")
    assert file.read_text() == CODE


def test_no_room_for_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is no fault of the collection, and the next try goes through."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    place = zipped(tmp_path / "class.zip", CANVAS)
    with monkeypatch.context() as patch:
        patch.setattr(module, "_copy", full)
        with pytest.raises(OSError, match="No space left"):
            collect(place, tmp_path / "scratch")
    assert len(collect(place, tmp_path / "scratch").submissions) == 2


def test_copies_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of results is at fault, and no submission: the batch stops, and says so."""

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    place = zipped(tmp_path / "class.zip", CANVAS)
    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(UsageError, match=r"scratch.*cannot be written \(Permission denied\); make it writable"):
        collect(place, tmp_path / "scratch")
