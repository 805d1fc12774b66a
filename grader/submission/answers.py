"""``answers.yaml`` as answers with their lines."""

from __future__ import annotations

from typing import Any

from grader.errors import SubmissionError
from grader.model import Answer, Text
from grader.submission import messages as say
from grader.submission.files import Raw
from grader.submission.messages import Unusable, printable
from grader.submission.text import decode

KEYS = ("format", "learner", "answers")


def read(raw: Raw) -> tuple[str | None, tuple[Answer, ...]]:
    """The learner that the file names, if any, and the answers in its order."""
    from grader import yaml_lines

    document = yaml_lines.parse(decode(raw.data, raw.path, say.YAML_TEXT), raw.path, SubmissionError)
    value = document.value
    if not isinstance(value, dict):
        found = say.EMPTY_ANSWERS if value is None else _shown(value)
        raise Unusable(raw.path, say.ANSWERS_SHAPE.fill(found=found))
    if "format" not in value:
        raise Unusable(raw.path, say.FORMAT.fill(line=say.NOTHING, found=say.NO_FORMAT))
    form = value["format"]
    if type(form) is not int or form != 1:
        line = say.AT_LINE.fill(line=document.line(("format",)))
        raise Unusable(raw.path, say.FORMAT.fill(line=line, found=_shown(form)))
    for key in value:
        if key not in KEYS:
            near = say.MEANT.fill(key=nearest) if (nearest := _nearest(key)) else say.NOTHING
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
    found_answers = tuple(Answer(item, given, document.line(("answers", item))) for item, given in answers.items())
    return None if learner is None else str(learner), found_answers


def _shown(value: Any) -> Text:
    if isinstance(value, list):
        return say.A_LIST
    if isinstance(value, dict):
        return say.A_MAPPING
    shown = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return Text(*[printable(shown, 60)] * 2)


def _nearest(key: str) -> str | None:
    import difflib

    return next(iter(difflib.get_close_matches(key[:40].lower(), KEYS, 1)), None)
