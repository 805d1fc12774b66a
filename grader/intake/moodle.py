"""The zip that Moodle makes of an assignment, with a folder for each participant or without folders.

``Jane Doe_657768_assignsubmission_file/q05.py`` (some versions end the folder with ``_``), or in one folder
``Jane Doe_657768_assignsubmission_file_q05.py``. The number is the participant's in this assignment, not the user's;
a team's folder may have none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.intake import Layout, Person, Placed, Read, gathered

RANK = 20

_NAME = re.compile(
    r"^(?P<name>[^/]+?)(?:_(?P<number>\d+))?_assignsubmission_(?P<kind>file|onlinetext)_?/?(?P<file>.*)$"
)


def layout(names: Sequence[str], read: Read) -> Layout | None:
    """A tree with any such file or folder."""
    found = {name: match for name in names if (match := _NAME.match(name))}
    if not found:
        return None
    uploads = {name: match for name, match in found.items() if match["kind"] == "file" and match["file"]}
    keys = {name: match["number"] or match["name"] for name, match in uploads.items()}
    files = gathered([(keys[name], name, match["file"]) for name, match in uploads.items()])
    people = {
        keys[name]: Person(match["name"], (("moodle", match["number"]),) if match["number"] else ())
        for name, match in uploads.items()
    }
    placed = [Placed(f"moodle-{key}", (people[key],), files[key]) for key in files]
    return Layout(tuple(placed), tuple(name for name in names if name not in uploads))
