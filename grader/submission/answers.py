"""Parses ``answers.yaml`` into answers with their line numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.core.model import Answer, Notice, Text
from grader.core.suggest import nearest
from grader.core.text import EMPTY
from grader.submission import messages as say
from grader.submission.files import RawFile
from grader.submission.messages import Unusable, listing, printable
from grader.submission.text import decode

if TYPE_CHECKING:
    from grader.submission.answer_entries import Contents

_KEYS = ("format", "learner", "answers")
#: How many problems with parts of a file are listed.
_MOST_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class Answers:
    """An answers file: the learner it names (if any), its answers in order, and notices about it."""

    learner: str | None
    answers: tuple[Answer, ...]
    notices: tuple[Notice, ...]

    @property
    def given(self) -> bool:
        """Whether anything is answered."""
        return any(answer.value is not None for answer in self.answers)


def read(raw: RawFile) -> Answers:
    """Parses an answers file; a mistake in an entry costs that entry. Raises Unusable if nothing of it can be read."""
    written, remark = decode(raw.data, raw.path, say.YAML_TEXT)
    found, fault = _contents(raw.path, written)
    learner, problems = _header(raw.path, found)
    problems = [*found.problems, *problems]
    if not found.answers and (problems or fault is not None):
        raise Unusable(raw.path, fault or problems[0])
    remarks = [] if remark is None else [remark]
    if fault is not None and not problems and all(answer.problem is None for answer in found.answers):
        remarks.append(say.READ_ONE_BY_ONE.fill(problem=fault))
    if fault is None and not any(key.casefold() == "format" for key, _, _ in found.header):
        remarks.append(say.NO_FORMAT_LINE)
    more = len(problems) - _MOST_PROBLEMS
    problems = [*problems[:_MOST_PROBLEMS], *([say.MORE_PROBLEMS.fill(count=more)] if more > 0 else [])]
    notices = [Notice(raw.path, text, urgent=True) for text in problems]
    return Answers(learner, found.answers, (*notices, *(Notice(raw.path, text) for text in remarks)))


def _header(path: str, found: Contents) -> tuple[str | None, list[Text]]:
    """The learner's name, if the file gives exactly one, and problems. Raises Unusable for a newer format."""
    problems: list[Text] = []
    names: list[str] = []
    for key, value, line in found.header:
        match key.casefold():
            case "format" if type(value) is not int or value != 1:
                text = say.FORMAT.fill(line=line, found=_shown(value))
                if _is_newer(value):
                    raise Unusable(path, text)
                problems.append(text)
            case "learner" if isinstance(value, (str, int)) and not isinstance(value, bool):
                names.append(str(value))
            case "learner" if value is not None:
                problems.append(say.LEARNER_TEXT.fill(line=line, found=_shown(value)))
            case "answers" if _is_odd(value):
                problems.append(say.ANSWERS_MAP.fill(line=line, found=_shown(value)))
            case "format" | "learner" | "answers":
                continue
            case _:
                meant = nearest(key, _KEYS)
                near = EMPTY if meant is None else say.MEANT.fill(key=meant)
                problems.append(say.UNKNOWN_KEY.fill(line=line, key=printable(key, 60), near=near))
    if len(set(names)) > 1:
        problems.append(say.TWO_LEARNERS.fill(names=listing(names)))
    return (names[0] if len(set(names)) == 1 else None), problems


def _contents(path: str, written: str) -> tuple[Contents, Text | None]:
    """What the file contains, and why it could not be read as a whole, if so. Raises Unusable."""
    from grader.core import yaml_positions  # yaml is slow to import
    from grader.submission import answer_entries

    try:
        document = yaml_positions.parse_document(written)
        value = document.value
        if not isinstance(value, dict):
            fault = say.ANSWERS_SHAPE.fill(found=say.EMPTY_ANSWERS if value is None else _shown(value))
        elif (inside := answer_entries.swallowed(document, written)) is not None:
            line, item, other = inside
            fault = say.SWALLOWED.fill(line=line, id=printable(item, 60), other=printable(other, 60))
        else:
            found = answer_entries.whole(document)
            odd = [part for part in found.header if part[0].casefold() == "answers" and _is_odd(part[1])]
            if not odd:
                return found, None
            fault = say.ANSWERS_MAP.fill(line=odd[0][2], found=_shown(odd[0][1]))
    except yaml_positions.YamlError as error:
        reason = Text(*(printable(said, 400) for said in (error.text.en, error.text.zh)))
        fault = say.NOT_YAML.fill(line=error.line, reason=reason)
    parts = answer_entries.one_by_one(written)
    if parts is None:
        text = say.TOO_MANY_ENTRIES.fill(problem=fault, limit=answer_entries.MAX_ENTRIES)
        raise Unusable(path, text)
    return parts, fault


def _is_odd(answers: object) -> bool:
    return answers is not None and not isinstance(answers, dict)


def _is_newer(form: object) -> bool:
    """Whether this is the number of another format, so that the rest may mean something else."""
    number = str(form).strip()
    return number.isdecimal() and number.lstrip("0") != "1"


def _shown(value: Any) -> Text:
    if isinstance(value, list):
        return say.A_LIST
    if isinstance(value, dict):
        return say.A_MAPPING
    shown = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return Text(*[printable(shown, 60)] * 2)
