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
from collections.abc import Iterator
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from xml.sax.saxutils import escape

from grader.core.files import zipped
from grader.core.model import Course, Message
from grader.core.text import clean
from grader.instructor.export import ExportOptions
from grader.instructor.export._quiz import (
    ExportItem,
    NumericRange,
    collection_title,
    decimal,
    export_items,
    inline,
    markup,
)
from grader.instructor.export._target import ExportTarget

ABOUT = Message("Quiz items for Canvas: a zip with one quiz (QTI 1.2).")
SOURCE = "course"
OPTIONS = frozenset({"questions", "graded"})

_TYPES = {"one": "multiple_choice", "many": "multiple_answers", "number": "numerical", "pairs": "matching"}
_FORMS = frozenset({*_TYPES, "essay"})
_TEMPLATES = Path(__file__).parent / "templates"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"


def write(course: Course, options: ExportOptions, out: ExportTarget) -> None:
    """Write a zip with a manifest and one quiz: a practice quiz, or an assignment if it has graded items."""
    found = export_items(course, options, out, "QTI", _FORMS)
    title = collection_title(course, found, options.lang)
    name = "attncheck_" + sha256("\0".join([course.public_id, *(each.id for each in found)]).encode()).hexdigest()[:24]
    total = sum(_points(each) for each in found)
    meta = "graded_meta.xml" if options.graded else "practice_meta.xml"
    files = {
        "imsmanifest.xml": _filled("imsmanifest.xml", name=name),
        "non_cc_assessments/": b"",
        f"{name}/assessment_meta.xml": _filled(meta, name=name, title=title, points=f"{total:.1f}"),
        f"{name}/{name}.xml": _xml(_assessment(name, title, found)),
    }
    out.write_file([zipped(files.items())])


def _xml(root: ET.Element) -> bytes:
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _points(each: ExportItem) -> float:
    """The points, rounded to half points, which is what Canvas accepts; at least half a point."""
    return max(0.5, round(each.points * 2) / 2)


def _ident(text: str) -> str:
    return re.sub(r"\W", "_", text, flags=re.ASCII)


def _add(parent: ET.Element, path: str, text: str = "", **attributes: str) -> ET.Element:
    """Add nested elements, as in a/b/c; the last one gets the text and the attributes, and is returned."""
    for tag in path.split("/"):
        parent = ET.SubElement(parent, tag)
    parent.attrib.update(attributes)
    parent.text = text or None
    return parent


def _filled(template: str, **values: str) -> bytes:
    """A template with ``values`` in place of their names."""
    shown = {name: escape(value) for name, value in values.items()}
    return (_TEMPLATES / template).read_text("utf-8").format(**shown).encode()


# --------------------------------------------------------------------------------------------- the quiz


def _assessment(name: str, title: str, found: list[ExportItem]) -> ET.Element:
    root = ET.Element("questestinterop", {"xmlns": _QTI, "xmlns:xsi": _XSI})
    root.set("xsi:schemaLocation", f"{_QTI} {_QTI}p1.xsd")
    assessment = _add(root, "assessment", ident=name, title=title)
    _field(_add(assessment, "qtimetadata"), "cc_maxattempts", "1")
    section = _add(assessment, "section", ident="root_section")
    for each in found:
        _item(section, each)
    return root


def _field(parent: ET.Element, label: str, entry: str) -> None:
    field = _add(parent, "qtimetadatafield")
    _add(field, "fieldlabel", label)
    _add(field, "fieldentry", entry)


def _item(section: ET.Element, each: ExportItem) -> None:
    ident = _ident(each.id)
    item = _add(section, "item", ident=ident, title=each.title)
    fields = _add(item, "itemmetadata/qtimetadata")
    _field(fields, "question_type", f"{_TYPES.get(each.form, each.form)}_question")
    _field(fields, "points_possible", decimal(_points(each)))
    _field(fields, "original_answer_ids", ",".join(f"{ident}_{_ident(option.id)}" for option in each.options))
    _field(fields, "assessment_question_identifierref", f"{ident}_ref")
    presentation = _add(item, "presentation")
    _material(presentation, markup(each.text))
    if each.options:
        _choices(presentation, ident, each)
    elif each.pairs:
        _partners(presentation, each)
    else:
        _blank(presentation, number=each.form == "number")
    processing = _add(item, "resprocessing")
    _add(processing, "outcomes/decvar", maxvalue="100", minvalue="0", varname="SCORE", vartype="Decimal")
    feedback = {}
    if each.explain:
        feedback["general_fb"] = markup(each.explain)
        _add(_condition(processing, "Yes"), "other")
        _show(processing, "general_fb")
    for option in each.options:
        if option.feedback:
            name = f"option_{_ident(option.id)}_fb"  # without the item's name: Canvas looks for words such as correct_
            feedback[name] = markup(option.feedback)
            _equals(_condition(processing, "Yes"), f"{ident}_{_ident(option.id)}")
            _show(processing, name)
    _right(processing, ident, each)
    for name, text in feedback.items():
        _material(_add(item, "itemfeedback", ident=name), text, "flow_mat/material")


