"""The report as JUnit XML."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from grader.core.model import Lang, Notice, Outcome, Report, Status, Text, Verdict
from grader.report.junit import to_junit

#: What the common readers (Jenkins, GitLab, GitHub actions, Azure, pytest's own) agree on: element → its children,
#: its attributes (all there unless they end with ?).
SCHEMA: dict[str, tuple[set[str], set[str]]] = {
    "testsuites": ({"testsuite"}, {"name", "tests", "failures", "errors", "skipped", "time"}),
    "testsuite": ({"properties", "testcase"}, {"name", "tests", "failures", "errors", "skipped", "time"}),
    "properties": ({"property"}, set()),
    "property": (set(), {"name", "value"}),
    "testcase": ({"failure", "error", "skipped", "system-out"}, {"classname", "name", "time"}),
    "failure": (set(), {"type", "message"}),
    "error": (set(), {"type", "message"}),
    "skipped": (set(), {"message"}),
    "system-out": (set(), set()),
}

NOTICES = (
    Notice("q05.py", Text("One <line>.", "一行。")),
    Notice("answers.yaml", Text("Left out.", "没有计入。"), urgent=True),
    Notice("q05.py", Text("Another\x1b[2J.", "又一行。")),
    Notice("", Text("Of everything.", "关于全部。")),
)


def parsed(report: Report, lang: Lang = "en") -> ET.Element:
    """The document as an XML parser reads it from a file."""
    return ET.fromstring(to_junit(report, lang).encode())


def suite(report: Report, name: str) -> ET.Element:
    """One suite."""
    return next(each for each in parsed(report) if each.get("name") == name)


def verdicts(found: ET.Element) -> dict[str, str]:
    """The cases of a suite with what became of them."""
    return {
        str(case.get("name")): " ".join(f"{child.tag} {child.get('type', '')}".strip() for child in case) or "passed"
        for case in found.findall("testcase")
    }


def with_outcomes(report: Report, *outcomes: Outcome) -> Report:
    """The report with these outcomes of its first exercise."""
    (question,) = report.questions
    return replace(
        report, questions=(replace(question, exercises=(replace(question.exercises[0], outcomes=outcomes),)),)
    )


@pytest.mark.parametrize("notices", [(), NOTICES])
def test_structure(notices: tuple[Notice, ...], report: Report) -> None:
    """Elements and attributes are those that readers know, in the order that they expect."""
    for element in (root := parsed(replace(report, notices=notices))).iter():
        children, attributes = SCHEMA[element.tag]
        assert {child.tag for child in element} <= children
        assert set(element.attrib) == attributes
    for found in root:
        assert [child.tag for child in found][:1] == ["properties"]
        for case in found.findall("testcase"):
            tags = [child.tag for child in case]
            assert len(set(tags) - {"system-out"}) <= 1
            assert "system-out" not in tags[:-1]


def test_notices(report: Report) -> None:
    """Notices come first: one case per file, skipped if something was left out of the grading; none without notices."""
    first = parsed(replace(report, notices=NOTICES))[0]
    assert (first.get("name"), first.get("tests"), first.get("skipped")) == ("notices", "3", "1")
    assert [(case.get("name"), case.findtext("system-out")) for case in first.findall("testcase")] == [
        ("q05.py", "One <line>.\nAnother."),
        ("answers.yaml", "Left out."),
        ("submission", "Of everything."),
    ]
    assert [each.get("message") for each in first.iter("skipped")] == ["Left out."]
    assert not parsed(replace(report, notices=())).findall("testsuite[@name='notices']")


def test_suites(report: Report) -> None:
    """There is one for the notices, one for the items of each question, and one for each of its exercises."""
    assert [each.get("name") for each in parsed(report)] == [
        "notices",
        "Q5",
        "Q5.scaled_dot_product_attention",
        "Q5.soft_lookup",
        "Q5.uniform_attention",
    ]
    (question,) = report.questions
    assert [each.get("name") for each in parsed(replace(report, questions=(replace(question, items=()),)))][:2] == [
        "notices",
        "Q5.scaled_dot_product_attention",
    ]


def test_verdicts(report: Report) -> None:
    """Cases are items, or checks on a case; hidden ones are marked; what does not apply is skipped."""
    assert verdicts(suite(report, "Q5")) == {
        "Q5.shape": "passed",
        "Q5.output": "failure failed",
        "Q5.scale": "failure missing",
    }
    assert verdicts(suite(report, "Q5.scaled_dot_product_attention")) == {
        "dtype: basic": "passed",
        "values: basic": "failure failed",
        "values: more keys than queries (hidden)": "failure failed",
        "gradients: basic": "skipped",
    }
    assert verdicts(suite(report, "Q5.uniform_attention")) == {"uniform_attention": "failure missing"}


@pytest.mark.parametrize("status", Status)
def test_statuses(status: Status, report: Report) -> None:
    """What lost points is a failure; our faults are errors; what waits for a person is skipped."""
    outcome = Outcome("values", "basic", "public", Verdict(status, Text("Why.", "为何。")), 0, 4)
    found = suite(with_outcomes(report, outcome), "Q5.scaled_dot_product_attention")
    expected = {Status.PASSED: "passed", Status.PENDING: "skipped", Status.UNMARKED: "error unmarked"}
    assert verdicts(found) == {"values: basic": expected.get(status, f"failure {status.value}")}
    testcase = found.find("testcase")
    assert testcase is not None
    assert [child.get("message") for child in testcase] == ([] if status is Status.PASSED else ["Why."])


def test_sums(report: Report) -> None:
    """Every suite counts its cases, and the whole counts them all."""
    root = parsed(report)
    for name, path in (
        ("tests", ".//testcase"),
        ("failures", ".//failure"),
        ("errors", ".//error"),
        ("skipped", ".//skipped"),
    ):
        assert int(root.get(name, "")) == len(root.findall(path)) == sum(int(each.get(name, "")) for each in root)
        assert [int(each.get(name, "")) for each in root] == [len(each.findall(path)) for each in root]
    assert float(root.get("time", "")) == pytest.approx(report.seconds, abs=1e-3)


@pytest.mark.parametrize(("unsafe", "said"), [(False, "seccomp, landlock-7"), (True, "none")])
def test_facts(unsafe: bool, said: str, report: Report) -> None:
    """Every suite says whose it is, what it is worth, and how it was graded."""
    found = suite(replace(report, unsafe=unsafe), "Q5.soft_lookup")
    facts = {each.get("name"): each.get("value") for each in found.iter("property")}
    assert facts.pop("attncheck")
    assert facts == {
        "learner": "ada", "earned": "3", "possible": "7", "course": "digest", "seed": "public", "sandbox": said,
    }  # fmt: skip


def test_hidden_cases_are_names_only(report: Report) -> None:
    """No value and no message of a hidden case is in it."""
    written = to_junit(report)
    assert not [text for text in ("7.125", "8.375", "there too") if text in written]
    (case,) = [each for each in suite(report, "Q5.soft_lookup").findall("testcase") if "hidden" in each.get("name", "")]
    assert [child.get("message") for child in case] == ["not correct yet"]


def test_language(report: Report) -> None:
    """Messages are in the language asked for."""
    messages = [each.get("message") for each in parsed(report, "zh").iter("failure")]
    assert "数值不同。" in messages
    assert "（隐藏）" in to_junit(report, "zh")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("]]><!-- </failure> \"'&amp;", "]]><!-- </failure> \"'&amp;"),
        ("a\x00b\x08c\x1b[31md\x7f", "abcd"),
        ("a\ud800\ufffe\uffffb", "ab"),
        ("a\u202eb\u2066", "ab"),
        ("x" * 1_000_000, "x" * 1999 + "…"),
    ],
)
def test_words_of_learners(text: str, kept: str, report: Report) -> None:
    """They are escaped, without what XML forbids or a terminal would obey, and not without end."""
    outcome = Outcome("values", "basic", "public", Verdict(Status.RAISED, Text(text, text)), 0, 4)
    found = parsed(replace(with_outcomes(report, outcome), learner=text))
    assert [each.get("message") for each in found.iter("failure") if each.get("type") == "raised"] == [kept]
    assert {each.get("value") for each in found.iter("property") if each.get("name") == "learner"} == {kept}


def test_lines_stay_in_the_text(report: Report) -> None:
    """An attribute cannot keep line breaks apart from blanks for every reader; the text of the element does."""
    outcome = Outcome("values", "basic", "public", Verdict(Status.RAISED, Text("a\nb", "a\nb")), 0, 4)
    raised = [e for e in parsed(with_outcomes(report, outcome)).iter("failure") if e.get("type") == "raised"]
    assert [each.text for each in raised] == ["a\nb"]
