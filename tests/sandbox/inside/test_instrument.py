"""Instrumented code does what it did before, and every probe knows its place."""

from __future__ import annotations

import ast
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

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
PROGRAMS = {
    "views": """
        def f():
            a = np.zeros((2, 3))
            b = a.T
            b[0] = 1
            b[1][:] += 2
            return a
    """,
    "in place": """
        def f():
            x = np.arange(4.0)
            y = x
            x *= 2
            x[1:] -= 1
            return x, y, x is y
    """,
    "rebinding": """
        def f():
            x = 1
            x += 2
            t = (1,)
            t += (2,)
            return x, t
    """,
    "nonlocal": """
        def f():
            n = 0
            def g():
                nonlocal n
                n += 2
                return n
            return g() + n
    """,
    "global": """
        n = 1
        def f():
            global n
            n += 2
            return n
    """,
    "generator": """
        def f():
            def g():
                x = yield 1 + 1
                yield x * 2
            i = g()
            return next(i), i.send(4)
    """,
    "yield from": """
        def f():
            def g():
                return (yield from [1 + 1, 2])
            return list(g())
    """,
    "comprehension": """
        def f():
            return [x * 2 for x in range(4) if x > 1], {i: i + 1 for i in (1, 2)}
    """,
    "walrus": """
        def f():
            return [y := x + 1 for x in (1, 2)], y
    """,
    "lambda": """
        def f():
            g = lambda x, y=2: x * y
            return g(3), sorted([3, 1], key=lambda v: -v)
    """,
    "default": """
        def f(x=2 * 3):
            return x + 1
    """,
    "decorator": """
        import functools
        def d(n):
            return lambda g: g
        @d(1 + 1)
        def f():
            return f.__name__ + '!'
    """,
    "super": """
        class A:
            def g(self):
                return 1
        class B(A):
            def g(self):
                return super().g() + 1
        def f():
            return B().g()
    """,
    "private": """
        class A:
            def __init__(self):
                self.__x = 1 + 1
            def g(self):
                return self.__x * 2
        def f():
            return A().g()
    """,
    "annotation": """
        def f():
            x: list[int] = [1 + 1]
            y: 'nothing' = 2 * 2
            return x, y
    """,
    "starred": """
        def f():
            return max(*[1 + 1, 5], key=lambda v: -v), dict(**{'a': 1 + 1})
    """,
    "short cuts": """
        def f():
            return (0 and 1 / 0) or 7, None if True else 1 / 0, 1 < 2 < 3
    """,
    "match": """
        def f():
            match 1 + 1, [1, 2]:
                case (2, [a, *b]) if a + 1 == 2:
                    return a, b
    """,
    "with": """
        def f():
            with np.errstate(all='ignore'):
                return float(np.float64(1) / np.float64(2))
    """,
    "try": """
        def f():
            try:
                return 1 / 0
            except ZeroDivisionError as error:
                return str(error)
    """,
    "f-string": """
        def f():
            return f'{1 + 1:>{2 + 2}}' + 'ü'
    """,
    "delete": """
        def f():
            a = [1, 2, 3]
            del a[0 + 1]
            return a
    """,
    "unpacking": """
        def f():
            a, *b = [1 + 1, 2, 3]
            b[0], c = 7 + 1, b[1]
            return a, b, c
    """,
    "slices": """
        def f():
            a = np.arange(12).reshape(3, 4)
            return a[1:, ::-1][..., 0], a[-1], a[a > 3]
    """,
    "docstring": """
        def f():
            'Says so.'
            return f.__doc__
    """,
    "loop": """
        def f():
            total = 0
            for i in range(3):
                while total < i * 2:
                    total += 1
                else:
                    total += i
            return total
    """,
    "async": """
        import asyncio
        async def g(x):
            return x + 1
        async def h():
            return await g(1 + 1) * 2
        def f():
            return asyncio.run(h())
    """,
}


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
