"""Files and folders as submissions: what is read, under which names, and what is refused."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from grader.core.errors import SubmissionError
from grader.core.model import Answer, Submission
from grader.submission import Unusable, files_defining, read
from grader.submission.files import MAX_CODE, MAX_FILES, MAX_NOTEBOOK, MAX_SOURCE, file_member
from grader.submission.opening import FileLocation, refusal
from tests.helpers import modules

CODE = "def softmax(x):\n    return x\n"


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Puts files into a folder, with the folders they need."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def said(submission: Submission) -> str:
    """All notices as text."""
    return "\n".join(f"{notice.where}: {notice.text.en}" for notice in submission.notices)


def refused(path: Path) -> str:
    """The message with which a path is refused, said in both languages."""
    with pytest.raises(SubmissionError) as caught:
        read(path)
    assert isinstance(caught.value, Unusable)
    assert any("\u4e00" <= char <= "\u9fff" for char in caught.value.text.zh)
    return str(caught.value)


def test_one_file(tmp_path: Path) -> None:
    """A single file becomes one source file with its text, definitions, digest and origin."""
    path = write(tmp_path, {"q05.py": "import torch\n\n" + CODE}) / "q05.py"
    found = read(path)
    (file,) = found.files
    assert (file.path, file.module, file.defines, file.imports_torch) == ("q05.py", "q05", (("softmax", 3),), True)
    assert [(part.label, part.text) for part in file.parts] == [("q05.py", "import torch\n\n" + CODE)]
    assert (found.answers, found.notices, found.origin, found.learner) == (None, (), str(path), "q05")
    assert len(found.digest) == 64


def test_chinese_throughout(tmp_path: Path) -> None:
    """Chinese in file names, folders, identifiers, comments and the learner's name is ordinary."""
    source = "# 注意力\ndef 注意力(查询):\n    return '「」'\n"
    found = read(write(tmp_path / "小明", {"第五题/注意力 一.py": source, "工具.py": "权重 = 1\n"}))
    assert found.learner == "小明"
    assert modules(found) == {"工具.py": "工具", "第五题/注意力 一.py": "第五题.注意力_一"}
    assert files_defining(found, "注意力")[0].parts[0].text == source


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"q05.py": "", "pkg/a.py": ""}, {"q05.py": "q05", "pkg/a.py": "pkg.a"}),
        ({"pkg/__init__.py": "", "q.py": ""}, {"pkg/__init__.py": "pkg", "q.py": "q"}),
        ({"hw/deep/q05.py": "", "hw/deep/b/c.py": ""}, {"q05.py": "q05", "b/c.py": "b.c"}),
        ({"hw/pkg/__init__.py": "", "hw/pkg/a.py": ""}, {"__init__.py": "__init__", "a.py": "a"}),
        ({"pkg/__init__.py": "", "pkg/a.py": "from pkg.b import f"}, {"__init__.py": "pkg", "a.py": "pkg.a"}),
        ({"__init__.py": "", "a.py": "from . import b", "b.py": ""}, None),
        ({"pkg/a.py": "from .b import f", "pkg/b.py": "", "c.py": ""}, {"pkg/a.py": "pkg.a", "pkg/b.py": "pkg.b"}),
        ({"ada.py": "", "b.py": "import ada"}, {"ada.py": "ada", "b.py": "b"}),
        ({"q5 attention.py": "", "q05-final.py": ""}, {"q5 attention.py": "q5_attention", "q05-final.py": "q05_final"}),
        ({"Q5 (1).py": "", "Q5 [1].py": ""}, {"Q5 (1).py": "Q5__1_", "Q5 [1].py": "Q5__1__2"}),
        ({"q_1.py": "", "q 1.py": ""}, {"q_1.py": "q_1", "q 1.py": "q_1_2"}),
        ({"5.py": "", "lambda.py": "", "__main__.py": ""}, {"5.py": "_5", "lambda.py": "lambda_"}),
        ({"a.b.py": "", "c.PY": ""}, {"a.b.py": "a_b", "c.PY": "c"}),
        ({"pkg.py": "", "pkg/__init__.py": ""}, {"pkg/__init__.py": "pkg", "pkg.py": "pkg_2"}),
        ({"grader.py": "", "reference.py": "", "inside.py": ""}, {"grader.py": "grader", "inside.py": "inside"}),
        ({"setup.py": "", "pkg/math.py": ""}, {"setup.py": "setup", "pkg/math.py": "pkg.math"}),
    ],
)
def test_module_names(tmp_path: Path, files: dict[str, str], expected: dict[str, str] | None) -> None:
    """Modules are named by their path below the common folder, and always importable and different."""
    found = read(write(tmp_path / "ada", {name: text or "x = 1" for name, text in files.items()}))
    names = modules(found)
    assert len(names) == len(set(names.values())) == len(files)
    assert all(part.isidentifier() for name in names.values() for part in name.split("."))
    expected = expected or {"__init__.py": "ada", "a.py": "ada.a", "b.py": "ada.b"}
    assert {path: names[path] for path in expected} == expected
    assert all(
        file.is_package for file in found.files if file.path.endswith("__init__.py") and file.module != "__init__"
    )


