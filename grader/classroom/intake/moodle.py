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

from grader.classroom.intake import Layout, Person, Placed, Stray, Tree, gathered, strays

RANK = 20

_MARK = r"_assignsubmission_(?P<kind>file|onlinetext)"
_WHO = r"^(?P<name>[^/]+?)(?:_(?P<number>\d+))?"
#: What Moodle adds stands at the end of a folder's name: before it is a name that its owner may have chosen.
_FOLDER = re.compile(_WHO + _MARK + r"_?/(?P<file>.*)$", re.DOTALL)
_FILE = re.compile(_WHO + _MARK + r"_(?P<file>[^/]+)$", re.DOTALL)
_MARKED = re.compile(_MARK)


def explains(tree: Tree) -> frozenset[str]:
    """Files and folders at the top that are named so."""
    return frozenset(name.partition("/")[0] for name in tree.names if _match(name))


def layout(tree: Tree) -> Layout:
    """Who typed a text, and handed in no file, has that, and nothing that could be graded.

    A file whose name holds the mark twice could be two people's, and is nobody's.
    """
    found = {name: match for name in tree.names if (match := _match(name))}
    twice = [name for name in found if "/" not in name and len(_MARKED.findall(name)) > 1]
    keys = {name: match["number"] or match["name"] for name, match in found.items() if name not in twice}
    working = {key for name, key in keys.items() if found[name]["kind"] == "file"}
    mine = {name: key for name, key in keys.items() if found[name]["kind"] == "file" or key not in working}
    files = gathered([(key, name, found[name]["file"]) for name, key in mine.items()])
    people = {
        key: Person(found[name]["name"], (("moodle", found[name]["number"]),) if found[name]["number"] else ())
        for name, key in mine.items()
    }
    placed = [Placed(f"moodle-{key}", (people[key],), files[key]) for key in files]
    left = tuple(name for name in tree.names if name not in mine and not name.endswith("/"))
    odd = strays((name for name in left if name not in found), f"Moodle gives no such name ({_EXAMPLE})")
    double = (Stray(name, "its name could be that of two learners' files", (name,)) for name in twice)
    return Layout(tuple(placed), left, (*odd, *double))


_EXAMPLE = "Jane Doe_657768_assignsubmission_file"


def _match(name: str) -> re.Match[str] | None:
    return _FOLDER.match(name) or _FILE.match(name)
