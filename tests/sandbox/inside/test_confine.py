"""Each system call of ``confine``, in a process of its own."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.sandbox import policy
from grader.sandbox.inside import confine

SANDBOX = Path(confine.__file__).parents[1]
HEAD = """
import contextlib, ctypes, json, os, resource, signal, socket, sys
sys.path.insert(0, sys.argv[1])
from inside import confine
prctl = ctypes.CDLL(None, use_errno=True).prctl
def status(*names):
    with open("/proc/self/status") as file:
        fields = dict(line.split(":\\t", 1) for line in file)
    return [fields[name].strip() for name in names]
def refused(function, *args):
    try:
        function(*args)
    except OSError as error:
        return error.errno
    return 0
"""


def outcome(body: str, *args: str) -> Any:
    """What ``body`` prints as JSON, in an interpreter without site-packages."""
    command = [sys.executable, "-I", "-S", "-B", "-c", HEAD + body, str(SANDBOX), *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_call_that_fails_is_told() -> None:
    """The error has the number and the words of the kernel, and what was tried."""
    with pytest.raises(confine.ConfineError, match=r"landlock_restrict_self: (Bad file|Operation not)"):
        confine.Landlock(fd=-1, abi=1).enter()


def test_shared_memory_is_found() -> None:
    """Only what is shared and can be written: neither private memory nor a file that is read together."""
    import mmap

    def found(**how: Any) -> list[str]:
        before = set(confine.shared_memory())
        with mmap.mmap(-1, 4096, **how):
            return [line for line in confine.shared_memory() if line not in before]

    assert len(found(flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)) == 1
    assert found(flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) == []
    assert found(flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ) == []


def test_the_address_space_is_measured() -> None:
    """Mapping more is seen."""
    import mmap

    before = confine.address_space()
    with mmap.mmap(-1, 1 << 26):
        assert confine.address_space() >= before + (1 << 26)


def test_namespaces_are_all_or_none() -> None:
    """Where the kernel allows them: nobody inside, process 1 after the next fork, nothing to change about it."""
    names, uid, setgroups, pid = outcome("""
names = confine.namespaces()
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, b"%d" % os.getpid())
    os._exit(0)
os.wait()
print(json.dumps([names, os.getuid(), open("/proc/self/setgroups").read().strip(), int(os.read(read, 9))]))
""")
    if names:
        assert names == ["userns", "pidns", "netns", "ipcns", "utsns", "mountns"]
        assert (uid, setgroups, pid) == (65534, "deny", 1)


def test_capabilities_are_gone_for_good() -> None:
    """Every set is empty, and the bounding set as far as the process was allowed to empty it."""
    sets = outcome("""
confine.drop_capabilities()
print(json.dumps(status("CapInh", "CapPrm", "CapEff", "CapAmb", "CapBnd")))
""")
    assert [int(mask, 16) for mask in sets[:4]] == [0, 0, 0, 0]
    assert os.geteuid() != 0 or int(sets[4], 16) == 0


def test_a_hidden_process_gains_no_privileges() -> None:
    """Not dumpable, and no set-uid program will help it."""
    dumpable, privileges = outcome("confine.hide(); print(json.dumps([prctl(3), prctl(39, 0, 0, 0, 0)]))")
    assert (dumpable, privileges) == (0, 1)


@pytest.mark.parametrize("abi", [99, 1])
def test_landlock_admits_the_list_and_nothing_else(tmp_path: Path, abi: int) -> None:
    """Folders and files of the list can be read; all else is refused; so it was in the first version."""
    for name in ("open/inner.txt", "single.txt", "closed/secret.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = outcome(
        """
