"""Instrumented code does what it did before, and every probe knows its place."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
import yaml

from grader.sandbox.inside.instrument import PROBE, Probes


def instrumented(text: str) -> tuple[dict[str, Any], Probes, list[int]]:
    """The names that the code defines, its probes, and the numbers of those that were asked, in order."""
    probes, asked = Probes(), list[int]()

    def probe(number: int, value: Any) -> Any:
        asked.append(number)
        return value

    names: dict[str, Any] = {PROBE: probe, "np": np}
    text = dedent(text)
    for statement in ast.parse(text).body:
        tree = ast.Module([probes.instrument(statement, "a.py", text)], [])
        exec(compile(tree, "a.py", "exec"), names)
    return names, probes, asked


def plain(text: str) -> dict[str, Any]:
    """The names that the code defines as it is."""
    names: dict[str, Any] = {"np": np}
    exec(dedent(text), names)
    return names


#: Functions ``f()`` that use one part of the language each.
PROGRAMS: dict[str, str] = yaml.safe_load(Path(__file__).with_name("programs.yaml").read_text("utf-8"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_code_does_what_it_did(name: str) -> None:
    """Results are the same with probes, for every part of the language that people use."""
    names, probes, _ = instrumented(PROGRAMS[name])
    np.testing.assert_equal(names["f"](), plain(PROGRAMS[name])["f"]())
    assert probes.places or name == "docstring"


def test_places_are_those_in_the_source() -> None:
    """Lines count from 1 and columns in characters, also behind letters that take several bytes."""
    text = "def f(q, ω):\n    é = 'ü'; s = q @ ω.T / (2 * q.shape[-1])\n    return s\n"
    _, probes, _ = instrumented(text)
    lines = text.split("\n")
    shown = [lines[place.line - 1][place.column : place.end_column] for place in probes.places]
    assert shown == ["ω.T", "q @ ω.T", "q.shape[-1]", "2 * q.shape[-1]", "q @ ω.T / (2 * q.shape[-1])"]


def test_only_bodies_of_functions_have_probes() -> None:
    """Neither the top level, nor class bodies, decorators, defaults or annotations."""
    text = "x = 1 + 1\nclass A:\n    y = 1 + 1\n    def g(self, z=1 + 1) -> 'a'[0]:\n        return z + 1\n"
    _, probes, asked = instrumented(text)
    assert [place.line for place in probes.places] == [5]
    assert not asked


def test_what_is_changed_in_place_is_known() -> None:
    """A variable after ``x *= 2`` and ``x[0] = …``, and the result of ``x.fill_(0)``, are changed and not replaced."""
    _, probes, _ = instrumented("def f(x):\n    x *= 2\n    x[0] = x[1]\n    x.relu_()\n    return x.relu()\n")
    assert [probes.places[number].line for number in sorted(probes.inner)] == [2, 3, 4]
