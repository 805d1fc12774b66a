"""What an instructor collected → submissions: a folder or a zip, of whatever kind, with every file in a safe place.

A zip is never believed, and a folder is walked within bounds. What is wrong with an entry (a name that leaves the zip,
a link, a double, a bomb, folders without end) is the fault of the submission that it belongs to, and of no other.
Links are never followed.
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO

from grader.classroom import intake
from grader.classroom.intake import Placed, Stray, Unreadable, gradable
from grader.core import resources
from grader.core.errors import SubmissionError, UsageError
from grader.submission.archive import DAMAGE, duplicate_path, entries, why_refused
from grader.submission.files import is_ignored
from grader.submission.messages import listing, printable

#: Of one file, of all files of a learner that count, and of a whole collection, unpacked.
MAX_FILE = 100 << 20
MAX_LEARNER = 200 << 20
MAX_ALL = 20 << 30
#: What one learner may have handed in: files and folders, folders in each other, and bytes of a file's whole name.
MAX_ENTRIES = 10_000
MAX_DEPTH = 40
MAX_PATH = 2000
_MAX_METADATA = 64 << 20
_CHUNK = 1 << 20
#: Of the name of a file, in bytes: what systems take is 255.
_LONGEST = 200
#: How the error of a submission begins in which there is only what is never graded.
NOTHING_IN = "nothing to grade"
_NOT_READABLE = "not readable"
#: In a collection as nbgrader has it, learners are below this.
_SUBMITTED = "submitted/"


@dataclass(frozen=True, slots=True)
class Handed:
    """A submission that can be read at ``path``, or why it is not to be read."""

    placed: Placed
    path: Path
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """Everything in a collection of this ``kind``.

    ``leftovers`` are files that belong to nobody, and folders that cannot be looked into, with the reason; ``strays``
    those of them that could be graded, if it were known whose they are.
    """

    kind: str
    handed: tuple[Handed, ...]
    leftovers: tuple[str, ...]
    strays: tuple[Stray, ...] = ()


@dataclass(frozen=True, slots=True)
class _Tree:
    """Names, and how to open one of them. ``root`` is where they lie, if they lie on disk.

    ``counts`` says for each folder how many files are below it, ``sizes`` how large each file is. ``odd`` are names of
    what is no file that could be read, with the reason. What is in ``spoilt``, too, may not be graded without it;
    ``over`` has what is beyond the bounds of one learner, by the entry that is the learner's, and ``nameless`` what is
    wrong with entries that cannot be anybody's. ``base`` is the folder around a class.
    """

    names: tuple[str, ...]
    open: Callable[[str], IO[bytes]]
    root: Path | None = None
    counts: Counter[str] = field(default_factory=Counter)
    sizes: Mapping[str, int] = field(default_factory=dict)
    odd: Mapping[str, str] = field(default_factory=dict)
    spoilt: frozenset[str] = frozenset()
    over: Mapping[str, str] = field(default_factory=dict)
    base: str = ""
    nameless: Mapping[str, str] = field(default_factory=dict)

    def unread(self) -> Iterator[str]:
        """The folders that cannot be looked into, with the reason."""
        return (f"{why}: {name or './'}" for name, why in self.odd.items() if why.startswith(_NOT_READABLE))

    def facts(self, name: str) -> os.stat_result | None:
        """What the system knows of a file or folder, itself and not what it may lead to."""
        if self.root is None:
            return None
        with contextlib.suppress(OSError, ValueError):
            return (self.root / name).lstat() if name else self.root.stat()
        return None

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


def collect(
    path: Path, scratch: Path, kind: str | None = None, known: Callable[[str], bool] = lambda name: False
) -> Collected:
    """The submissions in ``path``, a folder or a zip; what does not lie in a folder of its own is put into ``scratch``.

    ``known`` says whether a name is that of a learner. Raises UsageError where nothing can be made of it, or where
    ``kind`` does not fit.
    """
    if kind is not None and kind not in intake.kinds():
        raise UsageError(f"There is no intake “{kind}”; there are: {', '.join(intake.kinds())}.")
    tree = _tree(path)
    try:
        found = intake.look(tree.names, tree.small, kind, tree.facts, known)
    except Unreadable:
        raise
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    if found is None or (tree.root is None and not tree.sizes):
        what = f"as “{kind}”" if kind else f"as any of {', '.join(intake.kinds())}"
        odd = tuple(map(printable, (*tree.nameless.values(), *tree.unread(), *map(tree.odd.__getitem__, tree.spoilt))))
        raise UsageError(
            f"{path}: no submission found, looked at {what}; expected a folder, file or zip for each learner, "
            "or the export of a course system. 'attncheck batch --help' names the kinds."
            + (f" {listing(odd).en}" if odd else "")
        )
    name, layout = found
    if tree.root is None and sum(_bytes(placed, tree) for placed in layout.placed) > MAX_ALL:
        raise UsageError(f"{path} would unpack to more than {MAX_ALL >> 30} GiB; split it.")
    handed = tuple(_handed(placed, tree, scratch) for placed in layout.placed)
    nobodys = tuple(Stray(entry, why, ()) for entry, why in tree.nameless.items())
    strays = (_explained(stray, tree) for stray in layout.strays)
    return Collected(name, handed, (*layout.leftovers, *tree.unread()), (*strays, *nobodys))


def _explained(stray: Stray, tree: _Tree) -> Stray:
    """With what else is wrong with its files."""
    odd = [tree.odd[name] for name in stray.files if name in tree.odd]
    return replace(stray, why="; ".join((stray.why, *odd[:1])))


def _bytes(placed: Placed, tree: _Tree) -> int:
    """What a submission takes, unpacked; nothing where that alone is too much."""
    total = sum(tree.sizes.get(name, 0) for name, _ in placed.files if gradable(name))
    return total if total <= MAX_LEARNER else 0


def _handed(placed: Placed, tree: _Tree, scratch: Path) -> Handed:
    """One submission in its place; what is wrong with its files is nobody else's trouble."""
    said = replace(placed, key=sayable(placed.key)) if _odd(placed.key) else placed
    whole = replace(placed, files=tuple((name, inner) for name, inner in placed.files if name in tree.sizes))
    try:
        _check(placed, whole, tree)
        forged = _forged(placed, tree)
        return Handed(said, _place(whole, tree, scratch) if whole.files else _copy_of(placed, scratch), forged)
    except (Unreadable, SubmissionError) as error:
        copy = _copy_of(placed, scratch)
        shutil.rmtree(copy, ignore_errors=True)
        return Handed(said, copy, str(error))


