"""Finds out which layers of the sandbox this machine offers, in short-lived processes."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import SandboxError
from grader.core.model import Text
from grader.core.text import EMPTY, name_list
from grader.sandbox import policy

#: Prints whether filters can be installed, the version of Landlock (or minus the error number), and the namespaces.
_PROBE = """
import ctypes, sys; sys.path.insert(0, sys.argv[1])
from inside import confine
print(int(confine.filters()), end=" ")
print(confine.landlock_abi() or -ctypes.get_errno(), *confine.namespaces())
"""


_NO_NAMESPACES = Text("ordinary users may not create namespaces on this machine", "这台机器不允许普通用户创建命名空间")
_ALLOW_NAMESPACES = Text(
    "sysctl kernel.unprivileged_userns_clone=1 (Debian) or kernel.apparmor_restrict_unprivileged_userns=0 "
    "(Ubuntu 24.04); in Docker, a seccomp profile that allows unshare. Code is confined without them; they add a "
    "second barrier",
    "sysctl kernel.unprivileged_userns_clone=1（Debian）或 kernel.apparmor_restrict_unprivileged_userns=0"
    "（Ubuntu 24.04）；在 Docker 里，请用允许 unshare 的 seccomp 配置。"
    "没有命名空间，代码同样受到隔离；有了就多一道屏障",
)


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
    return tuple(_probe()) if sys.platform == "linux" else (_OTHER_SYSTEM,)


_OTHER_SYSTEM = Layer(
    "linux",
    present=False,
    needed=True,
    detail=Text(
        "this is {system}; learner code can only be confined on Linux", "这里是 {system}；只有 Linux 能隔离学习者的代码"
    ).fill(system=sys.platform),
    remedy=Text(
        "run attncheck on Linux (a virtual machine, WSL 2 or a container is enough)",
        "请在 Linux 上运行 attncheck（虚拟机、WSL 2 或容器都可以）",
    ),
)


def _probe() -> Iterator[Layer]:
    filters, abi, spaces = _kernel()
    yield _seccomp(filters)
    yield _landlock(abi)
    yield Layer(
        "namespaces",
        bool(spaces),
        needed=False,
        detail=name_list(spaces) if spaces else _NO_NAMESPACES,
        remedy=_ALLOW_NAMESPACES,
    )
    limited = Text("memory, CPU time, files, processes", "内存、CPU 时间、文件、进程")
    yield Layer("rlimits", present=True, needed=True, detail=limited)


def _seccomp(filters: bool) -> Layer:
    program = policy.seccomp_program()
    detail, remedy = Text("{count} instructions", "{count} 条指令").fill(count=len(program) // 8), EMPTY
    if not program:
        detail = Text(
            "libseccomp was not found, so learners' code could make any system call",
            "没有找到 libseccomp，学习者的代码可以发起任何系统调用",
        )
        remedy = Text(
            "install libseccomp2 (Debian, Ubuntu) or libseccomp (Fedora, Arch)",
            "请安装 libseccomp2（Debian、Ubuntu）或 libseccomp（Fedora、Arch）",
        )
    elif not filters:
        detail = Text(
            "the kernel does not support filters, so learners' code could make any system call",
            "内核不支持过滤器，学习者的代码可以发起任何系统调用",
        )
        remedy = Text(
            "use a kernel with CONFIG_SECCOMP_FILTER, as in all common distributions",
            "请使用带 CONFIG_SECCOMP_FILTER 的内核，常见发行版都有",
        )
    return Layer("seccomp", bool(program) and filters, needed=True, detail=detail, remedy=remedy)


def _landlock(abi: int) -> Layer:
    """The layer. ``abi`` is the version of Landlock, or minus the error number if there is none."""
    if abi > 0:
        return Layer("landlock", present=True, needed=True, detail=Text(f"ABI {abi}", f"ABI {abi}"))
    why, remedy = _NO_LANDLOCK.get(-abi, _NO_LANDLOCK[errno.ENOSYS])
    detail = Text("{why}, so files cannot be hidden from learners' code", "{why}，无法对学习者的代码隐藏文件").fill(
        why=why
    )
    return Layer("landlock", present=False, needed=True, detail=detail, remedy=remedy)


_NO_LANDLOCK = {
    errno.ENOSYS: (
        Text("the kernel does not offer it", "内核没有提供它"),
        Text(
            "use Linux 5.13 or later ('uname -r' shows the version), not gVisor or WSL 1",
            "请使用 Linux 5.13 或更新的版本（`uname -r` 可查看），不要用 gVisor 或 WSL 1",
        ),
    ),
    errno.EOPNOTSUPP: (
        Text("the kernel has it, but it is not enabled", "内核有它，但没有启用"),
        Text(
            "add 'landlock' to the lsm= list on the kernel's command line (the current list is in "
            "/sys/kernel/security/lsm) and reboot",
            "请在内核命令行的 lsm= 列表里加上 landlock（现在的列表见 /sys/kernel/security/lsm），然后重启",
        ),
    ),
    errno.EPERM: (
        Text("it is forbidden here, probably by the container", "它被禁止了，很可能是所在的容器禁止的"),
        Text(
            "use a newer Docker or Podman, whose default profile allows Landlock; or start the container with "
            "--security-opt seccomp=unconfined and run nothing else in it",
            "请使用更新的 Docker 或 Podman，其默认配置允许 Landlock；或者启动容器时加 "
            "--security-opt seccomp=unconfined，并且不在里面运行别的东西",
        ),
    ),
}


_NOT_TRIED = Text(
    "the layers of the sandbox could not be tested ({error}); run the command again",
    "无法测试沙箱的各层（{error}）；请重新运行命令",
)


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
