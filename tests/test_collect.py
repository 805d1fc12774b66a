from __future__ import annotations

import errno
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader import collect as module
from grader.collect import collect
from grader.errors import AttncheckError, UsageError
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
    bo, jane = (read(handed.path, handed.placed.key) for handed in found.handed)
    assert [file.path for file in jane.files] == ["q03.py"]
    assert jane.answers is not None
    assert [file.path for file in bo.files] == ["q03.py"]
    assert [handed.placed.late for handed in found.handed] == [True, False]


def test_nothing_is_copied_that_lies_well(tmp_path: Path) -> None:
    """A folder or a file to itself is read where it is."""
    root = laid_out(tmp_path / "class", {"ada/q03.py": CODE, "ada/more/q05.py": CODE, "bo.py": CODE})
    found = collect(root, tmp_path / "scratch")
    assert [handed.path for handed in found.handed] == [root / "ada", root / "bo.py"]
    assert not (tmp_path / "scratch").exists()


def test_a_zip_alone_in_a_folder_is_what_was_handed_in(tmp_path: Path) -> None:
    """As course systems that make a folder for everybody unpack it."""
    inner = zipped(tmp_path / "inner.zip", {"q03.py": CODE})
    for name in ("ada/work.ZIP", "bo/work.zip", "bo/q05.py"):
        (tmp_path / "class" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "class" / name).write_bytes(inner.read_bytes() if name.lower().endswith(".zip") else CODE.encode())
    ada, bo = collect(tmp_path / "class", tmp_path / "scratch").handed
    assert (ada.path.name, bo.path.name) == ("work.ZIP", "bo")
    assert [file.path for file in read(ada.path).files] == ["q03.py"]


def test_a_zip_in_a_zip_is_its_learners(tmp_path: Path) -> None:
    """Learners hand in zips; they are read as such, not unpacked."""
    inner = zipped(tmp_path / "inner.zip", {"q03.py": CODE}).read_bytes()
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr("bo_4_5_work.zip", inner)
    (handed,) = collect(tmp_path / "class.zip", tmp_path / "scratch").handed
    assert handed.path.suffix == ".zip"
    assert read(handed.path).files[0].path == "q03.py"


def test_collecting_again_finds_what_is_there(tmp_path: Path) -> None:
    """Who was interrupted goes on: whole copies are kept, half ones are made anew."""
    place = zipped(tmp_path / "class.zip", CANVAS)
    first = collect(place, tmp_path / "scratch").handed
    half, whole = first[0].path.parent, first[1].path
    stamp = os.stat(whole).st_mtime_ns
    (half / ".complete").unlink()
    (half / "q03.py").write_text("half")
    assert collect(place, tmp_path / "scratch").handed == first
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
        (lambda archive: archive.writestr("bo_4_5_q03.py", " " * (5 << 20)), "bo_4_5_q03.py"),
    ],
)
def test_zips_that_are_not_what_they_seem(fill: Callable[[zipfile.ZipFile], None], said: str, tmp_path: Path) -> None:
    """Names that leave the zip, links and bombs are refused with the entry named, and nothing is written."""
    with zipfile.ZipFile(tmp_path / "class.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        fill(archive)
    with pytest.raises(AttncheckError, match=said):
        collect(tmp_path / "class.zip", tmp_path / "scratch")
    assert not (tmp_path / "scratch").exists()


def test_one_file_may_not_be_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the zip says of its size."""
    monkeypatch.setattr(module, "MAX_FILE", 10)
    with pytest.raises(UsageError, match="unpacks to more than"):
        collect(zipped(tmp_path / "class.zip", CANVAS), tmp_path / "scratch")


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
    """A folder of submissions holds what lies in it."""
    root = laid_out(tmp_path / "class", {"ada/q03.py": CODE})
    (root / "bo.py").symlink_to("/etc/passwd")
    (root / "cy").symlink_to(tmp_path)
    assert [handed.placed.key for handed in collect(root, tmp_path / "scratch").handed] == ["ada"]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    """A disk may hold any bytes; what is put down can be written and read."""
    odd = b"caf\xe9".decode("utf-8", "surrogateescape")
    root = laid_out(tmp_path / "class", {f"{odd}/q03.py": CODE, f"{odd}.py": CODE, f"ada/{odd}.py": CODE})
    found = collect(root, tmp_path / "scratch").handed
    assert len({handed.placed.key for handed in found}) == 3
    for handed in found:
        assert f"{handed.placed.key}{handed.path}".encode()
        assert read(handed.path).files


@pytest.mark.parametrize(
    ("files", "kind", "said"),
    [
        ({}, None, "no submission found"),
        ({"notes.txt": ""}, None, "no submission found"),
        ({"ada.py": CODE}, "moodle", "as “moodle”"),
        ({"ada.py": CODE}, "blackboard", "no intake “blackboard”; there are: .*canvas"),
    ],
)
def test_what_cannot_be_collected(files: dict[str, str], kind: str | None, said: str, tmp_path: Path) -> None:
    """The message says what was looked for."""
    (tmp_path / "class").mkdir()
    with pytest.raises(UsageError, match=said):
        collect(laid_out(tmp_path / "class", files), tmp_path / "scratch", kind)


def test_damage_is_named(tmp_path: Path) -> None:
    """A file whose content is not what the zip says of it; the collection has to be fetched again."""
    path = zipped(tmp_path / "class.zip", CANVAS)
    data = bytearray(path.read_bytes())
    data[data.index(b"q03.py") + 8] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(UsageError, match=r"doejane_1_2_q03\.py in the collection cannot be unpacked"):
        collect(path, tmp_path / "scratch")


def test_long_names_are_shortened(tmp_path: Path) -> None:
    """A zip can hold names that no disk takes; what kind of file it is can still be seen."""
    name = "注意力机制" * 20
    found = collect(zipped(tmp_path / "class.zip", {f"doejane_1_2_{name}.py": CODE}), tmp_path / "scratch")
    (handed,) = found.handed
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
        (handed,) = collect(place, tmp_path / "scratch").handed
        found = {part.text for file in read(handed.path).files for part in file.parts}
        assert found == set(files.values())


@pytest.mark.parametrize("left", ["", "x", "\0" * len(CODE)])
def test_copies_that_lost_power(left: str, tmp_path: Path) -> None:
    """A file whose bytes never reached the disk is copied again, though its folder says that it is whole."""
    place = zipped(tmp_path / "class.zip", CANVAS)
    copy = collect(place, tmp_path / "scratch").handed[0].path
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
    assert len(collect(place, tmp_path / "scratch").handed) == 2
