"""What was handed in is opened in one place: regular files only, never through a link, never waiting."""

from __future__ import annotations

import ast
import functools
import os
import socket
import sys
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

import grader
from grader import submission
from grader.classroom import inbox
from grader.core.errors import SubmissionError
from grader.submission import Unusable, opening
from grader.submission.files import MAX_DEPTH
from grader.submission.opening import FileLocation, entries, open_file
from tests import helpers

CODE = "def softmax(x):\n    return x\n"
SECRET = "format: 1\nlearner: SECRET\nanswers: {Q1.x: SECRET\n(SECRET\n"
PACKAGE = Path(grader.__file__).parent

#: Modules that open files, and whose these are. What is handed in is read with grader/submission/opening.py.
NOT_HANDED_IN: dict[str, str] = yaml.safe_load(Path(__file__).with_name("opens_files.yaml").read_text("utf-8"))
_READS = {"open", "read_text", "read_bytes", "scandir", "ZipFile", "copyfile", "copytree"}


def test_nothing_else_opens_what_was_handed_in() -> None:
    """Every module that opens files is in the table, with what it opens; a new one has to be thought about."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        text = path.read_text("utf-8")
        if not any(f"{name}(" in text for name in _READS):  # saves parsing it
            continue
        calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        names = {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}
        if names & _READS and parts[0] != "sandbox":  # which is given text, and no path of a submission
            found.add(".".join(parts))
    assert found == NOT_HANDED_IN.keys()


# --------------------------------------------------------------------------------------- links and such


@functools.cache
def followed() -> list[str]:
    """Files that this process opened without refusing links, from now on and as the interpreter itself reports."""
    seen: list[str] = []

    def hook(event: str, args: tuple[object, ...]) -> None:
        if event == "open" and isinstance(args[2], int) and not args[2] & os.O_NOFOLLOW:
            seen.append(str(args[0]))

    sys.addaudithook(hook)
    return seen


def traps(folder: Path) -> list[Path]:
    """Things with the names of submissions that lead elsewhere, or are no files; a secret lies where they lead."""
    secret = folder / "secret"
    secret.mkdir()
    for name in ("q05.py", "answers.yaml", "q05.ipynb"):
        (secret / name).write_text(SECRET)
    with zipfile.ZipFile(secret / "hw.zip", "w") as zipped:
        zipped.writestr("q05.py", SECRET)
    place = folder / "handed"
    place.mkdir()
    for name in ("q05.py", "answers.yaml", "q05.ipynb", "hw.zip"):
        (place / name).symlink_to(secret / name)
    (place / "folder").symlink_to(secret)
    (place / "gone.py").symlink_to("nowhere.py")
    (place / "loop.py").symlink_to("loop.py")
    (place / "device.py").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe")
    (place / "to_pipe.py").symlink_to(folder / "pipe")
    os.mkfifo(place / "pipe.py")
    here = Path.cwd()
    os.chdir(place)  # the path of a socket may only be short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket.py")
    finally:
        os.chdir(here)
    return sorted(place.iterdir())


def submitted(path: Path) -> None:
    """Hands it in to an inbox that is not there."""
    inbox.submit(path, path.parent / "nowhere", "ada", datetime.now(UTC), helpers.course())


READERS: tuple[Callable[[Path], object], ...] = (
    submission.read, submission.fingerprint, submission.learner_named, submission.fingerprint_and_learner,
    submission.read_files, submitted,
)  # fmt: skip


@pytest.mark.parametrize("held", [True, False])
def test_no_reader_follows_a_link(tmp_path: Path, held: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each refuses every trap by its name, at once; none opens what it leads to, or says a word of it."""
    monkeypatch.setattr(opening, "HAS_DIR_FD", held)
    places = traps(tmp_path)
    seen = followed()
    seen.clear()
    for place in places:
        for reader in READERS:
            with pytest.raises(Unusable) as caught:
                reader(place)
            assert caught.value.where == place.name
            assert ("symbolic link" in str(caught.value)) is place.is_symlink()
            assert "SECRET" not in repr(caught.value)
        assert submission.file_text(place) == ""
    folder = tmp_path / "handed"
    with pytest.raises(SubmissionError, match=r"answers.yaml \(a symbolic link\)") as refused:
        submission.read(folder)
    assert [path for path in seen if str(tmp_path) in path] == []
    (folder / "q06.py").write_text(CODE)
    seen.clear()
    found = submission.read(folder)
    assert "SECRET" not in f"{refused.value!r} {found!r}" and [file.path for file in found.files] == ["q06.py"]
    said = " ".join(notice.where + notice.text.en for notice in found.notices)
    assert all(place.name in said for place in places)
    assert [path for path in seen if str(tmp_path) in path] == []


def test_links_that_come_meanwhile(tmp_path: Path) -> None:
    """A folder that becomes a link after it was looked into leads nowhere, nor does a file."""
    (tmp_path / "hw" / "sub").mkdir(parents=True)
    (tmp_path / "hw" / "sub" / "q05.py").write_text(CODE)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "q05.py").write_text(SECRET)
    place = FileLocation(str(tmp_path / "hw")).below("sub")
    with open_file(place.below("q05.py"), "q05.py") as file:
        assert file.read() == CODE.encode()
    (tmp_path / "hw" / "sub").rename(tmp_path / "moved")
    (tmp_path / "hw" / "sub").symlink_to(tmp_path / "secret")
    with pytest.raises(Unusable), open_file(place.below("q05.py"), "q05.py"):
        pytest.fail("it was opened")
    with pytest.raises(OSError), entries(place):
        pytest.fail("it was looked into")


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    """Half of one version and half of another is neither; and no file is held open afterwards."""
    path = tmp_path / "q05.py"
    path.write_text(CODE)
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0
    with pytest.raises(Unusable, match="changed while"), open_file(FileLocation(str(path)), "q05.py") as file:
        file.read(3)
        path.write_text(CODE + "#")
    with open_file(FileLocation(str(path)), "q05.py"):
        pass
    after = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0
    assert before == after


def test_folders_in_folders(tmp_path: Path) -> None:
    """Deeper ones than anybody makes by hand are named and not looked into."""
    deep = tmp_path.joinpath(*["d"] * (MAX_DEPTH + 1))
    deep.mkdir(parents=True)
    (deep / "q05.py").write_text(CODE)
    (deep.parent / "q06.py").write_text(CODE)
    found = submission.read(tmp_path)
    assert [file.module for file in found.files] == ["q06"]
    (notice,) = found.notices
    assert notice.urgent and notice.where == "/".join(["d"] * (MAX_DEPTH + 1))
