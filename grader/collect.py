"""What an instructor collected → submissions: a folder or a zip, of whatever kind, with every file in a safe place.

A zip is never believed: one with names that leave it, links or doubles is refused, with the entry named. What is wrong
with the content of a file, such as a bomb, is the fault of the submission that it belongs to, and of no other.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import stat
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO

from grader import intake, machine
from grader.errors import SubmissionError, UsageError
from grader.intake import SUFFIXES, Placed, Unreadable
from grader.submission.archive import DAMAGE, entries, unfit
from grader.submission.messages import listing, printable

#: Of one file, and of a whole collection, unpacked.
MAX_FILE = 100 << 20
MAX_ALL = 20 << 30
_MAX_METADATA = 64 << 20
_CHUNK = 1 << 20
#: Of the name of a file, in bytes: what systems take is 255.
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Handed:
    """A submission that can be read at ``path``, or why it is not to be read."""

    placed: Placed
    path: Path
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """Everything in a collection of this ``kind``.

    ``leftovers`` are files that belong to nobody, and folders that cannot be looked into, with the reason.
    """

    kind: str
    handed: tuple[Handed, ...]
    leftovers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Tree:
    """Names, and how to open one of them. ``root`` is where they lie, if they lie on disk.

    ``sizes`` says for each folder how many files are below it, ``unread`` which cannot be looked into, and why.
    """

    names: tuple[str, ...]
    open: Callable[[str], IO[bytes]]
    root: Path | None = None
    sizes: Counter[str] = field(default_factory=Counter)
    unread: tuple[str, ...] = ()

    def small(self, name: str) -> bytes:
        """The content of a file that cannot be large. Raises Unreadable."""
        try:
            with _unpacking(name), self.open(name) as file:
                raw = file.read(_MAX_METADATA + 1)
        except SubmissionError as error:
            raise Unreadable(str(error)) from error
        if len(raw) > _MAX_METADATA:
            raise Unreadable(f"{name} is larger than {_MAX_METADATA >> 20} MiB; expected metadata of a collection.")
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
            + (f" {listing(tuple(map(printable, tree.unread))).en}." if tree.unread else "")
        )
    name, layout = found
    handed = tuple(_handed(placed, tree, scratch) for placed in layout.placed)
    return Collected(name, handed, (*layout.leftovers, *tree.unread))


def _handed(placed: Placed, tree: _Tree, scratch: Path) -> Handed:
    """One submission in its place; what is wrong with its files is nobody else's trouble."""
    said = _sayable(placed)
    try:
        path = _place(placed, tree, scratch)
        return Handed(said, path, _forged(placed, tree))
    except (Unreadable, SubmissionError) as error:
        copy = _copy_of(placed, scratch)
        shutil.rmtree(copy, ignore_errors=True)
        return Handed(said, copy, str(error))


def _forged(placed: Placed, tree: _Tree) -> str | None:
    """What is not as the receipt of a submission says, in words."""
    if placed.digests is None:
        return None
    then = {_composed(name): digest for name, digest in placed.digests}
    now = {_composed(name): _digest(tree, name) for name, _ in placed.files if _counts(name)}
    names = sorted(name.rpartition("/")[2] for name in then.keys() | now.keys() if then.get(name) != now.get(name))
    if not names:
        return None
    return (
        f"expected the files as the receipt has them, found others (changed, new or gone: {listing(names).en}). "
        "Somebody has changed them in the inbox: ask the learner for the files and the receipt "
        "('attncheck submit --verify' compares them), and put them back."
    )


def _composed(name: str) -> str:
    """A name with composed letters: some systems take them apart."""
    return unicodedata.normalize("NFC", name)


def _digest(tree: _Tree, name: str) -> str:
    total = sha256()
    with _unpacking(name), tree.open(name) as file:
        while piece := file.read(_CHUNK):
            total.update(piece)
    return total.hexdigest()


