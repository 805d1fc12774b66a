"""Parses ``answers.yaml`` into answers with their line numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.core.model import Answer, Notice, Text
from grader.core.suggest import nearest
from grader.core.text import EMPTY
from grader.submission import messages as say
from grader.submission.files import RawFile
from grader.submission.messages import Unusable, printable
from grader.submission.text import decode

_KEYS = ("format", "learner", "answers")


@dataclass(frozen=True, slots=True)
class Answers:
    """An answers file: the learner it names (if any), its answers in order, and notices about it."""

    learner: str | None
    answers: tuple[Answer, ...]
    notices: tuple[Notice, ...]


def read(raw: RawFile) -> Answers:
    """Parses an answers file. Raises Unusable if it is not of the documented form."""
    from grader.core import yaml_positions  # yaml is slow to import

    written, remark = decode(raw.data, raw.path, say.YAML_TEXT)
    try:
        document = yaml_positions.parse_document(written)
    except yaml_positions.YamlError as fault:
        reason = Text(*(printable(said, 400) for said in (fault.text.en, fault.text.zh)))
        raise Unusable(raw.path, say.NOT_YAML.fill(line=fault.line, reason=reason)) from None
    value = document.value
    if not isinstance(value, dict):
        found = say.EMPTY_ANSWERS if value is None else _shown(value)
        raise Unusable(raw.path, say.ANSWERS_SHAPE.fill(found=found))
    form = value.get("format", 1)
    if type(form) is not int or form != 1:
        text = say.FORMAT.fill(line=document.line(("format",)), found=_shown(form))
        raise Unusable(raw.path, text)
    for key in value:
        if key not in _KEYS:
            near = say.BELOW_ANSWERS if "." in key else EMPTY
            if (meant := nearest(key, _KEYS)) is not None:
                near = say.MEANT.fill(key=meant)
            text = say.UNKNOWN_KEY.fill(line=document.line((key,)), key=printable(key, 60), near=near)
            raise Unusable(raw.path, text)
    learner = value.get("learner")
    if learner is not None and (not isinstance(learner, (str, int)) or isinstance(learner, bool)):
        text = say.LEARNER_TEXT.fill(line=document.line(("learner",)), found=_shown(learner))
        raise Unusable(raw.path, text)
    answers = {} if value.get("answers") is None else value["answers"]
    if not isinstance(answers, dict):
        text = say.ANSWERS_MAP.fill(line=document.line(("answers",)), found=_shown(answers))
        raise Unusable(raw.path, text)
    remarks = [remark] if remark is not None else []
    remarks += [say.NO_FORMAT_LINE] if "format" not in value else []
    return Answers(
        None if learner is None else str(learner),
        tuple(Answer(item, given, document.line(("answers", item))) for item, given in answers.items()),
        tuple(Notice(raw.path, remark) for remark in remarks),
    )


def _shown(value: Any) -> Text:
    if isinstance(value, list):
        return say.A_LIST
    if isinstance(value, dict):
        return say.A_MAPPING
    shown = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return Text(*[printable(shown, 60)] * 2)
