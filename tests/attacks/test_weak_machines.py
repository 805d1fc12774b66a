"""On a machine without a layer, ``doctor`` says which one and what to do, and ``batch`` refuses for the same reason.

The layer is really missing: a filter around the process answers system calls as such a machine would.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.sandbox import zygote
from tests.attacks import arena

CLASS = arena.ROOT / "examples" / "class"
#: Puts the filter around itself, and becomes the command.
_LACKING = """
import os, sys
import pyseccomp as seccomp
filter = seccomp.SyscallFilter(seccomp.ALLOW)
for entry in sys.argv[1].split():
    name, error, *first = entry.split(":")
    conditions = [seccomp.Arg(0, seccomp.EQ, int(value)) for value in first]
    filter.add_rule(seccomp.ERRNO(int(error)), name, *conditions)
filter.load()
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


@dataclass(frozen=True, slots=True)
class Machine:
    """What its kernel answers, and what must be reported about it."""

    answers: tuple[str, ...]
    layer: str
    detail: str
    remedy: str
    refused: str


def landlock(number: int) -> tuple[str, ...]:
    """A machine without Landlock, for a given reason."""
    return (f"landlock_create_ruleset:{number}",)


_GET, _SET = 21, 22  # PR_GET_SECCOMP, PR_SET_SECCOMP
MACHINES = {
    "old kernel": Machine(landlock(errno.ENOSYS), "landlock", "does not offer it", "5.13", "no Landlock"),
    "not enabled": Machine(landlock(errno.EOPNOTSUPP), "landlock", "not enabled", "lsm=", "no Landlock"),
    "strict container": Machine(landlock(errno.EPERM), "landlock", "forbidden here", "--security-opt", "no Landlock"),
    "kernel without filters": Machine(
        (f"prctl:{errno.EINVAL}:{_GET}", f"prctl:{errno.EINVAL}:{_SET}"),
        *("seccomp", "does not support filters", "CONFIG_SECCOMP_FILTER", "could not be confined"),
    ),
    "no namespaces": Machine((f"unshare:{errno.EPERM}",), "namespaces", "may not create namespaces", "sysctl", ""),
}


def run(machine: Machine, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs ``attncheck`` with these arguments on such a machine."""
    command = [sys.executable, "-c", _LACKING, " ".join(machine.answers), str(arena.ROOT / "cli.py"), *arguments]
    settings = {name: value for name, value in os.environ.items() if not name.startswith("COV_")}
    return subprocess.run(command, capture_output=True, text=True, env=settings, check=False)


@pytest.mark.prove
@pytest.mark.parametrize("name", MACHINES)
def test_a_weak_machine_is_explained_and_refused(name: str, tmp_path: Path) -> None:
    """The missing layer is named with reason and remedy; a class is not graded and nothing is written."""
    machine = MACHINES[name]
    examined = run(machine, "doctor", "--json")
    found = {(finding["area"], finding["name"]): finding for finding in json.loads(examined.stdout)}
    layer = found["sandbox", machine.layer]
    assert machine.detail in layer["detail"]
    assert machine.remedy in layer["remedy"]
    # Without namespaces the wall still stands, unless code would have to run as root.
    enough = name == "no namespaces" and (os.geteuid() != 0 or bool(zygote._unprivileged()))
    assert layer["state"] == ("weak" if name == "no namespaces" else "missing")
    assert examined.returncode == (0 if enough else 1)
    graded = run(machine, "batch", CLASS, "--out", tmp_path / "results", "-q", "Q5")
    if enough:
        assert graded.returncode in (0, 1, 5)
        return
    refused = found["canaries", "confinement"]
    assert (machine.refused or "would run as root") in refused["detail"]
    assert "'batch' and '--seed-file' refuse" in refused["remedy"]
    assert graded.returncode == 4
    assert " ".join(refused["detail"].split()) in " ".join(graded.stderr.split())
    assert not list((tmp_path / "results").glob("**/*.json"))
