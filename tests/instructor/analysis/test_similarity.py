"""Which solutions are alike: what counts as the same, what is left out, and what is shown of it."""

from __future__ import annotations

import itertools
import random
import re

import pytest

from grader.core.model import Part, SourceFile
from grader.instructor.analysis.similarity import (
    COMMON,
    SHORTEST,
    WHOLE,
    CodeSample,
    SimilarityResult,
    compare,
    reduce_sample,
    side_by_side,
    split_by_exercise,
    tokenize_code,
)

#: Long enough to be compared.
CODE = '''
def attend(q, k, v, mask=None):
    """Attention."""
    # first the scores
    scores = q @ k.swapaxes(-1, -2) / k.shape[-1] ** 0.5
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    total = weights.sum(axis=-1, keepdims=True)
    return (weights / np.where(total > 0, total, 1.0)) @ v
'''
RENAMED = """
def attend(a, b, c, mask=None):
    energy = (
        a @ b.swapaxes(-1, -2)
        / b.shape[-1] ** 0.5   # other blanks, other names
    )
    if mask is not None:
        energy = np.where(mask, energy, -np.inf)
    m = energy.max(axis=-1, keepdims=True)
    p = np.exp(energy - np.where(np.isfinite(m), m, 0.0))
    z = p.sum(axis=-1, keepdims=True)
    return (p / np.where(z > 0, z, 1.0)) @ c
"""
OTHER = """
def attend(q, k, v, mask=None):
    out = []
    for row in range(len(q)):
        logits = [sum(x * y for x, y in zip(q[row], key)) / math.sqrt(len(key)) for key in k]
        allowed = [i for i in range(len(k)) if mask is None or mask[row][i]]
        biggest = max((logits[i] for i in allowed), default=0.0)
        shares = {i: math.exp(logits[i] - biggest) for i in allowed}
        out.append(sum((shares[i] / sum(shares.values())) * v[i] for i in allowed))
    return np.stack(out)
"""
STUB = '''
def attend(q, k, v, mask=None):
    """What to do."""
    # write your code here
    raise NotImplementedError
'''


def file(text: str, path: str = "q05.py") -> SourceFile:
    """A file of one part."""
    return SourceFile(path, "q05", (Part(path, text),))


def handed(key: str, text: str, *people: str) -> CodeSample:
    """A submission of one file."""
    return CodeSample(key, people or (key,), (file(text),))


def found(*submissions: CodeSample, given: tuple[SourceFile, ...] = (), threshold: float = 0.8) -> SimilarityResult:
    """What a class's submissions for one exercise have in common."""
    return compare([reduce_sample(one, ["attend"]) for one in submissions], given, ["attend"], threshold)


def alike(result: SimilarityResult, scope: str = "attend") -> list[tuple[str, str]]:
    """The pairs of one scope."""
    return [(pair.left, pair.right) for pair in result.pairs if pair.scope == scope]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a = f(b)", "total=g( x )  # sum"),
        ("def f(x):\n    '''Doc.'''\n    return x", "def g(y):\n        return y"),
        ("x = 'one'", 'y = "two"'),
        ("a = (1 +\n  b)", "c = (1 + d)"),
    ],
)
def test_what_is_the_same(left: str, right: str) -> None:
    """Names of one's own, texts, comments, docstrings and formatting do not count."""
    assert [token.kind for token in tokenize_code(left)[0]] == [token.kind for token in tokenize_code(right)[0]]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a = x.sum()", "a = x.mean()"),
        ("a = f(b, axis=1)", "a = f(b, dim=1)"),
        ("a = len(b)", "a = max(b)"),
        ("a = b + 1", "a = b + 2"),
        ("if a:\n    b", "while a:\n    b"),
        ("if a:\n    b\nc", "if a:\n    b\n    c"),
    ],
)
def test_what_is_different(left: str, right: str) -> None:
    """Methods, arguments by name, built-in functions, numbers, statements and nesting count."""
    assert [token.kind for token in tokenize_code(left)[0]] != [token.kind for token in tokenize_code(right)[0]]


def test_code_in_pieces() -> None:
    """Definitions of exercises by name, with decorators; the rest apart; cells of a notebook like files."""
    cells = (
        Part("n.ipynb cell 1", "import math\nX = 1"),
        Part("n.ipynb cell 2", "@mark\ndef attend(q):\n    return q"),
    )
    pieces = split_by_exercise([SourceFile("n.ipynb", "n", cells)], ["attend"])
    assert {name: [(p.part.label, p.first, p.last) for p in each] for name, each in pieces.items()} == {
        WHOLE: [("n.ipynb cell 1", 1, 2)],
        "attend": [("n.ipynb cell 2", 1, 3)],
    }
    assert list(split_by_exercise([file("x = 1\ndef attend(q):\n    return q\ny = 2\n")], ["attend"])) == [
        WHOLE,
        "attend",
    ]


@pytest.mark.parametrize("text", ["def f(:", "x = '''never ends", "\tx\n y", "", "a" * 10_000 + " ="])
def test_broken_code_is_no_fault_of_ours(text: str) -> None:
    """It was refused before; whatever comes here does not stop the comparison."""
    tokenize_code(text)
    assert found(handed("a", text), handed("b", text)).pairs == ()


def test_renamed_is_still_the_same() -> None:
    """Another name for everything changes nothing but the share of names that are spelled alike."""
    result = found(handed("b", RENAMED), handed("a", CODE), handed("c", OTHER))
    (pair,) = (pair for pair in result.pairs if pair.scope == "attend")
    assert (pair.left, pair.right) == ("a", "b")
    assert pair.score > 0.98  # all but a pair of brackets
    assert pair.names < 0.5
    assert pair.tokens > SHORTEST
    assert ("a", "b") in alike(result, WHOLE)
    (copied,) = (p for p in found(handed("a", CODE), handed("b", CODE)).pairs if p.scope == "attend")
    assert copied.names == 1.0


