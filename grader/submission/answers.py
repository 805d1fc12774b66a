"""Parses ``answers.yaml`` into answers with their line numbers.

A file that is not valid YAML as a whole is split, so that a mistake costs only the entry that it is in. Each entry is
parsed by the same strict parser as a whole file. An entry begins at a line with the id of an item, or at a line that is
indented no further than the first entry. Nothing is guessed: an entry that cannot be parsed by itself is kept as text,
with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.core.model import Answer, Notice, Text
from grader.core.tables import texts
from grader.core.text import EMPTY, nearest, same
from grader.submission import messages as say
from grader.submission.files import RawFile
from grader.submission.messages import Unusable, listing, printable
from grader.submission.text import decode

if TYPE_CHECKING:
    from grader.core import yaml_positions


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
    written, encoding = decode(raw.data, raw.path, say.YAML_TEXT)
    contents, fault = _contents(raw.path, written)
    learner, problems = _header(raw.path, contents)
    problems = [*contents.problems, *problems]
    if not contents.answers and (problems or fault is not None):
        raise Unusable(raw.path, fault or problems[0])
    remarks = []
    if fault is not None and not problems and all(answer.problem is None for answer in contents.answers):
        remarks.append(say.READ_ONE_BY_ONE.fill(problem=fault))
    if fault is None and not any(key.casefold() == "format" for key, _, _ in contents.header):
        remarks.append(say.NO_FORMAT_LINE)
    more = len(problems) - _MOST_PROBLEMS
    problems = [*problems[:_MOST_PROBLEMS], *([say.MORE_PROBLEMS.fill(count=more)] if more > 0 else [])]
    notices = [Notice(raw.path, text, urgent=True) for text in problems]
    return Answers(learner, contents.answers, (*notices, *encoding, *(Notice(raw.path, text) for text in remarks)))


def _header(path: str, contents: Contents) -> tuple[str | None, list[Text]]:
    """The learner's name, if the file gives exactly one, and problems. Raises Unusable for a newer format."""
    problems: list[Text] = []
    names: list[str] = []
    for key, value, line in contents.header:
        match key.casefold():
            case "format" if type(value) is not int or value != 1:
                text = _odd("format", value, line)
                if _is_newer(value):
                    raise Unusable(path, text)
                problems.append(text)
            case "learner" if isinstance(value, (str, int)) and not isinstance(value, bool):
                names.append(str(value))
            case "learner" if value is not None:
                problems.append(_odd("learner", value, line))
            case "answers" if _is_odd(value):
                problems.append(_odd("answers", value, line))
            case "format" | "learner" | "answers":
                continue
            case _:
                meant = nearest(key, KEYS)
                near = EMPTY if meant is None else say.MEANT.fill(key=meant)
                problems.append(say.UNKNOWN_KEY.fill(line=line, key=printable(key, 60), near=near))
    if len(set(names)) > 1:
        problems.append(say.TWO_LEARNERS.fill(names=listing(names)))
    return (names[0] if len(set(names)) == 1 else None), problems


def _contents(path: str, written: str) -> tuple[Contents, Text | None]:
    """What the file contains, and why it could not be read as a whole, if so. Raises Unusable."""
    from grader.core import yaml_positions  # yaml is slow to import

    try:
        document = yaml_positions.parse_document(written)
        value = document.value
        if not isinstance(value, dict):
            fault = say.ANSWERS_SHAPE.fill(found=say.EMPTY_ANSWERS if value is None else _shown(value))
        elif (inside := swallowed(document, written)) is not None:
            line, item, other = inside
            fault = say.SWALLOWED.fill(line=line, id=printable(item, 60), other=printable(other, 60))
        else:
            contents = whole(document)
            odd = [part for part in contents.header if part[0].casefold() == "answers" and _is_odd(part[1])]
            if not odd:
                return contents, None
            fault = _odd(*odd[0])
    except yaml_positions.YamlError as error:
        reason = Text(*(printable(language, 400) for language in (error.text.en, error.text.zh)))
        fault = say.NOT_YAML.fill(line=error.line, reason=reason)
    parts = one_by_one(written)
    if parts is None:
        text = say.TOO_MANY_ENTRIES.fill(problem=fault, limit=MAX_ENTRIES)
        raise Unusable(path, text)
    return parts, fault