def _check(placed: Placed, whole: Placed, tree: _Tree) -> None:
    """Raises Unreadable for a submission beyond its bounds, with an entry that spoils it, or with nothing in it."""
    names = [name for name, _ in placed.files]
    why = [tree.over[unit] for unit in dict.fromkeys(_unit(name, tree.base) for name in names) if unit in tree.over]
    why += [tree.odd[name] for name in names if name in tree.spoilt]
    if len(names) > MAX_ENTRIES and _too_many() not in why:
        why.append(_too_many())
    size = sum(tree.sizes[name] for name, _ in whole.files if gradable(name))
    if size > MAX_LEARNER:
        why.append(f"{size >> 20} MiB of files, more than the {MAX_LEARNER >> 20} MiB that one learner may hand in")
    if why:
        raise Unreadable(f"{listing(tuple(map(printable, why)), 3).en}. Hand in only your own code and answers.")
    if not whole.files and placed.digests is None:
        odd = [f"{tree.odd[name]} ({printable(name)})" if name in tree.odd else printable(name) for name in names]
        found = listing(odd).en if odd else "no file at all"
        raise Unreadable(nothing_in(found))


def nothing_in(found: str) -> str:
    """What is said of a submission in which there is only what is never graded."""
    return f"{NOTHING_IN}: expected a .py file, a notebook, a .zip or an answers.yaml; found {found}."