def test_what_is_skipped(tmp_path: Path) -> None:
    """Hidden files, caches and installed packages are not a learner's work; other files are listed."""
    folder = write(
        tmp_path / "hw",
        {name: "x = 1" for name in (".hidden.py", "__pycache__/a.py", ".ipynb_checkpoints/q.py", "__MACOSX/q.py")}
        | {name: "x = 1" for name in (".venv/lib/a.py", "node_modules/b.py", "env/lib/site-packages/numpy.py")}
        | {".DS_Store": "", "q05.py": CODE, "data/a.npz": b"\0", "old.zip": b"PK", "notes.txt": ""},
    )
    found = read(folder)
    assert modules(found) == {"q05.py": "q05"}
    assert "not read: data/a.npz, notes.txt." in said(found)
    assert "archives inside a submission are not opened: old.zip." in said(found)
    assert len(found.notices) == 2


def test_many_other_files_are_one_notice(tmp_path: Path) -> None:
    """A folder full of data gives one notice with the first few names."""
    found = read(write(tmp_path, {"q.py": CODE} | {f"{n}.csv": "" for n in range(30)}))
    (notice,) = found.notices
    assert "0.csv, 1.csv, 10.csv, 11.csv, 12.csv and 25 more" in notice.text.en
    assert "等 30 项" in notice.text.zh


@pytest.mark.parametrize("name", ["random.py", "numpy.py", "torch.py", "torch/a.py", "math/__init__.py", "ｍａｔｈ.py"])
def test_shadowing(tmp_path: Path, name: str) -> None:
    """A file that would hide numpy, torch or the standard library is left out, and refused when it is all there is."""
    folder = write(tmp_path / "hw", {name: CODE, "q05.py": CODE})
    found = read(folder)
    assert modules(found) == {"q05.py": "q05"}
    assert f"{name}: " in said(found) and f"Rename it, for example to my_{name}" in said(found)
    (folder / "q05.py").unlink()
    write(folder, {"other/empty/readme.txt": ""})
    if "/" not in name:
        assert "would find this file instead" in refused(folder / name)
        assert "would find this file instead" in refused(folder)


def test_folder_named_like_a_library(tmp_path: Path) -> None:
    """A folder called torch around the files does not make them shadow anything."""
    assert modules(read(write(tmp_path / "torch", {"q05.py": "import torch\n" + CODE}))) == {"q05.py": "q05"}