def _material(parent: ET.Element, text: str, path: str = "material") -> None:
    _add(parent, f"{path}/mattext", text, texttype="text/html")


def _choices(presentation: ET.Element, ident: str, each: ExportItem) -> None:
    cardinality = "Single" if each.form == "one" else "Multiple"
    response = _add(presentation, "response_lid", ident="response1", rcardinality=cardinality)
    render = _add(response, "render_choice")
    for option in each.options:
        label = _add(render, "response_label", ident=f"{ident}_{_ident(option.id)}")
        _material(label, inline(option.text))


def _partners(presentation: ET.Element, each: ExportItem) -> None:
    """One choice for each left side, among all right sides."""
    for name, left, _ in _pairs(each):
        response = _add(presentation, "response_lid", ident=name)
        _material(response, inline(left))
        render = _add(response, "render_choice")
        for right, partner in _rights(each).items():
            # They become entries of a drop-down list, which cannot show HTML.
            _add(_add(render, "response_label", ident=partner), "material/mattext", clean(right), texttype="text/plain")


def _pairs(each: ExportItem) -> Iterator[tuple[str, str, str]]:
    """The name of each response, its left side, and the name of its partner."""
    rights = _rights(each)
    return ((f"response_{at}", left, rights[right]) for at, (left, right) in enumerate(each.pairs, 1) if left)


def _rights(each: ExportItem) -> dict[str, str]:
    """The right sides, each once, with their names, of which Canvas takes the first number as an id."""
    distinct = sorted({right for _, right in each.pairs})
    return {right: f"right_{at}" for at, right in enumerate(distinct, 1)}


def _blank(presentation: ET.Element, *, number: bool) -> None:
    response = _add(presentation, "response_str", ident="response1", rcardinality="Single")
    render = _add(response, "render_fib", **({"fibtype": "Decimal"} if number else {}))
    _add(render, "response_label", ident="answer1", **({} if number else {"rshuffle": "No"}))


def _condition(processing: ET.Element, go_on: str) -> ET.Element:
    """Add a condition, and return the element that its comparisons go into."""
    return _add(_add(processing, "respcondition", **{"continue": go_on}), "conditionvar")


def _show(processing: ET.Element, feedback: str) -> None:
    """Add feedback to the last condition."""
    _add(processing[-1], "displayfeedback", feedbacktype="Response", linkrefid=feedback)


def _equals(parent: ET.Element, value: str, tag: str = "varequal") -> None:
    _add(parent, tag, value, respident="response1")


def _right(processing: ET.Element, ident: str, each: ExportItem) -> None:
    """Add the condition that gives the points. An essay has none: a person grades it."""
    if each.form == "pairs":
        pairs = list(_pairs(each))
        for name, _, partner in pairs:
            _add(_condition(processing, "Yes"), "varequal", partner, respident=name)
            _add(processing[-1], "setvar", f"{100 / len(pairs):.2f}", action="Add", varname="SCORE")
        return
    condition = _condition(processing, "No")
    match each.form:
        case "one":
            (right,) = (option for option in each.options if option.correct)
            _equals(condition, f"{ident}_{_ident(right.id)}")
        case "many":
            every = _add(condition, "and")
            for option in each.options:
                _equals(every if option.correct else _add(every, "not"), f"{ident}_{_ident(option.id)}")
        case "number":
            assert each.number is not None
            _between(condition, each.number)
        case _:
            _add(condition, "other")
            return
    _add(processing[-1], "setvar", "100", action="Set", varname="SCORE")


def _between(condition: ET.Element, number: NumericRange) -> None:
    either = _add(condition, "or")
    _equals(either, number.value)
    both = _add(either, "and")
    value, margin = Decimal(number.value), Decimal(number.margin)
    _equals(both, f"{value - margin:f}", "vargte")
    _equals(both, f"{value + margin:f}", "varlte")