def _too_many() -> str:
    return f"more than the {MAX_ENTRIES} files and folders that one learner may hand in"


def _too_deep() -> str:
    return f"folders in each other more than {MAX_DEPTH} deep, or names of more than {MAX_PATH} bytes"


def _within(folder: str, base: str) -> str:
    """The entry that is somebody's, where ``folder`` is one or is in one; else nothing."""
    unit = _unit(folder, base)
    return "" if unit in ("", base, base + _SUBMITTED) else unit


def _unit(name: str, base: str) -> str:
    """The entry that is somebody's, where ``name`` is in one: what stands in the folder ``base`` around a class."""
    below = base + _SUBMITTED if name.startswith(base + _SUBMITTED) else base
    return below + name.removeprefix(below).partition("/")[0]


def _base(names: Iterable[str]) -> str:
    """The folder around a class, with its slash, where there is one; else nothing."""
    split = (name.partition("/") for name in intake.counting(tuple(names)))
    tops = {top + slash for top, slash, _ in split if top == intake.KEY or not is_ignored(top)}
    return tops.pop() if len(tops) == 1 and next(iter(tops)).endswith("/") else ""


def _too_long(name: str, base: str) -> bool:
    path = name.removeprefix(base)
    return path.count("/") > MAX_DEPTH or len(os.fsencode(path)) > MAX_PATH


def _forged(placed: Placed, tree: _Tree) -> str | None:
    """What is not as the receipt of a submission says, in words."""
    if placed.digests is None:
        return None
    then = {_composed(name): digest for name, digest in placed.digests}
    now = {_composed(name): _digest(tree, name) for name, _ in placed.files if gradable(name)}
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


def sayable(name: str) -> str:
    """A name that can be saved and shown: names on disk need not be text. Different names stay different."""
    if name.isprintable() and len(name) <= _LONGEST:
        return name
    # Two slashes are in no name of a collection, so nobody can be called what somebody else becomes here.
    return f"{printable(name)}//{sha256(os.fsencode(name)).hexdigest()[:16]}"


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
    found: dict[str, zipfile.ZipInfo] = {}
    refused: dict[str, SubmissionError] = {}
    folders: list[str] = []
    hidden: list[str] = []
    nameless: dict[str, str] = {}
    for name, info, problem in entries(archive, path.name):
        if problem is not None and not _owned(name):
            nameless[name] = str(problem)
        elif problem is None and (above := _hidden_in(name)):
            hidden.append(above)
        elif name.endswith("/"):
            folders.append(name)
        elif name in found or name in refused:
            refused.setdefault(name, duplicate_path(name, path.name))
        elif problem is not None:
            refused[name] = problem
        elif gradable(name) and (damaged := why_refused(info, path.name, printable(name))) is not None:
            refused[name] = damaged
        else:
            found[name] = info
    for name in refused:
        found.pop(name, None)

    def opened(name: str) -> IO[bytes]:
        if name in refused:
            raise refused[name]
        return archive.open(found[name])

    files = [*found, *refused]
    base = _base(files)
    units = Counter(_unit(name, base) for name in files)
    over = {unit: _too_many() for unit, count in units.items() if count > MAX_ENTRIES}
    over |= {_unit(name, base): _too_deep() for name in files if _too_long(name, base)}
    short = (name for name in intake.counting(files) if not _too_long(name, base))
    full = {f"{above}/" for name in short for above in PurePosixPath(name).parents}
    odd = {name: str(error) for name, error in refused.items()} | {name: _EMPTY for name in folders}
    odd |= dict.fromkeys(hidden, _HIDDEN)
    names = (*files, *(name for name in dict.fromkeys((*folders, *hidden)) if name not in full))
    spoilt = frozenset(refused)
    sizes = {name: info.file_size for name, info in found.items()}
    return _Tree(names, opened, sizes=sizes, odd=odd, spoilt=spoilt, over=over, base=base, nameless=nameless)


