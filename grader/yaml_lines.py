"""YAML as plain values that remember their lines.

A small, boring subset on purpose: mappings with text keys, lists and scalars. Plain scalars are read
as YAML 1.2 does it, so that ``on``, ``no`` and ``2017-06-12`` are texts and ``1e-5`` is a number;
besides, whole numbers with leading zeros stay texts, because student numbers look like that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml
from yaml import events

from grader.errors import AttncheckError
from grader.faults import Path, show_path

#: Deeper nesting than this is refused; the bank needs about ten levels.
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

_HINTS = {
    "mapping values are not allowed": "a text that contains ': ' needs quotes",
    "cannot start any token": "indent with spaces, not tabs, and put a text that begins with @, ` or % in quotes",
    "did not find expected ',' or '}'": "a text with , : { } [ ] or # in it needs quotes inside { }",
    "did not find expected ',' or ']'": "a text with , : { } [ ] or # in it needs quotes inside [ ]",
    "did not find expected key": "is it indented like the keys above it, and are the quotes closed?",
}


@dataclass(frozen=True, slots=True)
class Document:
    """The value of a YAML text, with the line (from 1) on which each part of it begins.

    For what stands in a mapping that is the line of its key.
    """

    value: Any
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int:
        """The line of ``path``, or of the nearest part around it that exists."""
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]


def parse(text: str, name: str, error: type[AttncheckError]) -> Document:
    """Reads the one document in ``text``; what is wrong with it is raised as ``error``, with ``name`` and line."""
    reader = _Reader(text, name, error)
    try:
        return reader.document()
    except yaml.MarkedYAMLError as fault:
        mark, problem = fault.problem_mark or fault.context_mark, fault.problem or "cannot be read"
        hint = next((f"; {hint}" for part, hint in _HINTS.items() if part in problem), "")
        context = f" {fault.context}" if fault.context else ""
        if context and mark and fault.context_mark and fault.context_mark.line < mark.line:
            context += f" that begins on line {fault.context_mark.line + 1}"
        reader.fail(mark.line + 1 if mark else 1, f"this is not YAML: {problem}{context}{hint}")
    except yaml.reader.ReaderError as fault:
        before = text.encode()[: fault.position] if isinstance(fault.character, bytes) else text[: fault.position]
        line = len(before.splitlines()) or 1
        reader.fail(line, f"this is not YAML: there is a character that text may not contain ({fault.reason})")
    except UnicodeEncodeError as fault:
        reader.fail(text.count("\n", 0, fault.start) + 1, "this is not YAML: there is half a character (a surrogate)")


class _Reader:
    """Builds the value from the parser's events: anchors, tags and depth are seen before anything is built."""

    def __init__(self, text: str, name: str, error: type[AttncheckError]) -> None:
        self.name, self.error = name, error
        self.events: Iterator[events.Event] = yaml.parse(text, Loader=_LOADER)
        self.lines: dict[Path, int] = {(): 1}

    def fail(self, line: int, message: str) -> NoReturn:
        raise self.error(f"{self.name}:{line}: {message}")

    def document(self) -> Document:
        value, documents = None, 0
        for event in self.events:
            if isinstance(event, events.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.fail(_line(event), "a second document begins here (---); expected one document per file")
                value = self.value(next(self.events), ())
        return Document(value, self.lines)

    def value(self, event: events.Event, path: Path) -> Any:
        if isinstance(event, events.AliasEvent):
            self.fail(_line(event), f"{_show(path)}an alias (*{event.anchor}); expected the value itself, written out")
        assert isinstance(event, events.NodeEvent)
        if event.anchor is not None:
            self.fail(_line(event), f"{_show(path)}an anchor (&{event.anchor}); expected a value without one")
        tag = getattr(event, "tag", None)
        if tag is not None:
            self.fail(_line(event), f"{_show(path)}a tag ({tag}); expected a value without one")
        if len(path) > MAX_DEPTH:
            self.fail(_line(event), f"nested more than {MAX_DEPTH} levels deep; expected something flatter")
        if isinstance(event, events.ScalarEvent):
            return _plain(event.value) if event.implicit[0] else event.value
        if isinstance(event, events.SequenceStartEvent):
            return self.sequence(path)
        return self.mapping(path)

    def sequence(self, path: Path) -> list[Any]:
        found: list[Any] = []
        while not isinstance(event := next(self.events), events.SequenceEndEvent):
            place = (*path, len(found))
            self.lines[place] = _line(event)
            found.append(self.value(event, place))
        return found

    def mapping(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := next(self.events), events.MappingEndEvent):
            line = _line(event)
            if isinstance(event, (events.SequenceStartEvent, events.MappingStartEvent)):
                self.fail(line, f"{_show(path)}a list or mapping as a key; expected a text")
            key = self.value(event, path)
            if not isinstance(key, str):
                said = event.value if isinstance(event, events.ScalarEvent) else key
                self.fail(line, f"{_show(path)}the key {said or 'null'} is not a text; expected it in quotes")
            place = (*path, key)
            if key in found:
                self.fail(line, f"{_show(path)}the key '{key}' stands here twice, first on line {self.lines[place]}")
            self.lines[place] = line
            found[key] = self.value(next(self.events), place)
        return found


def _show(path: Path) -> str:
    return f"{show_path(path)}: " if path else ""


def _line(event: events.Event) -> int:
    mark = event.start_mark
    return mark.line + 1 if mark else 1


def _plain(text: str) -> str | int | float | bool | None:
    """A scalar without quotes, by the core schema of YAML 1.2 (less octal and hexadecimal numbers)."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if special := _SPECIAL.fullmatch(text):
        return float(f"{special[1]}inf" if special[2] else "nan")
    return text
