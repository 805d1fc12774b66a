"""Parses YAML into plain values with their line numbers.

Only a small subset is accepted: mappings with string keys, lists and scalars. Plain scalars follow YAML 1.2, so ``on``,
``no`` and ``2017-06-12`` are strings and ``1e-5`` is a number. In addition, integers with leading zeros stay strings,
because student numbers look like that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml
from yaml import events

from grader.core.errors import AttncheckError
from grader.core.model import Message, Text
from grader.core.tables import texts
from grader.core.text import LABELED, Path, show_path

#: The deepest nesting that is accepted; the bank needs about ten levels.
MAX_DEPTH = 40

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,99})", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)", re.ASCII)
_SPECIAL = re.compile(r"([-+]?)\.(?:(inf|Inf|INF)|nan|NaN|NAN)", re.ASCII)

_UNFINISHED = "found unexpected end of stream"
#: libyaml refuses deep nesting itself since 0.2.6.
_TOO_DEEP = "exceeded maximum nesting depth"
_ODD_CHARACTER = Message("the text contains a character that is not allowed ({reason})")
_SURROGATE = Message("the text contains half a character (a surrogate)")
_ALIAS = Message("an alias (*{name}); expected the value itself, and quotes around a text that begins with *")
_ANCHOR = Message("an anchor (&{name}); expected a value without one, and quotes around a text that begins with &")
_TAG = Message("a tag ({name}); expected a value without one, and quotes around a text that begins with !")
_DEEP = Message("nested more than {limit} levels deep; expected something flatter")
_KEY_TWICE = Message("the key '{key}' is given twice, first on line {line}")


@dataclass(frozen=True, slots=True)
class Document:
    """The value of a YAML document, and the line (from 1) on which each part begins.

    The line of a value in a mapping is that of its key.
    """

    value: Any
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int:
        """The line of ``path``, or of its nearest ancestor that exists."""
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]


class YamlError(Exception):
    """A text is not YAML of the accepted subset; ``line`` and ``text`` say where and why."""

    def __init__(self, line: int, text: Text) -> None:
        super().__init__(f"{line}: {text.en}")
        self.line, self.text = line, text


def parse(text: str, name: str, error: type[AttncheckError]) -> Document:
    """Parses the one document in ``text``. Raises ``error``, with ``name`` and line in its message."""
    try:
        return parse_document(text)
    except YamlError as fault:
        raise error(LABELED.fill(who=f"{name}:{fault.line}", said=fault.text)) from None


def parse_document(text: str, first: int = 1) -> Document:
    """Parses the one document in ``text``, which begins on line ``first`` of its file. Raises YamlError."""
    reader = _Reader(text, first)
    try:
        return reader.document()
    except yaml.MarkedYAMLError as fault:
        mark, problem = fault.problem_mark or fault.context_mark, fault.problem or "cannot be read"
        if _TOO_DEEP in problem:
            raise YamlError(mark.line + first if mark else first, _DEEP.fill(limit=MAX_DEPTH)) from None
        if _UNFINISHED in problem:
            mark = fault.context_mark or mark  # where it begins, not the end of the file
        context = f" {fault.context}" if fault.context else ""
        if context and mark and fault.context_mark and fault.context_mark.line < mark.line:
            context += f" that begins on line {fault.context_mark.line + first}"
        said = Text(problem + context, problem + context)
        hints = texts(__file__, "yaml_hints.yaml").items()
        hint = next((hint for part, hint in hints if part in problem), None)
        if hint is not None:
            said = Message("{problem}; {hint}").fill(problem=said, hint=hint)
        raise _not_yaml(mark.line + first if mark else first, said) from None
    except yaml.reader.ReaderError as fault:
        before = text.encode()[: fault.position] if isinstance(fault.character, bytes) else text[: fault.position]
        line = len(before.splitlines()) or 1
        raise _not_yaml(line + first - 1, _ODD_CHARACTER.fill(reason=fault.reason)) from None
    except UnicodeEncodeError as fault:
        raise _not_yaml(text.count("\n", 0, fault.start) + first, _SURROGATE) from None


def _not_yaml(line: int, problem: Text) -> YamlError:
    return YamlError(line, Message("this is not YAML: {problem}").fill(problem=problem))


class _Reader:
    """Builds the value from parser events, so that anchors, tags and depth are rejected before anything is built."""

    def __init__(self, text: str, first: int) -> None:
        self.events: Iterator[events.Event] = yaml.parse(text, Loader=_LOADER)
        self.first = first
        self.lines: dict[Path, int] = {(): first}

    def fail(self, event: events.Event, path: Path, said: Text, **values: object) -> NoReturn:
        place, said = f"{show_path(path)}: " if path else "", said.fill(**values)
        raise YamlError(self.line(event), Text(place + said.en, place + said.zh))

    def document(self) -> Document:
        value, documents = None, 0
        for event in self.events:
            if isinstance(event, events.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.fail(event, (), Message("a second document begins here (---); expected one document per file"))
                value = self.value(next(self.events), ())
        return Document(value, self.lines)

    def value(self, event: events.Event, path: Path) -> Any:
        if isinstance(event, events.AliasEvent):
            self.fail(event, path, _ALIAS, name=event.anchor)
        assert isinstance(event, events.NodeEvent)
        if event.anchor is not None:
            self.fail(event, path, _ANCHOR, name=event.anchor)
        tag = getattr(event, "tag", None)
        if tag is not None:
            self.fail(event, path, _TAG, name=tag)
        if len(path) > MAX_DEPTH:
            self.fail(event, (), _DEEP, limit=MAX_DEPTH)
        if isinstance(event, events.ScalarEvent):
            return _scalar(event.value) if event.implicit[0] else event.value
        return self.sequence(path) if isinstance(event, events.SequenceStartEvent) else self.mapping(path)

    def sequence(self, path: Path) -> list[Any]:
        found: list[Any] = []
        while not isinstance(event := next(self.events), events.SequenceEndEvent):
            place = (*path, len(found))
            self.lines[place] = self.line(event)
            found.append(self.value(event, place))
        return found

    def mapping(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := next(self.events), events.MappingEndEvent):
            if isinstance(event, (events.SequenceStartEvent, events.MappingStartEvent)):
                self.fail(event, path, Message("a list or mapping is used as a key; expected a string"))
            key = self.value(event, path)
            if not isinstance(key, str):
                said = event.value if isinstance(event, events.ScalarEvent) else key
                self.fail(event, path, Message("the key {key} is not a string; put it in quotes"), key=said or "null")
            place = (*path, key)
            if key in found:
                self.fail(event, path, _KEY_TWICE, key=key, line=self.lines[place])
            self.lines[place] = self.line(event)
            found[key] = self.value(next(self.events), place)
        return found

    def line(self, event: events.Event) -> int:
        mark = event.start_mark
        return mark.line + self.first if mark else self.first


def _scalar(text: str) -> str | int | float | bool | None:
    """The value of an unquoted scalar in the core schema of YAML 1.2, without octal and hexadecimal numbers."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if special := _SPECIAL.fullmatch(text):
        return float(f"{special[1]}inf" if special[2] else "nan")
    return text
