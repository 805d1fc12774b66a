"""The zip that Canvas makes of an assignment: flat files such as ``doejane_LATE_1234_5678_q05.py``.

The parts are the sortable name without anything but letters and digits, ``LATE`` where it was, the user's number, the
attachment's number, and the name of the file; with anonymous grading ``anon_x`` stands for the first two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.intake import Layout, Person, Placed, Read, gathered

RANK = 30

_NAME = re.compile(
    r"^(?:(?P<name>(?!LATE_|anon_)[^\W_]\w*?)_)?(?P<late>LATE_)?(?P<user>\d+|anon_[^\W_]+)_(?P<attachment>\d+)_(?P<file>.+)$"
)
#: Text typed into a box, and links: nothing to grade, but they say who handed in what.
_TYPED = re.compile(r"_(?:text|link)\.html$")


def layout(names: Sequence[str], read: Read) -> Layout | None:
    """A tree where most files at the top are named so."""
    flat = [name for name in names if "/" not in name]
    found = {name: match for name in flat if (match := _NAME.match(name))}
    if not found or len(found) * 2 <= len([name for name in flat if not _TYPED.search(name)]):
        return None
    files = gathered([(match["user"], name, match["file"]) for name, match in found.items()])
    people: dict[str, Person] = {}
    late: set[str] = set()
    for match in found.values():
        user = match["user"]
        number = (("canvas", user),) if user.isdecimal() else ()
        people.setdefault(user, Person(match["name"] or user, number))
        if match["late"]:
            late.add(user)
    placed = [Placed(f"canvas-{user}", (people[user],), files[user], late=user in late) for user in files]
    return Layout(tuple(placed), tuple(name for name in names if name not in found))
