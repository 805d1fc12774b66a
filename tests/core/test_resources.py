from __future__ import annotations

import errno
import os
import re

import pytest

from grader.core.resources import shortage


def system(number: int, name: str | None = None) -> OSError:
    """As the system says it."""
    return OSError(number, os.strerror(number), name)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (system(errno.ENOSPC, "out/class.csv"), "out/class.csv: no space left on device: .*free some space"),
        (system(errno.EDQUOT), "quota"),
        (system(errno.EFBIG), "free some space"),
        (system(errno.EMFILE), "ulimit -n"),
        (system(errno.ENFILE), "close other programs"),
        (system(errno.ENOMEM), "--workers"),
        (system(errno.EAGAIN), "no more processes"),
        (system(errno.EROFS, "out"), "can be written"),
        (system(errno.EIO), "does not respond"),
        (system(errno.ESTALE), "network folder"),
        (MemoryError(), "out of memory.*same command to continue"),
        (ImportError("libtorch.so: failed to map segment from shared object"), "out of memory"),
        (RuntimeError("can't start new thread"), "out of memory"),
    ],
)
def test_what_is_missing(error: BaseException, said: str) -> None:
    """Each comes with what to do."""
    assert re.search(said, shortage(error) or "")


@pytest.mark.parametrize("error", [system(errno.ENOENT), ImportError("no module"), ValueError("x"), OSError("x")])
def test_other_errors_are_not_the_machines(error: BaseException) -> None:
    """Bugs stay bugs."""
    assert shortage(error) is None
