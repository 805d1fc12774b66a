"""Match collected submissions with learners: a ``Collection`` and a roster give an ``Enrolment``."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from grader import __version__
from grader.classroom.collect import NOTHING_TO_GRADE, CollectedSubmission, Collection, clause, storable_name
from grader.classroom.gradebook import LearnerRow, SubmissionRow
from grader.classroom.intake import PLAIN, FoundSubmission, Person, Stray, named_person
from grader.classroom.roster import Match, Roster, may_abbreviate, spellings
from grader.classroom.words import INTERNAL_ERROR
from grader.core import resources
from grader.core.errors import AttncheckError, SubmissionError
from grader.core.model import Message
from grader.course import items
from grader.submission import fingerprint_and_learner
from grader.submission.messages import listing, printable

#: The most characters in a learner's name. A longer one is cut and gets a digest.
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Enrolment:
    """The learners of a class and the rows of their submissions. ``kind`` and ``leftovers`` are of the collection.

    Without a roster (``listed`` is false), the learners are those that the collection names. ``unknown`` and
    ``ambiguous`` are names that match nobody on the roster, or more than one learner. ``missing`` learners on it have
    no submission; learners in ``twice`` have two with the same attempt number.

    ``misnamed`` are (learner, name in answers.yaml) where that name is not the learner's, which is only likely without
    a roster; ``respelt`` where it is, but not as the roster's id, for which numbers are drawn.
    """

    learners: tuple[LearnerRow, ...]
    submissions: tuple[SubmissionRow, ...]
    unknown: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    twice: tuple[str, ...] = ()
    misnamed: tuple[tuple[str, str], ...] = ()
    respelt: tuple[tuple[str, str], ...] = ()
    listed: bool = False
    kind: str = ""
    leftovers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Signature:
    """The name in a submission's answers.yaml, with its learners and the people named by the collection."""

    learners: str
    people: tuple[Person, ...]
    name: str


def enrol(collection: Collection, roster: Roster | None, before: Iterable[SubmissionRow] = ()) -> Enrolment:
    """Match each submission in ``collection`` with its learners, and read the name in its answers.yaml.

    Files that have not changed since they were read for a row in ``before`` are not read again.
    """
    earlier = {row.path: row for row in before if row.signature}
    collected = (*collection.submissions, *ungradable(collection, roster))
    names = display_names(collected)
    matches: list[Match] = []
    rows: list[SubmissionRow] = []
    misnamed: list[_Signature] = []
    respelt: list[_Signature] = []
    for submission in collected:
        owners = () if roster is None else _owners(submission, roster)
        matches += owners
        ids = {match.learner.id for match in owners if match.learner is not None}
        learners = tuple(names[submission.found.key]) if roster is None else tuple(sorted(ids))
        row = submission_row(submission, learners, roster, earlier)
        rows.append(row)
        if row.signed and (roster is None or not items.same_numbers(row.signed, row.seed_name)):
            signature = _Signature(", ".join(learners) or row.key, _shown(submission), row.signed)
            is_theirs = roster is not None and _member(row.signed, learners, roster) is not None
            (respelt if is_theirs else misnamed).append(signature)
    if roster is None:
        misnamed = _strangers(misnamed, [person for submission in collected for person in _shown(submission)])
    return Enrolment(
        learners=_class_list(roster, rows),
        submissions=(*rows, *map(_unowned_row, collection.strays)),
        unknown=tuple(match.person.name for match in matches if match.why == "unknown"),
        ambiguous=tuple(match.person.name for match in matches if match.why == "ambiguous"),
        missing=() if roster is None else tuple(learner.id for learner in roster.missing(matches)),
        twice=_same_attempt(rows),
        misnamed=tuple((signature.learners, signature.name) for signature in misnamed),
        respelt=tuple((signature.learners, signature.name) for signature in respelt),
        listed=roster is not None,
        kind=collection.kind,
        leftovers=collection.leftovers,
    )


def _owners(submission: CollectedSubmission, roster: Roster) -> tuple[Match, ...]:
    """The lookups of the people of a submission in the roster."""
    return tuple(match for person in submission.found.people for match in roster.matches(person))


