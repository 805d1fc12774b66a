"""Collects the files of a submission as bytes: which ones count, each opened once, within limits.

A folder and a zip both yield ``Member`` objects; ``gather`` reads those that count.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from grader.core.model import Notice, Text
from grader.core.tables import table, text_of, texts
from grader.core.text import same
from grader.submission import messages as say
from grader.submission.messages import Unusable, listing, printable
from grader.submission.opening import FileLocation, entries, not_regular, open_file, refusal, special

FileKind: TypeAlias = Literal["source", "notebook", "answers", "archive", "other"]

MAX_SOURCE = 256 << 10
MAX_NOTEBOOK = 20 << 20
MAX_TOTAL = 40 << 20
#: All code of one submission, in files and cells. Parsing malicious code of this size takes seconds and 100s of MB.
MAX_CODE = 1 << 20
MAX_FILES = 2000
#: The name of an answers file.
CANONICAL = "answers.yaml"
#: How many answers files of a submission are compared.
_MOST_ANSWERS = 20
#: The deepest nesting of folders. Every file is opened step by step from the top, so this limits the steps.
MAX_DEPTH = 100
#: How many ignored files are remembered, to name them if there is nothing else.
MAX_HIDDEN = 6
_MAX_CALLED_LIKE_FILES = 100

ARCHIVE_SUFFIXES = (".7z", ".rar", ".tar", ".tgz", ".gz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".zip")
_GENERATED = frozenset({"__pycache__", "__MACOSX", "node_modules", "site-packages", "venv", "Thumbs.db", "desktop.ini"})
#: How the name of a file to submit ends that attncheck packed; beside the work itself, it is none.
PACKED = "-submission.zip"
_LIMITS: dict[FileKind, int] = {"source": MAX_SOURCE, "notebook": MAX_NOTEBOOK, "answers": MAX_SOURCE}


@dataclass(frozen=True, slots=True)
class Member:
    """A file that has not been read yet.

    ``read`` is called with the maximum number of bytes to return. ``refused`` says why the file must not even be
    opened, for example because it is a link. ``modified`` is its time stamp in seconds, which only orders the files of
    one submission.
    """

    path: str
    kind: FileKind
    size: int
    read: Callable[[int], bytes]
    refused: Text | None = None
    modified: float = 0.0


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file that counts, with its bytes. ``path`` has forward slashes and is safe to print.

    ``modified`` is as in ``Member``.
    """

    path: str
    kind: FileKind
    data: bytes
    modified: float = 0.0


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files found in the submission ``name``, which is called ``stem`` without its suffix.

    ``problems`` are the code files that could not be read, and ``lost`` says why the answers file could not be read.
    ``others`` describes the remaining files.
    """

    name: str
    raws: tuple[RawFile, ...]
    problems: tuple[Unusable, ...] = ()
    notices: tuple[Notice, ...] = ()
    others: tuple[Text, ...] = ()
    lost: Unusable | None = None
    stem: str = ""


#: Names of answers files, also as browsers, file managers and editors change them when they make a copy.
_ANSWERS = re.compile(
    r"(?:copy of |副本 ?)?answers?"
    r"(?:[ _-]*(?:\(\d{1,3}\)|（\d{1,3}）|\d{1,3}|copy(?: ?\(?\d{1,3}\)?)?|的?副本(?: ?\(?\d{1,3}\)?)?|final|new))?"
    r"\.(?:ya?ml|json|ya?ml\.txt|json\.txt|txt|docx?|odt|rtf|pdf|md)"
)


def is_canonical(path: str) -> bool:
    """Whether a file has the name that answers files should have."""
    return path.rpartition("/")[2] == CANONICAL


def kind_of(name: str) -> FileKind:
    """The kind of a file, by its name."""
    name = name.lower()
    if _ANSWERS.fullmatch(name):
        return "answers"
    if name.endswith(ARCHIVE_SUFFIXES):
        return "archive"
    return "source" if name.endswith(".py") else "notebook" if name.endswith(".ipynb") else "other"


def is_ignored(name: str) -> bool:
    """Whether a file or folder of this name is never a learner's work: hidden, or created by a tool."""
    return name.startswith(".") or name in _GENERATED


