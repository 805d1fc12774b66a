"""What commands print of a class, as templates of text in ``templates/`` beside the module that uses them.

In a template, ``_("English")`` is a text in both languages, as in those of pages. ``fill`` fills in its values, and
``wrap`` wraps it to the width of a page, with every line indented by as many cells as its argument says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.classroom.words import NONE
from grader.core.layout import WIDTH, indent
from grader.core.model import Lang, Message, Text
from grader.core.text import COMMA, LABELED, SEMICOLON, STATUS, clean, cleaned, points


def text_lines(module: str, name: str, lang: Lang, **given: Any) -> Sequence[str]:
    """The lines of the template ``name`` beside the module whose ``__file__`` is ``module``."""
    import jinja2  # slow to import

    def wrap(text: Text | str, by: int = 0, width: int = WIDTH) -> str:
        return indent(text.of(lang) if isinstance(text, Text) else text, by, width)

    loader = jinja2.FileSystemLoader(Path(module).parent / "templates")
    made = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters.update(wrap=wrap, fill=Text.fill, clean=clean, cleaned=cleaned, points=points)
    made.globals.update(LABELED=LABELED, STATUS=STATUS, NONE=NONE, COMMA=COMMA, SEMICOLON=SEMICOLON)
    text = made.get_template(name).render(_=Message, lang=lang, **given)
    return text.removesuffix("\n").split("\n") if text else []
