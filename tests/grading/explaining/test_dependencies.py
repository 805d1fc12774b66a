"""An exercise that uses a wrong one of the same submission says so, once, and never without need."""

from __future__ import annotations

import pytest

from grader.core import bounded
from grader.core.model import Diagnosis, Raised, Submission
from grader.grading.explaining import dependencies
from grader.grading.explaining import explain as asking
from grader.grading.grade import grade
from grader.learning.watching import WatchSession
from grader.report import words
from tests.grading.test_grade import COURSE, DOUBLE, RIGHT, WRONG, fake, result
from tests.helpers import WORDS, Observe, source, submission

HALVE = "def halve(x): return double(x) / 4\n"
#: halve is an exercise of Q11 that uses double, of Q5.
LAYOUTS = {
    "one file": {"all": DOUBLE + HALVE},
    "another file": {"q05": DOUBLE, "q11": "from q05 import double\n" + HALVE},
    "another name": {"q05": DOUBLE, "q11": "from q05 import double as d\ndef halve(x): return d(x) / 4\n"},
    "a module": {"q05": DOUBLE, "q11": "import q05\ndef halve(x): return q05.double(x) / 4\n"},
    "a star": {"q05": DOUBLE, "q11": "from q05 import *\n" + HALVE},
    "a helper": {
        "q05": DOUBLE,
        "q11": "from q05 import double\ndef help(x): return double(x)\ndef halve(x): help(x)\n",
    },
    "a helper's file": {
        "q05": DOUBLE,
        "tools": "import q05\ndef help(x): return q05.double(x)\n",
        "q11": "from tools import help\ndef halve(x): return help(x) / 4\n",
    },
    "a class": {"q05": DOUBLE, "q11": "import q05\nclass halve:\n    def forward(self, x): return q05.double(x)\n"},
}
UNRELATED = {
    "its own helper": {"q05": DOUBLE, "q11": "def double(x): return x\ndef halve(x): return double(x) / 4\n"},
    "nothing": {"q05": DOUBLE, "q11": "def halve(x): return x\n"},
    "in a comment": {"q05": DOUBLE, "q11": "def halve(x):\n    # like double\n    return x\n"},
    "a circle": {"all": "def double(x): return halve(x)\ndef halve(x): return double(x)\n"},
}


def said(given: Submission, observe: Observe) -> tuple[Diagnosis, ...]:
    """What is said about dependencies of ``halve``."""
    return result(grade(COURSE, given, observe), "halve").diagnosis


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_wrong_dependency_is_named(layout: str) -> None:
    """Wherever it is, with its file, in both languages."""
    file = "all.py" if layout == "one file" else "q05.py"
    (found,) = said(submission(**LAYOUTS[layout]), fake(lambda _: WRONG))
    assert found.voice == "dependency"
    assert found.text.en == f"halve uses your double ({file}), which is not correct yet. Fix that first."
    assert found.text.zh == f"halve 用到了你写的 double（{file}），而它还不正确，请先改好它。"


@pytest.mark.parametrize("layout", UNRELATED)
def test_what_is_not_used_is_not_named(layout: str) -> None:
    """A function of its own with that name, a name in a comment, and two that use each other."""
    assert said(submission(**UNRELATED[layout]), fake(lambda _: WRONG)) == ()


def test_nothing_is_said_unless_both_are_wrong() -> None:
    """Of a right dependency, or by a right dependent."""
    given = submission(**LAYOUTS["another file"])
    assert said(given, fake(q05=RIGHT, q11=WRONG)) == ()
    assert said(given, fake(q05=WRONG, q11=RIGHT)) == ()


@pytest.mark.parametrize("repairs", [True, False])
def test_a_dependency_is_no_reason_beside_a_complete_repair(repairs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place that makes every value correct was found with the wrong dependency; any other place leaves a doubt."""
    place = Diagnosis("place", WORDS, repairs=repairs)
    monkeypatch.setattr(asking, "EXPLAINERS", ((lambda failure: iter((place,)), True),))
    found = said(submission(**LAYOUTS["another file"]), fake(lambda _: WRONG))
    assert [each.voice for each in found] == (["place"] if repairs else ["dependency", "place"])


def test_a_dependency_that_is_a_stub_is_to_be_written() -> None:
    """It raises nothing that is worth fixing."""
    files = {"q05": "def double(x): raise NotImplementedError\n", "q11": "from q05 import double\n" + HALVE}
    stub = Raised("NotImplementedError", "", "q05.py", 1)
    (found,) = said(submission(**files), fake(q05=stub, q11=stub))
    assert found.text.en == "halve uses your double (q05.py), which is not written yet: write that first."


def test_of_a_chain_the_first_link_is_named() -> None:
    """What uses no other wrong exercise; everything behind it is wrong because of that."""
    files = {"a": DOUBLE + "def halve(x): return double(x)\ndef turn(x): return halve(x)\n"}
    report = grade(COURSE, submission(**files), fake(lambda _: WRONG))
    texts = [[d.text.en for d in result(report, name).diagnosis] for name in ("double", "halve", "turn")]
    assert [len(each) for each in texts] == [0, 1, 1] and "your double" in texts[2][0]


def test_watch_shows_the_dependency_first() -> None:
    """Also if its question comes later."""
    files = {"a": "def halve(x): return x\ndef double(x): return halve(x)\n"}
    report = grade(COURSE, submission(**files), fake(lambda _: WRONG))
    page = WatchSession(lambda: report, lambda result: ()).handle("saved")
    assert page.current is not None and page.current.name == "halve"
    assert not words.is_stub(page.current)


def test_large_files_are_searched_within_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """If those are exceeded, nothing is said, and nothing else is lost."""
    file = source("all.py", DOUBLE + HALVE)
    monkeypatch.setattr(bounded, "SMALL", 0)
    assert dependencies._used((("halve", file),), (file,)) == {"halve": [("all", "double")]}

    def exceeded(*_: object) -> None:
        raise bounded.Exceeded("cpu")

    monkeypatch.setattr(bounded, "call", exceeded)
    assert dependencies._used((("halve", file),), (file,)) == {}
