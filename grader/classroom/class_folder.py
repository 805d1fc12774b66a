"""The folder of a class: its lock, its settings in `class.yaml`, and other files that `attncheck serve` keeps there.

It is also a results folder: `attncheck batch DIR/inbox --out DIR` writes the same gradebook. Only one process at a time
may change it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from grader.core.errors import UsageError
from grader.core.files import create
from grader.core.model import Lang, Message, Text
from grader.core.tables import table
from grader.core.text import name_list

#: The settings, and the roster of a new class.
FILE, ROSTER = "class.yaml", "roster.csv"
#: Folders for submissions, for each person's code and answers, and for the learners' edition of the course.
INBOX, WORK, EDITION = "inbox", "people", ".edition"
#: The file with the secret that signs links, and the lock file of the server.
SECRET, SERVING = ".attncheck-links", ".serving"
_MOST_LINK_DAYS = 400
_ADDRESS = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?", re.ASCII)

_WHOLE = Message("a whole number from 1 to {most}").fill(most=_MOST_LINK_DAYS)
_URL = Message("the address that people open, without a path, such as https://quiz.example.edu")
_WRONG_VALUE = Message("{where}: {key}: expected {expected}; found {found}.")
_UNKNOWN_KEY = Message("{where}: unknown key “{key}”; expected one of {keys}.")
_NOT_READ = Message("{path} cannot be read ({reason}); expected the settings of a class, see docs/serve.md.")
_NOT_EMPTY = Message("{path} already exists; a new class needs a new or an empty folder.")
_TWICE = Message("{where}: {id} is both an instructor and an assistant; keep one.")


@dataclass(frozen=True, slots=True)
class ClassSettings:
    """The settings in class.yaml. Paths are relative to its folder. None means that course.yaml decides."""

    address: str = "http://127.0.0.1:8000"
    course: str | None = None
    roster: str | None = None
    seed_file: str | None = None
    questions: tuple[str, ...] = ()
    instructors: Mapping[str, str] = field(default_factory=dict)
    assistants: Mapping[str, str] = field(default_factory=dict)
    link_days: int = 30


_KEYS = tuple(ClassSettings.__dataclass_fields__)


def read_settings(folder: Path) -> ClassSettings:
    """Read the settings of the class in ``folder``. Raises UsageError with file, line and what was expected."""
    from grader.core import yaml_positions  # yaml is slow to import

    path = folder / FILE
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise UsageError(_NOT_READ.fill(path=path, reason=reason)) from error
    document = yaml_positions.parse(text, str(path), UsageError)
    value = document.value
    if not isinstance(value, dict):
        raise UsageError(Message("{where}: expected keys such as address and instructors.").fill(where=f"{path}:1"))
    for key in value:
        if key not in _KEYS:
            where = f"{path}:{document.line((key,))}"
            raise UsageError(_UNKNOWN_KEY.fill(where=where, key=key, keys=name_list(_KEYS)))
    read = {key: _value(key, given, f"{path}:{document.line((key,))}") for key, given in value.items()}
    settings = ClassSettings(**read)
    for both in settings.instructors.keys() & settings.assistants.keys():
        raise UsageError(_TWICE.fill(where=f"{path}:{document.line(('assistants', both))}", id=both))
    return settings


def _value(key: str, given: Any, where: str) -> Any:
    """Validate the value ``given`` for ``key``. Raises UsageError with place, expected and found value."""

    def wrong(expected: Text) -> UsageError:
        return UsageError(_WRONG_VALUE.fill(where=where, key=key, expected=expected, found=f"{given!r:.60}"))

    if key in ("instructors", "assistants"):
        names = given if isinstance(given, dict) else None
        if names is None or not all(isinstance(name, str) and name.strip() for pair in names.items() for name in pair):
            raise wrong(Message("ids with names, one per line, such as grace: Grace Hopper"))
        return dict(names)
    if key == "questions":
        if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
            raise wrong(Message("a list such as [Q1, Q5]"))
        return tuple(given)
    if key == "link_days":
        if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= _MOST_LINK_DAYS:
            raise wrong(_WHOLE)
        return given
    if not isinstance(given, str) or not given.strip():
        raise wrong(_URL if key == "address" else Message("text"))
    if key == "address":
        given = given.rstrip("/").lower()
        if not _ADDRESS.fullmatch(given):
            raise wrong(_URL)
    return given


def create_class(folder: Path, lang: Lang) -> None:
    """Write the settings of a new class and its roster, with comments in ``lang``, into a new or an empty folder.

    Raises UsageError, and writes nothing, if there is anything in the folder. Only its owner can read a new one.
    """
    make_folder(folder, 0o700)
    if there := sorted(folder.iterdir()):
        raise UsageError(_NOT_EMPTY.fill(path=there[0]))
    written = table(__file__, "new_class.yaml")
    create(folder / FILE, written["settings"][lang])
    create(folder / ROSTER, "\ufeff" + written["roster"][lang])  # Excel reads UTF-8 only with this mark


# ------------------------------------------------------------------------------------------------------------- the lock


def make_folder(out: Path, mode: int = 0o777) -> None:
    """Create the results folder if it does not exist. Raises UsageError if that is impossible."""
    try:
        out.mkdir(mode, parents=True, exist_ok=True)
    except OSError as error:
        raise _not_writable(out, error) from error


@contextlib.contextmanager
def locked(out: Path, timeout: float = 0.0) -> Iterator[None]:
    """Hold an exclusive lock on the results folder; it is released when the process exits.

    Waits up to ``timeout`` seconds. Raises UsageError if another process still holds the lock, or if the folder cannot
    be locked.
    """
    try:
        held = FileLock(out / ".lock", timeout=timeout).acquire()
    except Timeout:
        said = Message("Another attncheck is grading into {out}; wait until it finishes, or use another folder.")
        raise UsageError(said.fill(out=out)) from None
    except OSError as error:
        raise _not_writable(out, error) from error
    except NotImplementedError:
        said = Message(
            "{out} cannot be locked (some network folders cannot be), so two processes could grade into it at "
            "once; use a folder on this machine."
        )
        raise UsageError(said.fill(out=out)) from None
    with held:
        yield


def _not_writable(out: Path, error: OSError) -> UsageError:
    said = Message("{out} cannot be written ({reason}); make it writable, or use another folder.")
    return UsageError(said.fill(out=out, reason=error.strerror))