_EMPTY = "an empty folder"
_HIDDEN = "a folder with hidden files only"


def _hidden_in(name: str) -> str:
    """The folder in which the first hidden part of ``name`` is, below the top; empty where there is none."""
    parts = name.rstrip("/").split("/")
    at = next((at for at, part in enumerate(parts) if at and is_ignored(part) and part != intake.KEY), 0)
    return "/".join(parts[:at]) + "/" if at else ""


def _owned(name: str) -> bool:
    """Whether the name of an entry that should not be there begins with a folder or file that somebody can have."""
    return name.partition("/")[0] not in ("", ".", "..") and "\0" not in name


def _folder(root: Path) -> _Tree:
    """Regular files only: a link could lead anywhere. What vanishes meanwhile was on its way to another place."""
    sizes: dict[str, int] = {}
    odd: dict[str, str] = {}
    over: dict[str, str] = {}
    counts: Counter[str] = Counter()
    base, pending = "", [""]
    while pending:
        above = pending.pop()
        unit = _within(above, base)
        seen, hidden = 0, False
        try:
            with os.scandir(root / above) as listed:
                inside = list(_few(listed, unit, counts, over))
        except FileNotFoundError:
            continue
        except OSError as error:
            odd[above] = f"{_NOT_READABLE} ({error.strerror})"
            continue
        if not above:
            base = _base(f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name for entry in inside)
        for entry in inside:
            name = above + entry.name
            if is_ignored(entry.name) and name != base + intake.KEY:
                hidden = True
                continue
            seen += 1
            if _too_long(name, base):
                over[_unit(name, base)] = _too_deep()
                continue
            with contextlib.suppress(FileNotFoundError):
                status = Path(entry.path).lstat()
                if stat.S_ISDIR(status.st_mode):
                    pending.append(f"{name}/")
                elif stat.S_ISREG(status.st_mode):
                    sizes[name] = status.st_size
                else:
                    what = (
                        "a symbolic link, which is not followed" if stat.S_ISLNK(status.st_mode) else "no regular file"
                    )
                    odd[name if "." in entry.name else f"{name}/"] = what
        if not seen and above:
            odd[above] = _HIDDEN if hidden else _EMPTY
    below = Counter(f"{above}/" for name in intake.counting(tuple(sizes)) for above in PurePosixPath(name).parents)
    names = (*sizes, *odd, *(f"{unit}/" for unit in over))
    return _Tree(
        tuple(dict.fromkeys(names)), lambda name: _regular(root / name), root, below, sizes, odd, over=over, base=base
    )


def _few(
    listed: Iterable[os.DirEntry[str]], unit: str, counts: Counter[str], over: dict[str, str]
) -> Iterator[os.DirEntry[str]]:
    """What is in a folder, as long as its learner has not handed in too much. No ``unit``: it is not inside of one."""
    for entry in listed:
        if unit:
            counts[unit] += 1
            if counts[unit] > MAX_ENTRIES:
                over[unit] = _too_many()
                return
        yield entry


def _regular(place: Path) -> IO[bytes]:
    """Opens a regular file, and nothing that may have taken its place meanwhile. Raises OSError."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(place, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("it is not a regular file any more")
    return os.fdopen(handle, "rb")


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
        if not folders and tree.counts[alone] == len(placed.files):
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
    return tree.open(name) if gradable(name) else io.BytesIO()


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
        if isinstance(error, OSError) and resources.lacks(error):
            raise  # the collection is as it should be
        said = error.strerror if isinstance(error, OSError) else str(error)  # without a path of this machine
        reason = printable(said or type(error).__name__)
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
