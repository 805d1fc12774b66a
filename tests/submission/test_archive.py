"""Zips as submissions: read in memory, with everything about them distrusted."""

from __future__ import annotations

import io
import os
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.submission import Unusable, read
from grader.submission.files import MAX_FILES, MAX_SOURCE
from tests.helpers import modules

CODE = "def softmax(x):\n    return x\n"


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    """An entry with a Unix mode."""
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def packed(folder: Path, files: dict[str, str | bytes], name: str = "hw.zip", **options: int) -> Path:
    """A zip with these files."""
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content, **options)
    return folder / name


def refused(path: Path) -> str:
    """The message with which a path is refused, said in both languages."""
    with pytest.raises(Unusable) as caught:
        read(path)
    assert caught.value.text.zh and len(str(caught.value)) < 600
    return str(caught.value)


def test_a_zip_reads_like_the_folder_in_it(tmp_path: Path) -> None:
    """A zip gives the same files, answers and notices as a folder with the same content."""
    files: dict[str, str | bytes] = {
        "hw/q05.py": "import torch\n" + CODE,
        "hw/工具/a.py": "x = 1",
        "hw/answers.yaml": "format: 1\nanswers: {Q5.output: b}",
        "hw/data.npz": b"\0",
        "hw/inner.zip": b"PK",
        "hw/.git/config": "",
        "__MACOSX/hw/._q05.py": b"\0\5\x16\7",
        ".DS_Store": b"\0",
    }
    zipped = read(packed(tmp_path, files, "ada.zip"))
    for name, content in files.items():
        path = tmp_path / "ada" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    folder = read(tmp_path / "ada")
    assert (zipped.files, zipped.answers, zipped.learner) == (folder.files, folder.answers, "ada")
    assert zipped.digest == folder.digest
    assert [notice.text for notice in zipped.notices] == [notice.text for notice in folder.notices]
    assert modules(zipped) == {"q05.py": "q05", "工具/a.py": "工具.a"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../q05.py", "leads out of it"),
        ("hw/../../q05.py", "leads out of it"),
        ("/etc/q05.py", "is an absolute path"),
        ("//server/q05.py", "is an absolute path"),
        ("C:/q05.py", "begins with a drive letter"),
        ("c:q05.py", "begins with a drive letter"),
        ("..\\q05.py", "leads out of it"),
        ("hw\\..\\..\\q05.py", "leads out of it"),
        ("hw/..\\../q05.py", "leads out of it"),
        ("\\\\server\\q05.py", "is an absolute path"),
        ("\\q05.py", "is an absolute path"),
        ("C:\\q05.py", "begins with a drive letter"),
        ("\\", "is an absolute path"),
        (".", "is not a valid name"),
        ("../data.csv", "leads out of it"),
    ],
)
def test_names_that_lead_elsewhere(tmp_path: Path, name: str, why: str) -> None:
    """No name in a zip may point outside it, whatever it is the name of."""
    assert why in refused(packed(tmp_path, {"ok.py": CODE, name: CODE}))


def test_backslashes_separate_folders(tmp_path: Path) -> None:
    """Some programs on Windows write them into zips. The work is read as from a zip with slashes, empty folders too."""
    files: dict[str, str | bytes] = {
        "hw\\": "",
        "hw\\q05.py": CODE,
        "hw\\lib\\b.py": CODE,
        "hw\\answers.yaml": "format: 1",
    }
    found = read(packed(tmp_path, files))
    with_slashes = {name.replace("\\", "/"): text for name, text in files.items()}
    (tmp_path / "other").mkdir()
    expected = read(packed(tmp_path / "other", with_slashes))
    assert set(modules(found)) == {"q05.py", "lib/b.py"} and found.files == expected.files
    assert found.digest == expected.digest and found.notices == expected.notices


def test_names_are_tidied(tmp_path: Path) -> None:
    """Empty and single-dot steps in a name mean nothing; a colon later in a name is harmless."""
    files: dict[str, str | bytes] = {"./q05.py": CODE, "hw//b.py": CODE, "Q5: attention.py": CODE}
    assert set(modules(read(packed(tmp_path, files)))) == {"q05.py", "hw/b.py", "Q5: attention.py"}


