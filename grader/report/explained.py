"""A diagnosis for people: the learner's own line with the part underlined, then what the diagnosis says about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.core.layout import cells, shorten
from grader.core.model import Diagnosis, ExerciseResult, Lang, Message, Span, Text
from grader.core.text import clean

#: The most lines that a report spends on the diagnosis of one exercise.
MOST_LINES = 6
_TAB = 4


@dataclass(frozen=True, slots=True)
class QuotedLine:
    """A line of source in three parts; ``marked`` is what a diagnosis is about. Tabs are spaces, all is printable."""

    before: str
    marked: str
    after: str

    @property
    def text(self) -> str:
        """The whole line."""
        return self.before + self.marked + self.after

    @property
    def caret(self) -> str:
        """Spaces and carets to print below ``marked`` on a terminal."""
        return " " * cells(self.before) + "^" * max(1, cells(self.marked))


def quoted(span: Span, width: int = 100) -> QuotedLine | None:
    """The first line of ``span`` without its indentation, cut to ``width`` cells; None if it is not known."""
    source = span.source
    end = span.end_column if span.end_line == span.line else len(source)
    if not source.strip() or not 0 <= span.column < end <= len(source):
        return None
    start = min(len(source) - len(source.lstrip()), span.column)
    before, marked, after = source[start : span.column], source[span.column : end], source[end:]
    line = QuotedLine(_plain(before), _plain(marked), _plain(after).rstrip())
    return _cut(line, width)


def _plain(source: str) -> str:
    """Source without anything that is not printable. Spaces at the ends stay, since places depend on them."""
    text = source.replace("\t", " " * _TAB)
    return "".join(char if char.isprintable() else " " if char.isspace() else "\ufffd" for char in text)


def _cut(line: QuotedLine, width: int) -> QuotedLine:
    """The line with what does not fit replaced by ``…``: the end first, then the beginning, then the marked part."""
    room = width - cells(line.before) - cells(line.marked)
    if room < 0:
        kept = _last(line.before, max(0, width // 3))
        before = kept if kept == line.before else "…" + kept
        return QuotedLine(before, _first(line.marked, width - cells(before)), "")
    return QuotedLine(line.before, line.marked, _first(line.after, room))


def _first(text: str, width: int) -> str:
    """As much of the beginning as fits, with a sign if something is missing."""
    return shorten(text, width) if width > 1 or cells(text) <= width else "…"[: max(0, width)]


def _last(text: str, width: int) -> str:
    return text if cells(text) <= width else _first(text[::-1], width + 1).rstrip("…")[::-1]


def place_text(span: Span) -> Text:
    """File and line."""
    return Message("{file}, line {line}: ").fill(file=clean(span.file, 60), line=span.line)


def to_say(exercise: ExerciseResult, said: str, lang: Lang) -> Iterator[Diagnosis]:
    """What is not said yet: the truth that answers a misconception is part of a report already."""
    for diagnosis in exercise.diagnosis:
        if diagnosis.span is not None or diagnosis.text.of(lang) not in said:
            yield diagnosis