base, abi = sys.argv[2], int(sys.argv[3])
confine.hide()
landlock = confine.Landlock.prepare([base + "/open", base + "/single.txt", base + "/not there"], abi)
landlock.enter()
print(json.dumps([
    landlock.abi,
    open(base + "/open/inner.txt").read() + open(base + "/single.txt").read() + os.listdir(base + "/open")[0],
    refused(open, base + "/closed/secret.txt"), refused(os.listdir, base), refused(open, "/proc/self/maps"),
    refused(open, base + "/open/inner.txt", "w"), refused(open, base + "/open/new.txt", "w"),
    refused(os.unlink, base + "/open/inner.txt"), refused(os.mkdir, base + "/open/new"),
    refused(os.execv, "/bin/true", ["true"]), refused(os.rename, base + "/single.txt", base + "/open/x"),
]))
""",
        str(tmp_path),
        str(abi),
    )
    assert found[0] == min(abi, confine.landlock_abi())
    assert found[1] == "xxinner.txt"
    assert found[2:-1] == [13] * 8
    assert found[-1] in (13, 18)  # EACCES, or EXDEV


def test_preparing_restricts_nobody(tmp_path: Path) -> None:
    """A rule set is made of what is there, in the version that was asked for; nothing is entered by that."""
    (tmp_path / "file").write_text("x")
    for abi in (1, 3, 4, 99):
        made = confine.Landlock.prepare([str(tmp_path), str(tmp_path / "file"), str(tmp_path / "missing")], abi)
        assert made is not None and made.abi == min(abi, confine.landlock_abi())
        os.close(made.fd)
    (tmp_path / "file").write_text("still")


def test_without_landlock_there_is_no_rule_set() -> None:
    """A kernel that lacks it, played by asking for version 0."""
    assert confine.Landlock.prepare([], 0) is None


def test_the_filter_refuses_what_is_not_on_its_list() -> None:
    """Sockets, processes, signals, programs, writing and mapping of others' memory: EPERM; reading goes on."""
    program = policy.seccomp_program()
    assert program
    found = outcome(
        """
confine.hide()
confine.seccomp(bytes.fromhex(sys.argv[2]))
libc = ctypes.CDLL(None, use_errno=True)
def call(number):
    ctypes.set_errno(0)
    libc.syscall(number, *[ctypes.c_long(0)] * 6)
    return ctypes.get_errno()
numbers = json.loads(sys.argv[3])
print(json.dumps([
    refused(socket.socket), refused(os.fork), refused(os.kill, os.getpid(), 0), refused(os.execv, "/bin/true", ["t"]),
    refused(os.memfd_create, "x"), refused(open, "/dev/null", "w"),
    refused(open, "/dev/null"), refused(os.getrandom, 1),
    {name: call(number) for name, number in numbers.items()},
]))
""",
        program.hex(),
        json.dumps(NUMBERS),
    )
    assert found[:6] == [1] * 6
    assert found[6:8] == [0, 0]
    others = {"clone3": 38, "openat2": 38, "ioctl": 25}  # ENOSYS makes the C library fall back, ENOTTY is no terminal
    assert found[8] == {name: others.get(name, 1) for name in NUMBERS}


#: x86-64 and the numbers that are the same everywhere.
NUMBERS = {"clone3": 435, "openat2": 437, "io_uring_setup": 425, "pidfd_open": 434, "pidfd_getfd": 438}
if os.uname().machine == "x86_64":
    NUMBERS |= {
        "ioctl": 16, "ptrace": 101, "bpf": 321, "mount": 165, "keyctl": 250, "userfaultfd": 323, "shmget": 29,
        "process_vm_readv": 310, "sendmsg": 46, "connect": 42, "unshare": 272, "setns": 308, "chroot": 161,
        "perf_event_open": 298, "personality": 135, "kill": 62, "tgkill": 234, "vfork": 58, "prctl": 157,
    }  # fmt: skip