@pytest.mark.parametrize(
    "names", [("q05.py", "q05.py"), ("q05.py", "./q05.py"), ("data.csv", "data.csv"), ("a/b.py", "a\\b.py")]
)
def test_duplicate_names(tmp_path: Path, names: tuple[str, str]) -> None:
    """Two entries of one name are ambiguous, so the archive is refused."""
    with zipfile.ZipFile(tmp_path / "hw.zip", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            archive.writestr(name, CODE)
    assert "is in it twice" in refused(tmp_path / "hw.zip")


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (stat.S_IFLNK, "a symbolic link"),
        (stat.S_IFIFO, "a pipe"),
        (stat.S_IFCHR, "a device"),
        (stat.S_IFBLK, "a device"),
        (stat.S_IFSOCK, "a socket"),
        (stat.S_IFDIR, "a special file"),
    ],
)
def test_special_entries(tmp_path: Path, kind: int, what: str) -> None:
    """Links and devices in a zip are left out, and where they lead is neither followed nor told."""
    with zipfile.ZipFile(tmp_path / "hw.zip", "w") as archive:
        archive.writestr(entry("q05.py", kind | 0o777), "/etc/passwd")
    assert refused(tmp_path / "hw.zip").startswith("q05.py: this is ") and what in refused(tmp_path / "hw.zip")
    with zipfile.ZipFile(tmp_path / "hw.zip", "a") as archive:
        archive.writestr(entry("q06.py"), CODE)
        archive.writestr(entry("data", kind | 0o777), "/etc/passwd")
    found = read(tmp_path / "hw.zip")
    assert modules(found) == {"q06.py": "q06"}
    first, second = found.notices
    assert (first.where, first.urgent, second.urgent) == ("q05.py", True, False)
    assert what in first.text.en and "data" in second.text.en and "passwd" not in str(found)


def rewritten(path: Path, change: Callable[[bytearray], None]) -> Path:
    """A file after its bytes were changed."""
    data = bytearray(path.read_bytes())
    change(data)
    path.write_bytes(data)
    return path


def central(data: bytearray, offset: int, form: str, value: int) -> None:
    """Overwrites a field of the first entry in the table of contents."""
    struct.pack_into(form, data, data.index(b"PK\1\2") + offset, value)


def test_password(tmp_path: Path) -> None:
    """An encrypted entry is refused with the remedy."""
    path = rewritten(packed(tmp_path, {"q05.py": CODE}), lambda data: central(data, 8, "<H", 1))
    assert "password-protected" in refused(path)


@pytest.mark.parametrize(("method", "number"), [(zipfile.ZIP_LZMA, 14), (zipfile.ZIP_BZIP2, 12)])
def test_unusual_compression(tmp_path: Path, method: int, number: int) -> None:
    """Only the ordinary compression is read; others may want gigabytes of memory."""
    assert f"method {number}" in refused(packed(tmp_path, {"q05.py": CODE}, compress_type=method))


def test_broken_checksum(tmp_path: Path) -> None:
    """An entry whose checksum does not match makes the whole archive suspect."""
    path = packed(tmp_path, {"a.py": CODE, "b.py": CODE})
    assert "the archive is damaged (Bad CRC-32" in refused(rewritten(path, lambda data: central(data, 16, "<L", 1)))


def test_sizes_that_lie(tmp_path: Path) -> None:
    """An entry that unpacks to more or less than it declares is caught while it is read."""
    path = packed(tmp_path, {"q05.py": "x = 1\n" * 1000})
    assert "the archive is damaged" in refused(rewritten(path, lambda data: central(data, 24, "<L", 10)))
    path = packed(tmp_path, {"q05.py": CODE})
    assert "the archive is damaged" in refused(rewritten(path, lambda data: central(data, 24, "<L", 200_000)))


@pytest.mark.parametrize("cut", [10, 60, 150])
def test_cut_off(tmp_path: Path, cut: int) -> None:
    """A zip whose end is missing, as after a broken upload, is told from a file that is no zip."""
    path = packed(tmp_path, {"q05.py": CODE, "b.py": CODE})
    path.write_bytes(path.read_bytes()[:-cut])
    assert "its end is missing" in refused(path)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "this is not a zip archive. Pack"),
        (b"hello", "this is not a zip archive. Pack"),
        (b"Rar!\x1a\x07\0", "this is not a zip archive but a compressed archive"),
        (b"\x89PNG\r\n\x1a\n", "this is not a zip archive but a picture"),
        (b"PK\5\6" + b"\0" * 18, "no code and no answers"),
        (b"PK\5\6" + b"\xff" * 18, "its end is missing"),
    ],
)
def test_not_a_zip(tmp_path: Path, content: bytes, expected: str) -> None:
    """What only has the name of a zip is called by its name."""
    (tmp_path / "hw.zip").write_bytes(content)
    assert expected in refused(tmp_path / "hw.zip")


def test_bomb(tmp_path: Path) -> None:
    """A small zip that would unpack to a giant is refused from its table of contents, at once."""
    packed(tmp_path, {"q05.ipynb": bytes(60 << 20)})
    assert "would expand from 59" in refused(tmp_path / "hw.zip")


def test_bomb_that_hides_its_size(tmp_path: Path) -> None:
    """A bomb that declares a small size is stopped at that size."""
    path = packed(tmp_path, {"q05.py": bytes(8 << 20)})
    assert "the archive is damaged" in refused(rewritten(path, lambda data: central(data, 24, "<L", 1000)))


