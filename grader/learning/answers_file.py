"""Answers from the quiz in an ``answers.yaml``: a new one, or one that has comments and answers already.

``merge`` changes single values and adds lines; everything else stays as it was written. What comes out is read again
and compared before it is returned, so a file is never damaged. Files that `attncheck start` wrote are extended, too.
``answers_only`` prepares grading the answers alone.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from grader.core.errors import UsageError
from grader.core.model import Course, Exercise, Item, Lang, Message, Notice, Question, Submission, Text
from grader.core.text import clean
from grader.course import answer_ids, items, starter

#: The name in an answers file that nobody has filled in yet.
PLACEHOLDER = "your-name"
_MOST_SHOWN = 60

_NOT_YAML = Message("{file} cannot be read: line {line}: {problem}. Fix it, or name another file.")
_OTHER_FORM = Message(
    "{file} is no answers.yaml as `attncheck start` writes it (format, learner, answers); name another file."
)
_OTHER_LEARNER = Message(
    "{file} has the answers of {theirs}, but you answered as {yours}, maybe with other numbers. Name another file, or "
    "answer with --learner {theirs}."
)
_NOT_MERGED = Message("The answers could not be added to {file}, which was left as it is; name another file.")


@dataclass(frozen=True, slots=True)
class ConflictingAnswer:
    """An answer in the file that differs from the one in the quiz; both as they are shown."""

    item: str
    file: str
    quiz: str


@dataclass(frozen=True, slots=True)
class AnswersRead:
    """An answers file that was read: its text, and its answers by item (None where nothing is filled in)."""

    file: str
    text: str
    learner: str | None
    answers: Mapping[str, Any]

    def new(self, given: Mapping[str, str]) -> tuple[str, ...]:
        """The items of ``given`` that the file has no answer to."""
        return tuple(item for item in given if self.answers.get(item) is None)

    def different(self, given: Mapping[str, str]) -> tuple[ConflictingAnswer, ...]:
        """The items of ``given`` to which the file has another answer."""
        both = ((item, self.answers.get(item), text) for item, text in given.items())
        return tuple(
            ConflictingAnswer(item, _shown(there), _shown(text))
            for item, there, text in both
            if there is not None and _plain(there) != _plain(text)
        )


def new_answers_file(learner: str, given: Mapping[str, Any]) -> str:
    """The text of a new ``answers.yaml``. Answers are text, or plain data from another such file."""
    lines = ["format: 1", f"learner: {quoted(learner)}", "answers:" if given else "answers: {}"]
    return "\n".join([*lines, *(f"  {quoted_key(item)}: {_value_of(given[item])}" for item in given)]) + "\n"


def quoted_key(item: str) -> str:
    """The id of an item as a key in YAML."""
    return item if re.fullmatch(r"[A-Za-z][\w.-]*", item, re.ASCII) else quoted(item)


def _value_of(answer: Any) -> str:
    """An answer as YAML in one line."""
    match answer:
        case str():
            return quoted(answer)
        case dict():
            return "{" + ", ".join(f"{quoted(key)}: {_value_of(part)}" for key, part in answer.items()) + "}"
        case list():
            return f"[{', '.join(map(_value_of, answer))}]"
        case float() if not math.isfinite(answer):
            return ".nan" if math.isnan(answer) else "-.inf" if answer < 0 else ".inf"
    return json.dumps(answer)


def find(file: str, text: str, learner: str) -> AnswersRead:
    """The answers file in ``text``. Raises UsageError if it cannot be read, or is another learner's."""
    from grader.core import yaml_positions  # yaml is slow to import

    try:
        value = yaml_positions.parse_document(text).value
    except yaml_positions.YamlError as fault:
        raise UsageError(_NOT_YAML.fill(file=file, line=fault.line, problem=fault.text)) from None
    answers = value.get("answers") if isinstance(value, dict) else 0
    if not isinstance(value, dict) or not isinstance(answers, dict | None):
        raise UsageError(_OTHER_FORM.fill(file=file))
    named = value.get("learner")
    owner = None if named in (None, PLACEHOLDER) else str(named)
    if owner is not None and owner.strip().casefold() != learner.strip().casefold():
        raise UsageError(_OTHER_LEARNER.fill(file=file, theirs=clean(owner, _MOST_SHOWN), yours=learner))
    return AnswersRead(file, text, owner, answers or {})


def merge(there: AnswersRead, learner: str, given: Mapping[str, str], replace: Collection[str] = ()) -> str:
    """The text of the file with the answers ``given`` that it does not have, and those of ``replace`` exchanged.

    A placeholder for the learner's name is filled in. Raises UsageError if the file is written in a way that leaves no
    place for more answers.
    """
    from grader.core import yaml_positions  # yaml is slow to import

    wanted = {item: _whole(text) for item, text in given.items() if there.answers.get(item) is None or item in replace}
    expected = {**there.answers, **wanted}
    try:
        text = _edited(there.text, learner, wanted)
        value = yaml_positions.parse_document(text).value
        before = yaml_positions.parse_document(there.text).value
    except (yaml_positions.YamlError, ValueError):
        raise UsageError(_NOT_MERGED.fill(file=there.file)) from None
    named = {"learner": learner} if there.learner is None else {}
    if value != {**before, **named, "answers": expected}:
        raise UsageError(_NOT_MERGED.fill(file=there.file))
    return text