def test_resources_are_bounded() -> None:
    """Every limit is hard; the one on CPU time warns a second before it kills."""
    found = outcome("""
confine.limit_resources(7, 1 << 33, True)
names = ["AS", "CPU", "FSIZE", "NOFILE", "CORE", "MEMLOCK", "MSGQUEUE", "NPROC"]
print(json.dumps({name: resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in names}))
""")
    assert found.pop("CPU") == [7, 8]
    assert found.pop("AS") == [1 << 33] * 2
    assert {name: hard for name, (soft, hard) in found.items() if soft == hard} == {
        "FSIZE": 0, "NOFILE": 64, "CORE": 0, "MEMLOCK": 0, "MSGQUEUE": 0, "NPROC": 128
    }  # fmt: skip


def test_limits_are_never_raised() -> None:
    """A lower limit from outside stays; without a user namespace the user's processes are not counted."""
    nproc = list(resource.getrlimit(resource.RLIMIT_NPROC))
    files, processes = outcome("""
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
confine.limit_resources(7, 1 << 33, False)
print(json.dumps([resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_NPROC)]))
""")
    assert (files, processes) == ([32, 32], nproc)


@pytest.mark.parametrize("shuffle", [(10, 11, 12, 13), (3, 0, 2, 1), (2, 3, 0, 1), (1, 2, 3, 0)])
def test_descriptors_are_put_in_their_places(shuffle: tuple[int, ...]) -> None:
    """Wherever the ends were before: job 0, null 1 and 2, results 3; the rest is closed."""
    found = outcome(
        """
import fcntl
shuffle = json.loads(sys.argv[2])
told, tell = os.pipe()  # 4 … 9 stay out of the way
told, tell = fcntl.fcntl(told, fcntl.F_DUPFD, 50), fcntl.fcntl(tell, fcntl.F_DUPFD, 60)
paths = ["/dev/zero", "/dev/full", "/dev/null", "/proc/self/statm"]
open_files = [os.open(path, os.O_RDONLY) for path in paths]
high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 100 + at) for at, fd in enumerate(open_files)]
if os.fork() == 0:
    for fd, place in zip(high, shuffle):
        os.dup2(fd, place)
    job, results, null, kept = shuffle
    (new,) = confine.arrange_descriptors(job, results, null, (kept,))
    said = [os.readlink(f"/proc/self/fd/{fd}") for fd in (0, 1, 2, 3, new)]
    left = sorted(int(fd) for fd in os.listdir("/proc/self/fd"))
    with open(f"/proc/{os.getppid()}/fd/{tell}", "w") as back:
        json.dump([said, [fd for fd in left if fd not in (0, 1, 2, 3, new)]], back)
    os._exit(0)
os.wait()
os.close(tell)
print(os.read(told, 9999).decode())
""",
        json.dumps(shuffle),
    )
    said, left = found
    assert [name.split("/")[-1] for name in said] == ["zero", "null", "null", "full", "statm"]
    assert len(left) == 1  # the one that listed them


def test_signals_are_the_default_ones() -> None:
    """Nothing ignored, handled or blocked is inherited."""
    ignored, caught, blocked = outcome("""
signal.signal(signal.SIGPIPE, signal.SIG_IGN)
signal.signal(signal.SIGTERM, lambda *args: None)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGXCPU, signal.SIGTERM])
confine.default_signals()
print(json.dumps(status("SigIgn", "SigCgt", "SigBlk")))
""")
    assert int(blocked, 16) == 0
    # The C library keeps two real-time signals to itself.
    assert {n for n in range(1, 32) if (int(ignored, 16) | int(caught, 16)) >> (n - 1) & 1} == set()


def test_a_child_dies_with_its_parent() -> None:
    """The kernel is asked to kill it when the parent ends."""
    found = outcome("""
confine.die_with_parent()
wanted = ctypes.c_int()
prctl(2, ctypes.byref(wanted), 0, 0, 0)
print(json.dumps(wanted.value))
""")
    assert found == signal.SIGKILL


def test_collapsing_is_harmless() -> None:
    """Asking for huge pages changes no byte, whether the kernel grants them or not."""
    found = outcome("""
data = bytearray(os.urandom(1 << 22))
before = bytes(data)
confine.collapse()
print(json.dumps(before == data))
""")
    assert found is True
