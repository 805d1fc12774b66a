"""Builds a ``Course`` from its files: parses and validates them, and checks them against each other.

The problems of all files are collected before anything is raised. A well-formed file is checked further even if
others are not.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from grader.core import yaml_positions
from grader.core.model import LANGUAGES, Course, Item, Lang, Message, Part, Question, Source, SourceFile, Text
from grader.core.text import LINE_BREAK, join
from grader.core.text import Path as YamlPath
from grader.core.yaml_positions import Document
from grader.course import schema, schema_problems, validate
from grader.course.problems import Problem, ProblemsError, ValueProblem, check_known
from grader.course.schema import CourseFile
from grader.course.validate import CheckKinds
from grader.submission import source

Model = TypeVar("Model", bound=BaseModel)

#: How many problems are printed at once.
_MOST = 10
_PROBLEMS = Message("The course in {folder} has problems:")

#: The Chinese names of cases, by their English ones.
CASE_NAMES = "questions/case-names.yaml"
_SOURCES = "questions/sources.yaml"
_DEFAULTS = "questions/course.yaml"
_OWN = "course.yaml"
_A_QUESTION = "a question of this course"


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the files of a course hold, each read by itself. None stands for files that could not be read.

    ``own`` is course.yaml, and ``whole`` the same with the defaults for what it leaves out.
    """

    own: CourseFile
    whole: CourseFile
    sources: tuple[Source, ...] | None
    reference: tuple[SourceFile, ...] | None
    questions: tuple[Question, ...]

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ids of the questions that count, in their order."""
        return self.whole.questions or tuple(question.id for question in self.questions)

    @property
    def by_id(self) -> dict[str, Question]:
        """The questions by their ids."""
        return {question.id: question for question in self.questions}


def course(files: Mapping[str, bytes], folder: Path, digest: str, checks: CheckKinds) -> Course:
    """The course made of ``files`` (contents by name within ``folder``), or a ``ProblemsError``.

    ``checks`` are the kinds of check that exercises may name.
    """
    reader = _Reader(files)
    parts = _read(reader, checks)
    if not reader.problems and not parts.questions:
        text = "no question in it; expected files such as q05_attention.yaml"
        reader.problems.append(Problem("no-questions", str(folder / "questions"), text))
    sound = not reader.problems  # else names that nothing has may be those of what could not be read
    _check_questions(reader, parts, checks, sound)
    if sound:
        _check_course(reader, parts)
    if reader.problems:
        raise ProblemsError(_message(folder, reader.problems), reader.problems)
    return _made(parts, str(folder), digest)


def _read(reader: _Reader, checks: CheckKinds) -> _Parts:
    """Reads every file; problems within one file are reported."""
    own = reader.read(_OWN, CourseFile) or CourseFile()
    defaults = reader.read(_DEFAULTS, CourseFile) or CourseFile()
    for key in sorted(defaults.model_fields_set - schema.CONTENT_KEYS):
        text = "nothing reads it here; move it to the course.yaml beside questions/"
        reader.report(_DEFAULTS, ValueProblem((key,), text, "misplaced-key"))
    sources = _sources(reader)
    # A learners' edition has no references, so names of references cannot be checked.
    reference = None if own.edition else _reference(reader)
    whole = own.model_copy(update={key: getattr(own, key) or getattr(defaults, key) for key in schema.CONTENT_KEYS})
    names = reader.read(CASE_NAMES, schema.CaseNamesFile)
    chinese = names.root if names else {}
    questions = tuple(_named(question, whole.aliases or {}, chinese) for question in _questions(reader, checks))
    return _Parts(own, whole, sources, reference, questions)


def _check_questions(reader: _Reader, parts: _Parts, checks: CheckKinds, sound: bool) -> None:
    """Reports the problems within and between the questions. Editions repeat aliases: they are written by a program."""
    groups, sources = parts.whole.groups, parts.sources
    names = validate.KnownNames(
        groups=list(groups or {}) if groups or sound else None,
        sources=None if sources is None else [source.id for source in sources],
        references=parts.reference,
        item_ids=[item.id for question in parts.questions for item in question.items] if sound else None,
        checks=checks,
        edition=parts.own.edition is not None,
    )
    for question in parts.questions:
        document = reader.documents[question.file]
        reader.report(question.file, *validate.check_question(question, document.value, names))
        if not names.edition:
            reader.report(question.file, *validate.repeated_aliases(document.value, parts.whole.aliases or {}))
    for file, problem in validate.duplicate_names(parts.questions):
        reader.report(file, problem)


def _check_course(reader: _Reader, parts: _Parts) -> None:
    """Reports what course.yaml lacks, and the names in it that no question has."""
    own, questions = parts.own, parts.by_id
    listed = _OWN if own.questions else _DEFAULTS
    for index, name in enumerate(parts.chosen):
        path: YamlPath = ("questions", index)
        reader.report(listed, *check_known(path, name, _A_QUESTION, questions, "unknown-question"))
    exercises = [exercise.name for question in parts.questions for exercise in question.exercises]
    for name in own.forbids:
        path, what = ("forbids", name), "an exercise of this course"
        reader.report(_OWN, *check_known(path, name, what, exercises, "unknown-exercise"))
    for name in own.points:
        path = ("points", name)
        reader.report(_OWN, *check_known(path, name, _A_QUESTION, questions, "unknown-question"))
        if name in questions and not questions[name].points:
            text = f"nothing of {name} is graded; leave it out here"
            reader.report(_OWN, ValueProblem(path, text, "nothing-graded"))
    for key in ("title", "public_id", "groups"):
        if not getattr(parts.whole, key):
            text = "missing; there is no bundled course.yaml to take it from"
            reader.report(_OWN, ValueProblem((key,), text, "missing-key"))


def _made(parts: _Parts, folder: str, digest: str) -> Course:
    """The course, from files without problems."""
    whole, questions = parts.whole, parts.by_id
    assert whole.title is not None and whole.public_id is not None and whole.groups is not None
    chosen = [_forbidding(questions[name], whole.forbids) for name in dict.fromkeys(parts.chosen)]
    return Course(
        title=whole.title,
        public_id=whole.public_id,
        groups=tuple(whole.groups.items()),
        questions=tuple(_worth(question, whole.points.get(question.id)) for question in chosen),
        sources=parts.sources or (),
        reference=parts.reference or (),
        digest=digest,
        folder=folder,
        rules=whole.rules(),
        edition=whole.edition,
        roster=whole.roster,
        seed_file=whole.seed_file,
        packages=tuple(dict.fromkeys(whole.packages)),
        pace=whole.limits,
        languages=tuple(dict.fromkeys(whole.languages)),
    )


def _named(question: Question, aliases: Mapping[str, tuple[str, ...]], chinese: Mapping[str, str]) -> Question:
    """The question, with the course's other names for the sizes in its items, and its ``chinese`` names of cases."""
    exercises = tuple(
        replace(each, cases=tuple(replace(case, zh=case.zh or chinese.get(case.name)) for case in each.cases))
        for each in question.exercises
    )
    items = tuple(_with_aliases(item, aliases) for item in question.items)
    return replace(question, items=items, exercises=exercises)


