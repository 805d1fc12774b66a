"""The zip that Canvas makes of an assignment (*Download Submissions*), with all files side by side.

## What it reads

File names such as `doejane_LATE_1234_5678_q05.py`: the sortable name without anything but letters and digits, `LATE`
if it was late, the user's number, the attachment's number, and the file's name. With anonymous grading, `anon_x`
replaces the name and the number. If a file is submitted again, Canvas adds a number to its name (`q05-1.py`); the
file with the highest number counts, and is called `q05.py` again.

## Example

```text
doejane_1234_5678_q05.py
doejane_1234_5679_answers.yaml
quizbo_LATE_77_88_q05-1.py
```
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.classroom.intake import FoundSubmission, Layout, Person, Tree, find_strays, group_files
from grader.core.model import Message

RANK = 30

_WHO = r"^(?:(?P<name>(?!LATE_|anon_)[^\W_]\w*?)_)?(?P<late>LATE_)?(?P<user>\d+|anon_[^\W_]+)_"
_NAME = re.compile(_WHO + r"(?P<attachment>\d+)_(?P<file>.+)$")
_NO_SUCH_NAME = Message("not a file name of Canvas (such as `doejane_1234_5678_q05.py`)")
#: Text typed into a box, and links: nothing to grade, but they show who submitted something.
_TYPED = re.compile(_WHO + r"(?P<file>(?:text|link)\.html)$")
_AGAIN = re.compile(r"^(?P<stem>.+)-(?P<number>[1-9]\d?)(?P<suffix>\.[^.]+)$")


def user_of(name: str) -> Person | None:
    """The user whose file is called ``name``; None if it is no file name of Canvas, or an anonymous one."""
    match = _NAME.match(name)
    return _person(match) if match is not None and match["user"].isdecimal() else None


def _person(match: re.Match[str]) -> Person:
    number = (("canvas", match["user"]),) if match["user"].isdecimal() else ()
    return Person(match["name"] or match["user"], number)


def explains(tree: Tree) -> frozenset[str]:
    """The top-level files with names of this form."""
    return frozenset(name for name in tree.names if "/" not in name and (_NAME.match(name) or _TYPED.match(name)))


def layout(tree: Tree) -> Layout:
    """See ``Layout``. A learner with typed text only has a submission without gradable files."""
    flat = [name for name in tree.names if "/" not in name]
    matches = {name: match for name in flat if (match := _NAME.match(name))}
    users = {match["user"] for match in matches.values()}
    typed = {name: match for name in flat if name not in matches and (match := _TYPED.match(name))}
    matches |= {name: match for name, match in typed.items() if match["user"] not in users}
    theirs: dict[str, list[str]] = {}
    for match in matches.values():
        theirs.setdefault(match["user"], []).append(match["file"])
    called = {user: _called(mine) for user, mine in theirs.items()}
    named = [(match["user"], name, called[match["user"]][match["file"]]) for name, match in matches.items()]
    files = group_files(named)
    people: dict[str, Person] = {}
    for match in matches.values():
        people.setdefault(match["user"], _person(match))
    late = {match["user"] for match in matches.values() if match["late"]}
    submissions = [FoundSubmission(f"canvas-{user}", (people[user],), files[user], late=user in late) for user in files]
    left = tuple(name for name in tree.names if name not in matches)
    return Layout(tuple(submissions), left, find_strays(left, _NO_SUCH_NAME))


def _called(files: Sequence[str]) -> dict[str, str]:
    """The learner's own file names: of the files that Canvas has numbered, the last one gets its original name back.

    It keeps its number if there is a file with the original name. Earlier ones get names that Python can import.
    """
    names = {name: name for name in files}
    there = {name.casefold() for name in files}
    given: set[str] = set()
    again = [match for name in names if (match := _AGAIN.match(name))]
    for match in sorted(again, key=lambda match: int(match["number"]), reverse=True):
        name = match["stem"] + match["suffix"]
        if name.casefold() in there:
            continue
        last = name.casefold() not in given
        given.add(name.casefold())
        names[match[0]] = name if last else f"{match['stem']}_{match['number']}{match['suffix']}"
    return names
