"""Find the submissions in a collection: a folder or a zip, in the layout of any intake.

Zips are not trusted, and folders are walked within limits. A bad entry (a path that leaves the zip, a link, a
duplicate, a zip bomb, folders nested too deep) affects only the submission that it belongs to. Links are not followed.
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
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO, Literal, TypeAlias

from grader.classroom import inbox, intake
from grader.classroom.intake import FoundSubmission, Stray, UnreadableFile, gradable
from grader.classroom.roster import Roster
from grader.core import resources
from grader.core.errors import SubmissionError, UsageError
from grader.core.files import LONGEST, shortened
from grader.core.model import Message, Text
from grader.core.text import EMPTY, LABELED, SEMICOLON, join, name_list, same
from grader.submission.archive import DAMAGE, bad_name, entries, modified, why_refused
from grader.submission.files import is_ignored
from grader.submission.messages import listing, printable

#: Limits in bytes, unpacked: one file, all gradable files of a learner, and a whole collection.
MAX_FILE = 100 << 20
MAX_LEARNER = 200 << 20
MAX_ALL = 20 << 30
#: Limits for one learner: files and folders, nesting of folders, and bytes of a path.
MAX_ENTRIES = 10_000
MAX_DEPTH = 40
MAX_PATH = 2000
_MAX_METADATA = 64 << 20
_CHUNK = 1 << 20
#: The start of the English error for a submission that has only files of kinds that are never graded.
NOTHING_IN = "nothing to grade"
#: The error for such a submission; ``found`` describes its files.
NOTHING_TO_GRADE = Text(
    NOTHING_IN + ": expected a .py file, a notebook, a .zip or an answers.yaml; found {found}.",
    "没有可以评分的内容：应有 .py 文件、笔记本、.zip 或 answers.yaml，实际有：{found}。",
)
_LINK = Message("a symbolic link, which is not followed")
_EMPTY = Message("an empty folder")
_HIDDEN = Message("a folder with hidden files only")
_TOO_LARGE = Message("{size} MiB of files, more than the {limit} MiB that one learner may submit")
_TOO_DEEP = Message("folders nested more than {depth} deep, or names longer than {size} bytes")
_BEYOND_BOUNDS = Message("{why}. Submit only your own code and answers.")
_FORGED = Message(
    "the files do not match the receipt (changed, new or missing: {names}): someone has changed them in the inbox. Ask "
    "the learner for the files and the receipt (`attncheck submit --verify` compares them), and restore them."
)
_NOT_UNPACKED = Message(
    "{name} in the collection cannot be unpacked ({reason}); make it readable, or download the collection again."
)
_FILE_TOO_LARGE = Message("{name} has more than the {limit} MiB that one file may have; submit code only.")
_METADATA_TOO_LARGE = Message("{name} is larger than {limit} MiB; expected metadata of a collection.")
#: Suffixes of files that are the submission itself if they are alone in a folder.
ALONE = (".zip", ".yaml", ".yml")
#: In nbgrader's layout, the learners' folders are in this folder.
_SUBMITTED = "submitted/"


_NO_SUBMISSION = Message(
    "{path}: no submission found (looked for: {kinds}); expected a folder, file or zip for each learner, or the export "
    "of a course system. `attncheck batch --help` lists the kinds.{odd}"
)


@dataclass(frozen=True, slots=True)
class CollectedSubmission:
    """A submission that can be read at ``path``; ``error`` is the reason if it cannot."""

    found: FoundSubmission
    path: Path
    error: Text | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """The content of a collection; ``kind`` is the name of its intake.

    ``leftovers`` are files that belong to nobody, and folders that cannot be listed, with the reason. ``strays`` are
    those that could be graded if their owners were known.
    """

    kind: str
    submissions: tuple[CollectedSubmission, ...]
    leftovers: tuple[str, ...]
    strays: tuple[Stray, ...] = ()


Kind: TypeAlias = Literal["file", "folder", "odd", "unread", "bad", "over", "nameless"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """What stands in a collection under ``name``; the names of folders end with a slash.

    A ``folder`` has no files that count; one that is ``unread`` cannot be listed; a learner's folder that is ``over``
    the limits is not searched further. Something ``odd`` is not a regular file, such as a link. Of a zip, a ``bad``
    entry spoils its submission, and a ``nameless`` one cannot belong to anyone. ``problem`` says what is wrong with all
    but files.
    """

    name: str
    kind: Kind = "file"
    problem: Text = EMPTY
    size: int = 0
    modified: float = 0.0

    def yields_to(self, other: _Entry) -> bool:
        """Whether the ``other`` entry of this name counts in place of this one: the worse one does."""
        if self.kind == "over" or other.problem in (EMPTY, _EMPTY):
            return other.kind == "over"
        return self.kind in ("file", "folder", "unread")


@dataclass(frozen=True, slots=True)
class _Tree:
    """The entries of a folder or zip by name. ``root`` is the folder; None for a zip.

    ``base`` is the folder that contains the whole class, with its slash. ``over`` has the reason for each learner's
    entry that exceeds the limits, ``below`` the number of files below each folder.
    """

    entries: Mapping[str, _Entry]
    base: str
    over: Mapping[str, Text]
    below: Mapping[str, int]
    open_file: Callable[[str], IO[bytes]]
    root: Path | None = None

    @classmethod
    def of(cls, source: Iterable[_Entry], open_file: Callable[[str], IO[bytes]], root: Path | None = None) -> _Tree:
        """The tree with the entries of a ``source``."""
        entries: dict[str, _Entry] = {}
        for entry in source:
            earlier = entries.get(entry.name)
            if earlier is None or earlier.yields_to(entry):
                entries[entry.name] = entry
        files = [entry.name for entry in entries.values() if entry.kind in ("file", "bad")]
        base = _base(files if root is None else entries)
        units = Counter(_unit(name, base) for name in files)
        over = {unit: _too_many() for unit, count in units.items() if count > MAX_ENTRIES}
        over |= {_unit(name, base): _too_deep() for name in files if _too_long(name, base)}
        for entry in entries.values():
            if entry.kind == "over":
                over[entry.name.removesuffix("/")] = entry.problem
        short = [name for name in intake.without_system_files(files) if not _too_long(name, base)]
        below = Counter(f"{folder}/" for name in short for folder in PurePosixPath(name).parents)
        shown = {name: entry for name, entry in entries.items() if entry.kind != "folder" or name not in below}
        return cls(shown, base, over, below, open_file, root)

    def for_intakes(self) -> intake.Tree:
        """The tree as intakes see it."""
        names = tuple(name for name, entry in self.entries.items() if entry.kind != "nameless")
        return intake.Tree(names, self.small, self.facts)

    def of_kind(self, kind: Kind) -> list[_Entry]:
        """The entries of one kind."""
        return [entry for entry in self.entries.values() if entry.kind == kind]

    def of_names(self, names: Iterable[str]) -> list[_Entry]:
        """The entries with these names."""
        return [self.entries[name] for name in names if name in self.entries]

    def is_file(self, name: str) -> bool:
        """Whether the entry is a file that can be read."""
        return name in self.entries and self.entries[name].kind == "file"

    def problem(self, name: str) -> Text:
        """What is wrong with an entry; empty if nothing is."""
        return self.entries[name].problem if name in self.entries else EMPTY

    def size(self, submission: FoundSubmission) -> int:
        """The bytes of the files of a submission that could be graded, unpacked."""
        return sum(self.entries[name].size for name, _ in submission.files if self.is_file(name) and gradable(name))

    def unread_folders(self) -> Iterator[str]:
        """The folders that cannot be listed, each as text with the reason."""
        return (f"{entry.problem.en}: {entry.name or './'}" for entry in self.of_kind("unread"))

    def facts(self, name: str) -> os.stat_result | None:
        """The status of a file or folder, without following links; None for a zip or if it cannot be read."""
        if self.root is None:
            return None
        with contextlib.suppress(OSError, ValueError):
            return (self.root / name).lstat() if name else self.root.stat()
        return None

    def open(self, name: str) -> IO[bytes]:
        """Open a file. Raises UnreadableFile for a bad entry, and OSError if it is no regular file any more."""
        entry = self.entries.get(name)
        if entry is not None and entry.kind == "bad":
            raise UnreadableFile(entry.problem)
        return self.open_file(name)

    def small(self, name: str) -> bytes:
        """The content of a metadata file. Raises UnreadableFile, also if it is too large."""
        with _unpacking(name), self.open(name) as file:
            raw = file.read(_MAX_METADATA + 1)
        if len(raw) > _MAX_METADATA:
            raise UnreadableFile(_METADATA_TOO_LARGE.fill(name=name, limit=_MAX_METADATA >> 20))
        return raw


def collect(path: Path, scratch: Path, kind: str | None = None, roster: Roster | None = None) -> Collection:
    """Find the submissions in ``path``, a folder or zip. Those that cannot be read in place are copied to ``scratch``.

    ``kind`` is the name of an intake; None detects it. A folder with the name of a learner on the ``roster`` is never
    taken for the folder of the whole class. Raises UsageError if there is no submission, no such intake, or a
    collection of another kind.
    """
    if kind is not None and kind not in intake.kinds():
        said = Message("There is no intake “{kind}”; available: {kinds}.")
        raise UsageError(said.fill(kind=kind, kinds=name_list(intake.kinds())))
    with _tree(path) as tree:
        try:
            known = None if roster is None else roster.has
            detected = intake.detect_layout(tree.for_intakes(), kind, known)
        except UnreadableFile:
            raise
        except UsageError as error:
            raise UsageError(LABELED.fill(who=path, said=error.message)) from error
        if detected is None or (tree.root is None and not tree.of_kind("file")):
            raise _no_submission(path, tree, [kind] if kind else intake.kinds())
        name, layout = detected
        sizes = map(tree.size, layout.submissions)
        # Above the limit for one learner, only that submission is refused.
        if tree.root is None and sum(size for size in sizes if size <= MAX_LEARNER) > MAX_ALL:
            said = Message("{path} would unpack to more than {limit} GiB; split it.")
            raise UsageError(said.fill(path=path, limit=MAX_ALL >> 30))
        collected = tuple(_collected(submission, tree, scratch) for submission in layout.submissions)
        strays = [_explained(stray, tree) for stray in layout.strays]
        strays += [Stray(entry.name, entry.problem, ()) for entry in tree.of_kind("nameless")]
        return Collection(name, collected, (*layout.leftovers, *tree.unread_folders()), tuple(strays))


def _no_submission(path: Path, tree: _Tree, kinds: Iterable[str]) -> UsageError:
    problems = [entry.problem.en for entry in (*tree.of_kind("nameless"), *tree.of_kind("bad"))]
    odd = tuple(map(printable, (*problems, *tree.unread_folders())))
    strange = listing(odd) if odd else EMPTY
    odd_text = Text(f" {strange.en}".rstrip(), strange.zh)
    return UsageError(_NO_SUBMISSION.fill(path=path, kinds=name_list(kinds), odd=odd_text))


def _explained(stray: Stray, tree: _Tree) -> Stray:
    """The stray with what is wrong with its first bad file added to the reason."""
    problems = [entry.problem for entry in tree.of_names(stray.files) if entry.problem != EMPTY]
    return replace(stray, why=join((stray.why, *problems[:1]), SEMICOLON))


def _collected(submission: FoundSubmission, tree: _Tree, scratch: Path) -> CollectedSubmission:
    """A submission that is ready to be read, or has an error."""
    stored = replace(submission, key=storable_name(submission.key)) if _odd(submission.key) else submission
    whole = replace(submission, files=tuple((name, inner) for name, inner in submission.files if tree.is_file(name)))
    copy = scratch / sha256(os.fsencode(submission.key)).hexdigest()[:24]
    try:
        _check(submission, whole, tree)
        forged = _forged(submission, tree)
        return CollectedSubmission(stored, _place(whole, tree, copy) if whole.files else copy, forged)
    except (UnreadableFile, SubmissionError) as error:
        shutil.rmtree(copy, ignore_errors=True)
        return CollectedSubmission(stored, copy, error.message)


def _check(submission: FoundSubmission, whole: FoundSubmission, tree: _Tree) -> None:
    """Raise UnreadableFile for a submission beyond the limits, with an unusable entry, or with nothing to grade."""
    names = [name for name, _ in submission.files]
    units = dict.fromkeys(_unit(name, tree.base) for name in names)
    why = [tree.over[unit] for unit in units if unit in tree.over]
    why += [entry.problem for entry in tree.of_names(names) if entry.kind == "bad"]
    if len(names) > MAX_ENTRIES and _too_many() not in why:
        why.append(_too_many())
    size = tree.size(whole)
    if size > MAX_LEARNER:
        why.append(_TOO_LARGE.fill(size=size >> 20, limit=MAX_LEARNER >> 20))
    if why:
        raise UnreadableFile(_BEYOND_BOUNDS.fill(why=listing(tuple(map(clause, why)), 3)))
    if not whole.files and submission.digests is None:
        odd = [_described(name, tree.problem(name)) for name in names]
        found = listing(odd) if odd else Message("no file at all")
        raise UnreadableFile(NOTHING_TO_GRADE.fill(found=found))


def clause(text: Text) -> Text:
    """A reason as part of a sentence: printable, without its full stop."""
    return Text(printable(text.en).removesuffix("."), printable(text.zh).removesuffix("。"))


def _described(name: str, why: Text) -> Text:
    """A file name for a message, with what is wrong with the file."""
    shown = same(printable(name))
    return shown if why == EMPTY else Message("{what} ({name})").fill(what=why, name=shown)


def _too_many() -> Text:
    return Message("more than the {limit} files and folders that one learner may submit").fill(limit=MAX_ENTRIES)


def _too_deep() -> Text:
    return _TOO_DEEP.fill(depth=MAX_DEPTH, size=MAX_PATH)


def _within(folder: str, base: str) -> str:
    """The learner's entry that ``folder`` is or is in; empty if there is none."""
    unit = _unit(folder, base)
    return "" if unit in ("", base, base + _SUBMITTED) else unit


