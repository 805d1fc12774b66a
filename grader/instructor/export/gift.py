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
from collections.abc import Iterator

from grader.core.model import Course, Lang, Message
from grader.core.text import clean
from grader.instructor.export import ExportOptions
from grader.instructor.export._quiz import ExportItem, NumericRange, by_question, decimal, export_items, inline, markup
from grader.instructor.export._target import ExportTarget

ABOUT = Message("Quiz items for Moodle's question bank (GIFT), a category for each question.")
SOURCE = "course"
OPTIONS = frozenset({"questions", "graded"})

_FORMS = frozenset({"one", "many", "number", "pairs", "essay"})
_SIGNS = re.compile(r"[\\~=#{}:]")


def write(course: Course, options: ExportOptions, out: ExportTarget) -> None:
    """Write one text file in UTF-8."""
    found = export_items(course, options, out, "GIFT", _FORMS)
    blocks: list[str] = []
    for question, own in by_question(course, found):
        title = clean(question.title.of(options.lang), 200)
        blocks.append(f"$CATEGORY: {_category(course, options.lang)}/{question.id} {title.replace('/', '//')}")
        blocks += ["\n".join(_question(each)) for each in own]
    out.write_file([("\n\n".join(blocks) + "\n").encode()])


def _category(course: Course, lang: Lang) -> str:
    return clean(course.title.of(lang), 200).replace("/", "//")


def escaped(text: str) -> str:
    """Text on one line, with the special characters of GIFT escaped."""
    return _SIGNS.sub(r"\\\g<0>", text).replace("\n", "\\n")


def _question(each: ExportItem) -> Iterator[str]:
    yield f"::{escaped(each.title)}::[html]{escaped(markup(each.text))}{{"
    match each.form:
        case "one":
            yield from (f"{'=' if o.correct else '~'}{_html(o.text)}{_feedback(o.feedback)}" for o in each.options)
        case "many":
            right = sum(option.correct for option in each.options)
            for option in each.options:
                weight = decimal(round((100 if option.correct else -100) / right, 5))
                yield f"~%{weight}%{_html(option.text)}{_feedback(option.feedback)}"
        case "number":
            assert each.number is not None
            yield "#"
            yield _number(each.number, 100)
            yield from (_number(wrong, 0) for wrong in each.wrong)
        case "pairs":
            # The right side is plain text.
            yield from (f"={_html(left) if left else ''} -> {escaped(clean(right))}" for left, right in each.pairs)
        case "essay":
            pass
    if each.explain:
        yield f"####[html]{escaped(markup(each.explain))}"
    yield "}"


def _html(text: str) -> str:
    return f"[html]{escaped(inline(text))}"


def _feedback(text: str) -> str:
    return f"#{_html(text)}" if text else ""


def _number(number: NumericRange, weight: int) -> str:
    return f"=%{weight}%{number.value}:{number.margin}{_feedback(number.feedback)}"
