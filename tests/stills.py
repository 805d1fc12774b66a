"""The stills of pages: the first panel of every picture, as the references of the bundled course give it.

``make docs`` (``python -m tests.stills``) writes them; ``tests/report/figures/test_plots.py`` compares them.
"""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from grader import web
from grader.course import loader
from grader.grading import courses
from grader.report.figures import run, svg
from grader.report.figures.figure import Figure
from grader.report.figures.kinds import kinds
from grader.sandbox import open_sandbox

FOLDER = Path(web.__file__).parent / "templates" / "stills"


def still(figure: Figure, lang: str) -> Markup:
    """The first panel of ``figure``."""
    return svg.draw(figure, "zh" if lang == "zh" else "en")[0][0].picture


if __name__ == "__main__":
    course = courses.load(loader.find(None))
    with open_sandbox(mode="auto") as sandbox:
        sandbox.allow_packages(course.packages)
        for name, kind in kinds().items():
            figure = kind.draw((run.reference(course, kind, sandbox.observe),))
            for lang in ("en", "zh"):
                (FOLDER / f"{name}.{lang}.html").write_text(still(figure, lang) + "\n", "utf-8")