def _with_aliases(item: Item, aliases: Mapping[str, tuple[str, ...]]) -> Item:
    """The item, with those of ``aliases`` that name one of its sizes and nothing else."""
    spec: Any = item.spec
    if not hasattr(spec, "aliases"):
        return item
    names = [*getattr(spec, "sizes", ()), *getattr(spec, "symbols", ()), *getattr(spec, "given", ())]
    aliases_of: dict[str, tuple[str, ...]] = dict(spec.aliases)
    for name in (name for name in names if name in aliases):
        taken = {*names, *getattr(spec, "draw", ()), *(other for others in aliases_of.values() for other in others)}
        aliases_of[name] = (*aliases_of.get(name, ()), *(other for other in aliases[name] if other not in taken))
    return replace(item, spec=replace(spec, aliases=aliases_of))


def _forbidding(question: Question, names: Mapping[str, tuple[str, ...]]) -> Question:
    """The question, with what the course forbids added to what its exercises forbid themselves."""
    exercises = tuple(
        replace(exercise, forbids=tuple(dict.fromkeys((*exercise.forbids, *names.get(exercise.name, ())))))
        for exercise in question.exercises
    )
    return replace(question, exercises=exercises)


def _worth(question: Question, points: float | None) -> Question:
    """The question scaled to ``points`` in total, if the course sets them; its parts keep their proportions."""
    if points is None:
        return question
    share = points / question.points
    return replace(
        question,
        items=tuple(replace(part, points=part.points * share) for part in question.items),
        exercises=tuple(replace(part, points=part.points * share) for part in question.exercises),
    )


