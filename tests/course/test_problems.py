"""Every kind of problem has an id, and a bank that has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.commands import run
from grader.core.yaml_positions import parse_document
from grader.course.problems import ProblemsError, kinds
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
SHOWN_BY_READING: list[tuple[str, str, str, str]] = [
    ("not-yaml", FILE, "id: Q5\n", "id: [Q5\n"),
    ("not-python", REFERENCE, "", "def f(:\n"),
    ("file-name", FILE, "id: Q5\n", "id: Q6\n"),
    ("missing-key", FILE, "group: self-attention\n", ""),
    ("unknown-key", FILE, "group: self-attention\n", "grup: self-attention\n"),
    ("misplaced-key", "questions/course.yaml", "", "packages: [einops]\n"),
    ("unknown-choice", FILE, "use: practice", "use: practise"),
    ("wrong-type", FILE, "correct: true", "correct: 1"),
    ("wrong-form", FILE, "id: Q5.output", "id: output"),
    ("wrong-length", FILE, "checks: [values, raises]", "checks: []"),
    ("out-of-range", FILE, "points: 2", "points: 0"),
    ("empty-text", FILE, "en: Write it.", "en: ''"),
    ("empty-text", FILE, "{en: Write it., zh: 请写出来。}", "{en: Write all of this., zh: ZZ1}"),
    ("duplicate-name", FILE, "name: empty rows", "name: basic"),
    ("unknown-group", FILE, "group: self-attention", "group: self"),
    ("repeated-alias", OTHER, "", question("Q6") + BELIEFS + ALIASED),
    ("unknown-source", FILE, "sources: [vaswani2017]", "sources: [vaswani]"),
    ("unknown-question", "course.yaml", "", "points: {Q6: 3}\n"),
    ("unknown-exercise", "course.yaml", "", "forbids: {soft_max: [torch.exp]}\n"),
    ("unknown-item", FILE, "ask_next: Q5.output", "ask_next: Q5.outputs"),
    ("unknown-misconception", FILE, "misconception: output-is-scores", "misconception: output-is"),
    ("unknown-reference", FILE, "attention.attend", "attention.atend"),
    ("unknown-check", FILE, "checks: [values, {", "checks: [valeus, {"),
    ("unknown-case", FILE, "on: [basic]", "on: [basik]"),
    ("unknown-argument", FILE, "args: {q: {normal", "args: {query: {normal"),
    ("unknown-helper", FILE, "same_as: k", "make: raedy"),
    ("unknown-symbol", FILE, "normal: [2, n, 8]", "normal: [2, m, 8]"),
    ("unknown-condition", FILE, ", raises: ValueError", ", raises: ValueError, conditions: [longer]"),
    ("unknown-exception", FILE, "raises: ValueError", "raises: ValuError"),
    ("correct-options", FILE, ", correct: true", ""),
    ("wrong-is-right", FILE, ", correct: true", ", correct: true, misconception: output-is-scores"),
    ("formula", FILE, *instead("kind: number", 'answer: "2 +"')),
    ("twice-another", FILE, *instead("kind: number", "draw: {d: [2, 4]}", "answer: d")),
    ("own-answer", FILE, *instead(TEXT, "answer: {en: Too short., zh: 太短。}")),
    ("given-away", FILE, *instead("kind: order", f"things: [{A}, {B}, {C}]")),
    ("unknown-entry", FILE, *instead("kind: order", f"things: [{B}, {A}, {C}]", "either: [[a, d]]")),
    ("pairs", FILE, *instead("kind: match", f"left: [{A}, {B}]", f"right: [{ONE}, {TWO}]", "pairs: {a: '2'}")),
    ("item-id", FILE, "id: Q5.output", "id: Q4.output"),
    ("placeholder", OTHER, "", question("Q6") + BELIEFS + ITEMS.replace('"√{d_k}?"', '"√16?"')),
    ("sealed", FILE, "use: practice", "sealed: true"),
    ("nothing-graded", "course.yaml", "", "points: {Q6: 5}\n"),
    ("check-without-case", FILE, ", raises: ValueError", ""),
    ("empty-variant", FILE, ", expand: {mask: [query, query]}", ""),
    ("missing-argument", FILE, "q: {normal: [2, n, 8]}, ", ""),
    ("unused-key", FILE, "    adapter: projections\n", ""),
    ("recipe", FILE, "normal: [2, n, 8]", "nromal: [2, n, 8]"),
    ("size", FILE, "normal: [2, n, 8]", "normal: [2, n - 5, 8]"),
    ("edit", OTHER, "", question("Q6") + BELIEFS + MISTAKEN.replace("{in: half,", "{in: haff,")),
]
#: What needs more than a change of one file.
OTHERS = {"no-questions", "not-utf8"}


@pytest.mark.parametrize(("kind", "file", "old", "new"), SHOWN_BY_READING, ids=[row[0] for row in SHOWN_BY_READING])
def test_what_reading_shows(folder: Path, kind: str, file: str, old: str, new: str) -> None:
    """A bank that has the problem is refused with its id."""
    path = f"questions/{file}" if file == FILE else file
    before = (folder / path).read_text("utf-8") if old else ""
    assert old in before
    write(folder, path, before.replace(old, new, 1) if old else new)
    if kind == "nothing-graded":
        write(folder, OTHER, question("Q6"))
    if kind == "edit":
        write(folder, "reference/wrong.py", bank.WRONG)
    with pytest.raises(ProblemsError) as caught:
        load(folder)
    assert kind in {problem.id for problem in caught.value.problems}, str(caught.value)
    assert f" [{kind}]" in str(caught.value)


def test_files_that_are_no_text_or_not_there(folder: Path) -> None:
    """Other encodings, and a folder without questions."""
    for kind in sorted(OTHERS, reverse=True):
        if kind == "not-utf8":
            (folder / "questions" / FILE).write_bytes(b"\xe9")
        else:
            (folder / "questions" / FILE).unlink()
        with pytest.raises(ProblemsError) as caught:
            load(folder)
        assert [problem.id for problem in caught.value.problems] == [kind]


def test_every_kind_is_shown_by_a_test() -> None:
    """No id is left over, and none is used twice."""
    assert {kind for kind, *_ in SHOWN_BY_READING} | OTHERS | SHOWN_BY_RUNNING | SHOWN_BY_GUESSING == set(kinds())
    parse_document((ROOT / "grader/course/problems.yaml").read_text("utf-8"))  # refuses a key that is there twice


def test_the_guide_lists_every_kind() -> None:
    """The table of docs/author-guide.md has the ids, sentences and hints of the code."""
    rows = [f"| `{kind}` | {sentence.en} | {hint.en} |" for kind, (sentence, hint) in kinds().items()]
    table = "\n".join([BEGIN, "", "| id | problem | what to do |", "|---|---|---|", *rows, "", END])
    assert table in GUIDE.read_text("utf-8"), f"docs/author-guide.md needs this table:\n{table}"


def test_bank_check_writes_problems_of_reading_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``bank check --json`` has a list for a bank that cannot be read, too, with every problem."""
    write(folder, f"questions/{FILE}", GOOD.replace("group: self-attention", "group: self"))
    assert run(["bank", "check", str(folder), "--json"]) == 4
    (found,) = json.loads(capsys.readouterr().out)
    assert found["id"] == "unknown-group"
    assert found["where"] == f"questions/{FILE}:3: group"
    assert found["remedy"] == kinds()["unknown-group"][1].en
