"""The learners' edition of a course: a folder that can be given to learners.

It is built from an allowlist of keys in question files; all other keys are left out. The edition is then read back as a
course, and the results of references and mistakes that it needs are computed once and stored in it. It has no hidden
cases, so no result of a hidden case can be stored.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import hmac
import itertools
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from filelock import FileLock, Timeout

from grader import __version__
from grader.core import cache
from grader.core.errors import CourseError, UsageError, reported
from grader.core.files import write
from grader.core.marks import source
from grader.core.model import (
    LANGUAGES,
    Case,
    Course,
    Edition,
    Exercise,
    Item,
    Job,
    Limits,
    Message,
    Misconception,
    Observation,
    Observe,
    Observed,
    Question,
    Raised,
    Rules,
)
from grader.core.yaml_positions import parse
from grader.course import items, loader, misconceptions
from grader.grading import checks, courses, public_arrays, reference_results
from grader.grading.context import GradingContext
from grader.grading.inputs import Seed
from grader.grading.plan import REFERENCE_LIMITS, placeholders, sources_of
from grader.report.figures import kinds, run

#: The keys of an exercise that are published unchanged.
_EXERCISE = (
    *("function", "class", "signature", "forward", "adapter", "through", "methods", "summary", "result", "returns"),
    *("reference", "array_types", "hints", "variants"),
)
_MARKED = "edition:"
#: Where the key of a user is who publishes courses without a seed file.
_OWN_KEY = "edition-key", "0" * 16
#: Folders beside the target while an edition is written: the new edition, and the previous one.
_NEW, _BEFORE = "new", "before"
_HEAD = "# Written by `attncheck bank publish`. The instructor has the rest.\n"


@dataclass(frozen=True, slots=True)
class EditionSummary:
    """Counts of what was written. ``practice`` items include keys, ``sealed`` items do not. ``size`` is in bytes."""

    folder: Path
    files: int
    questions: int
    exercises: int
    sealed: int
    practice: int
    hidden: int
    size: int


def publish(whole: Course, target: Path, questions: Iterable[str], observe: Observe) -> EditionSummary:
    """Write the learners' edition of ``questions`` (default: all) to ``target``, completely or not at all.

    ``observe`` runs references and mistakes. Raises UsageError if ``target`` has other content, or cannot be written.
    """
    loader.full_course(whole)
    named = set(questions)
    chosen = tuple(question for question in whole.questions if not named or question.id in named)
    with _beside(target) as folder:
        _may_be_replaced(target)
        mark = Edition(keyed_digest(whole), __version__, ())
        _write(folder, _files(whole, chosen, mark))
        tables = dict(_tables(courses.load(folder), whole, observe))
        _write(folder, {reference_results.file_name(name): data for name, data in tables.items()})
        digests = tuple((name, hashlib.sha256(data).hexdigest()) for name, data in tables.items())
        _write(folder, {"course.yaml": _course_file(whole, chosen, replace(mark, stored=digests))})
        made = courses.load(folder)
        _put(folder, target)
    sizes = [path.stat().st_size for path in target.rglob("*") if path.is_file()]
    every = made.items
    exercises = [exercise for question in made.questions for exercise in question.exercises]
    return EditionSummary(
        folder=target,
        files=len(sizes),
        questions=len(made.questions),
        exercises=len(exercises),
        sealed=sum(item.sealed for item in every),
        practice=sum(not item.sealed for item in every),
        hidden=sum(case.sealed for exercise in exercises for case in exercise.cases),
        size=sum(sizes),
    )


def keyed_digest(whole: Course) -> str:
    """What an edition says of the course that it was made from: the same for the same course and key.

    Without a key, somebody who has a course but for a few answers could try answers until the digest fits.
    """
    return hmac.new(_key(whole), b"edition of " + whole.digest.encode(), "sha256").hexdigest()


def _key(whole: Course) -> bytes:
    """The seed file that the course names, else a key of this user, made once and kept in the cache.

    If neither can be read or kept, a new one: the next edition of the same course then says something else.
    """
    seed = Path(whole.folder) / (whole.seed_file or "")
    if whole.seed_file is not None and seed.is_file():
        return Seed.from_file(seed).key
    if cache.get(*_OWN_KEY) is None:
        cache.put(*_OWN_KEY, secrets.token_bytes(32))
    return cache.get(*_OWN_KEY) or secrets.token_bytes(32)


# ---------------------------------------------------------------------------------------- the folder


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A temporary folder beside ``target``, deleted afterwards.

    It is inside a folder named after ``target``, where the next run finds what a killed process left behind.
    """
    work = target.parent / f".publishing-{target.name}"
    try:
        work.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(work / ".lock", timeout=0).acquire()
    except Timeout:
        raise UsageError(
            Message("Another attncheck is publishing to {target}; wait until it finishes.").fill(target=target)
        ) from None
    except (OSError, NotImplementedError) as error:
        why = getattr(error, "strerror", "it cannot be locked")
        raise UsageError(
            Message("{target} cannot be written ({why}); choose another place.").fill(target=target, why=why)
        ) from error
    with lock:
        _put_back(work, target)
        try:
            (work / _NEW).mkdir()
            yield work / _NEW
        finally:
            _put_back(work, target)
            shutil.rmtree(work, ignore_errors=True)