def _class_list(roster: Roster | None, rows: Iterable[SubmissionRow]) -> tuple[LearnerRow, ...]:
    """The learners of a class: those on the roster, or else those who submitted something."""
    if roster is not None:
        return roster.learners
    return tuple(LearnerRow(name, name) for row in rows for name in row.learners)


def _same_attempt(submissions: Sequence[SubmissionRow]) -> tuple[str, ...]:
    """Learners with two submissions of the same attempt number."""
    times = Counter((learner, row.attempt) for row in submissions for learner in row.learners)
    return tuple(sorted(learner for (learner, _), count in times.items() if count > 1))


def ungradable(collection: Collection, roster: Roster | None) -> Iterator[CollectedSubmission]:
    """Leftover files named after a learner on the roster who has no other submission."""
    if roster is None or collection.kind != PLAIN:
        return
    there = {match.learner for submission in collection.submissions for match in _owners(submission, roster)}
    for name in collection.leftovers:
        file = name.rpartition("/")[2]
        person = named_person(file.rpartition(".")[0] or file)
        match = roster.match(person)
        if match.why != "unknown" and match.learner not in there:
            key = storable_name(name)
            found = FoundSubmission(key, (person,), ((name, file),))
            yield CollectedSubmission(found, Path(key), NOTHING_TO_GRADE.fill(found=printable(file)))


def _unowned_row(stray: Stray) -> SubmissionRow:
    """The row for gradable files whose owner is unknown, with the reason."""
    files = Message(" Files: {files}.").fill(files=listing(tuple(map(printable, stray.files)))) if stray.files else ""
    why = Message("its owner is unknown ({why}), so it was not graded.{files}").fill(why=clause(stray.why), files=files)
    entry = storable_name(stray.entry)
    return SubmissionRow(f"nobody/{entry}", "", (), seed_name=entry, error=why)


def submission_row(
    collected: CollectedSubmission,
    learners: tuple[str, ...],
    roster: Roster | None,
    earlier: Mapping[str, SubmissionRow],
) -> SubmissionRow:
    """The row of a submission, with the digest of its files, or the reason why they cannot be read.

    ``earlier`` are rows by path.
    """
    found = collected.found
    path = os.path.abspath(collected.path)
    digest, signed, error = "", None, collected.error
    signature = "" if error is not None else change_signature(collected.path)
    try:
        if signature and path in earlier and earlier[path].signature == signature:
            digest, signed = earlier[path].digest, earlier[path].signed
        elif error is None:
            digest, signed = fingerprint_and_learner(collected.path)
    except SubmissionError as refusal:
        error = refusal.message
    except AttncheckError:
        raise
    except Exception as fault:  # an internal error affects this submission only
        if resources.shortage(fault):
            raise
        error = INTERNAL_ERROR.fill(error=printable(f"{type(fault).__name__}: {fault}"))
    known_as = (_shown(collected)[0].name,) if roster is None else learners
    draws = seed_name(signed, known_as, roster) or found.people[0].name
    signature = "" if error is not None else signature
    return SubmissionRow(
        found.key, path, learners, digest, draws, found.at, found.late, found.attempt, error, signed, signature
    )


def seed_name(signed: str | None, learners: tuple[str, ...], roster: Roster | None) -> str:
    """The name that numbers are drawn for: without a roster that in answers.yaml, for whose numbers the answers are.

    With a roster it is a learner's id, however the file spells the name: otherwise learners could spell their name so
    that they get the numbers of somebody whose answers they have. Of several ``learners`` it is the one whom the file
    names, else the first.
    """
    if roster is None:
        return signed or (learners[0] if learners else "")
    return _member(signed, learners, roster) or (learners[0] if learners else "")


def _member(signed: str | None, learners: tuple[str, ...], roster: Roster) -> str | None:
    """The id of the one of ``learners`` whose name is ``signed``; None if it is nobody's among them."""
    learner = roster.match(named_person(signed)).learner if signed else None
    return learner.id if learner is not None and learner.id in learners else None