def _odd(key: str, value: object, line: int) -> Text:
    """What is wrong with the value of this key of the header."""
    return texts(__file__, "header.yaml")[key.casefold()].fill(line=line, found=_shown(value))


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
    return same(printable(shown, 60))


# ------------------------------------------------------------------------------------------------------- entry by entry


KEYS = ("format", "learner", "answers")
#: How many entries are parsed one by one; each takes as long as a small file.
MAX_ENTRIES = 2000
#: How much of a line is searched for the id of an item, and of an entry kept as it was written.
_SEARCHED, _KEPT = 300, 2000

_ID = r"[^\W\d_]\w*\.[\w.-]+"
_ENTRY = re.compile(rf"\s*(?:- +)?[\"'“”]?(?P<id>{_ID})[\"'“”]?\s*[:：]")
_NAMED = re.compile(rf"(?<![\w.])({_ID})[\"']?\s?[:：]")
_HEAD = re.compile(rf"\s*[\"']?(?P<key>{'|'.join(KEYS)})[\"']?\s*(?P<colon>[:：])", re.IGNORECASE)
_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")  # as in YAML, so that line numbers agree
_COLON = re.compile("[:：]")


@dataclass(frozen=True, slots=True)
class Contents:
    """What an answers file contains: (key, value, line) of its header, answers, and problems with other parts."""

    header: tuple[tuple[str, Any, int], ...]
    answers: tuple[Answer, ...]
    problems: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    """The lines of one entry, from ``line``. ``key`` is that of the header, ``item`` the id of an item, or both empty.

    In a part of ``{ }``, ``flow`` is true.
    """

    line: int
    lines: tuple[str, ...]
    key: str
    item: str
    flow: bool

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def whole(document: yaml_positions.Document) -> Contents:
    """The contents of a file that is valid YAML. Ids of items beside ``answers`` count as answers."""
    value = document.value
    header, answers = [], []
    for key, given in value.items():
        if "." in key:
            answers.append(Answer(key, given, document.line((key,))))
        else:
            header.append((key, given, document.line((key,))))
            if key.casefold() == "answers" and isinstance(given, dict):
                answers += [Answer(item, answer, document.line((key, item))) for item, answer in given.items()]
    return Contents(tuple(header), tuple(_unique(answers)))


def swallowed(document: yaml_positions.Document, text: str) -> tuple[int, str, str] | None:
    """(line, item, other item) if the line of an item became part of the answer to another one; None otherwise.

    A quote that is not closed, or too much indentation, can do that in valid YAML. In text that was written with ``|``,
    lines may begin with anything.
    """
    read = whole(document).answers
    items = {answer.item.casefold() for answer in read}
    joined = [answer for answer in read if isinstance(answer.value, str) and "\n" not in answer.value]
    for number, line in enumerate(_BREAK.split(text), 1):
        entry = _ENTRY.match(line[:_SEARCHED])
        if entry is not None and entry["id"].casefold() not in items:
            other = next((answer.item for answer in joined if entry["id"] in answer.value), None)
            if other is not None:
                return number, entry["id"], other
    return None


def named_in(value: object) -> list[str]:
    """The ids of items that stand in a text before a colon, as at the beginning of an entry; none if it is no text."""
    return list(dict.fromkeys(_NAMED.findall(value))) if isinstance(value, str) else []


def one_by_one(text: str) -> Contents | None:
    """The contents of a file that is not valid YAML as a whole; None if it has too many entries."""
    from grader.core.yaml_positions import YamlError

    parts: list[_Part] = []
    for part in _split(text):
        if len(parts) >= MAX_ENTRIES:
            return None
        parts.append(part)
    header: list[tuple[str, Any, int]] = []
    answers: list[Answer] = []
    problems: list[Text] = []
    for part in parts:
        try:
            values = _parsed(part)
        except YamlError as fault:
            why = say.NOT_YAML.fill(line=fault.line, reason=_reason(fault.text))
            answers += _refused(part, why)
            problems += [] if part.item else [why]
            continue
        for key, value in values.items():
            if "." in key or not part.key:
                answers.append(Answer(key, value, part.line))
            else:
                header.append((key, value, part.line))
                inside = value.items() if isinstance(value, dict) and part.key == "answers" else ()
                answers += [Answer(item, given, part.line) for item, given in inside]
    return Contents(tuple(header), tuple(_unique(answers)), tuple(problems))


