"""Quiz items for Canvas: a zip with one quiz (QTI 1.2).

## What it writes

A zip in the layout that Canvas imports. Canvas silently ignores what it cannot read, so the zip uses only features that
Canvas is known to read. Only practice items are included, unless `--graded` is given.

| item | in Canvas |
|---|---|
| choice, multi | the same; wrong options show the correct idea |
| number | the same, with its tolerance |
| match | the same; each pair is an equal share of the points |
| order | left out |
| text, expression, derivation, blanks, proof, shape | essay, with a correct answer in the feedback |

Numbers that differ from learner to learner in attncheck are the same for everyone. Points are rounded to
whole and half points. Items that are left out are listed.

## Options

- `-q`: only these questions.
- `--graded`: includes graded items. The file then contains their keys.

## How to use it

```
attncheck export qti -q Q5 --to q05.zip
```

In Canvas: Settings → *Import Course Content* → QTI.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from decimal import Decimal
from functools import partial
from hashlib import sha256

from grader.core.files import zipped
from grader.core.model import Course, Lang, Message
from grader.course.items import QuizNumber
from grader.instructor.export import ExportOptions, ExportTarget
from grader.instructor.export._quiz import ExportItem, collection_title, decimal, export_items, template

ABOUT = Message("Quiz items for Canvas: a zip with one quiz (QTI 1.2).")
SOURCE = "course"
OPTIONS = frozenset({"questions", "graded"})

_TYPES = {"one": "multiple_choice", "many": "multiple_answers", "number": "numerical", "pairs": "matching"}
_FORMS = frozenset({*_TYPES, "essay"})
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"


def write(course: Course, options: ExportOptions, out: ExportTarget) -> None:
    """Write a zip with a manifest and one quiz: a practice quiz, or an assignment if it has graded items."""
    found = export_items(course, options, out, "QTI", _FORMS)
    title = collection_title(course, found, options.lang)
    name = "attncheck_" + sha256("\0".join([course.public_id, *(each.id for each in found)]).encode()).hexdigest()[:24]
    total = sum(_points(each) for each in found)
    meta = template("graded_meta.xml" if options.graded else "practice_meta.xml")
    files = {
        "imsmanifest.xml": template("imsmanifest.xml").render(name=name).encode(),
        "non_cc_assessments/": b"",
        f"{name}/assessment_meta.xml": meta.render(name=name, title=title, points=f"{total:.1f}").encode(),
        f"{name}/{name}.xml": _assessment(name, title, found, options.lang),
    }
    out.write_file([zipped(files.items())])


def _points(each: ExportItem) -> float:
    """The points, rounded to half points, which is what Canvas accepts; at least half a point."""
    return max(0.5, round(each.points * 2) / 2)


def _assessment(name: str, title: str, found: list[ExportItem], lang: Lang) -> bytes:
    """The quiz as XML."""
    ident = partial(re.sub, r"\W", "_", flags=re.ASCII)
    made = template("assessment.xml", ident=ident, points=_points, rights=_rights, ends=_ends)
    assessment = made.render(name=name, title=title, items=found, types=_TYPES, lang=lang)
    root = ET.Element("questestinterop", {"xmlns": _QTI, "xmlns:xsi": _XSI})
    root.set("xsi:schemaLocation", f"{_QTI} {_QTI}p1.xsd")
    root.append(ET.fromstring(assessment.strip()))
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _rights(each: ExportItem) -> dict[str, str]:
    """The right sides, each once, with their names, of which Canvas takes the first number as an id."""
    distinct = sorted({right for _, right in each.pairs})
    return {right: f"right_{at}" for at, right in enumerate(distinct, 1)}


def _ends(number: QuizNumber) -> tuple[str, str]:
    """The smallest and the largest number that count as correct."""
    value, margin = Decimal(decimal(number.value)), Decimal(decimal(number.margin))
    return f"{value - margin:f}", f"{value + margin:f}"
