"""Hostile code cannot slow down the search for dependencies, or make it name something that does not exist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from grader.core import bounded
from grader.core.model import Part, SourceFile
from grader.grading import outline
from grader.grading.explaining import dependencies

EXERCISES = tuple(f"e{n}" for n in range(72))
ALL = "".join(f"def {name}(x): return f0(x)\n" for name in EXERCISES)
STARS = "".join(f"from m{n} import *\n" for n in range(20))


def file(name: str, text: str) -> SourceFile:
    """A file with this text, as it is."""
    return SourceFile(f"{name}.py", name, (Part(f"{name}.py", text),))


#: Files, the first of which has the exercises.
SHAPES = {
    "a long chain": [ALL + "".join(f"def f{n}(x): return f{n + 1}(x)\n" for n in range(800))],
    "everything uses everything": [
        ALL + "".join(f"def f{n}(): {'+'.join(f'f{other}' for other in range(40))}\n" for n in range(100))
    ],
    "one name a thousand times": [ALL + "f0 = 1\n" * 2000],
    "stars in a circle": [ALL + STARS] + [STARS + "def f0(): return f0\n"] * 20,
    "it imports itself": [ALL + "from m0 import f0 as f1, f1 as f0\n"],
    "a name of many parts": [ALL.replace("f0(x)", "m0" + ".a" * 200)],
    "deeper than Python reads": [ALL + "def f0(): return " + "(" * 5000 + ")" * 5000 + "\n"],
    "characters that terminals obey": [ALL + "def f0(): return '\\x1b[2J'  # \x1b[2J\n"],
}


@pytest.mark.parametrize("name", SHAPES)
def test_each_definition_is_read_once(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """However many exercises use a definition, it is read once; only definitions in these files are found."""
    read: Counter[int] = Counter()
    really = outline._read

    def counted(tree: Any) -> Iterator[Any]:
        read[id(tree)] += 1
        return really(tree)

    monkeypatch.setattr(outline, "_read", counted)
    outline.outline_of.cache_clear()
    given = tuple(file(f"m{at}", text) for at, text in enumerate(SHAPES[name]))
    assert max(len(each.parts[0].text) for each in given) <= bounded.SMALL
    found = dependencies._search(tuple((each, given[0]) for each in EXERCISES), given)
    assert set(found) == set(EXERCISES)
    assert all(count == 1 for count in read.values())
    defined = {(each.module, one) for each in given for one in outline.outline_of(each).nodes}
    assert all(place in defined for places in found.values() for place in places)