def _strangers(signatures: Sequence[_Signature], everybody: Sequence[Person]) -> list[_Signature]:
    """The signatures with the name of another of ``everybody``, and those whose name is unlike the learner's.

    If most names are unlike, the collection does not use personal names (but those of groups, for example); then only
    the former are returned.
    """
    names = set[str]().union(*map(spellings, everybody))
    others: list[_Signature] = []
    odd: list[_Signature] = []
    for signature in signatures:
        written = spellings(named_person(signature.name))
        if written.isdisjoint(set[str]().union(*map(spellings, signature.people))):
            if not written.isdisjoint(names):
                others.append(signature)
            elif not any(may_abbreviate(signature.name, person.name) for person in signature.people):
                odd.append(signature)
    return others + (odd if len(odd) <= max(1, len(signatures) - len(odd)) else [])


# ------------------------------------------------------------------------------------------------ names


def display_names(collected: Sequence[CollectedSubmission]) -> dict[str, list[str]]:
    """The names of the people of each submission, by its key, independent of the order of submissions.

    Different people with the same name are told apart by their id in the course system: ``Jane Doe (1234)``.
    """
    everybody = {(person.name, person.ids) for submission in collected for person in _shown(submission)}
    called = _apart({person: person[0] for person in everybody}, lambda person: f"{person[0]} ({_mark(person[1])})")
    called = _apart(called, lambda person: f"{person[0]} ({_digest(repr(person))})")
    return {
        submission.found.key: [called[person.name, person.ids] for person in _shown(submission)]
        for submission in collected
    }


_Somebody: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]  # name and ids


def _apart(called: Mapping[_Somebody, str], other: Callable[[_Somebody], str]) -> dict[_Somebody, str]:
    """``called`` with the names from ``other`` for people who share a name; case is ignored."""
    times = Counter(name.casefold() for name in called.values())
    return {person: name if times[name.casefold()] == 1 else other(person) for person, name in called.items()}


def _mark(ids: tuple[tuple[str, str], ...]) -> str:
    """What tells namesakes apart: an id that is not an e-mail address, else a digest."""
    plain = [printable(value, 80) for kind, value in ids if kind not in ("learner", "email") and "@" not in value]
    return plain[0] if plain else _digest(repr(ids))


def _shown(collected: CollectedSubmission) -> tuple[Person, ...]:
    """The people of a submission with printable names; names that are cut to the same text get different digests."""
    return tuple(Person(_printable_name(person.name), person.ids) for person in collected.found.people)


def _printable_name(name: str) -> str:
    shown = " ".join(printable(name, len(name)).split()) or "learner"
    return shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - 10]}…{_digest(name)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


# ------------------------------------------------------------------------------------------------------ unchanged files


#: The most files and folders in a submission; a larger one is read every time.
_MOST = 500
#: Nanoseconds in which a change may leave no trace: more than the resolution of any file system's clock (FAT: 2 s).
_CLOCK = 3 * 10**9


def change_signature(path: Path, now: int | None = None) -> str:
    """A digest of names, sizes, times and inodes that changes whenever a file at or below ``path`` changes.

    Empty if it would not be reliable: with links, with too many files, or after a change so recent that another one
    could have the same time. Compute it before reading the files, not after. ``now`` is in nanoseconds (default: the
    current time).
    """
    latest = (time.time_ns() if now is None else now) - _CLOCK
    facts: list[tuple[object, ...]] = [(__version__, os.path.abspath(path))]
    try:
        for name, status in _entries(path):
            plain = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
            if not plain or max(status.st_mtime_ns, status.st_ctime_ns) > latest or len(facts) > _MOST:
                return ""
            times = (status.st_mtime_ns, status.st_ctime_ns)
            facts.append((name, status.st_mode, status.st_size, *times, status.st_dev, status.st_ino))
    except OSError:
        return ""
    return hashlib.sha256(repr(sorted(facts[1:]) + facts[:1]).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _entries(path: Path) -> Iterator[tuple[str, os.stat_result]]:
    """The status of ``path`` and of everything below it, without following links."""
    left = [os.fspath(path)]
    while left:
        name = left.pop()
        status = os.lstat(name)
        yield name, status
        if stat.S_ISDIR(status.st_mode):
            with os.scandir(name) as listed:
                left += [entry.path for entry in listed]
