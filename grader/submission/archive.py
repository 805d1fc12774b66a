"""Reads a zip in memory: nothing is unpacked to disk, and the sizes that it declares are not trusted."""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial

from grader.core.model import Text
from grader.core.tables import texts
from grader.core.text import EMPTY
from grader.submission import messages as say
from grader.submission.files import MAX_FILES, MAX_HIDDEN, FoundFiles, Member, gather, is_ignored, kind_of
from grader.submission.messages import Unusable, printable
from grader.submission.opening import FileLocation, not_regular, open_file, special, what_is
from grader.submission.text import looks_like

#: The most bytes that zipfile may read at once. This limits the table of contents to about 90 000 names.
_MAX_READ = 4 << 20
_CHUNK = 1 << 16
#: The maximum compression ratio of an entry. Source has a ratio of 4 to 10, notebooks with plots a lower one.
_MAX_RATIO = 200
_SMALL = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others may allocate gigabytes
#: What zipfile raises for damaged archives.
DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError, IndexError,
    OverflowError, struct.error,
)  # fmt: skip


def collect(place: str, name: str) -> FoundFiles:
    """All files in the zip at ``place`` that count."""
    with open_file(FileLocation(place), name) as file:
        head = file.read(4096)
        file.seek(0)
        try:
            archive = zipfile.ZipFile(_Bounded(file.fileno(), closefd=False))
        except _TooMuch:
            raise Unusable(name, say.TOO_MANY_FILES.fill(limit=MAX_FILES)) from None
        except UnicodeDecodeError:
            raise Unusable(name, say.NAMES_NOT_UTF8) from None
        except DAMAGE:
            raise Unusable(name, say.NOT_A_ZIP.fill(what=_instead(head))) from None
        with archive:
            return gather(name, *_members(archive, name))


def entries(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[str, zipfile.ZipInfo, Unusable | None]]:
    """Yields the path, the zip entry, and the problem (or None) of every entry.

    Paths of folders end with a slash. If a name is not a valid path, it is yielded unchanged, with a problem.
    Backslashes separate folders if no name has a slash; otherwise they belong to a learner's file name, which must not
    lead into another folder of the class. ``why_refused`` decides whether a file may be unpacked.
    """
    infos = archive.infolist()
    slashes = any("/" in info.orig_filename for info in infos)
    for info in infos:
        mode = info.external_attr >> 16
        try:
            if slashes and "\\" in _name(info):
                raise bad_name(name, _name(info), "backslash")
            path = _checked(_name(info), name)
        except Unusable as problem:
            yield _name(info), info, problem
            continue
        if _is_folder(info):
            yield f"{path}/", info, None
        elif info.create_system == 3 and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            yield path, info, Unusable(name, say.SPECIAL_IN_ZIP.fill(name=printable(path), what=what_is(mode)))
        else:
            yield path, info, None


class _TooMuch(Exception):
    """zipfile wanted to read more at once than a reasonable archive needs."""


class _Bounded(io.FileIO):
    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _MAX_READ:
            raise _TooMuch
        return super().read(_MAX_READ if size is None or size < 0 else size) or b""


def _instead(head: bytes) -> Text:
    if head.startswith(b"PK"):
        return say.CUT_OFF
    other = looks_like(head)
    return say.BUT.fill(what=other[0]) if other else EMPTY


def _members(archive: zipfile.ZipFile, name: str) -> tuple[list[Member], list[str], list[str]]:
    """The files of an archive, its folders, and a few of its ignored files."""
    members: list[Member] = []
    folders: list[str] = []
    hidden: list[str] = []
    seen: set[str] = set()
    for info in archive.infolist():
        path = _checked(_name(info), name)
        if path in seen:
            raise bad_name(name, path, "twice")
        seen.add(path)
        shown = printable(path)
        if any(is_ignored(part) for part in path.split("/")):
            hidden += [shown] if len(hidden) < MAX_HIDDEN and not _is_folder(info) else []
            continue
        if _is_folder(info):
            folders.append(shown)
            continue
        if len(members) >= MAX_FILES:
            raise Unusable(name, say.TOO_MANY_FILES.fill(limit=MAX_FILES))
        refused = _refused(info)
        kind = kind_of(path.rpartition("/")[2])
        wanted = kind in ("source", "notebook", "answers") and refused is None
        if wanted and (problem := why_refused(info, name, shown)) is not None:
            raise problem
        reader = partial(_read, archive, info, name)
        members.append(Member(shown, kind, info.file_size, reader, refused, modified(info)))
    return members, folders, sorted(hidden)


