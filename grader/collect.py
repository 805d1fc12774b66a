"""What an instructor collected → submissions: a folder or a zip, of whatever kind, with every file in a safe place.

A zip is never believed: names that leave it, links, bombs and doubles are refused, with the entry named.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import IO

from grader import intake, machine
from grader.errors import UsageError
from grader.intake import Placed
from grader.submission.archive import DAMAGE, entries
from grader.submission.messages import printable

#: Of one file, and of a whole collection, unpacked.
MAX_FILE = 100 << 20
MAX_ALL = 20 << 30
_MAX_METADATA = 64 << 20
_CHUNK = 1 << 20
#: Of the name of a file, in bytes: what systems take is 255.
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Handed:
    """A submission that can be read at ``path``."""

    placed: Placed
    path: Path


@dataclass(frozen=True, slots=True)
class Collected:
    """Everything in a collection of this ``kind``. ``leftovers`` are files that belong to nobody."""

    kind: str
    handed: tuple[Handed, ...]
    leftovers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Tree:
    """Names, and how to open one of them; ``root`` is where they lie, if they lie on disk."""

    names: tuple[str, ...]
    open: Callable[[str], IO[bytes]]
    root: Path | None

    def small(self, name: str) -> bytes:
        """The content of a file that cannot be large."""
        with _unpacking(name), self.open(name) as file:
            raw = file.read(_MAX_METADATA + 1)
        if len(raw) > _MAX_METADATA:
            raise UsageError(f"{name} is larger than {_MAX_METADATA >> 20} MiB; expected metadata of a collection.")
        return raw


def collect(path: Path, scratch: Path, kind: str | None = None) -> Collected:
    """The submissions in ``path``, a folder or a zip; what does not lie in a folder of its own is put into ``scratch``.

    Raises UsageError where nothing can be made of it, or where ``kind`` does not fit.
    """
    if kind is not None and kind not in intake.kinds():
        raise UsageError(f"There is no intake “{kind}”; there are: {', '.join(intake.kinds())}.")
    tree = _tree(path)
    found = intake.look(tree.names, tree.small, kind)
    if found is None:
        what = f"as “{kind}”" if kind else f"as any of {', '.join(intake.kinds())}"
        raise UsageError(
            f"{path}: no submission found, looked at {what}; expected a folder, file or zip for each learner, "
            "or the export of a course system. 'attncheck batch --help' names the kinds."
        )
    name, layout = found
    handed = tuple(Handed(_sayable(placed), _place(placed, tree, scratch)) for placed in layout.placed)
    return Collected(name, handed, layout.leftovers)


def _sayable(placed: Placed) -> Placed:
    """With a key that can be written down: names on disk need not be text."""
    return replace(placed, key=printable(placed.key)) if _odd(placed.key) else placed


def _odd(name: str) -> bool:
    """Whether a name holds bytes that are not UTF-8."""
    return not name.isascii() and any("\udc80" <= char <= "\udcff" for char in name)


def _tree(path: Path) -> _Tree:
    if path.is_dir():
        return _folder(path)
    if not path.is_file():
        raise UsageError(f"{path} does not exist; expected a folder or a zip of submissions.")
    try:
        archive = zipfile.ZipFile(path)
    except DAMAGE as error:
        raise UsageError(f"{path} is neither a folder nor a zip that can be read ({error}).") from error
    found = entries(archive, path.name)
    if sum(info.file_size for info in found.values()) > MAX_ALL:
        raise UsageError(f"{path} would unpack to more than {MAX_ALL >> 30} GiB; split it.")
    return _Tree(tuple(found), lambda name: archive.open(found[name]), None)


def _folder(root: Path) -> _Tree:
    """Regular files only: a link could lead anywhere."""
    names = []
    for folder, _, files in os.walk(root):
        for name in files:
            place = Path(folder, name)
            if stat.S_ISREG(place.lstat().st_mode):
                names.append(place.relative_to(root).as_posix())
    return _Tree(tuple(names), lambda name: (root / name).open("rb"), root)


def _place(placed: Placed, tree: _Tree, scratch: Path) -> Path:
    """Where the submission can be read: where it lies, if it has a folder or file to itself, else a copy.

    A zip that lies alone in a folder is what was handed in, and not the folder.
    """
    if tree.root is not None and not any(_odd(name) for name, _ in placed.files):
        (first, inner), *more = placed.files
        if not more and (first == inner or first.lower().endswith(".zip")):
            return tree.root / first
        prefixes = {name.removesuffix(inner) for name, inner in placed.files if name.endswith(f"/{inner}")}
        if len(prefixes) == 1 and all(name.endswith(f"/{inner}") for name, inner in placed.files):
            return tree.root / prefixes.pop()
    folder = scratch / sha256(os.fsencode(placed.key)).hexdigest()[:24]
    done = folder / ".complete"
    if done.exists() and _is_copy(folder, placed, tree):
        return _what(folder, placed)
    shutil.rmtree(folder, ignore_errors=True)
    for name, inner in placed.files:
        target = folder / _spelled(inner)
        with _unpacking(name):
            target.parent.mkdir(parents=True, exist_ok=True)
            with tree.open(name) as source, target.open("xb") as out:
                _copy(source, out, name)
    done.touch()
    return _what(folder, placed)


def _is_copy(folder: Path, placed: Placed, tree: _Tree) -> bool:
    """Whether the copy holds what the collection holds now, and not what it held earlier or what a crash has left."""
    expected = {folder / _spelled(inner): name for name, inner in placed.files}
    found = {path for path in folder.rglob("*") if path.is_file() and path != folder / ".complete"}
    try:
        return found == expected.keys() and all(_equal(path, tree, name) for path, name in expected.items())
    except DAMAGE:  # told when it is unpacked
        return False


def _equal(path: Path, tree: _Tree, name: str) -> bool:
    with path.open("rb") as copy, tree.open(name) as source:
        while (piece := source.read(_CHUNK)) == copy.read(_CHUNK):
            if not piece:
                return True
    return False


def _what(folder: Path, placed: Placed) -> Path:
    """A lone zip or notebook is handed in as that; a lone file of another kind in its folder."""
    return folder / _spelled(placed.files[0][1]) if len(placed.files) == 1 else folder


def _spelled(name: str) -> str:
    """A name that can be written down, and is not too long for a file."""
    text = printable(name, len(name)) if _odd(name) else name
    return "/".join(map(_shortened, text.split("/")))


def _shortened(name: str) -> str:
    if len(name.encode()) <= _LONGEST:
        return name
    stem, dot, suffix = name.rpartition(".")
    suffix = suffix if len(suffix) < 10 else ""
    return f"{(stem or name)[: _LONGEST // 6]}-{sha256(name.encode()).hexdigest()[:8]}{dot if suffix else ''}{suffix}"


@contextlib.contextmanager
def _unpacking(name: str) -> Iterator[None]:
    """What goes wrong with a file of a collection, in words."""
    try:
        yield
    except DAMAGE as error:
        if isinstance(error, OSError) and machine.lacks(error):
            raise  # the collection is as it should be
        reason = printable(str(error) or type(error).__name__)
        raise UsageError(
            f"{printable(name)} in the collection cannot be unpacked ({reason}); download the collection again."
        ) from error


def _copy(source: IO[bytes], out: IO[bytes], name: str) -> None:
    copied = 0
    while piece := source.read(_CHUNK):
        copied += len(piece)
        if copied > MAX_FILE:
            raise UsageError(f"{name} unpacks to more than {MAX_FILE >> 20} MiB; remove it and collect again.")
        out.write(piece)