@dataclass(slots=True)
class _Reader:
    """Reads files by name, and collects the problems found in them."""

    files: Mapping[str, bytes]
    problems: list[Problem] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    #: The languages of the course, as course.yaml says, which is read first.
    languages: tuple[Lang, ...] = LANGUAGES

    def report(self, name: str, *faults: ValueProblem) -> None:
        """Keeps faults, each with its line. What is said of a text is not said again of its copy for no language."""
        document = self.documents.get(name, Document(None, {(): 1}))
        copies = {*LANGUAGES} - {*self.languages}
        own = [fault for fault in faults if not copies.intersection(fault.path[-1:])]
        self.problems += [fault.at(name, document.line(fault.path)) for fault in own or faults]

    def text(self, name: str) -> str | None:
        """The file as text; None, with a problem reported, if it is not UTF-8."""
        try:
            return self.files[name].decode()
        except UnicodeDecodeError as fault:
            line = self.files[name].count(b"\n", 0, fault.start) + 1
            byte = fault.object[fault.start]
            self.problems.append(Problem("not-utf8", f"{name}:{line}", f"found the byte 0x{byte:02x}; expected UTF-8"))
            return None

    def read(self, name: str, model: type[Model]) -> Model | None:
        """The YAML file as an instance of ``model``; None if it is missing or has a problem."""
        text = self.text(name) if name in self.files else None
        if text is None:
            return None
        try:
            document = self.documents[name] = yaml_positions.parse_document(text)
        except yaml_positions.YamlError as fault:
            self.problems.append(Problem("not-yaml", f"{name}:{fault.line}", fault.text.en))
            return None
        value = document.value
        if name == _OWN and isinstance(value, dict) and value.get("languages") in (["en"], ["zh"]):
            self.languages = tuple(value["languages"])
        value = schema_problems.copied(value, self.languages)
        valid = schema_problems.validate(model, value, self.languages)
        faults = valid if isinstance(valid, list) else []
        self.report(name, *faults, *schema_problems.blanks(value))
        return None if isinstance(valid, list) else valid


def _sources(reader: _Reader) -> tuple[Source, ...] | None:
    if _SOURCES not in reader.files:
        return ()
    file = reader.read(_SOURCES, schema.SourcesFile)
    return file.build() if file else None


def _questions(reader: _Reader, checks: CheckKinds) -> list[Question]:
    names = [name for name in reader.files if name.startswith("questions/q")]
    model = schema.question_file(checks)
    files = [(name, reader.read(name, model)) for name in names]
    questions = [question.build(name, checks) for name, question in files if question]
    return sorted(questions, key=lambda question: int(question.id.removeprefix("Q")))


def _reference(reader: _Reader) -> tuple[SourceFile, ...] | None:
    """The references as text, with the names that they define; None if one of them is not Python."""
    modules: list[SourceFile] = []
    for name in (name for name in reader.files if name.startswith("reference/")):
        text = reader.text(name)
        if text is None:
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
            line = getattr(fault, "lineno", None) or 1
            reason = getattr(fault, "msg", None) or str(fault) or "nested too deeply"
            reader.problems.append(Problem("not-python", f"{name}:{line}", f"this is not Python: {reason}"))
            return None
        package = name.endswith("/__init__.py")
        module = (name.removesuffix("/__init__.py") if package else name.removesuffix(".py")).replace("/", ".")
        facts = source.combine([(Part(name, text), tree)])
        modules.append(SourceFile(name, module, facts.parts, facts.defines, "torch" in facts.imports, package))
    return tuple(modules)


def _message(folder: Path, problems: list[Problem]) -> Text:
    heading = (_PROBLEMS if len(problems) > 1 else Message("The course in {folder} has a problem:")).fill(folder=folder)
    lines = [heading, *(problem.said for problem in problems[:_MOST])]
    if len(problems) > _MOST:
        lines.append(Message("… and {count} more").fill(count=len(problems) - _MOST))
    return join(lines, LINE_BREAK)