def _refused(part: _Part, why: Text) -> Iterator[Answer]:
    """The answers in a part that cannot be parsed. An entry in which nothing is written is no answer."""
    lost = [part.item] if part.item else _NAMED.findall(part.text[: _KEPT * 10])
    written = (_COLON.split(part.text, maxsplit=1)[-1] if part.item else part.text).strip()[:_KEPT]
    for item in dict.fromkeys(lost):
        yield Answer(item, written, part.line, why) if written else Answer(item, None, part.line)


def _split(text: str) -> Iterator[_Part]:
    lines = _BREAK.split(text.removeprefix("\ufeff"))
    first = next((number for number, line in enumerate(lines) if _is_content(line)), 0)
    flow = lines[first].lstrip().startswith("{")
    lines[first] = lines[first].replace("{", " ", 1) if flow else lines[first]
    base: int | None = None
    begun: tuple[int, str, str, int] | None = None  # line, key, item, indentation
    own: list[str] = []
    for number, line in enumerate(lines, 1):
        indent = len(line) - len(line.lstrip())
        head = _HEAD.match(line[:_SEARCHED]) if indent == 0 or flow else None
        entry = None if head else _ENTRY.match(line[:_SEARCHED])
        outside = _is_content(line) and indent <= (base or 0) and not line.lstrip().startswith(("- ", "]", "}"))
        if line.strip() in ("---", "...", "{", "}", "},"):
            continue
        if head is None and entry is None and not (outside or (begun is None and _is_content(line))):
            own.append(line)
            continue
        if begun is not None:
            yield _Part(begun[0], tuple(own), begun[1], begun[2], flow)
        if head is not None:
            flow = flow or line.rstrip().endswith("{")
            base = None if head["key"].casefold() == "answers" else base
        elif base is None and entry is not None:
            base = indent
        begun, own = (number, head["key"].casefold() if head else "", entry["id"] if entry else "", indent), [line]
    if begun is not None:
        yield _Part(begun[0], tuple(own), begun[1], begun[2], flow)


def _is_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _parsed(part: _Part) -> dict[str, Any]:
    """The keys and values of a part. Raises YamlError."""
    from grader.core import yaml_positions

    if part.key == "answers" and _COLON.split(part.lines[0], maxsplit=1)[1].strip() in ("", "{"):
        for number, line in enumerate(part.lines[1:], part.line + 1):
            if _is_content(line):  # before the first entry
                raise yaml_positions.YamlError(number, say.NO_ENTRY)
        return {"answers": None}  # also with a full-width colon: there is nothing to misread
    text = part.text
    if part.flow:
        text = "{" + text.rstrip().removesuffix("}") + "\n}"
    value = yaml_positions.parse_document(text, part.line).value
    if isinstance(value, dict):
        return {part.key or key: given for key, given in value.items()}
    named = part.item or part.key
    raise yaml_positions.YamlError(part.line, say.NO_COLON.fill(key=named) if named else say.NO_ENTRY)


def _reason(text: Text) -> Text:
    return Text(*(printable(said, 400).rstrip(".。") for said in (text.en, text.zh)))


def _unique(answers: Sequence[Answer]) -> Iterator[Answer]:
    """The answers, each item once. Different answers to one item are refused: none of them counts."""
    by_item: dict[str, list[Answer]] = {}
    for answer in answers:
        by_item.setdefault(answer.item, []).append(answer)
    yield from map(combined, by_item.values())


def combined(entries: Sequence[Answer]) -> Answer:
    """One answer for entries of the same item: empty ones do not count, and different ones are refused."""
    given = [answer for answer in entries if answer.value is not None] or list(entries)
    if all(repr(answer.value) == repr(given[0].value) for answer in given):
        return next((answer for answer in given if answer.problem is not None), given[0])
    first, *_, last = given
    why = say.ANSWERED_TWICE.fill(line=last.line, first=first.line, id=printable(first.item, 60))
    return Answer(first.item, "\n".join(str(answer.value) for answer in given)[:_KEPT], first.line, why)
