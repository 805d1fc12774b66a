"""Mutants: what is changed, what is left alone, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.authoring import mutation
from grader.core.model import Course, Equivalent
from grader.grading import courses
from tests.commands.test_bank import written


def described(source: str) -> list[str]:
    """What is changed in a function, one after the other."""
    return [said for said, _ in mutation.variants(source)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("return a + b", ["a + b → a - b", "a + b → a", "a + b → a.add_(b)"]),
        ("return a * 2.0", ["a * 2.0 → a / 2.0", "2.0 → 4.0"]),
        ("return f(a, dim=-1)", ["f(a, dim=-1) → f(a)", "1 → 2", "1 → 0"]),
        ("return f(a, b)", ["f(a, b) → f(b, a)"]),
        ("return a.transpose(-2, -1)", ["a.transpose(-2, -1) → a"]),
        ("return torch.relu(a)", ["torch.relu(a) → a"]),
        ("return a < b", ["a < b → a <= b"]),
        ("return a is None", ["a is None → a is not None"]),
        ("return a and b", ["a and b → a or b"]),
        ("return ~a", ["~a → a"]),
        ("return f(a, True)", ["True → False"]),
        ("return a[0]", ["a[0] → a", "0 → 1"]),
        ("return a if b else c", ["→ a if not b else c"]),
        ("x = f(a)\n    return x", ["x = f(a) → pass"]),
        ("return f(a)", ["return f(a) → return f(a).detach()", "return f(a) → return f(a).float()"]),
        ("f.add_(a)\n    return f", ["f.add_(a) → pass"]),
    ],
)
def test_variants(line: str, expected: list[str]) -> None:
    """Every operator is applied where it makes a difference."""
    found = described(f"def f(a, b, c):\n    {line}\n")
    for said in expected:
        assert any(said in each for each in found), found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(q: Tensor): return q", ["first q = abs(q)", "first q = q[..., :128, :]"]),
        ("def f(n: int): return n", ["first n = min(n, 128)"]),
        ("def f(tokens: Tensor): return tokens", ["first tokens = tokens[..., :128]"]),
        ("def f(mask: Tensor | None = None): return mask", ["first mask = mask if mask is None else mask[:1]"]),
        ("def f(eps: float=1e-05): return eps", ["first eps = eps or 1e-05"]),
        ("def f(n_q: int, n_k: int): return n_q", ["first n_q = n_k", "first n_k = n_q", "first n_q, n_k = n_k, n_q"]),
        ("def f(q: Tensor, k: Tensor): return q.shape[-2]", ["q.shape[-2] → k.shape[-2]"]),
        ("def f(a): return 1 if a is not None else 2", ["a is not None → a"]),
        ("def f(a): return 1 if a is None else 2", ["a is None → not a"]),
        ("def f(a): return (a - b).square().mean(dim=-1)", ["a.square().mean(dim=-1) - b.square()"]),
        ("def f(a, b: float): return a", ["return a computed once", "for each a", "for each b"]),
        ("def f(a, step: Callable[[int], Step]): return a", ["return a computed once"]),
        ("def f(a): return a.masked_fill(b, 0)", ["a.masked_fill(b, 0) → a.masked_fill_(b, 0)"]),
        ("def f(self, x): return x", ["return x computed once"]),
    ],
)
def test_habits(source: str, expected: list[str]) -> None:
    """Code that is wrong under one condition only is among the mutants of what it could stand in."""
    found = described(source)
    for said in expected:
        assert any(said in each for each in found), found


def test_kept_results_are_kept() -> None:
    """The state of a mutant outlives the call: in the function itself, or in the instance."""
    kept = dict(mutation.variants("def f(a, b): return a + b"))
    once: dict[str, Callable[[int, int], int]] = {}
    exec(kept["return a + b computed once"], once)
    assert [once["f"](1, 2), once["f"](5, 5)] == [3, 3]
    each: dict[str, Callable[[int, int], int]] = {}
    exec(kept["return a + b computed for each a"], each)
    assert [each["f"](1, 2), each["f"](1, 5), each["f"](2, 5)] == [3, 3, 7]


def test_left_alone() -> None:
    """Docstrings, annotations and the texts of exceptions are not changed; a dropped raise is."""
    source = '''
    def f(a: list[int], b: int = 3) -> dict[str, int]:
        """Adds 1 + 1."""
        if b < 1:
            raise ValueError(f"{b + 1} is too small")
        return a
    '''
    found = described(source)
    before = [said.partition(" → ")[0] for said in found]
    assert not any("1 + 1" in said or said == "b + 1" or "int" in said for said in before)
    assert any("→ pass" in said for said in found) and any("3 → 4" in said for said in found)


def test_variants_are_python() -> None:
    """Every variant parses, and differs from the original."""
    source = "def f(a, b=1):\n    x = a @ b.transpose(-2, -1) / 2\n    return x.masked_fill(a > 0, -1.5)\n"
    texts = [text for _, text in mutation.variants(source)]
    assert len(texts) == len(set(texts)) > 12
    for text in texts:
        compile(text, "mutant", "exec")


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("f: a + b → a", "f: a + b → a", True),
        ("f: a + b → a", "f: a + b → a - b", False),
        ("f: … → a", "f: a * b → a", True),
        ("f: a * b → …", "f: a * b → a / b in “x = [a * b]”", True),
        ("f: …", "g: a", False),
    ],
)
def test_matches(pattern: str, name: str, expected: bool) -> None:
    """Only "…" stands for other text; operators and brackets are taken as they are."""
    assert mutation.matches(pattern, name) is expected


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The course that ``bank new`` writes."""
    return courses.load(written(tmp_path_factory.mktemp("course")))


def test_only_its_own_code(course: Course) -> None:
    """Mutants change the exercise's reference, each in one place, and have different names."""
    exercise = course.questions[0].exercises[0]
    found = list(mutation.mutants(course, exercise))
    assert len({mutant.name for mutant in found}) == len(found) >= 5
    for mutant in found:
        changed = [a.path for a, b in zip(mutant.files, course.reference, strict=True) if a.parts != b.parts]
        assert changed == ["reference/question_25.py"]


def test_holes_and_excuses(course: Course) -> None:
    """A mutant that survives is a hole unless it is excused; an excuse for nothing is stale."""
    from dataclasses import replace

    question = course.questions[0]
    exercise = question.exercises[0]
    blind = replace(exercise, cases=exercise.cases[:1], checks=exercise.checks[:1])  # the default factor alone
    excuse = (
        Equivalent("scaled_by_25: x * factor → x.mul_(factor)…", "why"),
        Equivalent("scaled_by_25: nothing", "why"),
    )
    seen = replace(course, questions=(replace(question, exercises=(blind,), equivalent=excuse),))
    fates = list(mutation.run(seen, (), 1))
    alive = {fate.mutant.name.partition(": ")[2]: fate.why for fate in fates if not fate.caught}
    assert any("detach" in name and why is None for name, why in alive.items())
    assert any("mul_" in name and why == "why" for name, why in alive.items())
    assert list(mutation.stale_equivalents(seen, fates)) == [("Q25", "scaled_by_25: nothing")]
