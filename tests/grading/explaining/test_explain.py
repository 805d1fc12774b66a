"""All voices together: who speaks, in which order, and what happens if one of them fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from grader.core.errors import LibrariesChanged
from grader.core.marks import plain
from grader.core.model import (
    Diagnosis,
    Misconception,
    Observation,
    Program,
    Raised,
    Returned,
    Span,
    Status,
    Text,
    Value,
)
from grader.core.text import same
from grader.grading.checks.repeatable import DIFFERENT
from grader.grading.explaining import explain as asking
from grader.grading.explaining.evidence import Evidence, WrongExercise
from grader.grading.explaining.explain import explain
from tests.explaining import EXERCISE, ROWS, failure, gave, tried
from tests.helpers import array

WRONG = Status.FAILED
TWICE = tried("twice", WRONG, got=gave(2 * ROWS), expected=gave(ROWS), x=ROWS)


def test_the_line_that_raises() -> None:
    """Is named with its source, as it was submitted."""
    text = "def f(x):\n    return x[9]  # 最后\n"
    stopped = (Raised("IndexError", "words", "q.py", 2),)
    (found,) = explain(failure(tried("a", Status.RAISED, got=stopped), text=text))
    assert (found.voice, found.span) == ("place", Span("q.py", 2, 2, 4, 21, "    return x[9]  # 最后"))
    assert plain(found.text.en) == "The code stops at this line with IndexError (case “a”)."


def test_a_line_that_nobody_submitted() -> None:
    """Has no place: the source is never looked for elsewhere. A hidden case has none either."""
    stopped = (Raised("IndexError", "words", "other.py", 2),)
    (found,) = explain(failure(tried("a", Status.RAISED, got=stopped), text="x\ny\n"))
    assert (found.span, plain(found.text.en)) == (None, "The code stops with IndexError (case “a”).")
    (found,) = explain(failure(tried("a", Status.RAISED, got=stopped, check="gradients"), text="x\ny\n"))
    assert plain(found.text.en) == "Computing gradients through your result ends with IndexError (case “a”)."
    hidden = tried("a", Status.RAISED, got=(Raised("IndexError", "words", "q.py", 1),), public=False)
    assert explain(failure(hidden, text="x\ny\n")) == ()


def test_arguments_that_are_overwritten() -> None:
    """Come first, for what is wrong may only be that."""
    (found,) = explain(failure(TWICE, tried("twice", WRONG, check="unchanged_inputs", x=ROWS)))
    assert plain(found.text.en).startswith("The call changes its arguments in place")


def test_a_relation() -> None:
    """Between results of public cases. It must also hold in most hidden ones, which say nothing by themselves."""
    unlike = tried("unlike", WRONG, got=gave(3 * ROWS), expected=gave(ROWS), public=False, x=ROWS)
    alike = tried("alike", WRONG, got=gave(2 * ROWS), expected=gave(ROWS), public=False, x=ROWS)
    for hidden, said in (
        ((), "Your result is the correct one times 2."),
        ((alike, alike, unlike), "Your result is the correct one times 2."),
        ((unlike,), "Your result is the correct one times a constant (2 in case “twice”)."),
    ):
        (found,) = explain(failure(TWICE, *hidden))
        assert (found.voice, plain(found.text.en)) == ("relation", said)
    assert explain(failure(unlike)) == ()


def test_results_that_cannot_be_compared() -> None:
    """Several values where one belongs, or none at all: no relation is said."""
    several = tried("a", WRONG, got=gave(ROWS, ROWS), expected=gave(ROWS))
    assert explain(failure(several)) == ()
    assert explain(failure(tried("a", WRONG, got=(), expected=gave(ROWS)))) == ()


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (None, "The call returns nothing"),
        ([[None, None], {"out": None}], "The call returns nothing"),
        ((array(ROWS + 1), array(ROWS)), "(result 2 of 2). Return only that one."),
        ({"out": array(ROWS)}, "(under the key 'out')"),
        ([array(row) for row in ROWS], "combine them into one"),
    ],
)
def test_the_right_result_in_another_form(got: object, said: str) -> None:
    """Is recognised among what was returned."""
    (found,) = explain(failure(tried("a", WRONG, got=(Returned((got,)),), expected=gave(ROWS))))
    assert said in plain(found.text.en)


def run(programs: tuple[Program, ...]) -> tuple[Observation, ...]:
    """A reference that squares its argument, and adds the sign of the first number."""
    given = [next(step.value for step in each.steps if isinstance(step, Value)).values for each in programs]
    return tuple(gave(x**2 + np.sign(x[0, 0]))[0] for x in given)


def test_what_the_reference_returns_for_other_inputs() -> None:
    """Is said if it is what the code returned, in every public case that fails."""
    right = ROWS**2 + 1

    wrong = tried("a", WRONG, got=gave(ROWS**2 - 1), expected=gave(right), x=ROWS)
    (found,) = explain(failure(wrong, run=run))
    assert plain(found.text.en) == "Your result is exactly what you would get for `x` with the opposite sign."
    assert found.voice == "relation"


def test_one_of_several_values() -> None:
    """A relation says which of them it is about; one without any is passed over."""
    mine, right = (ROWS + ROWS**2, 2 * ROWS), (ROWS**3, ROWS)
    both = [(Returned(((*map(array, each),),)),) for each in (mine, right)]
    (found,) = explain(failure(tried("a", WRONG, got=both[0], expected=both[1])))
    assert plain(found.text.en) == "In what you return (result 2 of 2): Your result is the correct one times 2."


def test_values_in_another_order() -> None:
    """Are told from wrong values, if the same order would be right in every case, hidden ones too."""
    values = [array(ROWS), array(ROWS[0]), array(ROWS[1])]
    got, right = (Returned(((values[0], values[2], values[1]),)),), (Returned((tuple(values),)),)
    cases = [tried(str(at), WRONG, got=got, expected=right, public=not at) for at in range(2)]
    (found,) = explain(failure(*cases))
    assert plain(found.text.en).endswith("The task asks for yours in the order 1, 3, 2.")
    helped = replace(failure(*cases), exercise=replace(EXERCISE, through="taught"))
    assert explain(helped) == ()
    turned = tried("turned", WRONG, got=(Returned((tuple(values[::-1]),)),), expected=right)
    assert "in the order" not in str(explain(failure(*cases, turned)))


def test_other_inputs_have_to_explain_cases_that_did_not_suggest_them() -> None:
    """Those that fail, or if there are none, those that do not."""

    suggested = tried("a", WRONG, got=gave(ROWS**2 - 1), expected=gave(ROWS**2 + 1), x=ROWS)
    for plus, status, holds in ((-1, WRONG, True), (-2, WRONG, False), (1, Status.PASSED, False)):
        other = tried("b", status, got=gave(ROWS**2 + plus), expected=gave(ROWS**2 + 1), public=False, x=ROWS)
        said = [plain(each.text.en) for each in explain(failure(suggested, other, run=run))]
        assert any("`x` with the opposite sign" in text for text in said) is holds


def test_other_inputs_may_explain_one_of_several_values() -> None:
    """The reference returns its argument and the square of that; the code has only the first one wrong way round."""

    def run(programs: tuple[Program, ...]) -> tuple[Observation, ...]:
        given = [next(step.value for step in each.steps if isinstance(step, Value)).values for each in programs]
        return tuple(Returned(((array(np.sin(x)), array(np.cos(x - 1))),)) for x in given)

    got = (Returned(((array(np.sin(-ROWS)), array(np.cos(ROWS) + ROWS)),)),)
    right = (Returned(((array(np.sin(ROWS) + 0), array(np.cos(ROWS - 1))),)),)
    (found,) = explain(failure(tried("a", WRONG, got=got, expected=right, x=ROWS), run=run))
    assert "result 1 of 2" in plain(found.text.en)


def test_an_array_in_place_of_a_list() -> None:
    """It is compared with the numbers."""
    (found,) = explain(failure(tried("short", WRONG, got=gave(np.arange(6)), expected=(Returned(([*range(8)],)),))))
    assert "the end is missing" in plain(found.text.en)


def test_nothing_is_added_to_what_makes_everything_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither relation nor condition; only that repeated calls differ is worth knowing as well."""

    def places(failure: WrongExercise) -> Iterator[Diagnosis]:
        yield Diagnosis("place", Text("Here.", "这里。"), repairs=True)

    monkeypatch.setattr(asking, "EXPLAINERS", ((places, True), *asking.EXPLAINERS))
    again = tried("twice", WRONG, check="repeatable", x=ROWS)
    random = replace(again, verdict=replace(again.verdict, message=DIFFERENT))
    assert [each.voice for each in explain(failure(TWICE))] == ["place"]
    assert [each.voice for each in explain(failure(TWICE, random))] == ["place", "condition"]