def test_many_entries_over_the_same_bytes(tmp_path: Path) -> None:
    """Entries that share one block of data count as often as they would unpack."""
    content = os.urandom(512) * 2000
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("000.ipynb", content)
    data = stored.getvalue()
    at = data.index(b"PK\1\2")
    header = data[at : data.index(b"PK\5\6")]
    table = b"".join(header.replace(b"000.ipynb", f"{n:03}.ipynb".encode()) for n in range(100))
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 100, 100, len(table), at, 0)
    (tmp_path / "hw.zip").write_bytes(data[:at] + table + end)
    assert "it has 97.7 MiB" in refused(tmp_path / "hw.zip")


def test_bombs_in_files_that_are_not_read(tmp_path: Path) -> None:
    """What is not read cannot harm, however large it claims to be."""
    found = read(packed(tmp_path, {"q05.py": CODE, "data.csv": bytes(8 << 20), "inner.zip": bytes(8 << 20)}))
    assert modules(found) == {"q05.py": "q05"} and len(found.notices) == 2


def test_one_file_too_large(tmp_path: Path) -> None:
    """A single file over its limit is left out of a zip as it is of a folder."""
    large = os.urandom(MAX_SOURCE // 2).hex() + "#"
    found = read(packed(tmp_path, {"q05.py": CODE, "large.py": large}))
    assert [notice.where for notice in found.notices] == ["large.py"]
    assert len(large) == MAX_SOURCE + 1


@pytest.mark.parametrize(("count", "length"), [(MAX_FILES + 1, 0), (MAX_FILES * 2, 2000)])
def test_too_many_files(tmp_path: Path, count: int, length: int) -> None:
    """More files than anybody writes are refused, even before the table of contents is taken in."""
    path = packed(tmp_path, {f"{n}{'x' * length}.csv": b"" for n in range(count)})
    assert f"more than {MAX_FILES} files" in refused(path)


def test_installed_packages_do_not_count(tmp_path: Path) -> None:
    """A virtual environment packed by mistake is skipped, links and all."""
    with zipfile.ZipFile(tmp_path / "hw.zip", "w") as archive:
        archive.writestr("q05.py", CODE)
        archive.writestr(entry(".venv/bin/python", stat.S_IFLNK | 0o777), "/usr/bin/python")
        for n in range(MAX_FILES):
            archive.writestr(f".venv/lib/{n}.py", "")
    found = read(tmp_path / "hw.zip")
    assert modules(found) == {"q05.py": "q05"} and not found.notices


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ("注意力.py".encode(), "注意力"),
        ("注意力.py".encode("gbk"), "注意力"),
        ("Ren\u00e9e.py".encode("cp437"), "Renée"),
    ],
)
def test_names_without_the_utf8_mark(tmp_path: Path, stored: bytes, expected: str) -> None:
    """Names of zips made elsewhere are read as UTF-8 or GBK where their bytes say so."""
    plain = "n" * (len(stored) - 3) + ".py"
    path = packed(tmp_path, {plain: CODE})
    path.write_bytes(path.read_bytes().replace(plain.encode(), stored))
    assert modules(read(path)) == {f"{expected}.py": expected}


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    """A name that is marked as UTF-8 but is not is refused with the remedy."""
    path = packed(tmp_path, {"é.py": CODE})
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xff\xfe"))
    assert "marked as UTF-8 but is not" in refused(path)


def test_hostile_names_are_spelled_out(tmp_path: Path) -> None:
    """Control characters in names do not reach the terminal."""
    message = refused(packed(tmp_path, {"\x1b[2J/../q05.py": CODE}))
    assert "\\x1b[2J" in message and "\x1b" not in message


def test_a_broken_file_does_not_sink_the_others(tmp_path: Path) -> None:
    """A syntax error or an unreadable notebook in a zip costs that file alone; a broken answers file is an error."""
    found = read(packed(tmp_path, {"hw/a.py": CODE, "hw/b.py": "(", "hw/c.ipynb": "{", "hw/d.py": b"\xff"}))
    assert modules(found) == {"a.py": "a"}
    assert [notice.where for notice in found.notices] == ["b.py", "c.ipynb", "d.py"]


def test_every_truncation_and_flip_is_handled(tmp_path: Path) -> None:
    """However a small zip is damaged, it is read or refused, never answered with a traceback."""
    data = packed(tmp_path, {"q05.py": CODE, "hw/answers.yaml": "format: 1"}).read_bytes()
    path = tmp_path / "damaged.zip"
    outcomes = set()
    for at in range(0, len(data), 3):
        for damaged in (data[:at], data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]):
            path.write_bytes(damaged)
            try:
                outcomes.add(read(path).answers is not None)
            except Unusable:
                outcomes.add(None)
    assert {True, None} <= outcomes
