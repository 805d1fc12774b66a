"""What a submission lacks: an exercise that is missing, an item for an answer, or everything there is to grade."""

from __future__ import annotations

import functools
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.core.model import Answer, Course, Message, Notice, Question, Submission, Text
from grader.core.text import EMPTY, LABELED, name_list, nearest
from grader.submission import messages as say
from grader.submission.messages import Unusable, listing, printable

#: A file and a line in it.
_Place = tuple[str, int]

#: How many names of a submission are compared with a missing one; each comparison takes some microseconds.
_COMPARED = 300
_UNREAD = Message("{name} was not found, because {path} could not be read: {problem}")
_MISSPELT = Message(
    "{name} is not defined in the submission. Is it {near}, on line {line} of {path}? If so, rename it to {name}."
)
_GUARDED = Message(
    '{name} is defined only under `if __name__ == "__main__":` (line {line} of {path}), and that block does not run '
    "when the file is graded. Move the definition to the top level, without indentation."
)


@dataclass(frozen=True, slots=True)
class Leftovers:
    """The parts of a submission that may be a missing exercise.

    ``guarded`` are definitions under ``if __name__ == "__main__":``, ``others`` are names that the course does not ask
    for, ``broken`` are files that could not be read.
    """

    guarded: Mapping[str, _Place]
    others: Mapping[str, _Place]
    broken: tuple[Notice, ...]

    @classmethod
    def of(cls, submission: Submission, course: Course) -> Leftovers:
        """The leftovers of ``submission``."""
        asked = {exercise.name for question in course.questions for exercise in question.exercises}
        guarded: dict[str, _Place] = {}
        for file in submission.files:
            for name, line in file.guarded:
                guarded.setdefault(name, (file.path, line))
        others = {
            name: (file.path, line) for file in submission.files for name, line in file.defines if name not in asked
        }
        return cls(guarded, others, submission.broken)

    def why(self, name: str, question: Question, course: Course) -> Text | None:
        """Why ``name`` is missing: it is under a main block or misspelled, or its file could not be read; else None."""
        if name in self.guarded:
            path, line = self.guarded[name]
            return _GUARDED.fill(name=name, path=path, line=line)
        if self.others and (near := _nearest(name, tuple(self.others)[:_COMPARED])):
            path, line = self.others[near]
            return _MISSPELT.fill(name=name, near=near, path=path, line=line)
        others = [each for each in course.questions if each is not question] if self.broken else []
        suspects = [broken for broken in self.broken if not any(is_named_after(broken.where, q) for q in others)]
        for broken in sorted(suspects, key=lambda each: not is_named_after(each.where, question))[:1]:
            return _UNREAD.fill(name=name, path=broken.where, problem=broken.text)
        return None


@functools.lru_cache(4096)
def _nearest(name: str, others: tuple[str, ...]) -> str | None:
    """The most similar of ``others``, if any. Cached, because in a class the same names recur."""
    return nearest(name, others, cutoff=0.8)


def not_defined(name: str) -> Text:
    """The message if the submission defines nothing like ``name``."""
    return Message("{name} is not defined in the submission").fill(name=name)


def is_named_after(path: str, question: Question) -> bool:
    """Whether a file is named after ``question``: ``q05.py``, ``Q5.py``, ``q5_anything.ipynb``."""
    match = re.match(r"q_?0*(\d+)(?!\d)", path.rpartition("/")[2], re.IGNORECASE)
    return match is not None and f"q{match[1]}" == question.id.lower()


#: How many of a learner's names are compared with those of the course.
_MOST_LOOKED_UP = 20


def nothing_to_grade(course: Course, submission: Submission, named: Container[str]) -> Unusable:
    """The error that there is nothing to grade: what could not be read, what was expected, what was found instead.

    ``named`` are the questions and exercises that were asked for, in lower case; if it is empty, all count.
    """
    pairs = [(question, exercise) for question in course.questions for exercise in question.exercises]
    wanted = [e.name for q, e in pairs if not named or e.name.lower() in named or q.id.lower() in named]
    instead: list[str | Text] = list(_instead(submission, wanted))
    if not instead:
        answers_alone = not submission.files and submission.answers is not None
        instead = [_NO_ANSWERS if answers_alone else _NO_NAMES]
    unread = list(_unread(course, submission))
    text = _NOTHING.fill(
        unread=Text("".join(f" {text.en}" for text in unread), "".join(text.zh for text in unread)),
        expected=_DEFINITION.fill(names=name_list(wanted[:4] + ["…"] * (len(wanted) > 4))) if wanted else _ANSWERS,
        found=listing(instead, 8),
        question=_start_with(course, submission, named),
    )
    return Unusable(submission.origin or submission.learner, text)


