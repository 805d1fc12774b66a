"""The error for a submission without anything to grade: what was expected, and what was found instead."""

from __future__ import annotations

from collections.abc import Container, Iterable

from grader.core.model import Course, Message, Submission, Text
from grader.core.suggest import nearest
from grader.core.text import LABELED, name_list
from grader.grading.missing import is_named_after
from grader.grading.unknown_items import unknown_item
from grader.submission.messages import Unusable, listing

#: How many of a learner's names are compared with those of the course.
_MOST_LOOKED_UP = 20


def nothing_to_grade(course: Course, submission: Submission, named: Container[str]) -> Unusable:
    """The error that there is nothing to grade: what could not be read, what was expected, what was found instead.

    ``named`` are the questions and exercises that were asked for, in lower case; if it is empty, all count.
    """
    pairs = [(q, e) for q in course.questions for e in q.exercises]
    wanted = [e.name for q, e in pairs if not named or e.name.lower() in named or q.id.lower() in named]
    lost = [submission.lost] if submission.lost else []
    unread = [LABELED.fill(who=problem.where, said=problem.text) for problem in (*lost, *submission.broken[:3])]
    ids = [item.id for question in course.questions for item in question.items]
    said = [unknown_item(answer, ids, set(ids)) for answer in (submission.answers or ())[:1] if answer.item not in ids]
    unread += [LABELED.fill(who="answers.yaml", said=_sentence(text)) for text in said]
    found = listing(list(_instead(submission, wanted)) or [_NO_ANSWERS if _only_answers(submission) else _NO_NAMES], 8)
    expected = _DEFINITION.fill(names=name_list([*wanted[:4], *(["…"] if len(wanted) > 4 else [])]))
    about = _start_with(course, submission, named)
    text = _NOTHING.fill(
        unread=Text("".join(f" {each.en}" for each in unread), "".join(each.zh for each in unread)),
        expected=expected if wanted else _ANSWERS,
        found=found,
        question=about,
    )
    return Unusable(submission.origin or submission.learner, text)


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


def _sentence(text: Text) -> Text:
    return Text(text.en.rstrip(".") + ".", text.zh.rstrip("。") + "。")


def _only_answers(submission: Submission) -> bool:
    return not submission.files and submission.answers is not None


def _start_with(course: Course, submission: Submission, named: Container[str]) -> str:
    """The question to start with: one that was named, else one that a file is named after, else the first."""
    asked = [q for q in course.questions if q.id.lower() in named or any(e.name.lower() in named for e in q.exercises)]
    asked += [q for q in course.questions if any(is_named_after(file.path, q) for file in submission.files)]
    return (*asked, *course.questions)[0].id


_NOTHING = Message(
    "nothing to grade.{unread} Expected {expected}; found {found}. 'attncheck start {question}' creates a file to work "
    "in, 'attncheck show {question}' shows the task."
)
_DEFINITION = Message("a top-level definition of {names}")
_ANSWERS = Message("answers in answers.yaml")
_NO_NAMES = Message("no function and no class")
_NO_ANSWERS = Message("no answers that belong to this course")
_NEAR = Message("{name} (did you mean {near}?)")
_FOUND_GUARDED = Message('{name} under `if __name__ == "__main__":` (line {line} of {file}; move it to the top level)')