def test_broken_files_do_not_sink_others(tmp_path: Path) -> None:
    """In a folder, what cannot be read is left out with a notice that says why."""
    files: dict[str, str | bytes] = {
        "good.py": CODE,
        "bad.py": "def f(:\n",
        "empty.py": "",
        "gone.ipynb": "{",
        "big.py": b"#" * (MAX_SOURCE + 1),
        "photo.py": b"\x89PNG\r\n\x1a\n",
    }
    found = read(write(tmp_path, files))
    assert modules(found) == {"good.py": "good"}
    assert sorted(notice.where for notice in found.notices) == sorted(set(files) - {"good.py"})
    assert all(notice.text.en.endswith("Left out; the rest is graded.") for notice in found.notices)
    assert all(notice.text.zh.endswith("其余部分照常评分。") for notice in found.notices)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, "there is no code and no answers file"),
        ({"a.txt": "", "b.png": ""}, "found a.txt, b.png."),
        ({".q05.py": CODE, "__pycache__/a.py": ""}, "found .q05.py (hidden, or created by the system), __pycache__ ("),
        ({"hw.zip": "PK"}, "found hw.zip. Archives inside a submission are not opened: unpack it"),
        ({"q05.py/notes.txt": "", "report.pdf": ""}, "found q05.py (a folder), q05.py/notes.txt, report.pdf. q05.py:"),
        ({"__init__.py": ""}, "no code and no answers"),
        ({"bad.py": "def f(:\n"}, "bad.py: line 1, column 7"),
        ({"a.py": "(", "b.py": ")", "c.py": "="}, "none of the 3 files can be graded. a.py: line 1"),
        ({f"{n}/answers.yaml": "format: 1" for n in range(21)}, "there are 21 answers files (0/answers.yaml, "),
        ({f"{n}.csv": "" for n in range(MAX_FILES + 1)}, f"more than {MAX_FILES} files"),
        (
            {f"{n}.py": "#" * MAX_SOURCE for n in range(MAX_CODE // MAX_SOURCE + 1)},
            "1.2 MiB of code, more than the limit",
        ),
    ],
)
def test_folders_refused(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    """A folder without anything to grade, or with far too much, is refused with the reason."""
    assert expected in refused(write(tmp_path / "hw", dict(files)) if files else tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("q05.py", b"", "the file is empty"),
        ("q05.py", b" \n\t\n", "the file is empty"),
        ("q05.ipynb", b"", "the file is empty"),
        ("q05.txt", b"x", "this kind of file is not read"),
        ("q05", b"x", "this kind of file is not read"),
        ("q05.py.txt", b"x = 1", "Rename it to q05.py."),
        ("hw.zip.download", b"PK", "Rename it to hw.zip."),
        ("hw.tar.gz", b"\x1f\x8b", "archives ending in .tar.gz are not read"),
        ("hw.7z", b"7z", "archives ending in .7z are not read"),
        ("hw.rar", b"Rar!", "Pack the same files as a .zip"),
        ("q05.py", b"%PDF-1.7\n", "expected Python source, but despite its name this is a PDF document"),
        ("q05.py", b"\x89PNG\r\n\x1a\n", "this is a picture"),
        ("q05.py", b"PK\x03\x04 [Content_Types].xml", "this is an Office document"),
        ("q05.py", b"PK\x03\x04 q05.py", "Rename it so that it ends in .zip."),
        ("q05.py", b"{\\rtf1 x = 1}", "this is rich text (RTF)"),
        ("q05.py", b"\n<!DOCTYPE html><html>", "this is a web page"),
        ("q05.py", b'{"cells": [], "nbformat": 4}', "Rename it so that it ends in .ipynb."),
        ("q05.ipynb", b"%PDF-1.7\n", "expected a Jupyter notebook, but despite its name this is a PDF document"),
        ("hw.zip", b"%PDF-1.7\n", "this is not a zip archive but a PDF document"),
        ("answers.yaml", b"%PDF-1.7\n", "expected YAML text, but despite its name this is a PDF document"),
    ],
)
def test_files_refused(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    """What is not a submission is called by its name, with what to do."""
    message = refused(write(tmp_path, {name: content}) / name)
    assert message.startswith(f"{name}: ") and expected in message


@pytest.mark.parametrize(
    ("name", "length"),
    [("q05.py", MAX_SOURCE + 1), ("q05.ipynb", MAX_NOTEBOOK + 1), ("q05.ipynb", 2 << 30), ("answers.yaml", 2 << 20)],
)
def test_too_large_is_refused_by_its_size_alone(tmp_path: Path, name: str, length: int) -> None:
    """A file over the limit is refused without being read, so a sparse giant costs nothing."""
    with (tmp_path / name).open("wb") as file:
        file.truncate(length)
    assert "more than the" in refused(tmp_path / name)


def test_limits_are_inclusive(tmp_path: Path) -> None:
    """A file of exactly the limit is read."""
    path = write(tmp_path, {"q05.py": "x = 1\n" + "#" * (MAX_SOURCE - 6)}) / "q05.py"
    assert path.stat().st_size == MAX_SOURCE and read(path).files


def test_missing_path_names_its_neighbours(tmp_path: Path) -> None:
    """A path that does not exist is answered with what stands close to it."""
    write(tmp_path, {"q05.py": CODE})
    assert "Similar names: q05.py." in refused(tmp_path / "q5.py")
    assert "there is nothing at this path" in refused(tmp_path / "q05.py" / "x.py")
    assert "there is nothing at this path" in refused(Path("a\0b"))


def test_folders_above_may_be_links(tmp_path: Path) -> None:
    """Where a path leads through a link, what it leads to is read as ever: the link was not handed in."""
    write(tmp_path / "real", {"hw/q05.py": CODE})
    (tmp_path / "course").symlink_to(tmp_path / "real")
    assert modules(read(tmp_path / "course" / "hw")) == {"q05.py": "q05"}
    assert modules(read(tmp_path / "course" / "hw" / "q05.py")) == {"q05.py": "q05"}
    os.link(tmp_path / "real" / "hw" / "q05.py", tmp_path / "hard.py")
    assert read(tmp_path / "hard.py").files  # a second name is as good as the first


def test_special_files_are_not_opened(tmp_path: Path) -> None:
    """Pipes, sockets and devices are refused at once, also under the name of a source file."""
    os.mkfifo(tmp_path / "pipe.py")
    listener = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(tmp_path)  # the path of a socket may only be short
    try:
        listener.bind("sock.py")
    finally:
        os.chdir(here)
        listener.close()
    assert "but a pipe, so it was not opened" in refused(tmp_path / "pipe.py")
    assert "but a socket, so it was not opened" in refused(tmp_path / "sock.py")
    assert "but a device, so it was not opened" in refused(Path("/dev/zero"))
    os.mkfifo(tmp_path / "pipe")
    found = read(write(tmp_path, {"q05.py": CODE}))
    assert [notice.where for notice in found.notices if notice.urgent] == ["pipe.py", "sock.py"]
    assert "not opened, because they are not regular files: pipe." in said(found)


def test_what_changes_before_it_is_opened(tmp_path: Path) -> None:
    """A file that grows, goes, or becomes a link or a pipe after it was looked at is not read."""
    path = write(tmp_path, {"q05.py": CODE, "other.py": CODE}) / "q05.py"
    member = file_member(FileLocation(str(tmp_path), ("q05.py",)), "q05.py", path.lstat())
    assert member.read(MAX_SOURCE) == CODE.encode()
    path.write_bytes(b"#" * (MAX_SOURCE + 1))
    changes = [
        ("more than the limit of 256 KiB", lambda: None),
        ("reading failed", lambda: path.unlink()),
        ("a symbolic link", lambda: path.symlink_to("other.py")),
        ("but a pipe", lambda: (path.unlink(), os.mkfifo(path))),
        ("but a folder", lambda: (path.unlink(), path.mkdir())),
    ]
    for expected, change in changes:
        change()
        with pytest.raises(Unusable, match=expected):
            member.read(MAX_SOURCE)


def test_permission_denied_has_a_remedy() -> None:
    """What may not be read says so, and how to change it."""
    assert "chmod u+r" in str(refusal("q05.py", PermissionError(13, "denied")))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files(tmp_path: Path) -> None:
    """An unreadable file or folder is refused alone, and left out among others."""
    folder = write(tmp_path / "hw", {"q05.py": CODE, "locked.py": CODE, "sub/a.py": CODE})
    (folder / "locked.py").chmod(0)
    (folder / "sub").chmod(0)
    assert "no permission" in refused(folder / "locked.py")
    assert "no permission" in refused(folder / "sub")
    assert sorted(notice.where for notice in read(folder).notices) == ["locked.py", "sub"]
    (folder / "sub").chmod(0o700)


def test_hostile_names_are_spelled_out(tmp_path: Path) -> None:
    """Control and direction characters and broken UTF-8 in names never reach the terminal."""
    folder = os.fsencode(tmp_path)
    for name in (b"a\x1b[31m.py", "\u202egnp.py".encode(), b"b\xff\xfe.py", b"c\n.py"):
        Path(os.fsdecode(folder + b"/" + name)).write_text("x = 1")
    found = read(tmp_path)
    assert sorted(modules(found)) == ["\\u202egnp.py", "a\\x1b[31m.py", "b\\udcff\\udcfe.py", "c\\n.py"]
    assert all(name.isidentifier() for name in modules(found).values())


@pytest.mark.parametrize(
    ("argument", "name", "expected"),
    [
        ("Ada", "q05.py", "Ada"),
        (None, "ada lovelace.py", "ada lovelace"),
        ("  ", "q05.py", "q05"),
        ("a\x1b[2J\n b", "q05.py", "a [2J b"),
        ("é" * 250, "q05.py", "é" * 200),
        ("e\u0301", "q05.py", "é"),
        (None, "\u200b.py", "learner"),
    ],
)
def test_learner_name(tmp_path: Path, argument: str | None, name: str, expected: str) -> None:
    """The learner's name is one printable line, from the argument or else from the file's name."""
    assert read(write(tmp_path, {name: CODE}) / name, argument).learner == expected


def test_learner_of_answers_file_and_folder(tmp_path: Path) -> None:
    """Without an argument the answers file names the learner, else the folder."""
    folder = write(tmp_path / "bob", {"q05.py": CODE})
    assert read(folder).learner == "bob"
    write(folder, {"answers.yaml": "format: 1\nlearner: ada\nanswers:\n  Q5.output: b\n"})
    found = read(folder)
    assert (found.learner, found.answers) == ("ada", (Answer("Q5.output", "b", 4),))
    assert read(folder, "carol").learner == "carol"
    (folder / "q05.py").unlink()
    assert read(folder).files == ()


def test_digest_depends_on_paths_and_contents_only(tmp_path: Path) -> None:
    """Equal files in equal places have equal digests, whatever folder they are in; any change shows."""
    files: dict[str, str | bytes] = {"a.py": CODE, "b/c.py": "x = 1"}
    digests = [
        read(write(tmp_path / str(n), dict(some))).digest
        for n, some in enumerate([files, files | {"data.csv": "1"}, files | {"a.py": CODE + "#"}, {"d.py": CODE}])
    ]
    assert digests[0] == digests[1] and len(set(digests)) == 3


def test_definers(tmp_path: Path) -> None:
    """Names defined in several files are found, with the files; imports are not definitions."""
    found = read(write(tmp_path, {"a.py": CODE + "x = 1", "b.py": "from a import x\n" + CODE, "c.py": "y = 1"}))
    assert [file.path for file in files_defining(found, "softmax")] == ["a.py", "b.py"]
    assert files_defining(found, "nothing") == ()


WITNESS = """
import sys
from pathlib import Path
from grader.core import bounded; from grader import submission; from grader.core import yaml_positions as yaml_lines
from grader.submission import answers, archive, notebook
import difflib, encodings.cp437, encodings.gb18030, encodings.iso8859_1, encodings.latin_1, io, tokenize
seen = []
sys.addaudithook(lambda event, args: event in WATCHED and seen.append((event, str(args)[:80])))
WATCHED = {"exec", "import", "os.system", "subprocess.Popen", "os.mkdir", "os.rename", "socket.connect"}
bounded._SERVING.set()  # what the process with limits does is looked at here
for path in sys.argv[1:]:
    assert submission.read(Path(path)).files, path
assert not seen, seen
"""


def test_nothing_of_a_submission_runs(tmp_path: Path) -> None:
    """Reading executes no code, imports no module and starts no program, as the interpreter itself reports."""
    import json
    import zipfile

    trap = f"import sibling\nopen({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit(7)\ndef f(): pass\n"
    cells = [
        {"cell_type": "code", "source": source}
        for source in (trap, f"!touch {tmp_path / 'ran'}\nx = 1", "%%bash\ntouch ran")
    ]
    notebook = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    files: dict[str, str | bytes] = {
        "q05.py": trap,
        "sibling.py": trap,
        "__init__.py": trap,
        "latin.py": b"# coding: latin-1\n" + trap.encode(),
        "sub/__init__.py": "from q05 import f\n" + trap,
        "sitecustomize.py": trap,
        "conftest.py": trap,
        "setup.py": trap,
        "q06.ipynb": notebook,
    }
    folder = write(tmp_path / "hw", files)
    with zipfile.ZipFile(tmp_path / "hw.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    paths = [folder, tmp_path / "hw.zip", folder / "q05.py", folder / "q06.ipynb"]
    done = subprocess.run([sys.executable, "-c", WITNESS, *paths], capture_output=True, text=True, cwd=Path.cwd())
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "ran").exists()


def test_a_source_file_needs_no_heavy_import(tmp_path: Path) -> None:
    """Reading imports neither YAML, zip, NumPy, torch nor pydantic, and nbformat not even for a notebook of today."""
    write(
        tmp_path, {"q05.py": CODE, "q06.ipynb": '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x = 1"}]}'}
    )
    script = (
        "import sys; from pathlib import Path; from grader.core import bounded; from grader.submission import read;"
        "bounded._SERVING.set(); read(Path(sys.argv[1]));"
        "heavy = {'nbformat', 'numpy', 'pydantic', 'torch', 'yaml', 'zipfile', 'json', 'rich'};"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    for name, expected in (("q05.py", ""), ("q06.ipynb", "json")):
        command = [sys.executable, "-c", script, tmp_path / name]
        done = subprocess.run(command, capture_output=True, text=True, cwd=Path.cwd())
        assert (done.stdout.strip(), done.stderr) == (expected, "")
