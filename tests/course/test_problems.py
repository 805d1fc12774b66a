"""Every kind of problem has an id, and a bank that has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.commands import run
from grader.core.problems import Kind, ProblemsError
from tests.authoring.test_giveaways import SHOWN_BY_GUESSING
from tests.authoring.test_selfcheck import SHOWN_BY_RUNNING
from tests.course import test_loader as bank
from tests.course.test_loader import BELIEFS, FILE, GOOD, ITEMS, MISTAKEN, folder, load, question, write

__all__ = ["folder"]

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "author-guide.md"
BEGIN, END = "<!-- problems: held by tests/course/test_problems.py -->", "<!-- end of problems -->"

OTHER = f"questions/{FILE.replace('q05_attention', 'q06_other')}"
REFERENCE = "reference/attention.py"

OPTIONS = GOOD[GOOD.index("    options:") : GOOD.index("    sources: [vaswani2017]\nexercises")]
A, B, C, ONE, TWO = (f"{{id: '{name}', text: {{en: see {name}, zh: 看 {name}}}}}" for name in ("a", "b", "c", "1", "2"))
TEXT = "kind: text\n    key_points: [{en: A mean., zh: 平均。}, {en: With weights., zh: 带权重。}]"


def instead(kind: str, *lines: str) -> tuple[str, str]:
    """The item of the bank, and one of another kind."""
    old = GOOD[GOOD.index("    kind: choice") : GOOD.index(OPTIONS) + len(OPTIONS)]
    new = old.replace(OPTIONS, "".join(f"    {line}\n" for line in lines)).replace("kind: choice", kind)
    return old, new


#: Which kind: the file that shows it, the text that is replaced there ("" for all of it), and what by.
#: An item with an alias of the bundled course.
ALIASED = """items:
  - id: Q6.shape
    kind: shape
    ask: {en: Which shape?, zh: 形状是什么？}
    answer: (batch, n)
    sizes: {batch: {en: texts, zh: 文本}, n: {en: tokens, zh: 词元}}
    aliases: {batch: [B]}
