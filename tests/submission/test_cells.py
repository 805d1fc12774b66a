"""What a definition needs of the cells that a notebook has run."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.submission import Unusable, changed_since, read_cells
from grader.submission.cells import bound, imports, last_binding, select
from tests.submission.test_notebook import code, notebook, store

CELLS = {
    1: "import torch, math\nx = torch.randn(3)\nx",
    2: "def helper(q): return q\n\ndef f(x, d=SIZE):\n    return helper(x) * math.pi",
    3: "SIZE = 3",
    4: "%%check f\n@torch.no_grad()\ndef f(x, d=SIZE):\n    y = [x for x in range(3)]\n    return helper(x)",
    5: "sizes = {}\nsizes['h'] = 4\nprint(sizes)\nn = 1\nn += 1\nn = n * 2",
    6: "def g(q):\n    return f(q) * sizes['h'] * n",
    7: "!ls\n%matplotlib inline\ntrain(g(1))",
    9: "broken (",
    10: "%%bash\ng = 1",
}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("helper", {2: "def helper(q): return q\n\n\n"}),
        ("SIZE", {3: "SIZE = 3"}),
        ("n", {5: "\n\n\nn = 1\nn += 1\nn = n * 2"}),
        ("sizes", {5: "sizes = {}\nsizes['h'] = 4\n\n\n\n"}),
        ("absent", {}),
        (
            "f",
            {
                1: "import torch, math\n\n",
                2: "def helper(q): return q\n\n\n",
                3: "SIZE = 3",
                4: "\n@torch.no_grad()\ndef f(x, d=SIZE):\n    y = [x for x in range(3)]\n    return helper(x)",
            },
        ),
    ],
)
def test_what_a_name_needs(wanted: str, expected: dict[int, str]) -> None:
    """The last binding, what changes it, and whatever these mention, each in its line; no calls, no locals."""
    assert select(CELLS, [wanted]) == expected


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("if True:\n    def f(): pass", "f"),
        ("try:\n    import einops\nexcept ImportError:\n    einops = None", "einops"),
        ("for f in range(3): pass", "f"),
        ("from math import sqrt as root", "root"),
        ("class Net: pass", "Net"),
        ("a, (b, *c) = 1, (2, 3)", "c"),
        ("with open(p) as file: pass", "file"),
    ],
)
def test_every_way_to_bind_a_name_counts(source: str, name: str) -> None:
    """A name bound in a condition, loop, import, class or pattern is bound; what comes before it may matter, too."""
    cells = {1: f"{name} = 0", 2: source}
    assert name in bound({2: source})
    assert last_binding(cells, name) == 2
    assert 2 in select(cells, [name])


def test_imports_that_bind_unknown_names_are_always_needed() -> None:
    """Imports from __future__, and those with a star, belong to every definition."""
    cells = {1: "from __future__ import annotations", 2: "from math import *", 3: "def f() -> Tensor: ..."}
    assert select(cells, ["f"]) == cells
    assert imports(cells.values()) == {"__future__", "math"}


def test_a_submission_of_cells(tmp_path: Path) -> None:
    """Messages number cells as the notebook does; modules in the folder that the cells import are read, too."""
    (tmp_path / "helpers.py").write_text("import more\ndef help(): pass\n")
    (tmp_path / "more.py").write_text("x = 1\n")
    (tmp_path / "unrelated.py").write_text("y = 1\n")
    (tmp_path / "linked.py").symlink_to(tmp_path / "unrelated.py")
    cells = {2: "import helpers, linked", 5: "def f(x):\n    return helpers.help(linked)"}
    made = read_cells(cells, ["f"], "ada", tmp_path, "notebook.ipynb")
    assert [file.path for file in made.files] == ["helpers.py", "more.py", "notebook.ipynb"]
    assert [part.label for part in made.files[2].parts] == ["notebook.ipynb cell 2", "notebook.ipynb cell 5"]
    assert made.learner == "ada"
    with pytest.raises(Unusable):
        read_cells(cells, ["g"], "ada", tmp_path, "notebook.ipynb")


def test_a_cell_that_was_changed_and_not_run(tmp_path: Path) -> None:
    """Only a saved cell that defines the name, with a text that was never run, counts as changed."""
    ran = {1: "def f(): return 1", 2: "def g(): return 1"}
    saved = store(tmp_path, notebook(code("def f(): return 1\n"), code("def g(): return 2"), code("h = 1")))
    assert [changed_since(saved, ran, name) for name in ("f", "g", "absent")] == [False, True, False]
    assert not changed_since(tmp_path / "missing.ipynb", ran, "f")
    assert not changed_since(store(tmp_path, "{", "broken.ipynb"), ran, "f")


def test_a_long_sum_beside_the_definition_does_no_harm() -> None:
    """Expressions that are as deep as they are long are read like others."""
    cells = {1: "total = " + " + ".join(["start"] * 2500), 2: "def softmax(x):\n    return x + total"}
    assert bound(cells) == {"total", "softmax"}
    assert select(cells, ["softmax"])[1] == cells[1]
