"""The folder that `attncheck submit` writes to.

## What it reads

`LEARNER/TIME-DIGEST/`, with `files/` and a `receipt.json`. Learners may be able to write to this folder, so a receipt
is not believed for what it says. It must be in its learner's folder, and it must be signed with the key of the inbox.
If the inbox has no key, or others may write to it, a receipt without a signature is accepted if its files belong to
the one account that owns the learner's folder. What does not fit belongs to nobody; it affects no other submission.

## Example

```text
ada/20261106T071347Z-8d3f2c91/files/q05.py
ada/20261106T071347Z-8d3f2c91/receipt.json
```
"""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from grader.classroom import inbox
from grader.classroom.inbox import Receipt
from grader.classroom.intake import Layout, Person, Placed, Stray, Tree, Unreadable, gathered, gradable, strays
from grader.core.errors import UsageError

RANK = 5

#: Bytes of all receipts in one learner's folder.
_MOST_RECEIPTS = 32 << 20


def explains(tree: Tree) -> frozenset[str]:
    """Folders with what may be a receipt two folders down; where the inbox has a key, everything."""
    if _key(tree) is not None:
        return frozenset(tree.tops())
    return frozenset(name.partition("/")[0] for name in tree.names if _is_mark(name))


def layout(tree: Tree) -> Layout:
    """The attempts of each learner, in the order of their receipts."""
    attempts: dict[str, list[str]] = {}
    for name in tree.names:
        parts = name.split("/")
        if len(parts) > 2 and parts[1]:
            attempts.setdefault("/".join(parts[:2]), []).append(name)
    guard = _Guard.of(tree, attempts)
    receipts: dict[str, Receipt] = {}
    refused: dict[str, str] = {}
    spent: Counter[str] = Counter()
    for folder, names in attempts.items():
        try:
            receipts[folder] = _receipt(tree, folder, names, spent)
            why = guard.objection(folder, receipts[folder], names)
        except inbox.NewerReceipt:
            why = "its receipt says that a newer attncheck wrote it; if that is so, update this one"
        except (inbox.NoReceipt, Unreadable):  # a leftover, of a power failure or so
            why = f"it has no {inbox.RECEIPT} that can be read"
        if why:
            refused[folder] = why
            receipts.pop(folder, None)
    inner = [(folder, name, name.removeprefix(f"{folder}/files/")) for folder in receipts for name in attempts[folder]]
    files = gathered([(folder, name, part) for folder, name, part in inner if name.startswith(f"{folder}/files/")])
    numbers: dict[str, int] = {}
    placed = []
    for folder, receipt in sorted(receipts.items(), key=lambda each: (inbox.order(each[1]), each[0])):
        numbers[receipt.learner] = attempt = numbers.get(receipt.learner, 0) + 1
        person = Person(receipt.learner, (("learner", receipt.learner),))
        digests = tuple((f"{folder}/files/{file.name}", file.sha256) for file in receipt.files)
        theirs = files.get(folder, ())
        placed.append(Placed(f"inbox-{folder}", (person,), theirs, receipt.at, attempt=attempt, digests=digests))
    empty = [name.partition("/")[0] for name in tree.names if name.count("/") == 1 and name.endswith("/")]
    placed += [Placed(f"inbox-{top}", (Person(top, (("learner", top),)),), ((f"{top}/", ""),)) for top in empty]
    taken = {name for one in placed for name, _ in one.files} | {f"{folder}/{inbox.RECEIPT}" for folder in receipts}
    left = tuple(name for name in tree.names if name not in taken and name != inbox.KEY)
    loose = strays((name for name in left if name.count("/") < 2), "it was not handed in with 'attncheck submit'")
    odd = [Stray(folder, why, tuple(filter(gradable, attempts[folder]))) for folder, why in refused.items()]
    odd = [one for one in odd if one.files or f"{one.entry}/{inbox.RECEIPT}" in attempts.get(one.entry, ())]
    return Layout(tuple(placed), left, (*loose, *odd))


def _is_mark(name: str) -> bool:
    return name.endswith(f"/{inbox.RECEIPT}") and name.count("/") == 2


