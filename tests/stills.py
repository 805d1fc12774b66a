"""The stills of pages: the first panel of each picture of the bundled course. ``make docs`` writes them."""

from __future__ import annotations

import re
from pathlib import Path

from grader import web
from grader.core.model import Lang
from grader.course import loader
from grader.grading import courses
from grader.report.figures import run, svg
from grader.report.figures.figure import Figure
from grader.report.figures.kinds import kinds
from grader.sandbox import open_sandbox

FOLDER = Path(web.__file__).parent / "templates" / "stills"
LANGS: tuple[Lang, ...] = ("en", "zh")
_NUMBER = re.compile(r"(?<=[\d\"MLHVhv -])-?\d+\.\d+")


def still(figure: Figure, lang: Lang) -> str:
    """The first panel of ``figure``, as a template."""
    return svg.draw(figure, lang)[0][0].picture + "\n"


def read(name: str, lang: Lang) -> str:
    """The still of a picture as it is in the package."""
    return (FOLDER / f"{name}.{lang}.html").read_text("utf-8")


def parts(text: str) -> tuple[list[str], list[float]]:
    """A still without its places, and the places."""
    return _NUMBER.split(text), [float(found) for found in _NUMBER.findall(text)]


if __name__ == "__main__":
    course = courses.load(loader.find(None))
    with open_sandbox(mode="auto") as sandbox:
        sandbox.allow_packages(course.packages)
        for name, kind in kinds().items():
            figure = kind.draw((run.reference(course, kind, sandbox.observe),))
            for lang in LANGS:
                (FOLDER / f"{name}.{lang}.html").write_text(still(figure, lang), "utf-8")