def gather(name: str, members: Iterable[Member], folders: Iterable[str] = (), hidden: Sequence[str] = ()) -> FoundFiles:
    """Reads the members that count.

    ``folders`` are the paths of folders, which may be named like files; ``hidden`` are the paths of ignored files.
    A member that cannot be read becomes a problem. Raises Unusable if the submission as a whole is too large.
    """
    members = list(members)
    members = sorted([*members, *_called_like_files(folders, members)], key=lambda member: member.path)
    wanted = [member for member in members if member.kind in _LIMITS]
    unread = {member.path: problem for member in wanted if (problem := _unread(member)) is not None}
    readable = [member for member in wanted if member.path not in unread]
    answers = [member.path for member in readable if member.kind == "answers"]
    if len(answers) > _MOST_ANSWERS:
        text = say.TOO_MANY_ANSWERS.fill(count=len(answers), names=listing(answers))
        unread[answers[0]] = Unusable(answers[0], text)
        readable = [member for member in readable if member.kind != "answers"]
    raws, failed = _read_all(name, readable)
    unread |= failed
    lost = None
    if not any(raw.kind == "answers" for raw in raws):
        missed = [member.path for member in wanted if member.kind == "answers" and member.path in unread]
        lost = unread.pop(missed[0]) if missed else None
    read = {raw.path for raw in raws}
    others = [_described(member) for member in members if member.path not in read]
    others += [say.IT_IS_HIDDEN.fill(name=path) for path in hidden]
    notices = tuple(_notices(name, [member for member in members if member.kind not in _LIMITS]))
    return FoundFiles(name, tuple(raws), tuple(unread.values()), notices, tuple(others), lost)


def _read_all(name: str, members: Sequence[Member]) -> tuple[list[RawFile], dict[str, Unusable]]:
    """The content of files, and why others could not be read, by path. Raises Unusable for too much in all."""
    code = [member for member in members if member.kind == "source"]
    for counted, limit, what in ((members, MAX_TOTAL, say.ALL_TEXT), (code, MAX_CODE, say.CODE)):
        total = sum(member.size for member in counted)
        if total > limit:
            raise Unusable(name, _too_much(total, what, limit))
    raws: list[RawFile] = []
    failed: dict[str, Unusable] = {}
    total = 0
    for member in members:
        try:
            data = member.read(_LIMITS[member.kind])
        except Unusable as problem:
            if problem.where != member.path:  # the whole archive is damaged
                raise
            failed[member.path] = problem
            continue
        # Only answers files are ordered by time; without it, equal files are equal, and are parsed once.
        raws.append(RawFile(member.path, member.kind, data, member.modified if member.kind == "answers" else 0.0))
        total += len(data)
        if total > MAX_TOTAL:  # files have grown since their sizes were taken
            raise Unusable(name, _too_much(total, say.ALL_TEXT, MAX_TOTAL))
    return raws, failed


def _too_much(total: int, what: Text, limit: int) -> Text:
    return say.TOO_MUCH_TEXT.fill(found=say.size(total), what=what, limit=say.size(limit))


def _notices(name: str, unwanted: Sequence[Member]) -> Iterator[Notice]:
    """Notices about the members that are not read."""
    for reason, members in (
        ("links", [member for member in unwanted if member.refused is say.LINK]),
        ("specials", [member for member in unwanted if member.refused not in (None, say.LINK)]),
        ("archives", [m for m in unwanted if m.refused is None and m.kind == "archive" and PACKED not in m.path]),
        ("others", [member for member in unwanted if member.refused is None and member.kind == "other"]),
    ):
        if members:
            text = texts(__file__, "unread.yaml")[reason]
            yield Notice(name, text.fill(names=listing([member.path for member in members])))


