"""The folder that `attncheck submit` writes to.

## What it reads

`LEARNER/TIME-DIGEST/`, with `files/` and a `receipt.json`. Learners may be able to write to this folder, so
receipts are not trusted. A receipt must be in its learner's folder and signed with the key of the inbox. If the inbox
has no key, or if others may write to it, a receipt without a signature is accepted if its files belong to the one
account that owns the learner's folder. Everything else belongs to nobody, and affects no other submission.

## Example

```text
ada/20261106T071347Z-8d3f2c91/files/q05.py
ada/20261106T071347Z-8d3f2c91/receipt.json
```
"""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from grader.classroom import inbox
from grader.classroom.inbox import Receipt
from grader.classroom.intake import (
    FoundSubmission,
    Layout,
    Stray,
    Tree,
    UnreadableFile,
    find_strays,
    gradable,
    group_files,
    named_person,
)
from grader.core.errors import UsageError
from grader.core.files import portable_folder
from grader.core.model import Message, Text
from grader.submission.messages import listing

RANK = 5

_NO_RECEIPT = Message("it has no readable {name}")
_NOT_SUBMITTED = Message("it was not submitted with `attncheck submit`")
_BADLY_SIGNED = Message("its receipt does not have the signature of this inbox")
_SEVERAL_ACCOUNTS = Message("several accounts have written to the folder {folder}, so it may be another learner's work")
_ONE_ACCOUNT = Message("the account that submitted it has also submitted for {others}")

#: The most bytes of all receipts in one learner's folder.
_MOST_RECEIPTS = 32 << 20


def explains(tree: Tree) -> frozenset[str]:
    """Folders with a possible receipt two levels down; everything, if the inbox has a key."""
    if _key(tree) is not None:
        return frozenset(tree.tops())
    marks = (name for name in tree.names if name.endswith(f"/{inbox.RECEIPT}") and name.count("/") == 2)
    return frozenset(name.partition("/")[0] for name in marks)


def layout(tree: Tree) -> Layout:
    """See ``Layout``. The attempts of each learner are in the order of their receipts."""
    attempts: dict[str, list[str]] = {}
    for name in tree.names:
        parts = name.split("/")
        if len(parts) > 2 and parts[1]:
            attempts.setdefault("/".join(parts[:2]), []).append(name)
    receipts, refused = _examined(tree, attempts)
    submissions = [*_submissions(receipts, attempts), *_empty(tree)]
    taken = {name for submission in submissions for name, _ in submission.files}
    taken |= {f"{folder}/{inbox.RECEIPT}" for folder in receipts} | {inbox.KEY}
    left = tuple(name for name in tree.names if name not in taken)
    loose = find_strays((name for name in left if name.count("/") < 2), _NOT_SUBMITTED)
    strays = [Stray(folder, why, tuple(filter(gradable, attempts[folder]))) for folder, why in refused.items()]
    told = [stray for stray in strays if stray.files or f"{stray.entry}/{inbox.RECEIPT}" in attempts[stray.entry]]
    return Layout(tuple(submissions), left, (*loose, *told))


def _examined(tree: Tree, attempts: Mapping[str, list[str]]) -> tuple[dict[str, Receipt], dict[str, Text]]:
    """The receipts that are trusted, by the folder of the attempt; and why the others are not."""
    guard = _Guard.of(tree, attempts)
    receipts: dict[str, Receipt] = {}
    refused: dict[str, Text] = {}
    spent: Counter[str] = Counter()
    for folder, names in attempts.items():
        try:
            receipt = _receipt(tree, folder, names, spent)
            why = guard.objection(folder, receipt, names)
        except inbox.NewerReceipt:
            why = Message("its receipt claims to be written by a newer attncheck; if that is true, update this one")
        except (inbox.NoReceipt, UnreadableFile):  # for example, left behind by a power failure
            why = _NO_RECEIPT.fill(name=inbox.RECEIPT)
        if why is not None:
            refused[folder] = why
        else:
            receipts[folder] = receipt
    return receipts, refused


def _submissions(receipts: Mapping[str, Receipt], attempts: Mapping[str, list[str]]) -> Iterator[FoundSubmission]:
    """The submissions with these receipts, in their order."""
    parts = []
    for folder in receipts:
        below = f"{folder}/files/"
        parts += [(folder, name, name.removeprefix(below)) for name in attempts[folder] if name.startswith(below)]
    files = group_files(parts)
    numbers: Counter[str] = Counter()
    for folder, receipt in sorted(receipts.items(), key=lambda pair: (inbox.receipt_order(pair[1]), pair[0])):
        numbers[receipt.learner] += 1
        yield attempt_of(folder, receipt, files.get(folder, ()), numbers[receipt.learner])