def _unit(name: str, base: str) -> str:
    """The learner's entry that ``name`` is in: a direct entry of ``base``, or of its folder ``submitted``."""
    below = base + _SUBMITTED if name.startswith(base + _SUBMITTED) else base
    return below + name.removeprefix(below).partition("/")[0]


def _base(names: Iterable[str]) -> str:
    """The single top-level folder that contains everything, with its slash; empty if there is none."""
    split = (name.partition("/") for name in intake.without_system_files(tuple(names)))
    tops = {top + slash for top, slash, _ in split if top == inbox.KEY or not is_ignored(top)}
    return tops.pop() if len(tops) == 1 and next(iter(tops)).endswith("/") else ""


def _too_long(name: str, base: str) -> bool:
    path = name.removeprefix(base)
    return path.count("/") > MAX_DEPTH or len(os.fsencode(path)) > MAX_PATH


def _forged(submission: FoundSubmission, tree: _Tree) -> Text | None:
    """How the files differ from the submission's receipt; None if they match or there is no receipt."""
    if submission.digests is None:
        return None
    then = {_composed(name): digest for name, digest in submission.digests}
    now = {_composed(name): _digest(tree, name) for name, _ in submission.files if gradable(name)}
    names = sorted(name.rpartition("/")[2] for name in then.keys() | now.keys() if then.get(name) != now.get(name))
    return None if not names else _FORGED.fill(names=listing(names))