def _edited(text: str, learner: str, wanted: Mapping[str, str]) -> str:
    """``text`` with these answers, and the learner's name if it has none. Raises ValueError."""
    import yaml  # slow to import

    try:
        root = yaml.compose(text, yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError("not YAML") from error
    if not isinstance(root, yaml.MappingNode):
        raise ValueError("no mapping")
    parts = {key.value: (key, node) for key, node in root.value}
    edits: list[tuple[int, int, str]] = []
    if "learner" not in parts:
        edits.append((0, 0, f"learner: {quoted(learner)}\n"))
    elif parts["learner"][1].value in ("", PLACEHOLDER, "null", "~"):
        edits.append(_value(text, parts["learner"][1], quoted(learner)))
    here = parts.get("answers")
    entries = {key.value: (key, node) for key, node in here[1].value} if here and _is_mapping(here[1]) else {}
    new = {item: answer for item, answer in wanted.items() if item not in entries}
    edits += [_value(text, entries[item][1], quoted(answer)) for item, answer in wanted.items() if item in entries]
    if new:
        edits.append(_more(text, here, entries, new))
    for start, end, written in sorted(edits, reverse=True):
        text = text[:start] + written + text[end:]
    return text


def _is_mapping(node: Any) -> bool:
    return isinstance(node.value, list) and node.tag.endswith(":map")


def _value(text: str, node: Any, written: str) -> tuple[int, int, str]:
    """The edit that puts ``written`` in place of a value, which may be empty or take several lines."""
    start = node.start_mark.index
    return start, _content_end(text, node), written if text[start - 1 : start].isspace() else f" {written}"


def _more(text: str, here: Any, entries: Mapping[str, Any], new: Mapping[str, str]) -> tuple[int, int, str]:
    """The edit that adds entries: behind the last one, or below ``answers:``."""
    if entries:
        first, last = next(iter(entries.values())), [*entries.values()][-1]
        indent = " " * first[0].start_mark.column
        if here[1].flow_style:
            raise ValueError("the answers are inside { }")
        end = max(last[0].end_mark.index, _content_end(text, last[1]))
        end_of_entry = end + len(text[end:].partition("\n")[0])
        lines = [f"{indent}{item}: {quoted(answer)}" for item, answer in new.items()]
        return end_of_entry, end_of_entry, "".join(f"\n{line}" for line in lines)
    lines = [f"  {item}: {quoted(answer)}" for item, answer in new.items()]
    if here is None:
        return len(text), len(text), ("" if text.endswith("\n") else "\n") + "\n".join(["answers:", *lines, ""])
    start = here[0].end_mark.index
    colon = text.index(":", start) + 1
    end = max(colon, _content_end(text, here[1]))
    if text[colon:end].strip() not in ("", "{}", "null", "~"):
        raise ValueError("no place for answers")
    return colon, end, "\n" + "\n".join(lines)


def _content_end(text: str, node: Any) -> int:
    start, end = int(node.start_mark.index), int(node.end_mark.index)
    return start + len(text[start:end].rstrip())


def quoted(text: str) -> str:
    """``text`` as a double-quoted YAML scalar; unprintable characters are escaped, lone surrogates replaced."""
    written = json.dumps(_whole(text), ensure_ascii=False)
    return "".join(char if char.isprintable() or char == "\u3000" else f"\\U{ord(char):08X}" for char in written)


def _whole(text: str) -> str:
    """``text`` without halves of characters, which no file can have."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _plain(value: Any) -> str:
    """An answer without spaces, brackets, commas and line ends, to compare two that were written in two ways."""
    if isinstance(value, dict):
        value = [part for pair in value.items() for part in pair]
    if isinstance(value, Iterable) and not isinstance(value, str):
        value = " ".join(map(_plain, value))
    return re.sub(r"[\s,\[\]{}]+", " ", str(value)).strip()


def _shown(value: Any) -> str:
    return clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str), _MOST_SHOWN)


# ---------------------------------------------------------------------------- files of attncheck start

#: An item with its question.
QuestionItem: TypeAlias = tuple[Question, Item]

_NOT_PYTHON = Message("{file} is not valid Python, so {name} cannot be found in it; fix it first.")
_NOT_UTF8 = Message("{file} is not saved as UTF-8, so it was left as it is; save it as UTF-8 in your editor first.")
_NOT_IN_FILE = Message("{file} does not define {name}; --reset works on the file that `start` created.")


def missing_items(text: str, wanted: Sequence[QuestionItem]) -> list[QuestionItem]:
    """The items of ``wanted`` that the answers file ``text`` has no key for."""
    return [(question, item) for question, item in wanted if not _has_key(text, item.id)]


def add_items(text: str, added: Sequence[QuestionItem], course_id: str, learner: str | None, lang: Lang) -> str | None:
    """The answers file ``text`` with entries for ``added``; None if it cannot be extended without changing the rest.

    Numbers are drawn for ``learner``, by default for the learner that the file names.
    """
    base = re.sub(r"^answers:[ ]*\{\}\s*\Z", "answers:", text, flags=re.MULTILINE).rstrip("\n")
    extended = f"{base}\n{starter.answer_entries(added, lang, course_id, learner or _learner(text))}"
    return extended if _is_utf8(text) and _extends(text, extended) else None


def reset_exercise(text: str, file: Path, exercise: Exercise, lang: Lang) -> str:
    """The Python code ``text`` with an empty ``exercise``. Raises UsageError if ``file`` does not define it."""
    if not _is_utf8(text):
        raise UsageError(_NOT_UTF8.fill(file=file))
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        raise UsageError(_NOT_PYTHON.fill(file=file, name=exercise.name)) from None
    nodes = [node for node in tree.body if getattr(node, "name", None) == exercise.name]
    if not nodes:
        raise UsageError(_NOT_IN_FILE.fill(file=file, name=exercise.name))
    last = nodes[-1]
    lines = text.split("\n")
    first = min([last.lineno, *(decorator.lineno for decorator in getattr(last, "decorator_list", ()))])
    lines[first - 1 : last.end_lineno] = starter.definition(exercise, lang).split("\n")
    return "\n".join(lines)


def _is_utf8(text: str) -> bool:
    """Whether nothing was replaced when ``text`` was read, so that it can be written back."""
    return "\ufffd" not in text


def _has_key(text: str, item: str) -> bool:
    """Whether ``item`` is a key in ``text``, which need not be valid YAML: grading reports what is wrong with it."""
    return re.search(rf"""(?:^|[{{,])\s*["']?{re.escape(item)}["']?\s*:""", text, re.MULTILINE) is not None


def _extends(before: str, after: str) -> bool:
    """Whether ``after`` is the answers file ``before`` with more answers, and nothing else."""
    old, new = _parsed(before), _parsed(after)
    if not isinstance(old, dict) or not isinstance(new, dict) or not isinstance(new.get("answers"), dict):
        return False
    answers = old.get("answers") or {}
    kept = isinstance(answers, dict) and all(new["answers"].get(key, key) == value for key, value in answers.items())
    return kept and {k: v for k, v in old.items() if k != "answers"} == {k: v for k, v in new.items() if k != "answers"}


def _parsed(text: str) -> object:
    import yaml  # only where an answers file has to be extended

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def _learner(text: str) -> str | None:
    """The learner whom an answers file names; None if the name is still the placeholder."""
    parsed = _parsed(text)
    name = parsed.get("learner") if isinstance(parsed, dict) else None
    return name if isinstance(name, str) and name != PLACEHOLDER else None


# ------------------------------------------------------------------------------------- grading answers

_NOT_READ = Message("line {line}: {id}: {message}")


def answers_only(course: Course, submission: Submission, chosen: Sequence[Item]) -> tuple[Course, Submission]:
    """The course and submission to grade when only a file's answers to ``chosen`` count.

    Exercises are left out. Practice items count if they are answered. Answers that cannot be parsed become notices
    with their line numbers.
    """
    submission = answer_ids.matched(course, submission)
    wanted = {item.id: item for item in chosen}
    answered = {answer.item for answer in submission.answers or () if answer.value is not None}

    def counted(question: Question) -> tuple[Item, ...]:
        own = [i for i in question.items if i.id in wanted and (i.use == "graded" or i.id in answered)]
        return tuple(replace(item, use="graded") for item in own)

    questions = tuple(replace(q, exercises=(), items=counted(q)) for q in course.questions)
    elsewhere = {item.id for item in course.items} - wanted.keys()
    kept = tuple(answer for answer in submission.answers or () if answer.item not in elsewhere)
    notices = (*submission.notices, *_unreadable(course, wanted, replace(submission, answers=kept)))
    return replace(course, questions=questions), replace(submission, files=(), answers=kept, notices=notices)


def _unreadable(course: Course, wanted: Mapping[str, Item], submission: Submission) -> Iterator[Notice]:
    for answer in submission.answers or ():
        if answer.item in wanted and answer.value is not None:
            context = items.Context(course.public_id, submission.learner, answer.item)
            item = wanted[answer.item]
            problem = answer.problem
            judged = items.judge(item, answer.value, context) if problem is None else items.unreadable(problem)
            if not judged.readable:
                message = judged.message or Text("", "")
                yield Notice("answers.yaml", _NOT_READ.fill(line=answer.line, id=answer.item, message=message))
