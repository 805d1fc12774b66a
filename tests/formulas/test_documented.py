"""What docs/formulas.md says can be written, is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.core.errors import CourseError
from grader.core.marks import plain
from grader.core.model import Item, Status, Text
from grader.core.yaml_positions import parse
from grader.course import items, schema, schema_problems
from grader.course.items import expression
from tests import documentation

PAGE = (Path(__file__).parents[2] / "docs" / "formulas.md").read_text("utf-8")
CONTEXT = items.Context("spring", "ada", "Q1.example")

NUMBERS = {name: "positive integer" for name in ("n", "d", "a", "b", "d_k", "d_model", "i", "j", "t")} | {"θ": "real"}
VECTORS = {"d": "positive integer", "n": "positive integer", "q": "vector(d)", "k": "vector(d)"}
SQUARE = {name: "matrix(2, 2)" for name in ("Q", "K", "V", "A", "B", "W", "R", "S")}
#: What the names of a formula stand for: one of these has to fit.
WORLDS: list[tuple[Mapping[str, str], Mapping[str, str]]] = [
    (NUMBERS, {}),
    (NUMBERS | {"c": "real"}, {}),
    (VECTORS, {}),
    (VECTORS | {"i": "index(d)", "j": "index(d)"}, {}),
    (SQUARE | {"x": "vector(2)", "q": "vector(2)", "k": "vector(2)", "i": "index(2)", "j": "index(2)"}, {}),
    (SQUARE | {"x": "row(2)"}, {}),
    ({"d": "positive integer"}, {"q": "iid(mean=0, var=1, size=d)", "k": "iid(mean=0, var=1, size=d)"}),
    ({"R": "rotation", "θ": "real", "m": "integer", "n": "integer"}, {}),
    ({"x": "real", "y": "x^2 (definition)"}, {}),
    ({"x": "vector(2)", "y": "x·x (definition)", "F": "map(2, 2)"}, {}),
]


def examples() -> list[str]:
    """The formulas in the table, without the row of functions and what the table says not to write."""
    table = PAGE.partition("|---|---|\n")[2].partition("\n\n")[0]
    rows = [line for line in table.splitlines() if not line.startswith("| functions")]
    spans = [span for row in rows for span in row.replace("(not `1/2d`", "").split("`")[1::2]]
    return [span for span in spans if span != "d"]


def is_read(text: str) -> bool:
    """Whether some of the worlds read ``text``, as a formula or as a growth rate."""
    for symbols, given in WORLDS:
        for grows in (False, True):
            spec = expression.Spec(symbols, "O(n)" if grows else "1", given, grows)
            item = Item("Q1.example", "expression", Text("?", "？"), 1.0, "graded", spec)
            if items.judge(item, text, CONTEXT).readable:
                return True
    return False


def test_the_table_is_true() -> None:
    """Every example can be read; what is said to be refused is."""
    found = examples()
    assert len(found) > 80
    assert [text for text in found if not is_read(text)] == []
    assert not is_read("1/2d")


@pytest.mark.parametrize("text", documentation.blocks(PAGE, "yaml"))
def test_the_items_are_true(text: str) -> None:
    """They can be copied as they are, and their own keys pass."""
    value = parse('id: Q1.example\nask: {en: "?", zh: "？"}\n' + text, "formulas.md", CourseError).value
    model = schema_problems.validate(schema._item_model(value["kind"]), value)
    assert not isinstance(model, list), model
    item: Item = model.build()
    assert list(items.kinds()[item.kind].validate(item.spec)) == []
    assert items.judge(item, plain(items.key(item, CONTEXT).en), CONTEXT).status is Status.PASSED


def judged(answer: str, right: str, symbols: Mapping[str, str] | None = None) -> str:
    """How ``answer`` is judged where ``right`` is asked for."""
    spec = expression.Spec(symbols or NUMBERS | {"ω": "real", "p": "real", "c": "real"}, right)
    found = items.judge(Item("Q1.example", "expression", Text("?", "？"), spec=spec), answer, CONTEXT)
    return found.status.value if found.readable else "unread"


#: What the page says in prose: a piece of it, and how answers to (answer, key) are judged.
PROSE: list[tuple[str, list[tuple[str, str, str]]]] = [
    (
        "`log` and `ln` are the natural logarithm",
        [
            ("log a", "ln a", "passed"),
            ("log2(a)", "ln a / ln 2", "passed"),
            ("lb a", "ln a / ln 2", "passed"),
            ("lg a", "ln a / ln 10", "passed"),
            ("lg a", "ln a / ln 2", "failed"),
            ("lg a", "ln a", "failed"),
        ],
    ),
    (
        "In `log n` and `√n` the brackets may be left out",
        [
            ("log n", "log(n)", "passed"),
            ("√n", "sqrt(n)", "passed"),
            ("log n d", "log(n) d", "unread"),
            ("log n (d + 1)", "log(n) (d+1)", "unread"),
            ("√n d", "sqrt(n) d", "unread"),
        ],
    ),
    (
        "`sin ω p cos ω d` is `sin(ω p) cos(ω d)`",
        [
            ("sin ω p cos ω d", "sin(ω p) cos(ω d)", "passed"),
            ("\\sin \\omega p", "sin(ω p)", "passed"),
            ("\\sin \\omega p", "sin(ω) p", "failed"),
            ("sin ω p + p", "sin(ω p + p)", "failed"),
            ("sin ω · p", "sin(ω p)", "failed"),
            ("sin ω (p + 1)", "sin(ω (p + 1))", "unread"),
            ("sin ω(p + 1)", "sin(ω (p + 1))", "passed"),
            ("sin 2 p", "sin(2 p)", "unread"),
        ],
    ),
    (
        "`total = 4 d_model^2 weights # four projections`, `the count is 4 d_model^2`, "
        "`four projections: 4 d_model^2`, `4 d_model^2 (with W^O)` and `d = d_model, so 4 d_model^2` are all "
        "`4 d_model^2`. With other words (`half of 4 d_model^2`) an answer is not read.",
        [
            ("total = 4 d_model^2 weights  # four projections", "4 d_model^2", "passed"),
            ("the count is 4 d_model^2", "4 d_model^2", "passed"),
            ("four projections: 4 d_model^2", "4 d_model^2", "passed"),
            ("4 d_model^2 (with W^O)", "4 d_model^2", "passed"),
            ("d = d_model, so 4 d_model^2", "4 d_model^2", "passed"),
            ("half of 4 d_model^2", "4 d_model^2", "unread"),
        ],
    ),
    (
        "have to be equal. `O(…)` and `Θ(…)` are refused",
        [
            ("2 n = 3 n", "3 n", "unread"),
            ("O(n)", "n", "unread"),
            ("Θ(n)", "n", "unread"),
            ("n + n = 2 n", "2 n", "passed"),
        ],
    ),
    (
        "`np.`, `math.` and `torch.` in front are dropped",
        [
            ("np.log(a)", "log(a)", "passed"),
            ("math.sqrt(a)", "√a", "passed"),
            ("torch.log1p(a)", "log(1 + a)", "passed"),
        ],
    ),
    ("factors side by side bind tightly", [("a/(b c)", "a/(b*c)", "passed")]),
    (
        "(not `1/2d`: write `1/(2d)` or `(1/2) d`)",
        [("1/2d", "1/(2d)", "unread"), ("1/(2d)", "1/(2 d)", "passed"), ("(1/2) d", "d/2", "passed")],
    ),
]


@pytest.mark.parametrize(("said", "answers"), PROSE)
def test_the_sentences_are_true(said: str, answers: list[tuple[str, str, str]]) -> None:
    """What they say is read is read so, and what they call unclear costs nothing."""
    assert said in " ".join(PAGE.split())
    assert [judged(answer, right) for answer, right, _ in answers] == [expected for *_, expected in answers]


VECTOR = {"n": "positive integer", "t": "index(n)", "z": "vector(n)", "c": "real", "p": "softmax(z) (definition)"}


@pytest.mark.parametrize(
    ("answer", "right", "expected"),
    [
        ("p_i - δ_it", "p - onehot(t)", "passed"),
        ("p - onehot", "p - onehot(t)", "unread"),
        ("p - onehot_t", "p - onehot(t)", "passed"),
        ("softmax(z + c)", "softmax(z)", "passed"),
        ("exp(z − max z)/sum(exp(z − max z))", "p", "passed"),
        ("z + c", "z", "failed"),
        ("Σ_i z_i z_i + c", "(Σ_i z_i z_i) + c", "passed"),
    ],
)
def test_the_sentences_on_vectors_are_true(answer: str, right: str, expected: str) -> None:
    """One-hot vectors, indices that nothing sums over, and the two places where a number is added to a vector."""
    assert judged(answer, right, VECTOR) == expected


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("4*n*d", ()),
        ("4 n d", ()),
        ("4·n·d**2", ()),
        ("4 n d²", ()),
        ("\\frac{n}{d}", ()),
        ("d_{model}", ()),
        ("n  # tokens", ()),
        ("sin ω p", ("sin(ω p)",)),
        ("4 d_model weights", ("4 d_model",)),
        ("log n", ("log(n)",)),
        ("n d = n d", ("n d",)),
        ("n +", ()),
    ],
)
def test_what_is_shown_before_it_counts(written: str, read: tuple[str, ...]) -> None:
    """Only a formula that looks different; one that cannot be read says so itself."""
    spec = expression.Spec(NUMBERS | {"ω": "real", "p": "real"}, "1")
    assert items.doubtful(Item("Q1.example", "expression", Text("?", "？"), spec=spec), written) == read
