"""One question as a page of text: prompt, items, exercises and conventions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.core.layout import indent
from grader.core.model import Text
from grader.core.text import COMMA, RESULT, WITH
from grader.course import starter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.core.model import Course, Exercise, Lang, Question

NO_CASES = Text("none", "无")
TO_ANSWER = Text("Questions to answer (in answers.yaml)", "要回答的（写在 answers.yaml 中）")
TO_WRITE = Text("Code to write", "要编写的")
CONVENTIONS = Text("Conventions", "约定")
CASES = Text("Public cases: {public}; hidden: {hidden}", "公开用例：{public}；隐藏用例：{hidden} 个")
BEGIN = Text("`attncheck start {id}` creates the files to start from.", "用 `attncheck start {id}` 生成起步文件。")


def lines(question: Question, course: Course, learner: str | None, lang: Lang) -> Iterable[str]:
    """The lines of a page about ``question``; numbers that differ between learners are those of ``learner``."""
    title = f"{question.id}  {question.title.of(lang)}"
    yield indent(WITH.fill(what=title, more=starter.points_of(question.points)).of(lang), 0)
    yield ""
    yield indent(question.prompt.of(lang), 0)
    items = starter.graded(question)
    if items:
        yield ""
        yield TO_ANSWER.of(lang)
        for item in items:
            yield indent(WITH.fill(what=item.id, more=starter.points_of(item.points)).of(lang), 2)
            for text in starter.asked(item, question, course.public_id, learner):
                yield indent(text.of(lang), 4)
    if question.exercises:
        yield ""
        yield TO_WRITE.of(lang)
    for exercise in question.exercises:
        yield from _exercise(exercise, lang)
    conventions = starter.conventions(question)
    if conventions:
        yield ""
        yield CONVENTIONS.of(lang)
    for text in conventions:
        yield "  - " + indent(text.of(lang), 4).lstrip()
    yield ""
    yield indent(BEGIN.fill(id=question.id).of(lang), 0)


def _exercise(exercise: Exercise, lang: Lang) -> Iterable[str]:
    signature = exercise.signature if exercise.kind == "function" else f"class {exercise.signature}"
    marks = [starter.points_of(exercise.points).of(lang)]
    if exercise.array_types == ("torch",):
        marks.append("torch")
    head = WITH.fill(what=signature, more=COMMA.of(lang).join(marks))
    yield indent(head.of(lang), 2)
    for method in (*filter(None, [exercise.forward_signature]), *exercise.methods):
        yield indent(method, 4)
    yield indent(exercise.summary.of(lang), 4)
    yield indent(RESULT.fill(result=exercise.result).of(lang), 4)
    for text in starter.without(exercise):
        yield indent(text.of(lang), 4)
    public = [case.name for case in exercise.cases if case.public]
    hidden = str(len(exercise.cases) - len(public))
    named = COMMA.of(lang).join(public) or NO_CASES.of(lang)
    yield indent(CASES.fill(public=named, hidden=hidden).of(lang), 4)
