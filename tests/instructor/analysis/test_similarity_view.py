"""Similar solutions as an instructor sees them: on a terminal, as data, side by side on a page."""

from __future__ import annotations

import io
import json
import random
from dataclasses import replace

import pytest
from rich.console import Console

from grader.core.layout import cells
from grader.core.model import Course, Lang
from grader.core.page import Page
from grader.core.serialize import to_json
from grader.instructor.analysis import similarity, similarity_view
from grader.instructor.analysis.class_similarity import ClassSimilarity, find_clusters
from grader.instructor.analysis.similarity import COMMON, CodeSample, compare, reduce_sample
from grader.instructor.analysis.similarity_view import render_html
from tests.instructor.analysis.test_similarity import CODE, OTHER, RENAMED, STUB, file, handed, program
from tests.report.test_html import STRANGE
from tests.report.test_html import Page as Parsed

HOSTILE = "</div><script>alert(1)</script>‮\x1b[2J"
HELPER = "\n\ndef help_me(x):\n    return x\n"


def pages(
    *submissions: CodeSample, exercises: tuple[str, ...] = ("attend",), left_out: tuple[str, ...] = ()
) -> ClassSimilarity:
    """What was found."""
    found = compare([reduce_sample(one, exercises) for one in submissions], (file(STUB),), exercises)
    by_key = {one.key: one for one in submissions}
    return ClassSimilarity(found, {one.key: one.people for one in submissions}, left_out, by_key.get)


def shown(alike: ClassSimilarity, lang: Lang = "en", width: int = 80) -> str:
    """What a terminal shows."""
    output = io.StringIO()
    similarity_view.render(Page(Console(file=output, width=width, color_system=None), lang), alike)
    return output.getvalue()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_terminal_has_80_columns(lang: Lang) -> None:
    """Whatever learners are called; nothing they chose moves the cursor."""
    name = "名" * 70 + "\x1b[2J"
    alike = pages(handed("a", CODE, name), handed("b", RENAMED, name * 2), handed("c", OTHER), left_out=("x" * 300,))
    text = shown(alike, lang)
    assert max(map(cells, text.splitlines())) <= 80
    assert "\x1b" not in text


def test_what_the_terminal_says() -> None:
    """Who, how much, how many of the names; that it proves nothing; what was not compared."""
    both = handed("a", CODE), handed("b", RENAMED)
    text = shown(pages(*both, exercises=("attend", "softmax"), left_out=("eve",)))
    assert "2 submissions compared" in text
    assert "1. a  ↔  b" in text
    assert "attend(): 99% of their own code is the same" in text
    assert "everything together:" in text
    assert "Similar does not mean copied." in text
    assert "Nobody submitted code for 1 of 2 exercises." in text
    assert "could not be read: eve" in text