def _unread(course: Course, submission: Submission) -> Iterator[Text]:
    """What could not be read: files, and the first answer if the course has no such item."""
    lost = [submission.lost] if submission.lost else []
    for problem in (*lost, *submission.broken[:3]):
        yield LABELED.fill(who=problem.where, said=problem.text)
    ids = [item.id for item in course.items]
    for answer in (submission.answers or ())[:1]:
        if answer.item not in ids:
            text = unknown_item(answer, ids, set(ids))
            sentence = Text(text.en.rstrip(".") + ".", text.zh.rstrip("。") + "。")
            yield LABELED.fill(who="answers.yaml", said=sentence)


def _instead(submission: Submission, wanted: list[str]) -> Iterable[str | Text]:
    """Names similar to those of the course; if there are none, all names that the submission defines."""
    defined = [name for file in submission.files for name, _ in file.defines]
    near = ((name, nearest(name, wanted)) for name in defined[:_MOST_LOOKED_UP])
    hints = [_NEAR.fill(name=name, near=meant) for name, meant in near if meant]
    hints += [
        _FOUND_GUARDED.fill(name=name, line=line, file=file.path)
        for file in submission.files
        for name, line in file.guarded
        if name in wanted
    ]
    return hints or defined


def _start_with(course: Course, submission: Submission, named: Container[str]) -> str:
    """The question to start with: one that was named, else one that a file is named after, else the first."""
    asked = [q for q in course.questions if q.id.lower() in named or any(e.name.lower() in named for e in q.exercises)]
    asked += [q for q in course.questions if any(is_named_after(file.path, q) for file in submission.files)]
    return (*asked, *course.questions)[0].id


_NOTHING = Message("nothing to grade.{unread} Expected {expected}; found {found}.").with_advice(
    Message("`attncheck start {question}` creates a file to work in, `attncheck show {question}` shows the task.")
)
_DEFINITION = Message("a top-level definition of {names}")
_ANSWERS = Message("answers in answers.yaml")
_NO_NAMES = Message("no function and no class")
_NO_ANSWERS = Message("no answers that belong to this course")
_NEAR = Message("{name} (did you mean {near}?)")
_FOUND_GUARDED = Message('{name} under `if __name__ == "__main__":` (line {line} of {file}; move it to the top level)')


_LONGEST_SHOWN = 80
#: How many unknown ids are listed, each with a suggestion.
_MOST_UNKNOWN = 5


def unassigned(answers: Sequence[Answer], ids: list[str]) -> Iterator[tuple[Answer, Text]]:
    """Answers that count for no item of the course, whose ids are ``ids``, with messages that name their lines.

    An answer without one of its own may stand inside the text of another answer, where a quote is missing or the
    indentation is wrong: then that text comes with the id.
    """
    from grader.submission.answers import named_in  # the parser

    course_ids = set(ids)
    given = [answer for answer in answers if answer.value is not None]
    unknown = [answer for answer in given if answer.item not in course_ids]
    for answer in unknown[:_MOST_UNKNOWN]:
        yield answer, unknown_item(answer, ids, course_ids)
    if len(unknown) > _MOST_UNKNOWN:
        more = unknown[_MOST_UNKNOWN]
        yield more, _MORE_UNKNOWN.fill(line=more.line, count=len(unknown) - _MOST_UNKNOWN)
    missing = course_ids - {answer.item for answer in given}
    for answer in given:
        for item in named_in(answer.value) if answer.problem is None else ():
            if item in missing:
                missing.remove(item)
                text = say.SWALLOWED.fill(line=answer.line, id=item, other=printable(answer.item, _LONGEST_SHOWN))
                yield Answer(item, answer.value, answer.line), text


def unknown_item(answer: Answer, ids: list[str], course_ids: Container[str]) -> Text:
    """The message that the item of this answer does not exist, with a suggestion."""
    shown = printable(answer.item, _LONGEST_SHOWN)
    keys = (
        [key for key in answer.value if f"{answer.item}.{key}" in course_ids] if isinstance(answer.value, dict) else []
    )
    if keys:
        lines = listing([f"`{shown}.{key}: {_written(answer.value[key])}`" for key in keys])
        return _NESTED.fill(line=answer.line, id=shown, lines=lines)
    near = nearest(answer.item, ids)
    hint = _MEANT.fill(near=near) if near else EMPTY
    return Message("line {line}: there is no item {id}{hint}").fill(line=answer.line, id=shown, hint=hint)


def _written(value: object) -> str:
    return printable(str(value), 40) if isinstance(value, (str, int, float)) else "…"


_MORE_UNKNOWN = Message("line {line}: from here on, {count} more answers are for items that do not exist")
_MEANT = Message(" (did you mean {near}?)")
_NESTED = Message(
    "line {line}: the answers below `{id}:` were not read. Write each on its own line, with its full id: {lines}."
)