def _counts(name: str) -> bool:
    """Whether a file may be graded; the others are named in reports, and never read."""
    return name.lower().endswith(SUFFIXES)


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
    refused = {name: problem for name, info in found.items() if (problem := unfit(info, path.name, printable(name)))}
    wanted = [info.file_size for name, info in found.items() if _counts(name) and name not in refused]
    if sum(size for size in wanted if size <= MAX_FILE) > MAX_ALL:
        raise UsageError(f"{path} would unpack to more than {MAX_ALL >> 30} GiB; split it.")

    def opened(name: str) -> IO[bytes]:
        if name in refused:
            raise refused[name]
        return archive.open(found[name])

    return _Tree(tuple(found), opened)


def _folder(root: Path) -> _Tree:
    """Regular files only: a link could lead anywhere. What vanishes meanwhile was on its way to another place."""
    names: list[str] = []
    unread: list[str] = []

    def refused(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            name = Path(error.filename).relative_to(root).as_posix()
            unread.append(f"not readable ({error.strerror}): {name}/")

    for folder, _, files in os.walk(root, onerror=refused):
        for name in files:
            place = Path(folder, name)
            with contextlib.suppress(FileNotFoundError):
                if stat.S_ISREG(place.lstat().st_mode):
                    names.append(place.relative_to(root).as_posix())
    sizes = Counter(f"{above}/" for name in intake.counting(names) for above in PurePosixPath(name).parents)
    return _Tree(tuple(names), lambda name: (root / name).open("rb"), root, sizes, tuple(unread))


def _place(placed: Placed, tree: _Tree, scratch: Path) -> Path:
    """Where the submission can be read: where it lies, if it has a folder or file to itself, else a copy.

    A zip or answers file that lies alone in a folder is what was handed in, and not the folder. Of files that nobody
    reads a copy has the names, and nothing in them.
    """
    if tree.root is not None and not any(_odd(name) for name, _ in placed.files):
        (first, inner), *more = placed.files
        if not more and (first == inner or first.lower().endswith((".zip", ".yaml", ".yml"))):
            return tree.root / first
        folders = {name.removesuffix(inner) if name.endswith(f"/{inner}") else "" for name, inner in placed.files}
        alone = folders.pop()
        if not folders and tree.sizes[alone] == len(placed.files):
            return tree.root / alone
    folder = _copy_of(placed, scratch)
    done = folder / ".complete"
    if done.exists() and _is_copy(folder, placed, tree):
        return _what(folder, placed)
    shutil.rmtree(folder, ignore_errors=True)
    for name, inner in placed.files:
        target = folder / _spelled(inner)
        with _unpacking(name), _content(tree, name) as source, _new(target) as out:
            _copy(source, out, name)
    done.touch()
    return _what(folder, placed)


def _copy_of(placed: Placed, scratch: Path) -> Path:
    return scratch / sha256(os.fsencode(placed.key)).hexdigest()[:24]


def _new(target: Path) -> IO[bytes]:
    """A new file of a copy. Raises UsageError where none may be made, which is the fault of no submission."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return target.open("xb")
    except PermissionError as error:
        raise UsageError(
            f"{target.parent} cannot be written ({error.strerror}); make it writable, or choose another folder for the "
            "results."
        ) from error


def _content(tree: _Tree, name: str) -> IO[bytes]:
    return tree.open(name) if _counts(name) else io.BytesIO()


def _is_copy(folder: Path, placed: Placed, tree: _Tree) -> bool:
    """Whether the copy holds what the collection holds now, and not what it held earlier or what a crash has left."""
    expected = {folder / _spelled(inner): name for name, inner in placed.files}
    found = {path for path in folder.rglob("*") if path.is_file() and path != folder / ".complete"}
    try:
        return found == expected.keys() and all(_equal(path, tree, name) for path, name in expected.items())
    except (*DAMAGE, SubmissionError):  # told when it is unpacked
        return False


def _equal(path: Path, tree: _Tree, name: str) -> bool:
    with path.open("rb") as copy, _content(tree, name) as source:
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
        raise Unreadable(
            f"{printable(name)} in the collection cannot be unpacked ({reason}); make it readable, or download the "
            "collection again."
        ) from error


def _copy(source: IO[bytes], out: IO[bytes], name: str) -> None:
    copied = 0
    while piece := source.read(_CHUNK):
        copied += len(piece)
        if copied > MAX_FILE:
            raise Unreadable(
                f"{printable(name)} has more than the {MAX_FILE >> 20} MiB that one file may have; hand in code alone."
            )
        out.write(piece)
