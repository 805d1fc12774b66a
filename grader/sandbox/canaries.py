"""A few small attacks, tried before a class is graded, to verify that the sandbox works."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
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

AttackState = Literal["refused", "let-through", "undecided"]


@dataclass(frozen=True, slots=True)
class Attack:
    """The ``body`` of a function ``attempt(secret, folder, grader)``, and the prefixes of ``"Type: text"`` if refused.

    ``zh`` is its name in Chinese. An attack that succeeds returns; one that is refused raises an exception. It uses
    hardly any time or memory, so that only the sandbox can stop it.
    """

    zh: str
    body: str
    refusals: tuple[str, ...] = ("PermissionError: ",)


#: Only the limit on address space can refuse this: pages that are never written count nowhere else.
_ADDRESS_SPACE = f"import mmap; mmap.mmap(-1, {2 * Limits().memory}, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)"

#: More threads than the zygote allows at a time.
_THREADS = (
    "import threading as t; t.stack_size(1 << 15); end = t.Event(); "
    "[t.Thread(target=end.wait, args=(1,), daemon=True).start() for _ in range(200)]"
)

ATTACKS = {
    "read a file": Attack("读取文件", "open(secret).read()"),
    "list a folder": Attack("列出文件夹", "import os; os.listdir(folder)"),
    "write a file": Attack("写入文件", "open(folder + '/written', 'w').write('x')"),
    "write to /dev/shm": Attack(
        "写入 /dev/shm", "import os; name = f'/dev/shm/attncheck-{grader}'; open(name, 'w').close(); os.unlink(name)"
    ),
    "read the grader's memory map": Attack(
        "读取评分程序的内存映射",
        "open(f'/proc/{grader}/maps').read()",
        ("PermissionError: ", "FileNotFoundError: "),  # the sandbox may have a /proc without the grader
    ),
    "read its own environment": Attack("读取自己的环境变量", "open('/proc/self/environ').read()"),
    "open a network connection": Attack(
        "打开网络连接", "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('127.0.0.1', 9))"
    ),
    "open any socket": Attack("打开套接字", "import socket; socket.socket(socket.AF_UNIX)"),
    "start a process": Attack("启动进程", "import os; os.fork() or os._exit(0)"),
    "run a program": Attack("运行程序", "import os; os.execv('/bin/true', ['true'])"),
    "signal the grader": Attack("向评分程序发信号", "import os; os.kill(grader, 0)"),
    "signal its parent": Attack("向父进程发信号", "import os; os.kill(os.getppid(), 0)"),
    "start threads without end": Attack("无限启动线程", _THREADS, ("RuntimeError: can't start new thread",)),
    "allocate without end": Attack("无限分配内存", _ADDRESS_SPACE, ("OSError: [Errno 12] ",)),
    "import the grader": Attack("导入评分程序", "import grader", ("ModuleNotFoundError: No module named 'grader'",)),
    "import the reference": Attack(
        "导入参考实现", "import reference", ("ModuleNotFoundError: No module named 'reference'",)
    ),
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
            found = _attempt(observe, tuple(ATTACKS), words)
        except SandboxKilled as error:
            found = tuple(_undecided(name, str(error)) for name in ATTACKS)
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
        attacks = Text(", ".join(through), "、".join(ATTACKS[name].zh for name in through))
        return Message("the sandbox does not work on {where}: code could {attacks}").fill(where=where, attacks=attacks)
    undecided = [canary for canary in canaries if canary.state == "undecided"]
    if undecided:
        en = "; ".join(f"{canary.name}: {canary.why}" for canary in undecided)
        zh = "；".join(f"{ATTACKS[canary.name].zh}：{canary.why}" for canary in undecided)
        return _UNDECIDED.fill(where=where, attacks=Text(en, zh))
    return None


def _attempt(observe: Observe, names: tuple[str, ...], words: tuple[str, str]) -> tuple[AttackResult, ...]:
    modules = [f"canary_{at}" for at in range(len(names))]
    files = tuple(
        SourceFile(f"{module}.py", module, (Part(f"{module}.py", _source(ATTACKS[name].body)),))
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
            return AttackResult(name, "refused") if said.startswith(ATTACKS[name].refusals) else _undecided(name, said)
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