def _put_back(work: Path, target: Path) -> None:
    """Restore the previous edition if the new one did not replace it, and delete what is left in ``work``."""
    before = work / _BEFORE
    if before.is_dir() and not target.exists():
        lost = Message("The previous edition in {target} cannot be restored ({reason}); move it back from {before}.")
        with reported(lost, target=target, before=before):
            os.rename(before, target)
    shutil.rmtree(before, ignore_errors=True)
    shutil.rmtree(work / _NEW, ignore_errors=True)


def _may_be_replaced(target: Path) -> None:
    """Raise UsageError unless ``target`` does not exist, is empty, or is an earlier edition."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(Message("{target} is not a folder; choose another place for the edition.").fill(target=target))
    if target.is_dir() and any(target.iterdir()):
        mark = target / "course.yaml"
        try:
            marked = any(line.startswith(_MARKED) for line in mark.read_text("utf-8").splitlines())
        except (OSError, UnicodeDecodeError):
            marked = False
        strange = sorted(
            {entry.name for entry in target.iterdir()} - {"course.yaml", "questions", reference_results.FOLDER}
        )
        if not marked or strange:
            seen = Message(" ({name} is in it)").fill(name=strange[0]) if marked else ""
            raise UsageError(
                Message(
                    "{target} is not empty, and has content other than a learners' edition{seen}; choose another "
                    "folder, or empty this one."
                ).fill(target=target, seen=seen)
            )


def _put(folder: Path, target: Path) -> None:
    """Move the finished folder to ``target``, and the previous edition out of the way."""
    with reported(Message("{target} cannot be replaced ({reason}); choose another place."), target=target):
        if target.is_dir():
            os.rename(target, folder.with_name(_BEFORE))
        os.rename(folder, target)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    with reported(Message("{folder} cannot be written ({reason}); nothing was published."), folder=folder):
        for name, data in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).parent.chmod(0o755)
            write(folder / name, data, shared=True)


# ----------------------------------------------------------------------------------------- the texts


def _files(whole: Course, chosen: tuple[Question, ...], mark: Edition) -> dict[str, bytes]:
    """The files of an edition, by path."""
    asked = frozenset(item.id for question in chosen for item in question.items if item.use == "practice")
    files = {"course.yaml": _course_file(whole, chosen, mark)}
    for question in chosen:
        raw = parse((Path(whole.folder) / question.file).read_text("utf-8"), question.file, CourseError).value
        files[question.file] = _text(_question(question, raw, asked))
    cited = {name for each in chosen for name in (*each.sources, *(s for item in each.items for s in item.sources))}
    sources = {
        source.id: {"title": source.title, "authors": source.authors, "year": source.year, "where": source.where}
        for source in whole.sources
        if source.id in cited
    }
    return files | ({"questions/sources.yaml": _text(sources)} if sources else {})


def _course_file(whole: Course, chosen: tuple[Question, ...], mark: Edition) -> bytes:
    used = {question.group for question in chosen}
    return _text(
        {
            "edition": {"format": 1, "of": mark.of, "attncheck": mark.attncheck, "stored": dict(mark.stored)},
            "title": _plain(whole.title),
            "public_id": whole.public_id,
            "groups": {name: _plain(text) for name, text in whole.groups if name in used},
            "questions": [question.id for question in chosen],
            **({"packages": list(whole.packages)} if whole.packages else {}),
            **({"languages": list(whole.languages)} if whole.languages != LANGUAGES else {}),
            **_rules(whole.rules),
        }
    )


def _rules(rules: Rules) -> dict[str, Any]:
    late = {"percent": rules.late_percent, "grace_hours": rules.grace_hours, "cut_off_days": rules.cut_off_days}
    return {
        **({"due": rules.due} if rules.due is not None else {}),
        "late": {name: value for name, value in late.items() if value is not None},
        "attempts": {"count": rules.attempts, "percent": rules.attempt_percent},
        "hidden_results": rules.hidden_results,
        "show_reference": rules.show_reference,
    }


def _question(question: Question, raw: Mapping[str, Any], practice: frozenset[str]) -> dict[str, Any]:
    """A question file reduced to what learners may see."""
    written = {entry["id"]: entry for entry in raw.get("items", [])}
    shown = {name for item in question.items if item.id in practice for name in misconceptions.misconceptions_of(item)}
    shown |= {mistake.misconception for exercise in question.exercises for mistake in exercise.mistakes}
    beliefs = {belief.id: _belief(belief, practice) for belief in question.misconceptions if belief.id in shown}
    reduced: dict[str, Any] = {
        "id": question.id,
        "title": _plain(question.title),
        "group": question.group,
        "prompt": _plain(question.prompt),
        "sources": list(question.sources),
        "misconceptions": beliefs,
        "items": [
            written[item.id] | {"points": item.points} if item.id in practice else _sealed(items.without_key(item))
            for item in question.items
        ],
        "exercises": [
            _exercise(exercise, of, beliefs)
            for exercise, of in zip(question.exercises, raw.get("exercises", []), strict=True)
        ],
    }
    return {name: value for name, value in reduced.items() if value}


def _belief(belief: Misconception, practice: frozenset[str]) -> dict[str, Any]:
    texts = ((name, getattr(belief, name)) for name in ("truth", "ask", "ask_item"))
    written = {name: _plain(text) for name, text in texts if text is not None}
    if belief.ask_next in practice:  # for a graded item, it would reveal what its wrong answers are about
        written["ask_next"] = belief.ask_next
    return written


def _sealed(item: Item) -> dict[str, Any]:
    """A graded item without its key, as YAML."""
    optional = {"title": item.title and _plain(item.title), "level": item.level, "sources": list(item.sources)}
    return {
        "id": item.id,
        "kind": item.kind,
        "sealed": True,
        "points": item.points,
        "ask": _plain(item.ask),
        **_plain(item.spec),
        **{name: value for name, value in optional.items() if value},
    }


def _exercise(exercise: Exercise, raw: Mapping[str, Any], beliefs: Mapping[str, Any]) -> dict[str, Any]:
    """An exercise with its public cases, and a placeholder for each hidden one."""
    public = {case.name for case in exercise.cases if case.public}
    free = (name for name in map("hidden {}".format, itertools.count(1)) if name not in public)
    renamed = {case.name: next(free) for case in exercise.cases if not case.public}
    return {
        **{name: raw[name] for name in _EXERCISE if name in raw},
        "points": exercise.points,  # course.yaml may have scaled them
        **({"forbids": list(exercise.forbids)} if exercise.forbids else {}),  # course.yaml may have added some
        "cases": [_case(case, of, renamed) for case, of in zip(exercise.cases, raw["cases"], strict=True)],
        "checks": [
            _check(check, renamed, any(case.public for case in checks.cases_for(spec, exercise)))
            for spec, check in zip(exercise.checks, raw["checks"], strict=True)
        ],
        "recognised": [mistake.misconception for mistake in exercise.mistakes if mistake.misconception in beliefs],
    }


def _case(case: Case, raw: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """A public case; or the placeholder of a hidden one: which checks it has, and nothing about its inputs."""
    if case.public:
        return {"name": case.name, **({"zh": case.zh} if case.zh else {}), **raw}
    name, kept = renamed[case.name], {name: raw[name] for name in ("only", "raises") if name in raw}
    return {"name": name, "zh": f"第 {name.removeprefix('hidden ')} 个", "sealed": True, **kept}


def _check(raw: Any, renamed: Mapping[str, str], here: bool) -> Any:
    """A check with its cases under their new names. Other options are kept only if it is judged ``here``."""
    if isinstance(raw, str):
        return raw
    ((kind, options),) = raw.items()
    kept = {name: value for name, value in options.items() if here or name == "weight"}
    if "on" in options:
        kept["on"] = [renamed.get(name, name) for name in options["on"]]
    return {kind: kept}


def _plain(value: Any) -> Any:
    """Dataclasses as YAML values, without fields that have their default; ``from_`` becomes the key ``from``."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        pairs = ((field, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {field.name.removesuffix("_"): _plain(part) for field, part in pairs if part != _default(field)}
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, str):
        return source(value)
    return [_plain(part) for part in value] if isinstance(value, (tuple, list)) else value


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


