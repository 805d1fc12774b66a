"""Python in colours: what is what, and that nothing gets lost or out."""

from __future__ import annotations

import re

import pytest

from grader.core.marks import marked
from grader.core.typesetting.highlight import parts
from grader.core.typesetting.html import python
from tests.learning.test_progress_view import drawn


def test_what_is_in_colours() -> None:
    """Comments, strings, numbers, keywords, and the names that are defined; part of a line as in the whole."""
    source = 'class A:\n    def f(self, x=None):  # why\n        return x in "in" + 1.5'
    found = [(kind, text) for kind, text in parts(source) if kind]
    assert [text for kind, text in found if kind == "keyword"] == ["class", "def", "return", "in"]
    assert [text for kind, text in found if kind == "name"] == ["A", "f"]
    assert [pair for pair in found if pair[0] not in ("keyword", "name")] == [
        ("number", "None"), ("comment", "# why"), ("string", '"in"'), ("number", "1.5"),
    ]  # fmt: skip
    at = source.index("in")
    assert [*parts(source, at + 4, at + 6)] == [("string", source[at + 4 : at + 6])]


@pytest.mark.parametrize(
    "source",
    [
        'x = "<script>" </script>', "a = '\ud800\u202e'", 'x = "no end\ndef f(:', "1. a = $b ?\r\n\tc\x00",
        "a" * 10_000, "x = [1, '&']\n" * 700, "\n" * 9_000 + "def f(): 1", "x = 1\n" * 5_000, "",
    ],
)  # fmt: skip
def test_nothing_gets_lost_or_out(source: str) -> None:
    """Parts make up the source, whatever it is; as HTML it is escaped, and what cannot be seen is shown."""
    assert "".join(text for _, text in parts(source)) == source
    assert "".join(text for cut in (0, 7) for _, text in parts(source, cut, 7 if cut == 0 else None)) == source
    html = python(source)
    assert "<script" not in html and "\ud800" not in html and "\u202e" not in html and "\x00" not in html
    assert html.count("<span") == html.count("</span>") == html.count("<") / 2


def test_a_terminal_breaks_listings_at_spaces() -> None:
    """A narrow one gets whole words, each line as far to the right as it begins; styles are an extra."""
    text = marked("See\n\n```python\ndef f():\n    return masked(queries, keys)\n```")
    said = drawn(lambda page: page.lines(text), width=24).split("\n")
    assert said == ["See", "", "  def f():", "      return", "      masked(queries,", "      keys)", ""]
    assert "  def \x1b[1mf\x1b[0m():" in drawn(lambda page: page.lines(text), colour=True)
    long = "def f(): " + "x" * 200
    assert drawn(lambda page: page.listing(long)) == long + "\n"
    code = "    x = softmax(scores)  # one row for each query\n    return weights + weights + weights"
    narrow = re.sub("\x1b.*?m", "", drawn(lambda page: page.listing(code), width=28, colour=True))
    assert narrow.startswith(
        "    # one row for each query\n    x = softmax(scores)\n    return weights +\n        weights"
    )
