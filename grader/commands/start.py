"""``attncheck start``: stubs and an answer file for a question."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import (
    course_option,
    documented,
    find_question,
    lang_option,
    learner_option,
    load_course,
)
from grader.commands._words import WRITTEN
from grader.core.errors import UsageError
from grader.core.layout import indent
from grader.core.model import Text
from grader.core.text import COMMA
from grader.course import starter
from grader.submission import written

if TYPE_CHECKING:
    from grader.core.model import Lang

KEPT = Text("kept as it is: {file}", "保持原样：{file}")
TO_ADD = Text(
    "It does not have these items yet; add them below “answers:”:", "其中还缺少以下题目，请加到“answers:”之下："
)


@documented(
    {
        "start Q5 work": "write work/q05.py and work/answers.yaml",
        "start all work": "the same for every question",
    },
    {0: "done"},
)
@click.command()
@click.argument("question", metavar="QUESTION|all")
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path, file_okay=False), default=Path())
@learner_option
@lang_option
@course_option
def start(question: str, folder: Path, learner: str | None, lang: Lang, course_folder: Path | None) -> None:
    """Create the files to start from; never overwrite one.

    QUESTION is a question such as Q5, or “all”. Creates a Python file with empty exercises (q05.py) and an
    answers.yaml for the quiz items in DIR (default: the current folder).
    """
    course = load_course(course_folder)
    chosen = course.questions if question.lower() == "all" else (find_question(course, question),)
    files = {starter.file_name(q): starter.stub(q, lang) for q in chosen if q.exercises}
    items = [item.id for q in chosen for item in starter.graded(q)]
    if items:
        files["answers.yaml"] = starter.answers(chosen, lang, course.public_id, learner)
    for name, text in files.items():
        is_new = _write_new(folder / name, text)
        click.echo((WRITTEN if is_new else KEPT).fill(file=str(folder / name)).of(lang))
        if not is_new and name == "answers.yaml":
            _report_missing(folder / name, items, lang)


def _write_new(path: Path, text: str) -> bool:
    """Write ``text`` to ``path``; False if that file exists already. Raises UsageError if it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        if path.parent.is_dir():
            return False
        raise UsageError(
            Text(
                "{parent} is a file; name a folder to write to.",
                "{parent} 是文件；请给出要写入的文件夹。",
            ).fill(parent=path.parent)
        ) from None
    except OSError as error:
        raise UsageError(
            Text(
                "{path} cannot be written: {reason}. Name another folder to write to.",
                "{path} 无法写入：{reason}。请换一个文件夹。",
            ).fill(path=path, reason=error.strerror)
        ) from error
    return True


def _report_missing(path: Path, items: list[str], lang: Lang) -> None:
    """Name the ``items`` that an existing ``answers.yaml`` does not have."""
    text = written(path)
    missing = [item for item in items if not _has_key(text, item)]
    if missing:
        click.echo(TO_ADD.of(lang))
        click.echo(indent(COMMA.of(lang).join(missing), 2))


def _has_key(text: str, item: str) -> bool:
    """Whether ``item`` is a key in ``text``, which need not be valid YAML: grading reports what is wrong with it."""
    return re.search(rf"""(?:^|[{{,])\s*["']?{re.escape(item)}["']?\s*:""", text, re.MULTILINE) is not None
