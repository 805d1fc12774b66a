"""The sample solutions in ``tests/solutions``: right ones are files, wrong ones are edits of right ones, or files.

``tests/solutions/NAME/wrong.edits`` holds edits of the files in ``right/``, grouped by the file that they edit:

    # torch_plain

    ## softmin (caught-by: values, gradients)
    The sign is lost with the shift: the smallest gets the most.
    -    return torch.softmax(x, dim=axis)
    +    return torch.softmax(x.amax(axis, keepdim=True) - x, dim=axis)

Lines are marked as in a diff: ``-`` is removed, ``+`` is added, and a space marks a line that stays. Each line has its
own indentation. Lines that are removed or stay must be there once; ``-...`` also removes everything after them. A ``-``
after a ``+``, or an empty line, begins the next place. What is said of a solution is its docstring.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from grader.core.model import Submission
from grader.submission import FoundFiles, parse_files
from grader.submission.files import RawFile

FOLDER = Path(__file__).parent / "solutions"
EDITS = "wrong.edits"
#: Removes the rest of the file.
REST = "-..."
_HEADING = re.compile(r"## (\w+) \(caught-by: (\w+(?:, \w+)*)\)")

Kind: TypeAlias = Literal["right", "wrong"]
#: Marked lines that change one place of a file.
Change: TypeAlias = tuple[str, ...]


class SampleError(Exception):
    """A file of sample solutions is not as it should be; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample solution. ``path`` is its file, or where ``changes`` are given, the file of the right one they edit."""

    exercise: str
    kind: Kind
    name: str
    path: Path
    docstring: str = ""
    changes: tuple[Change, ...] = ()

    def __str__(self) -> str:
        return f"{self.exercise}/{self.kind}/{self.name}"

    @property
    def text(self) -> str:
        """The code. Raises SampleError if a change does not fit the right solution."""
        text = self.path.read_text("utf-8")
        if not self.changes:
            return text
        _, _, code = text.removeprefix('"""').partition('"""\n')
        lines = code.split("\n")
        for change in self.changes:
            try:
                lines = changed(lines, change)
            except SampleError as error:
                place = f"{self.exercise}/{EDITS}, {self.name}, edit of right/{self.path.name}"
                raise SampleError(f"{place}: {error}") from None
        return f'"""{self.docstring}\n"""\n' + "\n".join(lines)

    @property
    def submission(self) -> Submission:
        """The solution as it is read from a file."""
        name = f"{self.name}.py"
        found = FoundFiles(name, (RawFile(name, "source", self.text.encode()),))
        return parse_files(found, self.name, None, name)

    @property
    def about(self) -> str:
        """The first line of the docstring."""
        return self.text.partition("\n")[0].strip('"')

    @property
    def caught_by(self) -> frozenset[str]:
        """The checks that a wrong solution fails, by its own account. Raises SampleError if it does not say."""
        line = re.search(r"^caught-by: *(.+)$", self.text, re.MULTILINE)
        if line is None:
            raise SampleError(f"{self}: add a line 'caught-by: CHECK, …' to the docstring.")
        return frozenset(re.split(r",\s*", line[1].strip()))


def samples(kind: Kind, exercise: str = "*", folder: Path = FOLDER) -> tuple[Sample, ...]:
    """The sample solutions of one kind, of one exercise or of all, by exercise and name. Raises SampleError."""
    found = [Sample(path.parts[-3], kind, path.stem, path) for path in folder.glob(f"{exercise}/{kind}/*.py")]
    if kind == "wrong":
        for path in folder.glob(f"{exercise}/{EDITS}"):
            found += edited(path)
    names = [str(sample) for sample in found]
    for name in names:
        if names.count(name) > 1:
            raise SampleError(f"Two sample solutions are called {name}: rename one of them.")
    return tuple(sorted(found, key=lambda sample: (sample.exercise, sample.name)))


def sample(name: str, folder: Path = FOLDER) -> Sample:
    """The sample solution ``EXERCISE/right/NAME`` or ``EXERCISE/wrong/NAME``."""
    exercise, kind, _ = name.split("/")
    found = samples("right" if kind == "right" else "wrong", exercise, folder)
    return next(sample for sample in found if str(sample) == name)


def edited(path: Path) -> Iterator[Sample]:
    """The wrong solutions in a file of edits. Raises SampleError if it cannot be read."""
    right: Path | None = None
    for number, block in blocks(path.read_text("utf-8")):
        place = f"{path.parent.name}/{path.name}, line {number}"
        heading, *lines = block
        if heading.startswith("# "):
            right = path.parent / "right" / f"{heading[2:]}.py"
            if not right.exists() or any(lines):
                others = ", ".join(sorted(other.stem for other in right.parent.glob("*.py")))
                raise SampleError(f"{place}: write '# NAME' of a file in right/ here; there are {others}.")
            continue
        match = _HEADING.fullmatch(heading)
        if match is None or right is None:
            raise SampleError(f"{place}: write '# NAME' of a right solution, then '## NAME (caught-by: CHECK, …)'.")
        if len(lines) < 2 or not all(line[:1] in ("", "-", "+", " ") for line in lines[1:]):
            raise SampleError(f"{place}: say what is wrong, then mark each line with '-', '+' or a space.")
        sentence, *marked = lines
        docstring = f"{sentence}\n\ncaught-by: {match[2]}"
        yield Sample(path.parent.name, "wrong", match[1], right, docstring, tuple(places(marked)))


def blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """The headings, each with its line number and the lines up to the next one."""
    lines = text.rstrip("\n").split("\n")
    starts = [index for index, line in enumerate(lines) if line.startswith("#")]
    if starts[:1] != [0]:
        starts.insert(0, 0)
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield start + 1, lines[start:end]


def places(marked: Iterable[str]) -> Iterator[Change]:
    """The marked lines, divided by place."""
    change: list[str] = []
    for line in marked:
        begins = line.startswith("-") and change and change[-1].startswith("+")
        if change and (begins or not line):
            yield tuple(change)
            change = []
        if line:
            change.append(line)
    if change:
        yield tuple(change)


def changed(lines: list[str], change: Change) -> list[str]:
    """The lines with one place changed. Raises SampleError unless the place is there exactly once."""
    rest = REST in change
    old = [line[1:] for line in change if line[0] in " -" and line != REST]
    new = [line[1:] for line in change if line[0] in " +"]
    starts = [index for index in range(len(lines) - len(old) + 1) if lines[index : index + len(old)] == old]
    shown = "\n".join(old)
    if not old or not starts:
        raise SampleError(f"these lines are not there; correct them, or edit another right solution:\n{shown}")
    if len(starts) > 1:
        raise SampleError(f"these lines are there {len(starts)} times; add a line around them:\n{shown}")
    end = len(lines) - 1 if rest else starts[0] + len(old)
    return [*lines[: starts[0]], *new, *lines[end:]]