"""
SHOWN_BY_READING: list[tuple[Kind, str, str, str]] = [
    (Kind.NOT_YAML, FILE, "id: Q5\n", "id: [Q5\n"),
    (Kind.NOT_PYTHON, REFERENCE, "", "def f(:\n"),
    (Kind.FILE_NAME, FILE, "id: Q5\n", "id: Q6\n"),
    (Kind.MISSING_KEY, FILE, "group: self-attention\n", ""),
    (Kind.UNKNOWN_KEY, FILE, "group: self-attention\n", "grup: self-attention\n"),
    (Kind.MISPLACED_KEY, "questions/course.yaml", "", "packages: [einops]\n"),
    (Kind.UNKNOWN_CHOICE, FILE, "use: practice", "use: practise"),
    (Kind.WRONG_TYPE, FILE, "correct: true", "correct: 1"),
    (Kind.WRONG_FORM, FILE, "id: Q5.output", "id: output"),
    (Kind.WRONG_LENGTH, FILE, "checks: [values, raises]", "checks: []"),
    (Kind.OUT_OF_RANGE, FILE, "points: 2", "points: 0"),
    (Kind.EMPTY_TEXT, FILE, "en: Write it.", "en: ''"),
    (Kind.DUPLICATE_NAME, FILE, "name: empty rows", "name: basic"),
    (Kind.UNKNOWN_GROUP, FILE, "group: self-attention", "group: self"),
    (Kind.REPEATED_ALIAS, OTHER, "", question("Q6") + BELIEFS + ALIASED),
    (Kind.UNKNOWN_SOURCE, FILE, "sources: [vaswani2017]", "sources: [vaswani]"),
    (Kind.UNKNOWN_QUESTION, "course.yaml", "", "points: {Q6: 3}\n"),
    (Kind.UNKNOWN_EXERCISE, "course.yaml", "", "forbids: {soft_max: [torch.exp]}\n"),
    (Kind.UNKNOWN_ITEM, FILE, "ask_next: Q5.output", "ask_next: Q5.outputs"),
    (Kind.UNKNOWN_MISCONCEPTION, FILE, "misconception: output-is-scores", "misconception: output-is"),
    (Kind.UNKNOWN_REFERENCE, FILE, "attention.attend", "attention.atend"),
    (Kind.UNKNOWN_CHECK, FILE, "checks: [values, {", "checks: [valeus, {"),
    (Kind.UNKNOWN_CASE, FILE, "on: [basic]", "on: [basik]"),
    (Kind.UNKNOWN_ARGUMENT, FILE, "args: {q: {normal", "args: {query: {normal"),
    (Kind.UNKNOWN_HELPER, FILE, "same_as: k", "make: raedy"),
    (Kind.UNKNOWN_SYMBOL, FILE, "normal: [2, n, 8]", "normal: [2, m, 8]"),
    (Kind.UNKNOWN_CONDITION, FILE, ", raises: ValueError", ", raises: ValueError, conditions: [longer]"),
    (Kind.UNKNOWN_EXCEPTION, FILE, "raises: ValueError", "raises: ValuError"),
    (Kind.CORRECT_OPTIONS, FILE, ", correct: true", ""),
    (Kind.WRONG_IS_RIGHT, FILE, ", correct: true", ", correct: true, misconception: output-is-scores"),
    (Kind.FORMULA, FILE, *instead("kind: number", 'answer: "2 +"')),
    (Kind.OWN_ANSWER, FILE, *instead(TEXT, "answer: {en: Too short., zh: 太短。}")),
    (Kind.GIVEN_AWAY, FILE, *instead("kind: order", f"things: [{A}, {B}, {C}]")),
    (Kind.UNKNOWN_ENTRY, FILE, *instead("kind: order", f"things: [{B}, {A}, {C}]", "either: [[a, d]]")),
    (Kind.PAIRS, FILE, *instead("kind: match", f"left: [{A}, {B}]", f"right: [{ONE}, {TWO}]", "pairs: {a: '2'}")),
    (Kind.ITEM_ID, FILE, "id: Q5.output", "id: Q4.output"),
    (Kind.PLACEHOLDER, OTHER, "", question("Q6") + BELIEFS + ITEMS.replace('"√{d_k}?"', '"√16?"')),
    (Kind.SEALED, FILE, "use: practice", "sealed: true"),
    (Kind.NOTHING_GRADED, "course.yaml", "", "points: {Q6: 5}\n"),
    (Kind.CHECK_WITHOUT_CASE, FILE, ", raises: ValueError", ""),
    (Kind.EMPTY_VARIANT, FILE, ", expand: {mask: [query, query]}", ""),
    (Kind.MISSING_ARGUMENT, FILE, "q: {normal: [2, n, 8]}, ", ""),
    (Kind.UNUSED_KEY, FILE, "    adapter: projections\n", ""),
    (Kind.RECIPE, FILE, "normal: [2, n, 8]", "nromal: [2, n, 8]"),
    (Kind.SIZE, FILE, "normal: [2, n, 8]", "normal: [2, n - 5, 8]"),
    (Kind.EDIT, OTHER, "", question("Q6") + BELIEFS + MISTAKEN.replace("{in: half,", "{in: haff,")),
]
#: What needs more than a change of one file.
OTHERS = {Kind.NO_QUESTIONS, Kind.NOT_UTF8}


@pytest.mark.parametrize(("kind", "file", "old", "new"), SHOWN_BY_READING, ids=lambda value: getattr(value, "id", ""))
def test_what_reading_shows(folder: Path, kind: Kind, file: str, old: str, new: str) -> None:
    """A bank that has the problem is refused with its id."""
    path = f"questions/{file}" if file == FILE else file
    before = (folder / path).read_text("utf-8") if old else ""
    assert old in before
    write(folder, path, before.replace(old, new, 1) if old else new)
    if kind is Kind.NOTHING_GRADED:
        write(folder, OTHER, question("Q6"))
    if kind is Kind.EDIT:
        write(folder, "reference/wrong.py", bank.WRONG)
    with pytest.raises(ProblemsError) as caught:
        load(folder)
    assert kind in {problem.kind for problem in caught.value.problems}, str(caught.value)
    assert f" [{kind.id}]" in str(caught.value)


def test_files_that_are_no_text_or_not_there(folder: Path) -> None:
    """Other encodings, and a folder without questions."""
    for kind in sorted(OTHERS, key=lambda kind: kind.id, reverse=True):
        if kind is Kind.NOT_UTF8:
            (folder / "questions" / FILE).write_bytes(b"\xe9")
        else:
            (folder / "questions" / FILE).unlink()
        with pytest.raises(ProblemsError) as caught:
            load(folder)
        assert [problem.kind for problem in caught.value.problems] == [kind]


def test_every_kind_is_shown_by_a_test() -> None:
    """No id is left over, and none is used twice."""
    assert {kind for kind, *_ in SHOWN_BY_READING} | OTHERS | SHOWN_BY_RUNNING | SHOWN_BY_GUESSING == set(Kind)
    assert len({kind.id for kind in Kind}) == len(Kind)


def test_the_guide_lists_every_kind() -> None:
    """The table of docs/author-guide.md has the ids, sentences and hints of the code."""
    rows = [f"| `{kind.id}` | {kind.sentence.en} | {kind.hint.en} |" for kind in Kind]
    table = "\n".join([BEGIN, "", "| id | problem | what to do |", "|---|---|---|", *rows, "", END])
    assert table in GUIDE.read_text("utf-8"), f"docs/author-guide.md needs this table:\n{table}"


def test_bank_check_writes_problems_of_reading_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``bank check --json`` has a list for a bank that cannot be read, too, with every problem."""
    write(folder, f"questions/{FILE}", GOOD.replace("group: self-attention", "group: self"))
    assert run(["bank", "check", str(folder), "--json"]) == 4
    (found,) = json.loads(capsys.readouterr().out)
    assert found["id"] == "unknown-group"
    assert found["where"] == f"questions/{FILE}:3: group"
    assert found["remedy"] == Kind.UNKNOWN_GROUP.hint.en
