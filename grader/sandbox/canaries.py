"""A few small attacks, tried before a class is graded: a wall that does not hold is noticed by us first."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.model import Call, Job, Limits, Part, Program, Raised, SourceFile

if TYPE_CHECKING:
    from grader.model import Observe

#: name → body of ``attempt(secret, folder, grader)``; coming to its end means that the attack worked.
_ATTACKS = {
    "read a file": "open(secret).read()",
    "list a folder": "import os; os.listdir(folder)",
    "write a file": "open(folder + '/written', 'w').write('x')",
    "write to /dev/shm": "import os; name = f'/dev/shm/attncheck-{grader}'; open(name, 'w').close(); os.unlink(name)",
    "read the grader's memory map": "open(f'/proc/{grader}/maps').read()",
    "read its own environment": "open('/proc/self/environ').read()",
    "open a network connection": "import socket; socket.create_connection(('127.0.0.1', 9), 1)",
    "open any socket": "import socket; socket.socket(socket.AF_UNIX)",
    "start a process": "import os; os.fork() or os._exit(0)",
    "run a program": "import os; os.execv('/bin/true', ['true'])",
    "signal the grader": "import os; os.kill(grader, 0)",
    "signal its parent": "import os; os.kill(os.getppid(), 0)",
    "start threads without end": "import threading as t; t.stack_size(1 << 15); "
    "end = t.Event(); [t.Thread(target=end.wait, args=(1,), daemon=True).start() for _ in range(200)]",
    "allocate without end": "[bytearray(1 << 28) for _ in range(64)]",
    "import the grader": "import grader",
    "import the reference": "import reference",
}


@dataclass(frozen=True, slots=True)
class Canary:
    """One attack and whether it was refused."""

    name: str
    refused: bool


def release(observe: Observe) -> tuple[Canary, ...]:
    """Tries every attack through ``observe``."""
    with _bait() as (secret, folder):
        files = tuple(
            SourceFile(f"canary_{at}.py", f"canary_{at}", (Part(f"canary_{at}.py", _source(body)),))
            for at, body in enumerate(_ATTACKS.values())
        )
        programs = tuple(
            Program(file.module, (Call("attempt", (secret, folder, os.getpid())),), (0,), group=file.module)
            for file in files
        )
        seen = observe(Job(files, programs), Limits()).observations
    # Only an exception is a refusal: a child that became another program has ended without a word.
    return tuple(Canary(name, isinstance(found, Raised)) for name, found in zip(_ATTACKS, seen, strict=True))


def _source(body: str) -> str:
    return f"def attempt(secret, folder, grader):\n    {body}\n"


@contextmanager
def _bait() -> Iterator[tuple[str, str]]:
    """A file and a folder that any process of this machine may read and write, unless it is confined."""
    with tempfile.TemporaryDirectory(prefix="attncheck-canary-") as folder:
        Path(folder).chmod(0o777)
        secret = Path(folder, "secret")
        secret.write_text("canary")
        secret.chmod(0o666)
        yield str(secret), folder
