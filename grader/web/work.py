"""A learner's folder of work: its files, uploads, and everything as a zip."""

from __future__ import annotations

import dataclasses
import itertools
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from grader.core import bounded, files
from grader.core.bounded import READING
from grader.core.errors import UsageError, reported
from grader.core.model import Message, Notice
from grader.core.text import name_list
from grader.learning import answers_file
from grader.submission import FoundFiles, Unusable, costs_of, is_small, parse_files, read_files
from grader.submission.files import kind_of
from grader.submission.messages import printable
from grader.submission.modules import common_folder

_ANSWERS = "answers.yaml"
#: The date of all files in a zip, so that equal work gives equal bytes.
_DATE = (2020, 1, 1, 0, 0, 0)

NOT_SAVED = Message("{file} cannot be saved: {reason}.")
_CLASH = Message(
    "You already have other files with these names: {names}. Select “replace” to replace them; the old files are kept."
)
_TWO_ANSWERS = Message(
    "You uploaded more than one answers file ({names}), but only one can count. Upload only that one."
)
_FOLDERS = Message("“{path}” is in a folder; put all files side by side, and upload them again.")


def find_files(folder: Path) -> FoundFiles | None:
    """The files in ``folder`` that count; None if there is no folder yet. Raises Unusable if it cannot be read."""
    return read_files(folder) if os.path.lexists(folder) else None


def read_upload(name: str, data: bytes, most_old: int | None = None) -> FoundFiles:
    """Read ``data``, uploaded as ``name``: a file, notebook or zip, as in a submission; see ``parse_files``.

    Only the helper process unpacks and parses what is not small; nothing of what it refuses comes back.

    Raises Unusable if there is nothing in it to grade, or if a part of it cannot be read.
    """
    shown = printable(name.replace("\\", "/").rpartition("/")[2])
    suffix = os.path.splitext(shown)[1].lower()
    stem = "answers" if suffix in (".yaml", ".yml") or kind_of(shown) == "answers" else "upload"
    with tempfile.TemporaryDirectory() as place, costs_of(shown):
        path = Path(place) / f"{stem}{suffix if suffix.isascii() and '/' not in suffix else ''}"
        path.write_bytes(data)
        if is_small(path):
            return _read(path, shown, most_old)
        return bounded.call_on(shown.encode() + data, READING, _read, path, shown, most_old)


def _read(path: Path, shown: str, most_old: int | None) -> FoundFiles:
    """The upload at ``path``, called ``shown``; see ``read_upload``."""
    try:
        got = read_files(path)
    except Unusable as problem:
        raise Unusable(shown, problem.text) from None
    if path.suffix != ".zip":
        raws = tuple(dataclasses.replace(raw, path=shown) for raw in got.raws)
        got = FoundFiles(shown, raws, got.problems, stem=got.stem)
    if unread := (*got.problems, *([got.lost] if got.lost else [])):
        raise Unusable(shown, unread[0].text)
    submission = parse_files(got, "learner", shown, most_old)
    if others := [notice.where for notice in got.notices if notice.urgent and kind_of(notice.where) == "answers"]:
        counting = [raw.path for raw in got.raws if raw.kind == "answers"]
        raise Unusable(shown, _TWO_ANSWERS.fill(names=name_list([*counting, *others])))
    broken = [*submission.broken, *([submission.lost] if submission.lost else [])]
    broken += [Notice(shown, answer.problem) for answer in submission.answers or () if answer.problem is not None]
    broken += [notice for notice in submission.notices if notice.urgent and kind_of(notice.where) == "answers"]
    if broken:
        raise Unusable(broken[0].where, broken[0].text)
    # Answers get the usual name, so that a folder never has two files with them.
    renamed = (dataclasses.replace(raw, path=_ANSWERS) if raw.kind == "answers" else raw for raw in got.raws)
    return dataclasses.replace(got, raws=tuple(renamed))


def save_uploads(folder: Path, uploads: Sequence[FoundFiles], *, replace: bool) -> list[str]:
    """Save the files of ``uploads`` in ``folder``, all or none, and return their names.

    A file with different content is replaced only with ``replace``, and is then kept under a new name. Raises
    UsageError.
    """
    wanted: dict[str, bytes] = {}
    for upload in uploads:
        top = common_folder([raw.path for raw in upload.raws if raw.kind != "answers"])
        for raw in upload.raws:
            path = raw.path.removeprefix(top)
            if "/" in path:
                raise UsageError(_FOLDERS.fill(path=path))
            if raw.kind == "answers" and path in wanted:
                raise UsageError(_TWO_ANSWERS.fill(names=name_list([one.name for one in uploads])))
            wanted[path] = raw.data
    new = {name: data for name, data in wanted.items() if _content(folder / name) != data}
    clash = sorted(name for name in new if os.path.lexists(folder / name))
    if clash and not replace:
        raise UsageError(_CLASH.fill(names=name_list(clash)))
    with reported(NOT_SAVED, file=folder.name):
        folder.mkdir(parents=True, exist_ok=True)
    for name in clash:
        with reported(NOT_SAVED, file=name):
            set_aside(folder / name)
    for name, data in new.items():
        with reported(NOT_SAVED, file=name):
            files.write(folder / name, data)
    return sorted(wanted)


def make_bundle(folder: Path, log: Path, learner: str, answers: dict[str, str]) -> bytes:
    """A zip with all files in ``folder`` that count, and the progress log.

    If the folder has no answers.yaml, the zip gets one with ``answers``, the settled answers of the quiz.
    """
    here = find_files(folder)
    raws = {raw.path: raw.data for raw in here.raws} if here is not None else {}
    if answers and not any(kind_of(path) == "answers" for path in raws):
        raws[_ANSWERS] = answers_file.new_answers_file(learner, answers).encode()
    if log.is_file():
        raws["progress.jsonl"] = log.read_bytes()
    return files.zipped(sorted(raws.items()), _DATE)


def _content(path: Path) -> bytes | None:
    """The bytes of a regular file; None for anything else."""
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


def set_aside(path: Path) -> None:
    """Copy a file to a name that is not read as code, as `start --reset` does: ``q05.old1.txt``."""
    data = _content(path)
    if data is None:
        raise UsageError(Message("{file} is a folder or a link; move it away, and upload again.").fill(file=path.name))
    for number in itertools.count(1):
        try:
            with path.with_name(f"{path.stem}.old{number}.txt").open("xb") as kept:
                kept.write(data)
        except FileExistsError:
            continue
        return
