"""The machine's resources: how many processors there are, and which resource an error says has run out."""

from __future__ import annotations

import errno
import gc
import os

from grader.core.model import Text

_FULL = Text(
    "the disk is full, or your quota is used up: free some space; earlier results are saved; run the same command to "
    "continue",
    "磁盘已满，或配额已用完：请腾出空间；此前的结果均已保存，再次运行同一条命令即可继续",
)
_FILES = Text(
    "too many files are open: close other programs, or raise the limit (ulimit -n); earlier results are saved; run the "
    "same command to continue",
    "打开的文件太多：请关闭其他程序，或提高限制（ulimit -n）；此前的结果均已保存，再次运行同一条命令即可继续",
)
_MEMORY = Text(
    "not enough memory: close other programs, or use fewer --workers; earlier results are saved; run the same command "
    "to continue",
    "内存不足：请关闭其他程序，或减少 --workers；此前的结果均已保存，再次运行同一条命令即可继续",
)
_PROCESSES = Text(
    "no more processes or memory are available: close other programs, or use fewer --workers; earlier results are "
    "saved; run the same command to continue",
    "进程数或内存已到上限：请关闭其他程序，或减少 --workers；此前的结果均已保存，再次运行同一条命令即可继续",
)
_READ_ONLY = Text(
    "the file system is read-only: choose a place that can be written", "文件系统是只读的：请选择可以写入的位置"
)
_LOST = Text(
    "a disk, network folder or terminal does not respond: check it and run the command again; earlier results are "
    "saved",
    "磁盘、网络文件夹或终端没有响应：请检查后再次运行命令；此前的结果均已保存",
)
_OF_SYSTEM = Text("{error}: {todo}", "{error}：{todo}")
_OF_FILE = Text("{file}: {error}: {todo}", "{file}：{error}：{todo}")

_OF_ERRORS = {
    errno.ENOSPC: _FULL,
    errno.EFBIG: _FULL,
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.ENOMEM: _MEMORY,
    errno.EAGAIN: _PROCESSES,
    errno.EROFS: _READ_ONLY,
    errno.EIO: _LOST,
}
# Not all systems define these.
_OF_ERRORS |= {getattr(errno, name): _FULL for name in ("EDQUOT",) if hasattr(errno, name)}
_OF_ERRORS |= {getattr(errno, name): _LOST for name in ("ESTALE",) if hasattr(errno, name)}
#: Parts of the messages for libraries that cannot be loaded and threads that cannot be started.
_OF_LIBRARIES = ("cannot allocate memory", "failed to map segment", "can't start new thread")


def processors() -> int:
    """How many processors this process may use (``taskset`` can restrict them)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shortage(error: BaseException) -> Text | None:
    """Which resource has run out and what to do, if ``error`` or one of its causes says so; None for other errors."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        if found := _shortage(cause):
            return found
        seen.add(id(cause))
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return None


def _shortage(error: BaseException) -> Text | None:
    if isinstance(error, MemoryError):
        return _MEMORY
    if isinstance(error, OSError) and error.errno in _OF_ERRORS:
        parts: dict[str, object] = {
            "error": (error.strerror or "system error").lower(),
            "todo": _OF_ERRORS[error.errno],
        }
        return _OF_FILE.fill(file=error.filename, **parts) if error.filename else _OF_SYSTEM.fill(**parts)
    said = str(error).lower()
    if isinstance(error, ImportError | RuntimeError) and any(word in said for word in _OF_LIBRARIES):
        return _MEMORY
    return None


#: The number of new objects after which Python looks for reference cycles to free.
_COLLECT_AFTER = 50_000


def collect_rarely() -> None:
    """Makes this process collect garbage less often than every 700 objects, which would take a tenth of its time."""
    gc.set_threshold(_COLLECT_AFTER)