class _Dumper(yaml.SafeDumper):
    """Writes multi-line strings as blocks, and never aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        """Always, because a course has none."""
        return True


def _as_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else '"' if text[:1] in "0123456789+-." else None  # our reader takes 1e5 for a number
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _as_text)


def _text(value: dict[str, Any]) -> bytes:
    """``value`` as YAML. Raises CourseError if the text reads back differently."""
    text = _HEAD + yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)
    if parse(text, "edition", CourseError).value != value:
        raise CourseError(
            Message("the edition reads back differently from what was written; please report this bug in attncheck")
        )
    return text.encode()


# ---------------------------------------------------------------------------------------- the results


def _tables(edition: Course, whole: Course, observe: Observe) -> Iterator[tuple[str, bytes]]:
    """For each exercise, the results of references and mistakes that the edition will need."""
    results: dict[str, dict[str, Observation]] = {}
    for question in edition.questions:
        for exercise in question.exercises:
            original = whole.exercise(exercise.name)
            assert original is not None
            results[exercise.name] = {}
            record = _recorder(original[1], whole, observe, results)
            context = GradingContext(edition, Seed.public(), record)
            context.expected(exercise)
            context.mistake_signatures(exercise)
            public_arrays.prepare(edition, exercise, record)
    for picture in kinds.kinds().values():
        if any(name in results for name in picture.NEEDS):
            run.reference(edition, picture, _recorder(None, whole, observe, results))
    return ((name, reference_results.pack(entries)) for name, entries in results.items())


def _recorder(
    exercise: Exercise | None, whole: Course, observe: Observe, results: Mapping[str, dict[str, Observation]]
) -> Observe:
    """An ``observe`` that runs programs with the sources that an edition lacks, and stores the results in ``found``."""

    def record(job: Job, limits: Limits) -> Observed:
        files = whole.reference
        if job.files and exercise is not None:
            number = placeholders(exercise.mistakes).index(job.files[0].path)
            files = sources_of(number, exercise, whole)
        seen = observe(Job(files, job.programs), REFERENCE_LIMITS)
        for program, observation in zip(job.programs, seen.observations, strict=True):
            results[program.group][reference_results.key(job.files, program)] = _bare(observation)
        return seen

    return record


def _bare(seen: Observation) -> Observation:
    """An observation without the message of an exception and its location in the references."""
    return replace(seen, text="", file=None, line=None) if isinstance(seen, Raised) else seen
