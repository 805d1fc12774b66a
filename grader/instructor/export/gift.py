"""Quiz items for Moodle's question bank (GIFT), a category for each question.

## What it writes

One text file. Only practice items are included, unless `--graded` is given.

| item | in Moodle |
|---|---|
| choice, multi | the same; each wrong option of a multi subtracts what a correct one adds |
| number | the same; known wrong answers show the correct idea |
| match | the same |
| text, expression, derivation, blanks, proof, shape | essay, with a correct answer in the feedback |
| order | left out |

Numbers that differ from learner to learner in attncheck are the same for everyone. GIFT has no points, so every
question is worth 1 point. Items that are left out are listed.

## Options

- `-q`: only these questions.
- `--graded`: includes graded items. The file then contains their keys.

## How to use it

```
attncheck export gift -q Q5 --to q05.gift
```

In Moodle: Question bank → *Import* → GIFT format.
"""

from __future__ import annotations

import re

from grader.core.model import Course, Message
from grader.core.text import clean
from grader.instructor.export import ExportOptions, ExportTarget
from grader.instructor.export._quiz import by_question, export_items, template

ABOUT = Message("Quiz items for Moodle's question bank (GIFT), a category for each question.")
SOURCE = "course"
OPTIONS = frozenset({"questions", "graded"})

_FORMS = frozenset({"one", "many", "number", "pairs", "essay"})
_SIGNS = re.compile(r"[\\~=#{}:]")


def write(course: Course, options: ExportOptions, out: ExportTarget) -> None:
    """Write one text file in UTF-8."""
    found = export_items(course, options, out, "GIFT", _FORMS)
    gift = template("questions.gift", escaped=escaped, slashes=lambda text: text.replace("/", "//"))
    category, questions = clean(course.title.of(options.lang), 200), by_question(course, found)
    out.write_file([gift.render(category=category, questions=list(questions), lang=options.lang).encode()])


def escaped(text: str) -> str:
    """Text on one line, with the special characters of GIFT escaped."""
    return _SIGNS.sub(r"\\\g<0>", text).replace("\n", "\\n")
