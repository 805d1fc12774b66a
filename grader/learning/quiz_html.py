"""The parts of the quiz in a notebook, as HTML: the question, an option, and an answer with what is right."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from grader.core.marks import lines
from grader.core.model import Message
from grader.core.typesetting.html import prose, typeset, visible

_HERE = Path(__file__).parent


def style() -> Markup:
    """The style sheet of everything here."""
    return Markup("<style>{}</style>").format(Markup((_HERE / "quiz_widgets.css").read_text("utf-8")))


@functools.cache
def macros() -> Any:
    """The macros of ``quiz_widgets.html``: ``question``, ``option`` and ``given`` return HTML."""
    loader = jinja2.FileSystemLoader(_HERE)
    options: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "undefined": jinja2.StrictUndefined}
    environment = jinja2.Environment(loader=loader, autoescape=True, **options)
    environment.filters |= {"prose": prose, "typeset": typeset, "visible": visible}
    environment.globals |= {"Message": Message, "lines": lines}
    return environment.get_template("quiz_widgets.html").module
