"""Attacks through answers files: two tries in one submission, somebody else's name, and questions to the receipt.

Each is what a learner may submit, with the most points that it may earn. ``RIGHT`` and ``WRONG`` are answers to the
item ``ITEM``; nothing of a submission is run. ``tests/attacks/test_attacks_on_answers_files.py`` tries them.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.attacks.cases import AttackCase

ITEM, OTHER = "Q5.output", "Q5.uniform"
HEAD = "format: 1\nlearner: mallory\nanswers:\n"
#: Placeholders in the texts of cases.
RIGHT, WRONG = "@right@", "@wrong@"
_GOOD, _BAD = f"{HEAD}  {ITEM}: {RIGHT}\n", f"{HEAD}  {ITEM}: {WRONG}\n"


@dataclass(frozen=True, slots=True)
class Case(AttackCase):
    """``files`` are texts by name, the later ones newer, in a zip. They may earn at most ``most`` points for ``ITEM``.

    ``unread`` says that an instructor must be told that the answer could not be read.
    """

    family = "answers"
    files: Mapping[str, str]
    most: float = 0.0
    unread: bool = False


def packed(folder: Path, case: Case, right: str, wrong: str) -> Path:
    """The zip of a case, with the answers filled in."""
    path = folder / "hw.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for minute, (name, text) in enumerate(case.files.items()):
            info = zipfile.ZipInfo(name, (2026, 11, 23, 12, minute, 0))
            archive.writestr(info, text.replace(RIGHT, right).replace(WRONG, wrong))
    return path


def _twice(stem: str, tries: str, first: str, second: str) -> Case:
    return Case(stem, tries, {"answers.yaml": f"{HEAD}{first}\n  {OTHER}: a\n{second}\n"}, unread=True)


def _single(stem: str, tries: str, text: str, *, unread: bool = False) -> Case:
    return Case(stem, tries, {"answers.yaml": f"{HEAD}{text}\n"}, unread=unread)


CASES = (
    _twice("two_answers", "Two answers to one item, one of them right", f"  {ITEM}: {WRONG}", f"  {ITEM}: {RIGHT}"),
    _twice("two_answers_turned", "The same, the right one first", f"  {ITEM}: {RIGHT}", f"  {ITEM}: {WRONG}"),
    _twice("other_case", "The second id in small letters", f"  {ITEM}: {WRONG}", f"  {ITEM.lower()}: {RIGHT}"),
    _twice("other_case_turned", "The first id in capitals", f"  {ITEM.upper()}: {RIGHT}", f"  {ITEM}: {WRONG}"),
    _twice("broken_and_right", "A broken answer and a right one", f'  {ITEM}: "{WRONG}', f"  {ITEM}: {RIGHT}"),
    _twice("right_and_broken", "A right answer and a broken one", f"  {ITEM}: {RIGHT}", f"  {ITEM}: &x {WRONG}"),
    _twice("other_indentation", "The second one outside `answers`", f"  {ITEM}: {WRONG}", f"{ITEM}: {RIGHT}"),
    _twice("second_document", "The second one in another document", f"  {ITEM}: {WRONG}", f"---\n{ITEM}: {RIGHT}"),
    _twice("in_braces", "The second one in braces", f"  {ITEM}: {WRONG}", f"answers: {{{ITEM}: {RIGHT}}}"),
    _twice("in_a_list", "The second one in a list", f"  {ITEM}: {WRONG}", f"  - {ITEM}: {RIGHT}"),
    Case("newer_wrong", "A right file and a newer one", {"answers.yaml": _GOOD, "answers (1).yaml": _BAD}),
    Case("other_form", "A right file and a newer one of another form", {"answers.yml": _GOOD, "answers.json": _BAD}),
    Case("many_files", "A file for each option", {"answers.yaml": _GOOD, "a/answers.yml": _BAD, "b/answers.yml": _BAD}),
    _single("every_option", "All options as one answer", f"  {ITEM}: [a, b, c, d]", unread=True),
    _single("in_a_key", "An answer with an explicit key", f"  ? {ITEM}\n  : [{WRONG}, {RIGHT}]", unread=True),
    _single("merge_key", "A merge key", f"  {ITEM}: {WRONG}\n  <<: {{{ITEM}: {RIGHT}}}"),
    _single("nested", "An answer below its question", f"  {ITEM}: {WRONG}\n  Q5: {{output: {RIGHT}}}"),
    _single("full_width_id", "A second id in full-width letters", f"  {ITEM}: {WRONG}\n  Ｑ５.output: {RIGHT}"),
    _single("invisible_id", "A second id with an invisible sign", f"  {ITEM}: {WRONG}\n  Q5.\u200boutput: {RIGHT}"),
    _single("escaped_id", "A second id with an escape", f'  {ITEM}: {WRONG}\n  "Q5.\\x6futput": {RIGHT}', unread=True),
    _single("in_a_quote", "A second answer inside quotes", f'  {ITEM}: {WRONG}\n  {OTHER}: "\n\n  {ITEM}: {RIGHT}"'),
    _single("other_breaks", "Two answers on one line", f"  {ITEM}: {WRONG}\x85  {ITEM}: {RIGHT}", unread=True),
    _single("second_part", "A second `answers`", f"  {ITEM}: {WRONG}\nANSWERS:\n  {ITEM}: {RIGHT}", unread=True),
    Case("other_file_name", "Two files whose names differ in case", {"Answers.yaml": _GOOD, "ANSWERS.yaml": _BAD}),
    Case("notes_beside", "A right file and newer notes", {"answers.yaml": _GOOD,
         "answers.txt": f"learner: mallory\n- {ITEM}: {WRONG}"}, unread=True),
    Case("hidden_file", "A wrong file and hidden ones", {"answers.yaml": _BAD, "__MACOSX/answers.yaml": _GOOD,
         ".answers.yaml": _GOOD}),
    Case("json_twice", "JSON with two answers", {"answers.json":
         f'{{"learner": "mallory",\n"answers": {{"{ITEM}": "{WRONG}",\n"{ITEM}": "{RIGHT}"}}}}'}, unread=True),
)  # fmt: skip
