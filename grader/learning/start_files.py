"""Changes to files that `attncheck start` wrote: items added to an answers.yaml, an exercise made empty again."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from grader.core.errors import UsageError
from grader.core.model import Exercise, Item, Lang, Message, Question
from grader.course import starter
from grader.learning.answers_file import PLACEHOLDER

#: An item with its question.
QuestionItem: TypeAlias = tuple[Question, Item]

_NOT_PYTHON = Message("{file} is not valid Python, so {name} cannot be found in it; fix it first.")
_NOT_UTF8 = Message("{file} is not saved as UTF-8, so it was left as it is; save it as UTF-8 in your editor first.")
_NOT_IN_FILE = Message("{file} does not define {name}; --reset works on the file that 'start' created.")


def missing_items(text: str, wanted: Sequence[QuestionItem]) -> list[QuestionItem]:
    """The items of ``wanted`` that the answers file ``text`` has no key for."""
    return [(question, item) for question, item in wanted if not _has_key(text, item.id)]


def add_items(text: str, items: Sequence[QuestionItem], course_id: str, learner: str | None, lang: Lang) -> str | None:
    """The answers file ``text`` with entries for ``items``; None if it cannot be extended without changing the rest.

    Numbers are drawn for ``learner``, by default for the learner that the file names.
    """
    base = re.sub(r"^answers:[ ]*\{\}\s*\Z", "answers:", text, flags=re.MULTILINE).rstrip("\n")
    extended = f"{base}\n{starter.answer_entries(items, lang, course_id, learner or _learner(text))}"
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
