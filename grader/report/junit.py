"""A report as JUnit XML, for build servers and viewers of test results.

There is one suite for the items of each question and one for each exercise, with a test case for every item, and for
every check on every case. Of hidden cases it contains names and verdicts, and nothing else.

Notices about the submission come first, in a suite called ``notices`` with one test case for each file they are about:
``<system-out>`` has the sentences, one per line. A case is ``<skipped>`` if something in that file was left out of the
grading. Readers of JUnit show both beside the name of a case, while many of them ignore the output of a whole suite.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from markupsafe import Markup, escape

from grader import __version__
from grader.core.model import Lang, Message, Notice, Report, Status
from grader.core.text import STATUS, clean


def to_junit(report: Report, lang: Lang = "en") -> str:
    """The report as an XML document with messages in ``lang``."""
    from grader.report.html import environment  # loads jinja2, numpy

    places: dict[str, list[Notice]] = {}
    for notice in report.notices:
        places.setdefault(notice.where, []).append(notice)
    names = {"Status": Status, "STATUS": STATUS, "Message": Message, "legal": _legal, "version": __version__}
    template = environment().get_template("junit.xml")
    root = ET.fromstring(template.render(report=report, places=places, lang=lang, **names))
    for suite in root:
        _count(suite, [suite])
        suite.set("time", "0")
    _count(root, list(root))
    root.set("time", f"{report.shown_seconds:.3f}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _count(element: ET.Element, suites: list[ET.Element]) -> None:
    """Sets the totals of ``element`` over ``suites``."""
    counts = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}
    for name, path in (counts | {"skipped": "testcase/skipped"}).items():
        element.set(name, str(sum(len(suite.findall(path)) for suite in suites)))


def _legal(text: str) -> Markup:
    """``text`` without unprintable characters, and so without any that XML forbids; attributes keep its lines."""
    return Markup(str(escape(clean(text, 2000, lines=True))).replace("\n", "&#10;"))