def test_nearly_the_same() -> None:
    """A line more or less still counts, as far as the threshold says."""
    edited = CODE.replace("    top =", "    print(scores.shape)\n    top =")
    assert alike(found(handed("a", CODE), handed("b", edited))) == [("a", "b")]
    assert alike(found(handed("a", CODE), handed("b", edited), threshold=1.0)) == []


def test_a_group_is_not_compared_with_itself() -> None:
    """Who works together hands in the same."""
    assert alike(found(handed("a", CODE, "ada", "bo"), handed("b", CODE, "bo"))) == []
    assert alike(found(handed("a", CODE, "ada", "bo"), handed("b", CODE, "cy"))) == [("a", "b")]


def test_what_was_given_does_not_count() -> None:
    """Stubs and references are nobody's own; who copied them from the package copied from nobody in class."""
    assert alike(found(handed("a", CODE), handed("b", CODE), given=(file(CODE),))) == []
    result = found(handed("a", STUB + CODE), handed("b", STUB + CODE), given=(file(STUB),))
    assert [(scope.exercise, scope.written, scope.compared) for scope in result.scopes] == [
        ("attend", 2, 2),
        (WHOLE, 2, 2),
    ]


def test_short_solutions_are_not_compared() -> None:
    """A right solution of three lines looks like every other; it is said for which exercises that holds."""
    short = "def attend(q, k, v, mask=None):\n    return softmax(q @ k.T / np.sqrt(k.shape[-1])) @ v\n"
    result = found(handed("a", short), handed("b", short), given=(file(STUB),))
    assert result.pairs == ()
    assert [(scope.written, scope.compared) for scope in result.scopes] == [(2, 0), (2, 0)]


def test_what_everybody_writes_does_not_count() -> None:
    """Nor does it make pairs: it is said once, as a group."""
    class_ = [handed(f"s{n:02}", CODE) for n in range(COMMON + 1)]
    result = found(*class_)
    assert result.pairs == ()
    (group,) = result.groups
    assert group.keys == tuple(one.key for one in class_)
    assert len(alike(found(*class_[:-1]))) == COMMON * (COMMON - 1) / 2


def program(chance: random.Random) -> str:
    """Some code that nobody else would write."""
    steps = ["x = x.{}(axis={})", "y = np.{}(x) * {}", "x = (x - y.{}()) / {}", "y = y[..., :{}].{}()"]
    methods = ["sum", "mean", "max", "cumsum", "argsort", "transpose", "ravel", "copy"]
    lines = []
    for _ in range(12):
        step, method, number = chance.choice(steps), chance.choice(methods), chance.randrange(99)
        lines.append("    " + step.format(*((number, method) if ":{}" in step else (method, number))))
    return "def attend(x):\n" + "\n".join(lines) + "\n    return y\n"


def test_a_copy_is_found_among_many() -> None:
    """And nothing else is."""
    chance = random.Random(5)
    class_ = [handed(f"s{n:03}", program(chance)) for n in range(120)]
    text = class_[7].files[0].parts[0].text
    text = re.sub(r"\bx\b", "tensor", text)
    result = found(*class_, handed("thief", text))
    assert alike(result) == [("s007", "thief")]


def test_side_by_side() -> None:
    """The text is whole and as it was handed in; what is the same is marked, and what was given is told apart."""
    given = (file(STUB),)
    text = CODE.replace('"""Attention."""', '"""Attention."""\n    # so says Vaswani\n    # write your code here')
    left, right = handed("a", text), handed("b", RENAMED + "    # so says Vaswani\n")
    result = found(left, right, given=given)
    (pair,) = (pair for pair in result.pairs if pair.scope == "attend")
    (one,), _ = side_by_side(result, pair, left, right)
    assert one.label == "q05.py"
    assert "\n".join("".join(t for t, _ in line.stretches) for line in one.lines) == text.strip("\n")
    marks = {text.strip(): kind for line in one.lines for text, kind in line.stretches}
    assert marks["total = weights.sum(axis=-1, keepdims=True)"] == "same"
    assert [line.number for line in one.lines] == list(range(2, 2 + len(one.lines)))
    assert ("def attend(q, k, v, mask=None):", "given") in itertools.chain(*(line.stretches for line in one.lines))
    assert marks["# first the scores"] == ""
    assert marks["# write your code here"] == ""


def test_the_same_comment_is_marked() -> None:
    """Comments do not count, but somebody who looks will want to see them."""
    left, right = handed("a", CODE), handed("b", RENAMED.replace("    m =", "    # first  the scores\n    m ="))
    result = found(left, right)
    (pair,) = (pair for pair in result.pairs if pair.scope == "attend")
    for shown in side_by_side(result, pair, left, right):
        kinds = {text.strip(): kind for each in shown for line in each.lines for text, kind in line.stretches}
        assert "same" in [kind for text, kind in kinds.items() if "first" in text]


def test_all_of_it_side_by_side() -> None:
    """Everything that was handed in, exercises first."""
    helper = "\n\ndef help_me(x):\n    return x * 2\n"
    left, right = handed("a", CODE + helper), handed("b", RENAMED + helper)
    result = found(left, right)
    (pair,) = (pair for pair in result.pairs if pair.scope == WHOLE)
    one, other = side_by_side(result, pair, left, right)
    assert len(one) == len(other) == 2
