"""Files as bytes: which ones count, opened once and never elsewhere than where they stand, within bounds.

A folder and a zip are both a row of ``Member``; ``gather`` takes from it what counts.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import BinaryIO, Literal, TypeAlias

from grader.model import Notice, Text
from grader.submission import messages as say
from grader.submission.messages import Unusable, listing, printable

Kind: TypeAlias = Literal["source", "notebook", "answers", "archive", "other"]

MAX_SOURCE = 256 << 10
MAX_NOTEBOOK = 20 << 20
MAX_TOTAL = 40 << 20
#: Code of one submission, in files and cells: the parser takes seconds and hundreds of megabytes for hostile ones.
MAX_CODE = 1 << 20
MAX_FILES = 2000

ARCHIVE_SUFFIXES = (".7z", ".rar", ".tar", ".tgz", ".gz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".zip")
_MACHINES_OWN = frozenset(
    {"__pycache__", "__MACOSX", "node_modules", "site-packages", "venv", "Thumbs.db", "desktop.ini"}
)
_LIMITS: dict[Kind, tuple[int, Text, Text]] = {
    "source": (MAX_SOURCE, say.A_SOURCE, say.SHORTEN),
    "notebook": (MAX_NOTEBOOK, say.A_NOTEBOOK, say.CLEAR_OUTPUTS),
    "answers": (MAX_SOURCE, say.AN_ANSWERS_FILE, say.KEEP_SHORT),
}


@dataclass(frozen=True, slots=True)
class Member:
    """A file before it is read; ``read`` is given the number of bytes that it must not exceed."""

    path: str
    kind: Kind
    size: int
    read: Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class Raw:
    """A file that counts, read. ``path`` is harmless to print and has forward slashes."""

    path: str
    kind: Kind
    data: bytes


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found under ``name``; ``problems`` are the files that could not be read."""

    name: str
    raws: tuple[Raw, ...]
    problems: tuple[Unusable, ...] = ()
    notices: tuple[Notice, ...] = ()
    others: tuple[str, ...] = ()


def kind_of(name: str) -> Kind:
    """What the name of a file promises."""
    name = name.lower()
    if name in ("answers.yaml", "answers.yml"):
        return "answers"
    if name.endswith(ARCHIVE_SUFFIXES):
        return "archive"
    return "source" if name.endswith(".py") else "notebook" if name.endswith(".ipynb") else "other"


def is_ignored(name: str) -> bool:
    """Whether a file or folder of this name is never a learner's work: hidden, or put there by a machine."""
    return name.startswith(".") or name in _MACHINES_OWN


def gather(name: str, members: Iterable[Member]) -> Gathered:
    """Reads the members that count; one that cannot be read becomes a problem, too much of all is an error."""
    members = sorted(members, key=lambda member: member.path)
    wanted = [member for member in members if member.kind in _LIMITS]
    answers = [member.path for member in wanted if member.kind == "answers"]
    if len(answers) > 1:
        raise Unusable(name, say.TWO_ANSWERS.fill(count=len(answers), names=listing(answers)))
    readable, problems = [], []
    for member in wanted:
        too_large = _too_large(member)
        if too_large is None:
            readable.append(member)
        elif member.kind == "answers":
            raise too_large
        else:
            problems.append(too_large)
    code = [member for member in readable if member.kind == "source"]
    for some, limit, what in ((readable, MAX_TOTAL, say.ALL_TEXT), (code, MAX_CODE, say.CODE)):
        total = sum(member.size for member in some)
        if total > limit:
            raise Unusable(name, say.TOO_MUCH_TEXT.fill(found=say.size(total), what=what, limit=say.size(limit)))
    raws = []
    for member in readable:
        try:
            raws.append(Raw(member.path, member.kind, member.read(_LIMITS[member.kind][0])))
        except Unusable as problem:
            if member.kind == "answers" or problem.where != member.path:  # all of it is damaged
                raise
            problems.append(problem)
    archives = [member.path for member in members if member.kind == "archive"]
    others = [member.path for member in members if member.kind == "other"]
    notices = [
        Notice(name, text.fill(names=listing(names)))
        for text, names in ((say.INNER_ARCHIVES, archives), (say.OTHER_FILES, others))
        if names
    ]
    return Gathered(name, tuple(raws), tuple(problems), tuple(notices), (*archives, *others))


def _too_large(member: Member) -> Unusable | None:
    limit, what, advice = _LIMITS[member.kind]
    if member.size <= limit:
        return None
    text = say.TOO_LARGE.fill(found=say.size(member.size), limit=say.size(limit), what=what, advice=advice)
    return Unusable(member.path, text)


def collect_folder(root: str, name: str) -> Gathered:
    """All files under ``root`` that count; links are not followed and special files not opened."""
    members: list[Member] = []
    links: list[str] = []
    specials: list[str] = []
    problems: list[Unusable] = []
    seen, pending = 0, [("", root)]
    while pending:
        above, folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if is_ignored(entry.name):
                        continue
                    seen += 1
                    if seen > MAX_FILES:
                        raise Unusable(name, say.TOO_MANY_FILES.fill(limit=MAX_FILES))
                    path = above + printable(entry.name)
                    if entry.is_symlink():
                        links.append(path)
                    elif entry.is_dir(follow_symlinks=False):
                        pending.append((f"{path}/", entry.path))
                    elif entry.is_file(follow_symlinks=False):
                        members.append(file_member(entry.path, path, entry.stat(follow_symlinks=False).st_size))
                    else:
                        specials.append(path)
        except OSError as error:
            problem = refusal(above.rstrip("/") or name, error)
            if not above:
                raise problem from None
            problems.append(problem)
    found = gather(name, members)
    notices = [
        Notice(name, text.fill(names=listing(sorted(names))))
        for text, names in ((say.LINKS, links), (say.SPECIALS, specials))
        if names
    ]
    return replace(
        found,
        problems=(*problems, *found.problems),
        notices=(*notices, *found.notices),
        others=(*found.others, *sorted(links), *sorted(specials)),
    )


def file_member(place: str, path: str, size: int, *, follow: bool = False) -> Member:
    """The file at ``place``, called ``path``."""

    def read(limit: int) -> bytes:
        with open_file(place, path, follow=follow) as file:
            try:
                data = file.read(limit + 1)
            except OSError as error:
                raise refusal(path, error) from None
        if len(data) > limit:  # it grew after it was measured
            too_large = _too_large(replace(member, size=len(data)))
            assert too_large is not None
            raise too_large
        return data

    member = Member(path, kind_of(path.rpartition("/")[2]), size, read)
    return member


def open_file(place: str, path: str, *, follow: bool = False) -> BinaryIO:
    """Opens a regular file; anything else that may have taken its place is refused without waiting for it."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(place, flags)
    except OSError as error:
        raise refusal(path, error) from None
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise Unusable(path, say.SPECIAL.fill(what=what_is(mode)))
    return os.fdopen(descriptor, "rb")


def what_is(mode: int) -> Text:
    """The word for a file that is not a regular one."""
    if stat.S_ISFIFO(mode):
        return say.PIPE
    if stat.S_ISLNK(mode):
        return say.SYMLINK
    return say.SOCKET if stat.S_ISSOCK(mode) else say.DEVICE


def refusal(path: str, error: OSError) -> Unusable:
    """What the operating system said, for people."""
    if isinstance(error, PermissionError):
        return Unusable(path, say.DENIED)
    return Unusable(path, say.IO_ERROR.fill(reason=error.strerror or type(error).__name__))