def test_a_voice_that_fails_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others speak, and the verdict stands; but a library that is gone stops the grading."""

    def broken(failure: WrongExercise) -> Iterator[Diagnosis]:
        raise ZeroDivisionError

    monkeypatch.setattr(asking, "EXPLAINERS", ((broken, False), *asking.EXPLAINERS))
    assert [each.voice for each in explain(failure(TWICE))] == ["relation"]

    def gone(failure: WrongExercise) -> Iterator[Diagnosis]:
        raise LibrariesChanged(same("torch"))

    monkeypatch.setattr(asking, "EXPLAINERS", ((gone, False),))
    with pytest.raises(LibrariesChanged):
        explain(failure(TWICE))


def test_a_name_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a misconception is named, only voices that add to it are asked; at most three things are said."""
    named = Diagnosis("mistake", Text("truth", "真相"), Misconception("m", Text("truth", "真相")).id)

    def says(count: int, found: Diagnosis) -> object:
        return lambda failure: iter([found] * count)

    other = Diagnosis("relation", Text("other", "其他"))
    monkeypatch.setattr(asking, "EXPLAINERS", ((says(1, named), False), (says(1, other), False)))
    assert explain(failure(TWICE)) == (named,)
    monkeypatch.setattr(asking, "EXPLAINERS", ((says(2, named), False), (says(2, other), True)))
    assert explain(failure(TWICE)) == (named, named, other)


@pytest.mark.parametrize(
    "failed",
    [
        tried("a", WRONG, got=(Returned(({"\x1b[31mright\n" + "k" * 100_000: array(ROWS)},)),), expected=gave(ROWS)),
        tried("a", Status.RAISED, got=(Raised("\x1b[31mE\u202e", "words", "q.py", 1),)),
        tried("a", Status.RAISED, got=(Raised("E" * 100_000, "words", "q.py", 1),)),
    ],
    ids=["key", "control characters", "type"],
)
def test_what_code_chose_is_short_and_printable(failed: Evidence) -> None:
    """A diagnosis is saved in the gradebook, and shown in every report: it code can neither fill nor color it."""
    (found,) = explain(failure(failed))
    assert len(found.text.en) <= 2000 and plain(found.text.en).isprintable()
    assert len(found.text.zh) <= 2000 and plain(found.text.zh).isprintable()
