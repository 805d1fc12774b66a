"""The course's own derivations: what derives passes, in several styles; what derives nothing earns nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from grader.authoring import selfcheck
from grader.core.marks import plain
from grader.core.model import Status
from grader.course import items
from grader.course.items import derivation
from grader.course.items._planted import empty_chains
from grader.course.items._properties import Property
from grader.grading import courses

CONTEXT = items.Context("spring", "ada", "Q1.example")
COURSE = courses.load(Path(__file__).parents[3])
ITEMS = {
    item.id: item for question in COURSE.questions for item in question.items if isinstance(item.spec, derivation.Spec)
}
MESSAGES = yaml.safe_load(Path(__file__).with_name("messages.yaml").read_text("utf-8"))
#: `bank check` judges all of them, and so does `make prove`: for `make test`, every third.
RIGHT = [
    pytest.param(name, answer, marks=pytest.mark.prove if at % 3 else ())
    for name, item in ITEMS.items()
    for at, answer in enumerate(item.spec.accepted)
]
LESS = [(name, chain) for name, item in ITEMS.items() for chain in item.spec.rejected]


def test_each_has_several_accepted_chains() -> None:
    """In other styles than the key, which is one more."""
    assert len(ITEMS) == 12
    assert all(len(item.spec.accepted) >= 3 for item in ITEMS.values())


@pytest.mark.parametrize(("name", "answer"), RIGHT)
def test_what_derives_passes(name: str, answer: str) -> None:
    """With full points, whatever the style."""
    judged = items.judge(ITEMS[name], answer, CONTEXT)
    assert (judged.status, judged.fraction) == (Status.PASSED, 1.0), judged.message


@pytest.mark.parametrize(("name", "chain"), LESS)
def test_what_derives_less_earns_what_the_bank_says(name: str, chain: derivation.Rejected) -> None:
    """With a message in both languages, which names the ideas that are shown, with their lines, and no other."""
    judged = items.judge(ITEMS[name], chain.lines, CONTEXT)
    assert judged.status is Status.FAILED and judged.fraction == pytest.approx(chain.earns, abs=1e-2)
    assert judged.message is not None and judged.message.zh
    assert ("\nIdeas shown so far: " in judged.message.en) == ("\n✓ Line " in judged.message.en) == (chain.earns > 0)
    rest = re.sub(r"\n✓ Line \d+: .*", "", judged.message.en)
    stages = [stage for route in ITEMS[name].spec.routes for stage in route.stages]
    assert not [stage.means.en for stage in stages if stage.means.en in rest]


#: Judging what is empty takes seconds for most items: this is for `make test`, the others for `make prove`.
QUICK = {"Q23.gradient"}
ALL = [pytest.param(name, marks=() if name in QUICK else pytest.mark.prove) for name in ITEMS]


@pytest.mark.parametrize("name", ALL)
def test_what_derives_nothing_earns_nothing(name: str) -> None:
    """Ends copied, rearranged and padded, stages planted, and circles; the key earns everything."""
    spec = ITEMS[name].spec
    chains = list(empty_chains(spec))
    assert len(chains) > 15
    earned = {attack: derivation.judge(spec, with_givens(spec, lines), CONTEXT).fraction for attack, lines in chains}
    assert {attack for attack, fraction in earned.items() if fraction} == set()
    lines = [line.line for line in spec.chain]
    assert derivation.judge(spec, with_givens(spec, lines), CONTEXT).status is Status.PASSED


def with_givens(spec: derivation.Spec, lines: object) -> dict[str, object]:
    """An answer with the assumptions of the bank."""
    return {"given": dict(spec.given), "lines": lines}


@pytest.mark.prove
def test_the_bank_is_told_of_a_derivation_that_can_be_had_for_nothing() -> None:
    """A stage that anything shows, too few stages, and chains that earn something else: each with its id."""
    item = ITEMS["Q16.relative"]
    question = next(one for one in COURSE.questions if item in one.items)
    route = item.spec.routes[0]
    anything = replace(route, stages=(replace(route.stages[0], is_=Property(mentions=("R",))),))
    spec = replace(
        item.spec, routes=(anything,), accepted=("q·k",), rejected=(derivation.Rejected("⟨q, R_{n−m} k⟩", 0.5),)
    )
    bare = replace(question, items=(replace(item, spec=spec, points=3),))
    found = {problem.id for problem in selfcheck.derivation_problems(bare)}
    assert found == {"few-stages", "empty-derivation", "chain-earns"}


def test_a_hidden_end_is_not_shown() -> None:
    """Neither below the question, nor in what is said of an unfinished chain or of other assumptions."""
    spec = ITEMS["Q18.standard"].spec
    said = [fact.en for fact in derivation.prompt(spec, CONTEXT).facts]
    said += [derivation.judge(spec, "Var(X)/(v + ε)", CONTEXT).message.en]  # type: ignore[union-attr]
    wrong = {"given": {"X": "random(mean=μ, var=2 v)"}, "lines": "Var(X)/(v + ε)"}
    said += [derivation.judge(spec, wrong, CONTEXT).message.en]  # type: ignore[union-attr]
    assert not any("v/(v + ε)" in text for text in said), said
    assert derivation.without_key(spec).to == spec.from_


def test_what_is_said_of_limits_and_of_lines_with_several_sides() -> None:
    """Lines with a limit are named as such; “rewrites the start” is said of whole lines."""
    answer = "∂(x + F(x))/∂x\n= lim_{h→0} (x + h)/h\n= (I + J) I\nso ∂(x + F(x))/∂x = I + J"
    message = items.judge(ITEMS["Q17.chain"], answer, CONTEXT).message
    assert message is not None
    assert plain(message.en).startswith("Only limits of difference quotients are judged, so not line 2; write")
    assert "rewrites the start" not in message.en


@pytest.mark.parametrize("name", MESSAGES)
def test_what_is_said_is_about_the_chain_as_it_is_written(name: str) -> None:
    """A message names what is missing or wrong where it is, and what its reader needs to check it."""
    for chain in MESSAGES[name]:
        judged = items.judge(ITEMS[name], chain["lines"], CONTEXT)
        assert judged.message is not None and chain["says"] in plain(judged.message.en)