def _receipt(tree: Tree, folder: str, names: Collection[str], spent: Counter[str]) -> Receipt:
    """The receipt of an attempt. ``spent`` counts the bytes of receipts that each learner's folder has cost."""
    name, home = f"{folder}/{inbox.RECEIPT}", folder.partition("/")[0]
    facts = tree.facts(name)
    too_large = facts is not None and facts.st_size > inbox.MAX_RECEIPT
    if name not in names or too_large or spent[home] > _MOST_RECEIPTS:
        raise inbox.NoReceipt(name)
    raw = tree.read(name)
    spent[home] += len(raw)
    if len(raw) > inbox.MAX_RECEIPT:
        raise inbox.NoReceipt(name)
    return inbox.parse(raw.decode("utf-8", "replace"), name)


def _key(tree: Tree) -> bytes | None:
    """The key of the inbox. One that somebody else than the inbox's owner has put there is none."""
    if inbox.KEY not in tree.names:
        return None
    mine, ours = tree.facts(inbox.KEY), tree.facts("")
    if mine is not None and ours is not None:
        if mine.st_uid != ours.st_uid:
            return None
        if stat.S_IMODE(mine.st_mode) & 0o077:
            raise UsageError(
                f"the key of the inbox, {inbox.KEY}, can be read by others, who can sign with it. Remove it, make a "
                "new one with 'attncheck inbox', and look at what was handed in since."
            )
    return inbox.parse_key(tree.read(inbox.KEY))


@dataclass(frozen=True, slots=True)
class _Guard:
    """What a receipt is compared with. ``accounts`` are those that each learner's folder belongs to, but for the
    owner of the inbox; ``signed_only`` says that nobody else can write there, and that there is a key."""

    key: bytes | None
    signed_only: bool
    tree: Tree
    accounts: Mapping[str, frozenset[int]]

    @classmethod
    def of(cls, tree: Tree, attempts: Mapping[str, list[str]]) -> _Guard:
        """The guard of a tree with these folders of attempts."""
        ours = tree.facts("")
        key = _key(tree)
        owner = None if ours is None else ours.st_uid
        closed = ours is None or not stat.S_IMODE(ours.st_mode) & 0o022
        accounts: dict[str, set[int]] = {}
        for folder in attempts:
            home = folder.partition("/")[0]
            for place in (home, folder, f"{folder}/{inbox.RECEIPT}"):
                facts = tree.facts(place)
                if facts is not None and facts.st_uid != owner:
                    accounts.setdefault(home, set()).add(facts.st_uid)
        return cls(key, key is not None and closed, tree, {home: frozenset(uids) for home, uids in accounts.items()})

    def objection(self, folder: str, receipt: Receipt, names: list[str]) -> str:
        """Why an attempt is not the learner's that its receipt names; empty where it is."""
        home, _, attempt = folder.partition("/")
        if inbox.folder_name(receipt.learner) != home:
            return f"its receipt is for somebody else, {receipt.learner}"
        if inbox.attempt_name(receipt) != attempt:
            return "its receipt is for another time or other files than its folder"
        if receipt.mac or self.signed_only:
            signed = self.key is not None and inbox.signed(receipt, self.key)
            said = "" if receipt.mac else " (none at all)"
            return "" if signed else f"its receipt does not have the signature of this inbox{said}"
        return self._stranger(home, [folder, *names])

    def _stranger(self, home: str, names: list[str]) -> str:
        theirs = self.accounts.get(home, frozenset())
        found = {facts.st_uid for name in names if (facts := self.tree.facts(name)) is not None}
        ours = self.tree.facts("")
        if ours is None or found <= {ours.st_uid}:
            return ""  # whoever runs the inbox has put it there, or there are no accounts to compare
        if len(theirs | (found - {ours.st_uid})) > 1:
            return f"several accounts have written to the folder {home}, so that it may be another learner's work"
        others = sorted(other for other, uids in self.accounts.items() if other != home and uids & theirs)
        if others:
            return f"the account that it was handed in from has handed in for {', '.join(others[:3])}, too"
        return ""
