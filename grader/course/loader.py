"""Reads a course folder into a ``Course``. Nothing else reads the bank.

A folder has ``questions/`` (one YAML file per question, ``sources.yaml``, and ``case-names.yaml``), ``reference/`` and
an optional ``course.yaml``. Nothing in it is executed. Problems are raised together, as one ``CourseError`` with a line
for each. A course that was read before comes from the cache, without YAML, pydantic or NumPy.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import pickle
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import grader
from grader.core import cache
from grader.core.errors import CourseError, UsageError
from grader.core.model import Course, Deferred, Item, Message

if TYPE_CHECKING:
    from grader.course.validate import CheckKinds

_GRADER = Path(grader.__file__).parent
#: The code that decides how a course is read. A change of it makes cached courses invalid.
_READERS = ("core/**/*.py", "course/**/*.py", "grading/checks/*.py", "submission/*.py")
_DEFAULTS = "questions/course.yaml"

_NO_COURSE = Message(
    "This installation has no course: there is no questions/ in {content} or {parent}. Install attncheck again, or "
    "name a course folder with --course."
)
_NOT_A_FOLDER = Message("{option} names {folder} ({reason}); expected a course folder with questions/ in it.")
_NO_QUESTIONS = Message("{option} names {folder}; expected a course folder with questions/ in it, found: {found}.")
_NO_FILE = Message(
    "{course}: {key}: there is no file {path}; expected a path relative to course.yaml. Put the file there, correct "
    "the path, or give {option}."
)
_UNREADABLE = Message("{file} cannot be read: {reason}. Check its permissions.")


def installed_content() -> Path:
    """Where an installed attncheck keeps the bundled course; it belongs to the package, and an update replaces it."""
    return _GRADER / "_content"


def find(course: Path | None) -> Path:
    """The course folder: ``course``, else ATTNCHECK_COURSE, else the bundled one, else the checkout's."""
    named = os.environ.get("ATTNCHECK_COURSE")
    folder = course or (Path(named) if named else None)
    if folder is None:
        if content := _bundled():
            return content
        raise CourseError(_NO_COURSE.fill(content=_GRADER / "_content", parent=_GRADER.parent))
    option = "--course" if course else "ATTNCHECK_COURSE"
    try:
        inside = sorted(entry.name for entry in folder.iterdir())
    except OSError as fault:
        raise CourseError(_NOT_A_FOLDER.fill(option=option, folder=folder, reason=fault.strerror)) from fault
    if not (folder / "questions").is_dir():
        raise CourseError(_NO_QUESTIONS.fill(option=option, folder=folder, found=", ".join(inside[:8]) or "–"))
    return folder.resolve()


def load(folder: Path, checks: Callable[[], CheckKinds], on_miss: Callable[[], None] = lambda: None) -> Course:
    """The course in ``folder`` (see ``find``), with these kinds of check (``grader.grading.courses`` has all).

    ``checks`` is called only if the course is not in the cache, because the modules of the checks need NumPy.
    ``on_miss`` is called then, too, before the seconds that reading takes.
    """
    files = _read(folder)
    digest = _digest(files)
    key = _key(digest)
    course = _thaw(cache.get("course", key))
    if course is None:
        on_miss()
        # Importing pydantic takes longer than everything else here; only a changed course needs it.
        from grader.course import build

        course = build.course(files, folder, digest, checks())
        cache.put("course", key, _freeze(course))
    return dataclasses.replace(course, folder=str(folder))


def full_course(course: Course) -> Course:
    """``found``, unless it is a learners' edition. Raises UsageError for one."""
    if course.edition is not None:
        said = Message(
            "{folder} is a learners' edition, without keys, references and hidden cases. Name the course that it was "
            "published from with --course."
        )
        raise UsageError(said.fill(folder=course.folder))
    return course


def file_named_in_course(found: Course, key: Literal["roster", "seed_file"]) -> Path | None:
    """The file that course.yaml names under ``key``, if any. Raises CourseError if it does not exist."""
    name = {"roster": found.roster, "seed_file": found.seed_file}[key]
    if name is None:
        return None
    path = Path(found.folder) / name
    if not os.path.isfile(path):  # also false if its folder cannot be read
        option = f"--{key.replace('_', '-')}"
        raise CourseError(_NO_FILE.fill(course=Path(found.folder) / "course.yaml", key=key, path=path, option=option))
    return path


def schema(checks: CheckKinds) -> dict[str, Any]:
    """JSON Schema (2020-12) of a question file with these kinds of check, for editors."""
    from grader.course import schema as yaml_schema  # needs pydantic

    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | yaml_schema.editor_schema(checks)


def _bundled() -> Path | None:
    # Not importlib.resources: an editable install leaves stale copies of the content behind.
    return next((folder for folder in (_GRADER / "_content", _GRADER.parent) if (folder / "questions").is_dir()), None)


def _read(folder: Path) -> dict[str, bytes]:
    """Everything that makes up the course, by name within the folder."""
    paths = [*folder.glob("course.yaml"), *folder.glob("questions/*.yaml"), *folder.glob("reference/*.py")]
    try:
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(paths) if path.is_file()}
        bundled = _bundled()
        if _DEFAULTS not in files and bundled and (bundled / _DEFAULTS).is_file():
            files[_DEFAULTS] = (bundled / _DEFAULTS).read_bytes()
    except OSError as fault:
        raise CourseError(_UNREADABLE.fill(file=fault.filename, reason=fault.strerror)) from fault
    return dict(sorted(files.items()))


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in files.items():
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def _key(digest: str) -> str:
    """The cache key of a course with this digest: it changes with the code of the readers, and with Python."""
    readers = sorted(path for pattern in _READERS for path in _GRADER.glob(pattern))
    code = _digest({path.relative_to(_GRADER).as_posix(): path.read_bytes() for path in readers})
    return hashlib.sha256(f"{digest} {code} {grader.__version__} {sys.version_info[:2]}".encode()).hexdigest()


class _Pickler(pickle.Pickler):
    """Writes dataclasses as calls of their class, which is read back faster than their default state."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Item):
            from grader.course import misconceptions  # not needed to read a course

            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return _item, (_freeze(fields.pop("spec")), sorted(misconceptions.misconceptions_of(value)), fields)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return type(value), tuple(getattr(value, field.name) for field in dataclasses.fields(value))
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    """Loads the dataclasses of the model and of the item kinds, and refuses everything else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (__name__, _item.__name__):
            return _item
        if module == "grader.core.model" or module.startswith("grader.course.items."):
            kind = super().find_class(module, name)
            if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__module__ == module:
                return kind
        raise pickle.UnpicklingError(f"{module}.{name} is not part of a course")


def _item(spec: bytes, named: list[str], fields: dict[str, Any]) -> Item:
    """An item whose spec is read, and whose kind is imported, when it is first used.

    The misconceptions that it names are known before: a learner's progress needs those of every item.
    """
    return Item(spec=Deferred(lambda: _Unpickler(io.BytesIO(spec)).load(), frozenset(named)), **fields)


def _freeze(value: object) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer, protocol=5).dump(value)
    return buffer.getvalue()


def _thaw(data: bytes | None) -> Course | None:
    """A course from the cache; None if the entry is missing or damaged."""
    if data is None:
        return None
    try:
        course = _Unpickler(io.BytesIO(data)).load()
    except Exception:  # a damaged pickle can raise anything
        return None
    return course if isinstance(course, Course) else None
