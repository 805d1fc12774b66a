"""The process with limits: what it does, what it ends of, and what is believed of what it says."""

from __future__ import annotations

import io
import os
import pickle
import signal
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.core import bounded
from grader.core.bounded import Bounds, Exceeded
from grader.core.errors import LibrariesChanged, SandboxKilled, SubmissionError, UsageError
from grader.core.model import Answer, Status, Submission
from grader.core.text import same
from grader.submission import is_small, read

PLENTY = Bounds(cpu=30.0)


@pytest.fixture(scope="module")
def helper() -> Iterator[bounded.Helper]:
    """One of our own, which ends with these tests."""
    helper = bounded.Helper()
    yield helper
    helper.close()


def said(helper: bounded.Helper, bounds: Bounds, function: Any, *args: Any) -> Any:
    """What a call comes to: its value, or the exception."""
    try:
        return helper.call(bounds, function, args, {})
    except (Exceeded, SubmissionError, RuntimeError) as error:
        return error


def test_values_and_errors_come_back(helper: bounded.Helper, tmp_path: Path) -> None:
    """A result is as if it had been made here, an error of ours is that error, and a bug is told in its words."""
    assert said(helper, PLENTY, pow, 3, 4) == 81
    assert said(helper, PLENTY, divmod, 7, 2) == (3, 1)
    file = tmp_path / "q05.py"
    file.write_text("def f(): return 1\n")
    assert said(helper, PLENTY, read, file) == read(file)
    unread = said(helper, PLENTY, read, tmp_path / "nothing.py")
    assert isinstance(unread, SubmissionError)
    assert "nothing at this path" in str(unread)
    failed = said(helper, PLENTY, int, "x")
    assert type(failed) is RuntimeError
    assert str(failed).startswith("ValueError: invalid literal")


@pytest.mark.parametrize(
    ("bounds", "function", "args", "limit"),
    [
        (Bounds(cpu=0.05), pow, (3, 10**8), "cpu"),
        (Bounds(cpu=30.0, memory=1 << 29), bytes, (1 << 30,), "memory"),
        (Bounds(cpu=30.0, result=1000), bytes, (2000,), "size"),
        (PLENTY, os._exit, (0,), "process"),
        (PLENTY, os.abort, (), "process"),
        (PLENTY, eval, ("print",), "process"),
        (PLENTY, eval, ("__import__('pathlib').Path('x')",), "process"),
    ],
)
def test_what_is_too_much_ends(
    bounds: Bounds, function: Any, args: tuple[Any, ...], limit: str, helper: bounded.Helper
) -> None:
    """Of whatever there is too much, the call ends, it is told, and the next one is answered."""
    found = said(helper, bounds, function, *args)
    assert isinstance(found, Exceeded)
    assert found.limit == limit
    assert said(helper, PLENTY, len, "abc") == 3


def test_a_process_that_something_outside_kills_is_replaced_once(helper: bounded.Helper, tmp_path: Path) -> None:
    """What was asked is asked again, and then it is nobody's mistake: not that of the file that was read."""
    with pytest.raises(SandboxKilled, match="short of memory"):
        helper.call(PLENTY, os.kill, (0, signal.SIGKILL), {})  # 0: its group, in which it is alone
    once = "(p.exists() or (p.touch(), k(0, 9))) and 42"
    assert helper.call(PLENTY, eval, (once, {"p": tmp_path / "once", "k": os.kill}), {}) == 42


def test_a_process_that_cannot_import_us_says_nothing_about_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """If attncheck was removed meanwhile, that is no file that takes too much to read."""
    paths = sysconfig.get_paths()
    monkeypatch.setattr(sys, "path", [paths["stdlib"], os.path.join(paths["platstdlib"], "lib-dynload")])
    helper = bounded.Helper()
    with pytest.raises(LibrariesChanged, match=r"could not import attncheck.*run the command again"):
        helper.call(PLENTY, len, ("abc",), {})
    helper.close()


@pytest.mark.parametrize(
    "value",
    [
        os.system,
        print,
        Path,
        pickle.Unpickler,
        bounded.call,
        read,
        type("Strange", (), {"__reduce__": lambda self: (os.getcwd, ())})(),
        type("Own", (), {"__reduce__": lambda self: (bounded.start, ())})(),
    ],
)
def test_only_plain_data_is_read(value: object) -> None:
    """A function, and a class that does more than hold values, is no answer, wherever it comes from."""
    with pytest.raises(Exceeded):
        bounded._unpickled(pickle.dumps(("returned", value)))


def test_plain_data_is_read() -> None:
    """Our types that hold values are, and errors of ours."""
    whole = Submission("bo", (), (Answer("Q1.a", {"a": [1.5, None, "é"]}, 3),))
    for value in (whole, Status.PASSED, b"abc", (1, [2, {"x": True}])):
        assert bounded._unpickled(pickle.dumps(("returned", value))) == ("returned", value)
    # In Python's own way: libraries of other tests may have changed how this process writes exceptions down.
    written = io.BytesIO()
    pickler = pickle._Pickler(written)
    pickler.dispatch_table = {}
    pickler.dump(("raised", UsageError(same("no"))))
    _, error = bounded._unpickled(written.getvalue())
    assert type(error) is UsageError


@pytest.mark.parametrize("said", [None, ("returned",), ("raised", ValueError("x")), ("failed", 3), ("other", 1)])
def test_another_answer_is_none(said: object) -> None:
    """What is no answer of ours is taken for an end of the process."""
    with pytest.raises(Exceeded):
        bounded._result(said)


def test_a_process_that_has_grown_is_replaced(helper: bounded.Helper) -> None:
    """What a large submission needed is given back before the next."""
    first = said(helper, PLENTY, os.getpid)
    assert said(helper, PLENTY, os.getpid) == first
    assert said(helper, PLENTY, eval, f"len(b'x' * {bounded._MAX_PEAK})") == bounded._MAX_PEAK
    assert said(helper, PLENTY, os.getpid) != first


@pytest.mark.parametrize(
    ("files", "small"),
    [
        ({"q05.py": "x = 1\n"}, True),
        ({"q05.py": "#" * bounded.SMALL}, True),
        ({"q05.py": "#" * (bounded.SMALL + 1)}, False),
        ({"a.py": "#" * 20_000, "b/c.py": "#" * 20_000}, False),
        ({"a.py": "#" * 9000, "b/c.py": "#" * 9000, "data.bin": "#" * 100_000}, True),
        ({"q05.ipynb": "{}"}, False),
        ({"a.py": "", "n.IPYNB": "{}"}, False),
        ({"all.zip": ""}, False),
        ({"answers.yaml": "#" * 40_000}, False),
        ({f"{n}.py": "" for n in range(60)}, False),
        ({".hidden/n.ipynb": "{}", "a.py": ""}, True),
        ({**{f".{n}": "" for n in range(60)}, "a.py": ""}, False),
        ({f"{n}/{n}/a.py": "" for n in range(20)}, False),
    ],
)
def test_what_is_small(files: dict[str, str], small: bool, tmp_path: Path) -> None:
    """A little source, and answers; nothing that has to be unpacked, and not many files."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert is_small(tmp_path) is small
    if len(files) == 1:
        assert is_small(tmp_path / next(iter(files))) is small


def test_what_is_not_there_is_small(tmp_path: Path) -> None:
    """It is told at once what is wrong with it."""
    assert is_small(tmp_path / "nothing.zip")
    assert is_small(Path("\0"))