def _composed(name: str) -> str:
    """The name in composed form (NFC), because some file systems decompose names."""
    return unicodedata.normalize("NFC", name)


def _digest(tree: _Tree, name: str) -> str:
    total = sha256()
    with _unpacking(name), tree.open(name) as file:
        while piece := file.read(_CHUNK):
            total.update(piece)
    return total.hexdigest()


def storable_name(name: str) -> str:
    """A name that can be stored and shown, since names on disk need not be UTF-8. Distinct names stay distinct."""
    if name.isprintable() and len(name) <= LONGEST:
        return name
    # No name in a collection has two slashes in a row, so this cannot be another entry's name.
    return f"{printable(name)}//{sha256(os.fsencode(name)).hexdigest()[:16]}"


def _odd(name: str) -> bool:
    """Whether a name has bytes that are not valid UTF-8."""
    return not name.isascii() and any("\udc80" <= char <= "\udcff" for char in name)


@contextlib.contextmanager
def _tree(path: Path) -> Iterator[_Tree]:
    """The tree in a folder or zip, which is closed at the end. Raises UsageError if it is neither."""
    if path.is_dir():
        yield _Tree.of(_walk(path), lambda name: _regular(path / name), path)
        return
    if not path.is_file():
        raise UsageError(Message("{path} does not exist; expected a folder or a zip of submissions.").fill(path=path))
    try:
        archive = zipfile.ZipFile(path)
    except DAMAGE as error:
        said = Message("{path} is neither a folder nor a zip that can be read ({error}).")
        raise UsageError(said.fill(path=path, error=error)) from error
    infos: dict[str, zipfile.ZipInfo] = {}
    with archive:
        yield _Tree.of(_unzip(archive, path.name, infos), lambda name: archive.open(infos[name]))


