"""The zip that Moodle makes of an assignment, with a folder for each participant or without folders.

## What it reads

Folders such as `Jane Doe_657768_assignsubmission_file/` (some versions end them with `_`), or files such as `Jane
Doe_657768_assignsubmission_file_q05.py` in one folder. The number is the participant's in this assignment, not the
user's; the folder of a team may have none. Text that was typed into Moodle (`onlinetext`) is not graded.

## Example

```text
Jane Doe_657768_assignsubmission_file/q05.py
Bo Invented_657769_assignsubmission_file/q05.py
Bo Invented_657769_assignsubmission_file/lib/q06.py
```
"""

from __future__ import annotations

import re

from grader.classroom.intake import FoundSubmission, Layout, Person, Stray, Tree, find_strays, group_files
from grader.core.model import Message

RANK = 20

_MARK = r"_assignsubmission_(?P<kind>file|onlinetext)"
_WHO = r"^(?P<name>[^/]+?)(?:_(?P<number>\d+))?"
#: Moodle adds its mark at the end of a folder's name; its owner may have chosen the part before it.
_FOLDER = re.compile(_WHO + _MARK + r"_?/(?P<file>.*)$", re.DOTALL)
_FILE = re.compile(_WHO + _MARK + r"_(?P<file>[^/]+)$", re.DOTALL)
_MARKED = re.compile(_MARK)


def explains(tree: Tree) -> frozenset[str]:
    """The top-level files and folders with names of this form."""
    return frozenset(name.partition("/")[0] for name in tree.names if _match(name))


def layout(tree: Tree) -> Layout:
    """See ``Layout``. A learner with online text only has a submission without gradable files.

    A file with the mark twice in its name could belong to two people, so it belongs to nobody.
    """
    matches = {name: match for name in tree.names if (match := _match(name))}
    twice = [name for name in matches if "/" not in name and len(_MARKED.findall(name)) > 1]
    keys = {name: match["number"] or match["name"] for name, match in matches.items() if name not in twice}
    working = {key for name, key in keys.items() if matches[name]["kind"] == "file"}
    mine = {name: key for name, key in keys.items() if matches[name]["kind"] == "file" or key not in working}
    files = group_files([(key, name, matches[name]["file"]) for name, key in mine.items()])
    people = {
        key: Person(matches[name]["name"], (("moodle", matches[name]["number"]),) if matches[name]["number"] else ())
        for name, key in mine.items()
    }
    submissions = [FoundSubmission(f"moodle-{key}", (people[key],), files[key]) for key in files]
    left = tuple(name for name in tree.names if name not in mine and not name.endswith("/"))
    odd = find_strays((name for name in left if name not in matches), _NO_SUCH_NAME.fill(example=_EXAMPLE))
    double = (Stray(name, Message("by its name, it could belong to either of two learners"), (name,)) for name in twice)
    return Layout(tuple(submissions), left, (*odd, *double))


_EXAMPLE = "Jane Doe_657768_assignsubmission_file"
_NO_SUCH_NAME = Message("not a file or folder name of Moodle (such as {example})")


def _match(name: str) -> re.Match[str] | None:
    return _FOLDER.match(name) or _FILE.match(name)
