"""A few small attacks, tried before a class is graded, to verify that the sandbox works."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader.core.errors import SandboxKilled
from grader.core.model import (
    Call,
    Died,
    Job,
    Limits,
    Message,
    NotRun,
    Observation,
    Observe,
    Part,
    Program,
    Raised,
    Returned,
    SourceFile,
    Text,
    TimedOut,
)
from grader.core.tables import table

AttackState = Literal["refused", "let-through", "undecided"]


@dataclass(frozen=True, slots=True)
class Attack:
    """The ``body`` of a function ``attempt(secret, folder, grader)``, and the prefixes of ``"Type: text"`` if refused.

    ``zh`` is its name in Chinese. An attack that succeeds returns; one that is refused raises an exception. It uses
    hardly any time or memory, so that only the sandbox can stop it.
    """

    zh: str
    body: str
    refusals: tuple[str, ...]


@functools.cache
def attacks() -> Mapping[str, Attack]:
    """Every attack, by name."""
    size = str(2 * Limits().memory)
    return {
        name: Attack(row["zh"], row["body"].replace("MEMORY", size), tuple(row["refusals"]))
        for name, row in table(__file__, "canaries.yaml").items()
    }


@dataclass(frozen=True, slots=True)
class AttackResult:
    """One attack and its result. ``why`` says what happened if the state is ``undecided``."""

    name: str
    state: AttackState
    why: str = ""


def try_attacks(observe: Observe, quiet: Callable[[], object] = lambda: None) -> tuple[AttackResult, ...]:
    """Tries every attack through ``observe``.

    An undecided one is tried again in a child of its own after ``quiet`` has returned, which waits until nothing else
    of ours is running. Raises SandboxKilled if that child is killed from outside, too.
    """
    with _bait() as words:
        try:
            found = _attempt(observe, tuple(attacks()), words)
        except SandboxKilled as error:
            found = tuple(_undecided(name, str(error)) for name in attacks())
        if any(canary.state == "undecided" for canary in found):
            quiet()
        return tuple(
            _attempt(observe, (canary.name,), words)[0] if canary.state == "undecided" else canary for canary in found
        )


_UNDECIDED = Message("whether the sandbox works on {where} could not be decided ({attacks})")


def refusal(canaries: Sequence[AttackResult], where: str | Text) -> Text | None:
    """Why nothing may be graded on the machine ``where``, given its results; None if every attack was refused."""
    through = [canary.name for canary in canaries if canary.state == "let-through"]
    if through:
        listed = Text(", ".join(through), "、".join(attacks()[name].zh for name in through))
        return Message("the sandbox does not work on {where}: code could {attacks}").fill(where=where, attacks=listed)
    undecided = [canary for canary in canaries if canary.state == "undecided"]
    if undecided:
        en = "; ".join(f"{canary.name}: {canary.why}" for canary in undecided)
        zh = "；".join(f"{attacks()[canary.name].zh}：{canary.why}" for canary in undecided)
        return _UNDECIDED.fill(where=where, attacks=Text(en, zh))
    return None


def _attempt(observe: Observe, names: tuple[str, ...], words: tuple[str, str]) -> tuple[AttackResult, ...]:
    modules = [f"canary_{at}" for at in range(len(names))]
    files = tuple(
        SourceFile(f"{module}.py", module, (Part(f"{module}.py", _source(attacks()[name].body)),))
        for module, name in zip(modules, names, strict=True)
    )
    programs = tuple(
        Program(module, (Call("attempt", (*words, os.getpid())),), (0,), group=module) for module in modules
    )
    seen = observe(Job(files, programs), Limits()).observations
    return tuple(_judged(name, one) for name, one in zip(names, seen, strict=True))


def _judged(name: str, seen: Observation) -> AttackResult:
    match seen:
        case Returned():
            return AttackResult(name, "let-through")
        case Raised(type, text):
            said = f"{type}: {text}"
            refused = said.startswith(attacks()[name].refusals)
            return AttackResult(name, "refused") if refused else _undecided(name, said)
        case TimedOut(limit, clock):
            return _undecided(name, f"not finished after {limit:g} s ({clock})")
        case Died(signal, code):  # the reason is unknown: it may have become another program
            return _undecided(name, f"ended by signal {signal}" if signal else f"ended with exit code {code}")
        case NotRun(reason):
            return _undecided(name, f"not tried ({reason})")
        case _:
            return _undecided(name, "unreadable result")


def _undecided(name: str, why: str) -> AttackResult:
    return AttackResult(name, "undecided", why)


def _source(body: str) -> str:
    return f"def attempt(secret, folder, grader):\n    {body}\n"


@contextmanager
def _bait() -> Iterator[tuple[str, str]]:
    """A file and a folder that any unconfined process of this machine may read and write."""
    with tempfile.TemporaryDirectory(prefix="attncheck-canary-") as folder:
        Path(folder).chmod(0o777)
        secret = Path(folder, "secret")
        secret.write_text("canary")
        secret.chmod(0o666)
        yield str(secret), folder