def _unzip(archive: zipfile.ZipFile, shown: str, infos: dict[str, zipfile.ZipInfo]) -> Iterator[_Entry]:
    """The entries of the zip called ``shown``. The first entry of each path is added to ``infos``."""
    for name, info, problem in entries(archive, shown):
        if problem is not None and (name.partition("/")[0] in ("", ".", "..") or "\0" in name):
            yield _Entry(name, "nameless", problem.message)
        elif problem is None and (above := _hidden_in(name)):
            yield _Entry(above, "folder", _HIDDEN)
        elif name.endswith("/"):
            yield _Entry(name, "folder", _EMPTY)
        elif name in infos:
            yield _Entry(name, "bad", bad_name(shown, name, "twice").message)
        else:
            infos[name] = info
            if problem is None and gradable(name):
                problem = why_refused(info, shown, printable(name))
            if problem is not None:
                yield _Entry(name, "bad", problem.message)
            else:
                yield _Entry(name, size=info.file_size, modified=modified(info))


def _hidden_in(name: str) -> str:
    """The folder of the first hidden part of ``name``, below the top; empty if nothing is hidden."""
    parts = name.rstrip("/").split("/")
    for index, part in enumerate(parts):
        if index and is_ignored(part) and part != inbox.KEY:
            return "/".join(parts[:index]) + "/"
    return ""


