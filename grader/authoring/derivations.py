"""Proves the derivations of a bank: what derives earns its points, and what only looks like it earns nothing."""

from __future__ import annotations

from collections.abc import Iterator

from grader.core.model import Question
from grader.course.items import Context, derivation
from grader.course.items._planted import empty_chains
from grader.course.items.derivation import Spec
from grader.course.problems import Problem

_NOBODY = Context("", "", "")


def problems(question: Question) -> Iterator[Problem]:
    """Problems of the derivations of ``question`` that only judging many chains shows."""
    for item in question.items:
        if not isinstance(item.spec, Spec):
            continue
        where = f"{question.file}, item {item.id}"
        stages = max(len(route.stages) for route in item.spec.routes)
        if stages + 1 < item.points:
            found = f"{stages} stages and the end for {item.points:g} points; expected one for each point"
            yield Problem("few-stages", where, found)
        for name, lines in empty_chains(item.spec):
            if fraction := _fraction(item.spec, lines):
                yield Problem("empty-derivation", where, f"“{name}” earns {fraction * item.points:g} points")
        for said in _wrongly_paid(item.spec):
            yield Problem("chain-earns", where, said)


def _fraction(spec: Spec, lines: object) -> float:
    return derivation.judge(spec, {"given": dict(spec.given), "lines": lines}, _NOBODY).fraction


def _wrongly_paid(spec: Spec) -> Iterator[str]:
    """Chains that earn something else than they should."""
    for text in spec.accepted:
        if (fraction := _fraction(spec, text)) < 1:
            yield f"“{_first_line(text)}” is among `accepted` and earns {fraction:g}"
    for chain in spec.rejected:
        if abs((fraction := _fraction(spec, chain.lines)) - chain.earns) > 0.01:
            yield f"“{_first_line(chain.lines)}” is among `rejected` and earns {fraction:g}, not {chain.earns:g}"
    lines = [line.line for line in spec.chain]
    alone = [_fraction(spec, [line]) for line in lines]
    for length in range(1, len(lines)):
        # Without the end, a chain earns what its lines earn: never less than one of them, and not everything.
        fraction = _fraction(spec, lines[:length])
        if fraction < max(alone[:length]) or (fraction == 1 and length < len(lines) - 1):
            yield f"the first {length} lines of `chain` earn {fraction:g}"


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