def test_what_was_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the terminal and as data: whose solutions were compared in part, and how many pairs not at all."""
    monkeypatch.setattr(similarity, "MOST_TOKENS", 60)
    both = handed("a", CODE, "Ada"), handed("b", RENAMED, "Bob")
    assert pages(*both).found.shortened == ("a", "b")
    monkeypatch.setattr(similarity, "MOST_STEPS", 1)
    alike = pages(*both)
    assert (alike.found.pairs, alike.found.unaligned > 0) == ((), True)
    text = shown(alike, width=200)
    assert "tokens were compared: Ada, Bob" in text
    assert f"{alike.found.unaligned} pairs" in text
    data = to_json(similarity_view.as_data(alike))
    assert [one["submission"] for one in data["shortened"]] == ["a", "b"]
    assert data["unaligned"] == alike.found.unaligned


def test_large_files_are_laid_side_by_side() -> None:
    """In the process with limits as here."""
    padding = "# filler\n" * 5000
    small, large = ([handed("a", CODE + more), handed("b", RENAMED + more)] for more in ("", padding))
    sides = []
    for one, other in (small, large):
        found = pages(one, other).found
        shown = similarity.side_by_side(found, found.pairs[0], one, other)
        sides.append([half[0].lines[:5] for half in shown])
    assert similarity.is_small(small[0])
    assert not similarity.is_small(large[0])
    assert sides[0] == sides[1]


def test_nothing_alike() -> None:
    """Is said; so is what was too short."""
    short = "def attend(q, k, v, mask=None):\n    return q\n"
    text = shown(pages(handed("a", short), handed("b", short)))
    assert "No two submissions are similar by 80% or more." in text
    assert "Most solutions are too short to compare: attend (0/2)" in text


def test_many() -> None:
    """Equal solutions are one cluster, not a pair for each two; the terminal says how many more there are."""
    many = [handed(f"s{n}", CODE) for n in range(COMMON)]
    text = shown(pages(*many))
    assert "1. 8 submissions: s0, s1, s2, s3, s4, s5, s6, s7" in text and " 2. " not in text
    assert "attend(): 100% of their own code is the same (1" in text
    assert "attend: 9 submissions have the same solution" in shown(pages(*many, handed("t", CODE)))
    programs = [program(random.Random(n)) for n in range(23)]
    alike = pages(*(handed(f"{side}{n:02}", text) for n, text in enumerate(programs) for side in "ab"))
    assert f"and {len(find_clusters(alike.found)) - 20} more: see --html or --json" in shown(alike)


def test_data() -> None:
    """As docs/json.md describes it."""
    alike = pages(handed("a-1", CODE, "ada", "bo"), handed("c-1", RENAMED, "cy"), left_out=("eve",))
    data = json.loads(json.dumps(to_json(similarity_view.as_data(alike))))
    assert data["pairs"][0]["left"] == {"submission": "a-1", "learners": ["ada", "bo"]}
    assert {pair["exercise"] for pair in data["pairs"]} == {"attend", None}
    assert set(data["pairs"][0]) == {"left", "right", "exercise", "score", "tokens", "names", "common"}
    (cluster,) = data["clusters"]
    assert cluster["submissions"] == [{"submission": "a-1", "learners": ["ada", "bo"]}, data["pairs"][0]["right"]]
    assert [one["exercise"] for one in cluster["exercises"]] == ["attend", None]
    (score,) = (pair["score"] for pair in data["pairs"] if pair["exercise"])
    assert cluster["exercises"][0]["score"] == [score, score]
    assert data["exercises"][0] == {"exercise": "attend", "written": 2, "compared": 2}
    assert (data["left_out"], data["submissions"], data["threshold"]) == (["eve"], 2, 0.8)
    data = to_json(similarity_view.as_data(pages(*(handed(f"s{n}", CODE) for n in range(COMMON + 1)))))
    assert len(data["groups"][0]["submissions"]) == COMMON + 1


def parsed(text: str, lang: Lang = "en") -> Parsed:
    """The page as a browser reads it, which has found nothing wrong."""
    page = Parsed(lang)
    page.feed(text)
    assert not page.open
    assert not {tag for tag, _ in page.elements} & STRANGE
    assert not [name for _, having in page.elements for name in having if name.startswith("on") or name == "style"]
    assert not [having for _, having in page.elements if "src" in having or "href" in having]
    return page


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_is_side_by_side(course: Course, lang: Lang) -> None:
    """The code of both, blanks and all; equal parts marked; everything said in either language."""
    text = render_html(pages(handed("a", CODE + HELPER, "ada"), handed("b", RENAMED + HELPER)), course, lang)
    page = parsed(text, lang)
    assert "        scores = np.where(mask, scores, -np.inf)" in page.text
    assert "<mark>total = weights.sum(axis=-1, keepdims=True)</mark>" in text
    assert "<mark>z = p.sum(axis=-1, keepdims=True)</mark>" in text
    assert "ada" in page.text
    assert similarity_view.HONEST.of(lang)[:20] in page.text
    policies = [having["content"] for tag, having in page.elements if having.get("http-equiv")]
    assert [policy[:18] for policy in policies if policy] == ["default-src 'none'"]


def test_nothing_that_a_learner_wrote_works(course: Course) -> None:
    """Names, file names and code are text; what would turn them round is seen."""
    hostile = CODE.replace("# first the scores", f"# {HOSTILE}")
    one = CodeSample("a", (HOSTILE,), (file(hostile, HOSTILE),))
    two = CodeSample("b", ("bo",), (file(hostile, HOSTILE),))
    text = render_html(pages(one, two, left_out=(HOSTILE,)), course, "en")
    parsed(text)
    assert "<script" not in text
    assert "‮" not in text
    assert "\x1b" not in text
    assert "⟨U+202E⟩" in text


def test_a_page_of_nothing(course: Course) -> None:
    """Says so; and a submission that has gone since is shown without code."""
    nothing = pages(handed("a", CODE), handed("b", OTHER))
    assert "No two submissions are similar" in render_html(nothing, course, "en")
    gone = replace(pages(handed("a", CODE), handed("b", RENAMED)), read=lambda key: None)
    assert "<mark>" not in render_html(gone, course, "en")


def test_a_page_stays_small(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many couples, so many lines, and no line that nobody would read."""
    long = CODE + "\n" * 50 + f"x = '{'a' * 5000}'\n" + "y = 1\n" * 900
    submissions = [handed(f"s{n}", long) for n in range(4)]
    text = render_html(pages(*submissions), course, "en")
    assert "… the rest is not shown" in text
    assert "a" * 400 not in text
    assert "a" * 280 + "" in text
    monkeypatch.setattr(similarity_view, "MOST", 2)
    programs = [program(random.Random(n)) for n in range(4)]
    alike = pages(*(handed(f"{side}{n}", text) for n, text in enumerate(programs) for side in "ab"))
    text = render_html(alike, course, "en")
    assert "2 more are in the JSON output." in text


def test_a_large_cluster_stays_small(course: Course) -> None:
    """Each member is shown beside one other, not beside all; and of very many, some."""
    alike = pages(*(handed(f"s{n}", CODE, f"<s{n}>") for n in range(6)))
    text = render_html(alike, course, "en")
    assert text.count('class="of-cluster"') == 5
    assert "6 submissions: &lt;s0&gt;, &lt;s1&gt;" in text
    (one,) = similarity_view.compare_clusters(alike, find_clusters(alike.found), most=2)
    assert (len(one.couples), one.more) == (2, 3)