def _walk(root: Path) -> Iterator[_Entry]:
    """The entries of a folder. Only regular files count, because a link could lead anywhere; what vanishes is skipped.

    Learners' folders are searched up to the limits.
    """
    counts: Counter[str] = Counter()
    base, pending = "", [""]
    while pending:
        above = pending.pop()
        try:
            with os.scandir(root / above) as listed:
                inside = list(_few(listed, _within(above, base), counts))
        except FileNotFoundError:
            continue
        except OSError as error:
            yield _Entry(above, "unread", Message("not readable ({reason})").fill(reason=error.strerror))
            continue
        if counts[_within(above, base)] > MAX_ENTRIES:
            yield _Entry(f"{_within(above, base)}/", "over", _too_many())
        if not above:
            base = _base(f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name for entry in inside)
        visible = [entry for entry in inside if not is_ignored(entry.name) or above + entry.name == base + inbox.KEY]
        if above and not visible:
            yield _Entry(above, "folder", _HIDDEN if inside else _EMPTY)
        for directory_entry in visible:
            name = above + directory_entry.name
            if _too_long(name, base):
                yield _Entry(f"{_unit(name, base)}/", "over", _too_deep())
                continue
            with contextlib.suppress(FileNotFoundError):
                entry = _classify(name, Path(directory_entry.path).lstat())
                if entry is None:
                    pending.append(f"{name}/")
                else:
                    yield entry


def _classify(name: str, status: os.stat_result) -> _Entry | None:
    """The entry of a path that is not a folder; None for a folder."""
    match stat.S_IFMT(status.st_mode):
        case stat.S_IFDIR:
            return None
        case stat.S_IFREG:
            return _Entry(name, size=status.st_size, modified=status.st_mtime)
        case kind:
            # Without a suffix, it stands where a learner's folder would.
            called = name if "." in name.rpartition("/")[2] else f"{name}/"
            return _Entry(called, "odd", _LINK if kind == stat.S_IFLNK else Message("not a regular file"))


def _few(listed: Iterable[os.DirEntry[str]], unit: str, counts: Counter[str]) -> Iterator[os.DirEntry[str]]:
    """The entries of a folder, up to the limit for its learner (``unit``); unlimited outside learners' folders."""
    for entry in listed:
        if unit:
            counts[unit] += 1
            if counts[unit] > MAX_ENTRIES:
                return
        yield entry