def _called_like_files(folders: Iterable[str], members: Sequence[Member]) -> list[Member]:
    """Folders named like ``q05.py`` that contain no such file, as members that are refused."""
    named = [(path, kind) for path in sorted(folders) if (kind := kind_of(path.rpartition("/")[2])) in _LIMITS]
    return [
        Member(path, kind, 0, _never, say.FOLDER_LIKE_A_FILE)
        for path, kind in named[:_MAX_CALLED_LIKE_FILES]
        if not any(member.kind == kind and member.path.startswith(f"{path}/") for member in members)
    ]


def _unread(member: Member) -> Unusable | None:
    """Why a member is not opened; None if it may be."""
    limit = _LIMITS[member.kind]
    if member.refused is not None:
        return Unusable(member.path, member.refused)
    if member.size > limit:
        return Unusable(member.path, too_large(member.kind, member.size, limit))
    return None


def _described(member: Member) -> Text:
    if member.refused is None:
        return same(member.path)
    kinds = {id(say.LINK): "link", id(say.FOLDER_LIKE_A_FILE): "folder"}
    return say.IT_IS.fill(name=member.path, what=special(kinds.get(id(member.refused), "other")))


def _never(limit: int) -> bytes:
    raise AssertionError("refused members are never read")


def too_large(what: str, size: int, limit: int) -> Text:
    """The message about something in ``too_large.yaml`` that has more bytes than the limit."""
    row = table(__file__, "too_large.yaml")[what]
    words = {"what": text_of(row["what"]), "advice": text_of(row["do"])}
    return say.TOO_LARGE.fill(found=say.size(size), limit=say.size(limit), **words)


def collect_folder(root: str, name: str) -> FoundFiles:
    """All files under ``root`` that count. Links are not followed and special files are not opened."""
    members: list[Member] = []
    folders: list[str] = []
    hidden: list[str] = []
    problems: list[Unusable] = []
    seen, pending = 0, [("", FileLocation(root))]
    while pending:
        above, folder = pending.pop()
        try:
            with entries(folder) as listed:
                for entry in listed:
                    path = above + printable(entry.name)
                    if is_ignored(entry.name):
                        hidden += [path] if len(hidden) < MAX_HIDDEN else []
                        continue
                    seen += 1
                    if seen > MAX_FILES:
                        raise Unusable(name, say.TOO_MANY_FILES.fill(limit=MAX_FILES))
                    place = folder.below(entry.name)
                    if not entry.is_dir(follow_symlinks=False):
                        with contextlib.suppress(FileNotFoundError):  # for example an editor's temporary file
                            status = entry.stat(follow_symlinks=False)
                            members.append(file_member(place, path, status))
                    elif len(place.inner) > MAX_DEPTH:
                        problems.append(Unusable(path, say.TOO_DEEP.fill(limit=MAX_DEPTH)))
                    else:
                        folders.append(path)
                        pending.append((f"{path}/", place))
        except OSError as error:
            problem = refusal(above.rstrip("/") or name, error)
            if not above:
                raise problem from None
            problems.append(problem)
    gathered = gather(name, members, folders, sorted(hidden))
    return replace(gathered, problems=(*problems, *gathered.problems))


def file_member(place: FileLocation, path: str, status: os.stat_result) -> Member:
    """The file at ``place`` as a member called ``path``; ``status`` is what lstat said of it."""

    def read(limit: int) -> bytes:
        with open_file(place, path) as file:
            try:
                data = file.read(limit + 1)
            except OSError as error:
                raise refusal(path, error) from None
        if len(data) > limit:  # it has grown since its size was taken
            raise Unusable(path, too_large(kind, len(data), limit))
        return data

    refused = None if stat.S_ISREG(status.st_mode) else not_regular(status.st_mode)
    kind = kind_of(path.rpartition("/")[2])
    return Member(path, kind, status.st_size, read, refused, status.st_mtime)
