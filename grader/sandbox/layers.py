"""Finds out which layers of the sandbox this machine offers, in short-lived processes."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.core.errors import SandboxError
from grader.core.model import Message, Text
from grader.core.tables import table, text_of
from grader.core.text import EMPTY, name_list
from grader.sandbox import policy

#: Prints whether filters can be installed, the version of Landlock (or minus the error number), and the namespaces.
_PROBE = """
import ctypes, sys; sys.path.insert(0, sys.argv[1])
from inside import confine
print(int(confine.filters()), end=" ")
print(confine.landlock_abi() or -ctypes.get_errno(), *confine.namespaces())
"""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: whether it is present, whether grading a class requires it, and what to do if it is missing."""

    name: str
    present: bool
    needed: bool
    detail: Text
    remedy: Text = EMPTY


def probe() -> tuple[Layer, ...]:
    """All layers, the required ones first. Raises SandboxError if they could not be tested."""
    return tuple(_probe()) if sys.platform == "linux" else (_missing("linux", "linux", system=sys.platform),)


def _missing(name: str, problem: str, *, needed: bool = True, **values: object) -> Layer:
    """A layer that is not there, with what is said about the ``problem``."""
    row = table(__file__, "layers.yaml")[problem]
    return Layer(name, False, needed, detail=text_of(row["why"]).fill(**values), remedy=text_of(row["do"]))


def _probe() -> Iterator[Layer]:
    filters, abi, spaces = _kernel()
    yield _seccomp(filters)
    yield _landlock(abi)
    missing = _missing("namespaces", "namespaces", needed=False)
    yield replace(missing, present=True, detail=name_list(spaces)) if spaces else missing
    limited = Message("memory, CPU time, files, processes")
    yield Layer("rlimits", present=True, needed=True, detail=limited)


def _seccomp(filters: bool) -> Layer:
    program = policy.seccomp_program()
    if not program or not filters:
        return _missing("seccomp", "filters" if program else "libseccomp")
    detail = Message("{count} instructions").fill(count=len(program) // 8)
    return Layer("seccomp", present=True, needed=True, detail=detail)


def _landlock(abi: int) -> Layer:
    """The layer. ``abi`` is the version of Landlock, or minus the error number if there is none."""
    if abi > 0:
        return Layer("landlock", present=True, needed=True, detail=Text(f"ABI {abi}", f"ABI {abi}"))
    known = {getattr(errno, name): row for name, row in table(__file__, "landlock.yaml").items()}
    row = known.get(-abi, known[errno.ENOSYS])
    detail = Message("{why}, so files cannot be hidden from learners' code").fill(why=text_of(row["why"]))
    return Layer("landlock", present=False, needed=True, detail=detail, remedy=text_of(row["do"]))


_NOT_TRIED = Message("the layers of the sandbox could not be tested ({error}); run the command again")


def _kernel() -> tuple[bool, int, tuple[str, ...]]:
    command = [sys.executable, "-I", "-S", "-B", "-c", _PROBE, str(Path(__file__).parent)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    except OSError as error:
        raise SandboxError(_NOT_TRIED.fill(error=error)) from error
    if done.returncode != 0 or not done.stdout.strip():
        said = done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        raise SandboxError(_NOT_TRIED.fill(error=said))
    filters, abi, *spaces = done.stdout.split()
    return filters == "1", int(abi), tuple(spaces)
