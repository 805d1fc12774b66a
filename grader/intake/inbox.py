"""The folder that ``attncheck submit`` writes to: ``LEARNER/TIME-DIGEST/`` with ``files/`` and a ``receipt.json``."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from grader import inbox
from grader.intake import Layout, Person, Placed, Read, Unreadable, gathered

RANK = 5


def layout(names: Sequence[str], read: Read) -> Layout | None:
    """A tree with receipts two folders down."""
    marks = [name for name in names if name.endswith(f"/{inbox.RECEIPT}") and name.count("/") == 2]
    if not marks:
        return None
    receipts = {}
    for mark in marks:
        with contextlib.suppress(inbox.NoReceipt, Unreadable):  # a leftover, of a power failure or so, and is named
            receipts[mark.rpartition("/")[0]] = inbox.parse(read(mark).decode("utf-8", "replace"), mark)
    if not receipts:
        return None
    parts = [(folder, name) for name in names for folder in ["/".join(name.split("/")[:2])] if folder in receipts]
    inner = [(folder, name, name.removeprefix(f"{folder}/files/")) for folder, name in parts if "/files/" in name]
    files = gathered(inner)
    attempts: dict[str, int] = {}
    placed = []
    for folder, receipt in sorted(receipts.items(), key=lambda each: (inbox.order(each[1]), each[0])):
        if folder in files:
            attempts[receipt.learner] = attempt = attempts.get(receipt.learner, 0) + 1
            person = Person(receipt.learner, (("learner", receipt.learner),))
            digests = tuple((f"{folder}/files/{file.name}", file.sha256) for file in receipt.files)
            one = Placed(f"inbox-{folder}", (person,), files[folder], receipt.at, attempt=attempt, digests=digests)
            placed.append(one)
    taken = {name for _, name, _ in inner} | {mark for mark in marks if mark.rpartition("/")[0] in receipts}
    return Layout(tuple(placed), tuple(name for name in names if name not in taken))