def _is_folder(info: zipfile.ZipInfo) -> bool:
    return info.is_dir() or info.orig_filename.endswith("\\")


def modified(info: zipfile.ZipInfo) -> float:
    """The time stamp of an entry, in seconds that are only good for comparisons; 0 if it is not valid."""
    try:
        return datetime(*info.date_time, tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0


def _refused(info: zipfile.ZipInfo) -> Text | None:
    """Why an entry is not read: it is a link, or another kind of special file."""
    mode = info.external_attr >> 16
    if info.create_system != 3 or stat.S_IFMT(mode) in (0, stat.S_IFREG):
        return None
    return say.SPECIAL.fill(what=special("special")) if stat.S_ISDIR(mode) else not_regular(mode)


def _name(info: zipfile.ZipInfo) -> str:
    """The name of an entry. Without the UTF-8 flag, the most likely encoding is guessed."""
    name = info.orig_filename
    if info.flag_bits & 0x800 or name.isascii():
        return name
    stored = name.encode("cp437")
    chinese = re.search(rb"[\x81-\xfe]{2}", stored)  # accented letters rarely come in pairs
    for encoding in ("utf-8", "gb18030") if chinese else ("utf-8",):
        try:
            return stored.decode(encoding)
        except UnicodeDecodeError:
            continue
    return name


def _checked(name: str, archive: str) -> str:
    """An entry's name as a path without empty and ``.`` parts. Raises Unusable for an unsafe name.

    Some programs on Windows write backslashes between folders; they are read as slashes.
    """
    name = name.replace("\\", "/")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    for wrong, why in (
        (name.startswith("/"), "absolute"),
        (re.match("[A-Za-z]:", name) is not None, "drive"),
        (".." in parts, "up"),
        (not parts or "\0" in name, "nameless"),
    ):
        if wrong:
            raise bad_name(archive, name, why)
    return "/".join(parts)


def bad_name(archive: str, name: str, problem: str) -> Unusable:
    """What is wrong with a name in the zip ``archive``: a ``problem`` of ``zip_names.yaml``."""
    why = texts(__file__, "zip_names.yaml")[problem]
    return Unusable(archive, say.BAD_ZIP_NAME.fill(name=printable(name), why=why))


def why_refused(info: zipfile.ZipInfo, archive: str, shown: str) -> Unusable | None:
    """Why an entry is not unpacked: a password, an unusual compression method, or a zip bomb. None if it may be."""
    for problem, applies in (
        ("encrypted", bool(info.flag_bits & 0x1)),
        ("compression", info.compress_type not in _METHODS),
        ("bomb", info.file_size > max(_SMALL, _MAX_RATIO * info.compress_size)),
    ):
        if applies:
            sizes = {"packed": say.size(info.compress_size), "found": say.size(info.file_size)}
            text = texts(__file__, "zip_entries.yaml")[problem]
            return Unusable(archive, text.fill(name=shown, method=info.compress_type, **sizes))
    return None


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, limit: int) -> bytes:
    """The content of one entry, read in small pieces. zipfile stops at the declared size and verifies the checksum."""
    content = bytearray()
    try:
        with archive.open(info) as entry:
            while piece := entry.read(_CHUNK):
                content += piece
                if len(content) > limit:
                    break
        if len(content) != info.file_size:
            raise zipfile.BadZipFile(f"{info.file_size} bytes declared, {len(content)} found")
    except DAMAGE as error:
        raise Unusable(name, say.BROKEN_ZIP.fill(reason=printable(str(error) or type(error).__name__))) from None
    return bytes(content)
