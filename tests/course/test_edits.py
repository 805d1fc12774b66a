from __future__ import annotations

from textwrap import dedent

import pytest

from grader.core.errors import CourseError
from grader.core.model import Edit, Part, SourceFile
from grader.core.text import show_path
from grader.course import edits
from grader.course.problems import ValueProblem

ATTENTION = '''\
import math
from reference import masks
from reference.tools import softmax as soft


def attend(q, k, v):
    """softmax(q k / √d) v, not q / √d."""
    # The scale first.
    d = q.shape[-1]

    scores = q @ k / math.sqrt(d)  # √d
    return soft(scores) @ v  # (n, d_v)


LAST = 1


class Heads:
    """Two methods."""

    def __init__(self):
        self.heads = 2

    @staticmethod
    def split(x): return x

    def forward(self, x):
        for head in x:
            yield head


def twice(x):
    return x


def twice(x):
    return x + x


def documented(x):
    """Nothing else."""
'''
TOOLS = "def softmax(x):\n    return x\n\n\ndef attend(x):\n    return x\n"
MASKS = "from . import deep\nfrom .far.away import nothing\n\n\ndef causal(n):\n    return n\n"
FAR = "def elsewhere(x):\n    return x\n"


def source(module: str, text: str, *, is_package: bool = False) -> SourceFile:
    """A reference file."""
    return SourceFile(module.replace(".", "/") + ".py", module, (Part(module, text),), is_package=is_package)


FILES = (
    source("reference", "", is_package=True),
    source("reference.deep", "def below(x):\n    return x\n"),
    source("reference.elsewhere", FAR),
    source("reference.masks", MASKS),
    source("reference.tools", TOOLS),
    source("reference.attention", ATTENTION),
)


def edited(*made: Edit, module: str = "reference.attention") -> dict[str, str]:
    """The text of every file that is not as it was."""
    after = edits.apply(FILES, made, module)
    assert [file.module for file in after] == [file.module for file in FILES]
    return {new.module: new.parts[0].text for new, old in zip(after, FILES, strict=True) if new is not old}


@pytest.mark.parametrize(
    ("edit", "module", "old", "new"),
    [
        (Edit("attend", " / math.sqrt(d)", ""), "attention", " / math.sqrt(d)", ""),
        (Edit("attend", "  # (n, d_v)", ""), "attention", "  # (n, d_v)", ""),
        (Edit("attend", "@ v", "@ v[:, :1]"), "attention", "(scores) @ v", "(scores) @ v[:, :1]"),
        (Edit("Heads.__init__", "2", "3"), "attention", "self.heads = 2", "self.heads = 3"),
        (Edit("Heads.split", "@staticmethod", "@classmethod"), "attention", "@staticmethod", "@classmethod"),
        (Edit("twice", "x + x", "x"), "attention", "return x + x", "return x"),
        (Edit("softmax", "return x", "return 0"), "tools", "return x\n\n\n", "return 0\n\n\n"),
        (Edit("below", "return x", "return 2"), "deep", "return x", "return 2"),
        (
            Edit("attend", None, "return v"),
            "attention",
            ATTENTION[ATTENTION.index("    # The scale") : ATTENTION.index("\n\n\nLAST")],
            "    return v",
        ),
        (
            Edit("Heads.forward", None, "  if x:\n    return 1\n  return 2\n"),
            "attention",
            "        for head in x:\n            yield head",
            "        if x:\n          return 1\n        return 2",
        ),
        (Edit("documented", None, "return x"), "attention", '"""Nothing else."""', '"""Nothing else."""\n    return x'),
    ],
)
def test_only_the_named_function_changes(edit: Edit, module: str, old: str, new: str) -> None:
    """Its head, its docstring and every other character of the file stay as they are."""
    before = next(file for file in FILES if file.module == f"reference.{module}").parts[0].text
    assert before.count(old) == 1
    assert edited(edit) == {f"reference.{module}": before.replace(old, new)}


def test_edits_are_made_one_after_the_other() -> None:
    """A later edit meets what an earlier one left, in the same function or in another file."""
    found = edited(
        Edit("attend", " / math.sqrt(d)", " / d"), Edit("attend", "k / d ", "k "), Edit("softmax", None, "return x * 2")
    )
    assert "scores = q @ k  # √d" in found["reference.attention"]
    assert found["reference.tools"].startswith("def softmax(x):\n    return x * 2\n\n\n")


def test_definitions_further_down_keep_their_lines() -> None:
    """The lines that a file's definitions stand on are those of the new text."""
    text = dedent("""\
        def first(x):
            a = 1
            b = 2
            return x


        def second(x):
            return x
        """)
    file = SourceFile("r.py", "r", (Part("r.py", text),), (("first", 1), ("second", 7)))
    (after,) = edits.apply((file,), [Edit("first", None, "return 1")], "r")
    assert after.defines == (("first", 1), ("second", 5))
    assert after.parts[0].text.split("\n")[4] == "def second(x):"
    assert edits.functions(after)["first"] == "def first(x):\n    return 1"


@pytest.mark.parametrize(
    ("edit", "path", "said"),
    [
        (Edit("attend", "math.sqrt(n)", ""), "[0].replace", "attend has it 0 times"),
        (Edit("attend", "√d", "d"), "[0].replace", "attend has it 3 times"),
        (Edit("attend", "LAST = 1", ""), "[0].replace", "attend has it 0 times"),
        (Edit("attnd", "x", "y"), "[0].in", "a function of reference.attention or of what it imports: attend, Heads._"),
        (Edit("Heads", "x", "y"), "[0].in", "found 'Heads'"),
        (Edit("elsewhere", "x", "y"), "[0].in", "found 'elsewhere'"),
        (Edit("attend", " @ v", " @"), "[0].with", "Python that fits into attend (Python says: invalid syntax)"),
        (Edit("attend", None, "return ("), "[0].body", "'(' was never closed"),
        (Edit("attend", None, "a\n  b"), "[0].body", "unexpected indent"),
        (Edit("Heads.split", None, "return 1"), "[0].body", "lines of its own, not Heads.split"),
    ],
)
def test_what_cannot_be_edited_is_told(edit: Edit, path: str, said: str) -> None:
    """A fault says which key is wrong and what was found; making the edit is refused with the same words."""
    (fault,) = edits.problems(FILES, [edit, edit], "reference.attention")
    assert isinstance(fault, ValueProblem)
    assert show_path(fault.path) == path
    assert said in fault.text
    with pytest.raises(CourseError) as caught:
        edited(edit)
    assert fault.text in str(caught.value)
    assert edit.inside in str(caught.value)


def test_the_second_edit_is_counted_too() -> None:
    """The path of a fault begins with the number of the edit."""
    made = [Edit("attend", " / math.sqrt(d)", ""), Edit("attend", " / math.sqrt(d)", "")]
    assert [fault.path for fault in edits.problems(FILES, made, "reference.attention")] == [(1, "replace")]
    assert [*edits.problems(FILES, made[:1], "reference.attention")] == []


def test_the_closure_follows_imports_from_near_to_far() -> None:
    """The reference's own module comes first, so that its function wins over an imported one of the same name."""
    found = [file.module for file in edits.closure(FILES, "reference.attention")]
    assert found == ["reference.attention", "reference", "reference.masks", "reference.tools", "reference.deep"]
    assert edits.closure(FILES, "reference.nowhere") == ()
    assert "q @ k" in edits.functions(edits.closure(FILES, "reference.attention")[0])["attend"]
