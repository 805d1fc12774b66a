"""Notices in a report: missing modules, names defined twice or misspelled, answers to unknown items."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator

from grader.core import bounded
from grader.core.model import Course, Message, MissingModule, Notice, Submission, Text
from grader.core.tables import texts
from grader.core.text import name_list, nearest
from grader.grading.definitions import first_use
from grader.grading.missing import is_named_after, unassigned
from grader.grading.selection import ChosenQuestion, source_of
from grader.submission import files_defining

_OURS = ("attncheck", "grader", "reference", "tests")


def not_available(absent: tuple[MissingModule, ...], course: Course) -> Iterable[Notice]:
    """Notices about modules that the code imports and that are not available."""
    more = Text(*("".join(f"{comma}{name}" for name in course.packages) for comma in (", ", "、")))
    for missing in absent:
        top = missing.module.partition(".")[0]
        own = re.fullmatch(r"q_?\d+(_.*)?", top, re.IGNORECASE)
        text = texts(__file__, "notices.yaml")["ours" if top in _OURS else "not-submitted" if own else "absent"]
        yield Notice(missing.file, text.fill(line=missing.line, module=missing.module, more=more))


def remarks(course: Course, submission: Submission, chosen: tuple[ChosenQuestion, ...]) -> Iterable[Notice]:
    """Notices about names that are misspelled or defined twice, and answers to unknown items. Runs nothing."""
    yield from _misspelled(course, submission)
    for chosen_question in chosen:
        for exercise in chosen_question.exercises:
            files = files_defining(submission, exercise.name)
            if len(files) > 1:
                used = source_of(exercise.name, chosen_question.question, submission)
                twice = Message("{name} is defined in {paths}; the one in {used} counts")
                paths = name_list(file.path for file in files)
                used_path = used.path if used else ""
                yield Notice(used_path, twice.fill(name=exercise.name, paths=paths, used=used_path))
    yield from dict.fromkeys(_compiled(submission, chosen))
    ids = [item.id for item in course.items]
    for _, text in unassigned(submission.answers or (), ids):
        yield Notice("answers.yaml", text, urgent=True)


_COMPILE = ("torch.compile",)
_COMPILED = Message("line {line}: torch.compile does nothing here; your code runs as you wrote it. No points are lost.")


def _compiled(submission: Submission, chosen: tuple[ChosenQuestion, ...]) -> Iterator[Notice]:
    """Notices about exercises that use ``torch.compile``, which the sandbox replaces."""
    if not any("compile" in part.text for file in submission.files for part in file.parts):
        return
    for question, exercise in ((each.question, exercise) for each in chosen for exercise in each.exercises):
        file = source_of(exercise.name, question, submission)
        with contextlib.suppress(bounded.Exceeded):
            if file and (use := first_use(exercise.name, _COMPILE, file, submission.files)):
                yield Notice(use.file, _COMPILED.fill(line=use.line))


#: How many of a learner's names are compared with those of the course.
_MOST_COMPARED = 20
_MISSPELLED = Message(
    "line {line}: did you mean {meant} instead of {name}? If so, rename it; otherwise {meant} is not found."
)


def _misspelled(course: Course, submission: Submission) -> Iterator[Notice]:
    """Notices about names that are close to an exercise that the submission does not define.

    They do not depend on which questions were selected, because a misspelled name is often why its question was not.
    Private helpers do not count, nor do names similar to exercises of a question that the file is not named after.
    """
    homes = {exercise.name: question for question in course.questions for exercise in question.exercises}
    defined = [(file, name, line) for file in submission.files for name, line in file.defines]
    missing = homes.keys() - {name for _, name, _ in defined}
    others = [each for each in defined if not each[1].startswith("_") and each[1] not in homes]
    for file, name, line in others[:_MOST_COMPARED]:
        own = [q for q in course.questions if is_named_after(file.path, q)]
        possible = [each for each, home in homes.items() if each in missing and (not own or home in own)]
        if (meant := nearest(name, possible, cutoff=0.8)) is not None:
            yield Notice(file.path, _MISSPELLED.fill(line=line, name=name, meant=meant), urgent=True)


def urgent_first(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """The notices, urgent ones first."""
    return tuple(sorted(notices, key=lambda notice: not notice.urgent))
