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
        (MemoryError(), "not enough memory.*same command to continue"),
        (ImportError("libtorch.so: failed to map segment from shared object"), "not enough memory"),
        (RuntimeError("can't start new thread"), "not enough memory"),
    ],
)
def test_what_is_missing(error: BaseException, said: str) -> None:
    """Each comes with what to do."""
    found = shortage(error)
    assert found is not None and re.search(said, found.en)


@pytest.mark.parametrize("error", [system(errno.ENOENT), ImportError("no module"), ValueError("x"), OSError("x")])
def test_other_errors_are_not_the_machines(error: BaseException) -> None:
    """Bugs stay bugs."""
    assert shortage(error) is None


def raised(
    error: BaseException, cause: BaseException | None = None, while_handling: BaseException | None = None
) -> BaseException:
    """``error``, with what led to it."""
    error.__context__ = while_handling
    if cause is not None:
        error.__cause__ = cause  # which also says that the context is left out
    return error


FULL = MemoryError()
WRAPPED = ImportError("Error importing numpy: you should not try to import numpy from its source directory")


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (raised(WRAPPED, cause=FULL), True),
        (raised(ImportError("numpy"), while_handling=raised(ImportError("core"), while_handling=FULL)), True),
        (raised(ValueError("x"), cause=ValueError("y"), while_handling=FULL), False),
    ],
)
def test_what_led_to_an_error(error: BaseException, found: bool) -> None:
    """A library may wrap the error that says what is missing; what was explicitly left out says nothing."""
    assert (shortage(error) is not None) == found


def test_errors_in_a_circle() -> None:
    """Two errors that name each other as the cause come to an end."""
    first, second = ValueError("x"), ValueError("y")
    first.__cause__, second.__cause__ = second, first
    assert shortage(first) is None