def attempt_of(folder: str, receipt: Receipt, files: tuple[tuple[str, str], ...], number: int) -> FoundSubmission:
    """The submission with this receipt in ``folder``, the learner's attempt with this ``number``."""
    return FoundSubmission(
        f"inbox-{folder}",
        (named_person(receipt.learner),),
        files,
        receipt.at,
        attempt=number,
        digests=tuple((f"{folder}/files/{file.name}", file.sha256) for file in receipt.files),
    )


def _empty(tree: Tree) -> Iterator[FoundSubmission]:
    """A submission without files for each learner whose folder is empty."""
    for name in tree.names:
        if name.count("/") == 1 and name.endswith("/"):
            learner = name.rstrip("/")
            yield FoundSubmission(f"inbox-{learner}", (named_person(learner),), ((name, ""),))


def _receipt(tree: Tree, folder: str, names: Collection[str], spent: Counter[str]) -> Receipt:
    """The receipt of an attempt. ``spent`` counts the bytes of receipts read from each learner's folder."""
    name, home = f"{folder}/{inbox.RECEIPT}", folder.partition("/")[0]
    facts = tree.facts(name)
    too_large = facts is not None and facts.st_size > inbox.MAX_RECEIPT
    if name not in names or too_large or spent[home] > _MOST_RECEIPTS:
        raise inbox.NoReceipt(inbox.TOO_LARGE.fill(where=name) if too_large else _NO_RECEIPT.fill(name=name))
    raw = tree.read(name)
    spent[home] += len(raw)
    if len(raw) > inbox.MAX_RECEIPT:
        raise inbox.NoReceipt(inbox.TOO_LARGE.fill(where=name))
    return inbox.parse_receipt(raw.decode("utf-8", "replace"), name)


def _key(tree: Tree) -> bytes | None:
    """The key of the inbox; None if there is none, or if it does not belong to the inbox's owner."""
    if inbox.KEY not in tree.names:
        return None
    mine, ours = tree.facts(inbox.KEY), tree.facts("")
    if mine is not None and ours is not None:
        if mine.st_uid != ours.st_uid:
            return None
        if stat.S_IMODE(mine.st_mode) & 0o077:
            said = Message(
                "others can read the key of the inbox, {key}, and sign with it. Remove it, create a new one with "
                "`attncheck inbox`, and check what was submitted since."
            )
            raise UsageError(said.fill(key=inbox.KEY))
    return inbox.parse_key(tree.read(inbox.KEY))


@dataclass(frozen=True, slots=True)
class _Guard:
    """What receipts are checked against. ``signed_only`` if the inbox has a key and only its owner can write to it.

    ``accounts`` are the users who own a learner's folder, by folder, except the owner of the inbox.
    """

    key: bytes | None
    signed_only: bool
    tree: Tree
    accounts: Mapping[str, frozenset[int]]

    @classmethod
    def of(cls, tree: Tree, attempts: Mapping[str, list[str]]) -> _Guard:
        """The guard for a tree with these attempts (their files by folder)."""
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

    def objection(self, folder: str, receipt: Receipt, names: list[str]) -> Text | None:
        """Why the attempt cannot be attributed to the learner in its receipt; None if it can."""
        home, _, attempt = folder.partition("/")
        if portable_folder(receipt.learner) != home:
            return Message("its receipt is for someone else, {learner}").fill(learner=receipt.learner)
        if inbox.attempt_name(receipt) != attempt:
            return Message("its receipt is for another time or other files than its folder")
        if receipt.mac or self.signed_only:
            signed = self.key is not None and inbox.has_valid_signature(receipt, self.key)
            return None if signed else _BADLY_SIGNED if receipt.mac else Message("its receipt has no signature")
        return self._stranger(home, [folder, *names])

    def _stranger(self, home: str, names: list[str]) -> Text | None:
        theirs = self.accounts.get(home, frozenset())
        owners = {facts.st_uid for name in names if (facts := self.tree.facts(name)) is not None}
        ours = self.tree.facts("")
        if ours is None or owners <= {ours.st_uid}:
            return None  # the owner of the inbox put it there, or there are no accounts to compare
        if len(theirs | (owners - {ours.st_uid})) > 1:
            return _SEVERAL_ACCOUNTS.fill(folder=home)
        others = sorted(other for other, uids in self.accounts.items() if other != home and uids & theirs)
        return _ONE_ACCOUNT.fill(others=listing(others, 3)) if others else None
