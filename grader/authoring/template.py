"""What ``attncheck bank new`` writes: a small question that works as it is, to be edited into a new one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from string import Template

from grader.core.model import LANGUAGES, Lang

_TEMPLATES = Path(__file__).with_name("template")
#: A text in one language: on lines of its own, or after or before another between braces.
_TEXT = r"^ *{0}: (?:\|\n(?:    .*\n)+|.*\n)|, {0}: (?:\"[^\"]*\"|[^,}}\n]*)|(?<=\{{){0}: (?:\"[^\"]*\"|[^,}}\n]*), "
_PACKAGE = '"""What learners may copy once they have solved it."""\n'


def files(number: int, group: str | None, languages: Sequence[Lang] = LANGUAGES) -> dict[str, str]:
    """The text of each file for a new question ``Q<number>``, by its path in the course folder.

    ``group`` is the group of the question; None means that it is the first question of a new course, which needs a
    few files more.
    """
    names = {"id": f"Q{number}", "name": f"scaled_by_{number}", "module": f"question_{number}", "title": "Scaling"}
    sources = {
        f"questions/q{number:02}_scaling.yaml": "question.yaml",
        f"reference/question_{number}.py": "reference.py.txt",
    }
    if group is None:
        sources |= {"course.yaml": "course.yaml"}
    names |= {"group": group or "basics", "languages": f"[{', '.join(languages)}]"}
    unwanted = "|".join(_TEXT.format(lang) for lang in set(LANGUAGES).difference(languages)) or "(?!)"
    texts = {
        path: re.sub(unwanted, "", Template((_TEMPLATES / source).read_text("utf-8")).substitute(names), flags=re.M)
        for path, source in sources.items()
    }
    return texts if group else texts | {"reference/__init__.py": _PACKAGE}
