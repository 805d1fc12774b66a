"""``attncheck debug``: a script that runs one public case."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._options import (
    ChineseHelp,
    course_option,
    documented,
    find_one_exercise,
    lang_option,
    load_course,
    say,
)
from grader.core.errors import SubmissionError, UsageError
from grader.core.files import create
from grader.core.model import Returned, Text
from grader.submission import read

if TYPE_CHECKING:
    from grader.core.model import Course, Exercise, Lang, Observe, Question

_RUN = Text(
    "{place}: run it with python, or step through it with python -m pdb {place}",
    "{place}：用 python 运行，或用 python -m pdb {place} 单步调试",
)
_ABSENT = Text(
    "{path} does not define {name}; 'attncheck start {question}' writes a stub.",
    "{path} 里没有定义 {name}；`attncheck start {question}` 会写出空框架。",
)


@documented(
    {
        "debug q05.py -e scaled_dot_product_attention --case 'by hand'": "write a script to step through",
    },
    {0: "done", 3: "PATH cannot be read as a submission"},
    ChineseHelp(
        "生成运行一个公开用例的脚本。\n\n脚本用该用例的输入调用 PATH 里的代码，并比较结果，你可以在调试器里单步执行。",
        {
            "--exercise": "哪个练习；只有一个练习的问题也可以写问题编号。",
            "--case": "公开用例的名字；用“attncheck show”查看。",
            "--to": "要写的脚本；- 表示标准输出（默认 debug_….py）。",
        },
        ("生成可以单步执行的脚本",),
    ),
)
@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "-e",
    "--exercise",
    "name",
    required=True,
    metavar="FUNCTION",
    help="The exercise; a question will do if it has only one.",
)
@click.option("--case", "case_name", required=True, metavar="NAME", help="A public case; “attncheck show” lists them.")
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path),
    metavar="F",
    help="The script to write; - for stdout (default: debug_….py).",
)
@lang_option
@course_option
def debug(path: Path, name: str, case_name: str, target: Path | None, lang: Lang, course_folder: Path | None) -> None:
    """Write a script that runs one public case.

    The script calls the code in PATH with the inputs of the case and compares the result, so that you can step
    through it in a debugger.
    """
    from grader.sandbox import open_sandbox  # loads numpy

    course = load_course(course_folder)
    question, exercise = find_one_exercise(course, name)
    with open_sandbox(mode="auto") as sandbox:
        sandbox.allow(course.packages)
        sandbox.start()
        text = _script(course, question, exercise, case_name, path, sandbox.observe)
    if target is not None and str(target) == "-":
        click.echo(text, nl=False)
        return
    place = target or Path("debug_" + "_".join([exercise.name, *case_name.split()]) + ".py")
    create(place, text)
    say(_RUN.fill(place=place))


def _script(
    course: Course, question: Question, exercise: Exercise, case_name: str, path: Path, observe: Observe
) -> str:
    from grader.grading import debug_script  # loads numpy
    from grader.grading.context import GradingContext  # loads numpy
    from grader.grading.inputs import Seed  # loads numpy
    from grader.grading.reference_results import reference_observer  # loads numpy
    from grader.grading.selection import source_of  # loads numpy

    case = debug_script.public_case(exercise, case_name)
    submission = read(path)
    file = source_of(exercise.name, question, submission)
    if file is None:
        raise SubmissionError(_ABSENT.fill(path=path, name=exercise.name, question=question.id))
    context = GradingContext(course, Seed.public(), reference_observer(observe, Seed.public(), course=course))
    pairs = zip(context.entries(exercise), context.expected(exercise), strict=True)
    seen = next((e for entry, e in pairs if entry.case is case and entry.spec.kind == "values"), ())
    if not seen or not isinstance(seen[0], Returned):
        raise UsageError(
            Text(
                "The case “{case_name}” has no expected values to compare with; choose another.",
                "用例“{case_name}”没有可以比较的预期值；请换一个。",
            ).fill(case_name=case_name)
        )
    drawn = next(entry.drawn for entry in context.entries(exercise) if entry.case is case)
    files = (file, *(other for other in submission.files if other is not file))
    return debug_script.script(exercise, case, drawn, seen[0].values[0], files, path)