def _regular(place: Path) -> IO[bytes]:
    """Open a regular file. Raises OSError if it is no longer a regular file."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(place, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("it is no longer a regular file")
    return os.fdopen(handle, "rb")


def _place(submission: FoundSubmission, tree: _Tree, copy: Path) -> Path:
    """The path to read the submission at: in place if it has its own folder or file, else its ``copy``.

    Files of kinds that are never graded are copied as empty files.
    """
    if (place := _own_place(submission, tree)) is not None:
        return place
    done = copy / ".complete"
    if not (done.exists() and _is_copy(copy, submission, tree)):
        shutil.rmtree(copy, ignore_errors=True)
        for name, inner in submission.files:
            target = copy / _spelled(inner)
            with _unpacking(name), _content(tree, name) as source, _new(target) as out:
                _copy(source, out, name)
            stamp = tree.entries[name].modified  # decides between two answers files
            os.utime(target, (stamp, stamp))
        done.touch()
    return copy / _spelled(submission.files[0][1]) if len(submission.files) == 1 else copy


def _own_place(submission: FoundSubmission, tree: _Tree) -> Path | None:
    """The submission's own folder or file, if it can be read in place.

    If a zip or answers file is alone in a folder, the submission is that file, not the folder.
    """
    if tree.root is None or any(_odd(name) for name, _ in submission.files):
        return None
    (first, inner), *more = submission.files
    if not more and (first == inner or first.lower().endswith(ALONE)):
        return tree.root / first
    folders = {name.removesuffix(inner) if name.endswith(f"/{inner}") else "" for name, inner in submission.files}
    folder = folders.pop()
    if not folders and tree.below.get(folder, 0) == len(submission.files):
        return tree.root / folder
    return None


def _new(target: Path) -> IO[bytes]:
    """Create a file of a copy; raise UsageError, not SubmissionError, if it is not writable."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return target.open("xb")
    except PermissionError as error:
        said = Message(
            "{parent} cannot be written ({reason}); make it writable, or choose another folder for the results."
        )
        raise UsageError(said.fill(parent=target.parent, reason=error.strerror)) from error


def _content(tree: _Tree, name: str) -> IO[bytes]:
    return tree.open(name) if gradable(name) else io.BytesIO()


def _is_copy(folder: Path, submission: FoundSubmission, tree: _Tree) -> bool:
    """Whether the copy is complete and equal to the current content of the collection."""
    expected = {folder / _spelled(inner): name for name, inner in submission.files}
    copied = {path for path in folder.rglob("*") if path.is_file() and path != folder / ".complete"}
    try:
        return copied == expected.keys() and all(_equal(path, tree, name) for path, name in expected.items())
    except (*DAMAGE, SubmissionError):  # reported when it is unpacked
        return False


def _equal(path: Path, tree: _Tree, name: str) -> bool:
    with path.open("rb") as copy, _content(tree, name) as source:
        while (piece := source.read(_CHUNK)) == copy.read(_CHUNK):
            if not piece:
                return True
    return False


def _spelled(name: str) -> str:
    """A path that is valid UTF-8, with parts short enough for a file system."""
    return shortened(printable(name, len(name)) if _odd(name) else name)


@contextlib.contextmanager
def _unpacking(name: str) -> Iterator[None]:
    """Turn errors about a file of the collection into UnreadableFile, with the reason and what to do."""
    try:
        yield
    except DAMAGE as error:
        if isinstance(error, OSError) and resources.shortage(error):
            raise  # the collection is not at fault
        message = error.strerror if isinstance(error, OSError) else str(error)  # without a path of this machine
        reason = printable(message or type(error).__name__)
        raise UnreadableFile(_NOT_UNPACKED.fill(name=printable(name), reason=reason)) from error


def _copy(source: IO[bytes], out: IO[bytes], name: str) -> None:
    copied = 0
    while piece := source.read(_CHUNK):
        copied += len(piece)
        if copied > MAX_FILE:
            raise UnreadableFile(_FILE_TOO_LARGE.fill(name=printable(name), limit=MAX_FILE >> 20))
        out.write(piece)
