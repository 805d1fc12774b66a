"""Which layers of the sandbox this machine offers, tried in throw-away processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox import policy

_PROBE = """
import sys; sys.path.insert(0, sys.argv[1])
from inside import confine
print(confine.landlock_abi(), *confine.namespaces())
"""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: whether it is there, whether grading a class insists on it, and what to do without."""

    name: str
    present: bool
    needed: bool
    detail: str
    remedy: str


def probe() -> tuple[Layer, ...]:
    """All layers, the needed ones first."""
    return tuple(_probe()) if sys.platform == "linux" else (_OTHER_SYSTEM,)


_OTHER_SYSTEM = Layer(
    "linux",
    present=False,
    needed=True,
    detail=f"this is {sys.platform}; learner code can be confined on Linux only",
    remedy="run attncheck on Linux (a virtual machine, WSL 2 or a container will do)",
)


def _probe() -> Iterator[Layer]:
    abi, spaces = _kernel()
    program = policy.seccomp_program()
    yield Layer(
        "seccomp",
        bool(program),
        needed=True,
        detail=f"{len(program) // 8} instructions" if program else "libseccomp was not found",
        remedy="install libseccomp2 (Debian, Ubuntu) or libseccomp (Fedora, Arch)",
    )
    yield Layer(
        "landlock",
        abi >= 1,
        needed=True,
        detail=f"ABI {abi}" if abi else "the kernel does not offer it",
        remedy="use Linux 5.13 or later and add 'landlock' to the lsm= list of the kernel's command line",
    )
    yield Layer(
        "namespaces",
        bool(spaces),
        needed=False,
        detail=", ".join(spaces) if spaces else "unprivileged user namespaces are not allowed",
        remedy="sysctl kernel.unprivileged_userns_clone=1 (Debian) or "
        "kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu 24.04); in Docker, a seccomp profile that allows "
        "unshare. Confinement holds without them; they add a second wall",
    )
    yield Layer("rlimits", present=True, needed=True, detail="memory, CPU time, files, processes", remedy="")


def _kernel() -> tuple[int, tuple[str, ...]]:
    command = [sys.executable, "-I", "-S", "-B", "-c", _PROBE, str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, cwd="/")
    abi, *spaces = done.stdout.split() or ["0"]
    return int(abi), tuple(spaces)
