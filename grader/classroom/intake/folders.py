"""Plain folders: one folder, file, notebook or zip for each learner, with the learner's name.

## What it reads

Each entry at the top belongs to one learner. This includes files that cannot be graded (`ada.pdf`), so that
learners who submitted the wrong file are listed too. Exceptions: there is another entry with the same name, or the file
is one that instructors keep beside submissions (texts, tables, logs, and files without a suffix). This intake is used
if no other one fits more than half of the entries.

## Example

```text
ada/q05.py
ada/answers.yaml
bo.ipynb
cy.zip
dia.pdf
notes.txt
```
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.classroom.intake import FoundSubmission, Layout, Person, Tree, gradable, group_files

RANK = 99

_NOTES = re.compile(
    r"^[^.]*$|\.(txt|md|rst|csv|tsv|xlsx?|ods|json|jsonl|toml|cfg|ini|log|sqlite|db|html?|sha256)$", re.I
)
_TWO_SUFFIXES = re.compile(r"\.tar$", re.I)


def explains(tree: Tree) -> frozenset[str]:
    """All top-level entries: each belongs to a learner."""
    return frozenset(tree.tops())


def layout(tree: Tree) -> Layout:
    """See ``Layout``; any tree can be read like this."""
    tops = tree.tops()
    mine = {top for top, folder in tops.items() if folder or gradable(top)}
    names = {(top if tops[top] else _stem(top)).casefold() for top in mine}
    mine |= {top for top in tops if top not in mine and not _NOTES.search(top) and _stem(top).casefold() not in names}
    parts = [(top, name, inner if slash else top) for name in tree.names for top, slash, inner in [name.partition("/")]]
    files = group_files([part for part in parts if part[0] in mine])
    submissions = [FoundSubmission(key, (_person(key, files[key]),), files[key]) for key in files]
    return Layout(tuple(submissions), tuple(name for top, name, _ in parts if top in tops and top not in mine))


def _person(key: str, files: Sequence[tuple[str, str]]) -> Person:
    """The learner is named by the folder, or by the file without its suffix. Equal names may be two people."""
    alone = len(files) == 1 and files[0][0] == key
    name = _stem(key) if alone else key
    return Person(name, (("learner", name), ("entry", key)))


def _stem(file: str) -> str:
    return _TWO_SUFFIXES.sub("", file.rpartition(".")[0])
