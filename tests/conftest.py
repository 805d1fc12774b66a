"""For every test: one thread, no settings from outside, and a cache and progress file of its own."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from grader.core.model import Course
    from grader.sandbox import Sandbox
    from tests.solving import Bench

# Before anything imports numpy: see `OMP_NUM_THREADS` in the Makefile.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"


@pytest.hookimpl(tryfirst=True)  # before pytest looks where its folder is
def pytest_configure(config: pytest.Config) -> None:
    """Gives every run a folder of its own: in a shared one, each run removes what others left or still need.

    Its worker processes have theirs inside. It is removed at the end; pass ``--basetemp`` to look into it.
    """
    if config.option.basetemp is None:
        place = tempfile.mkdtemp(prefix="attncheck-tests-")
        config.option.basetemp = f"{place}/run"
        config.add_cleanup(lambda: shutil.rmtree(place, ignore_errors=True))


#: The files that take longest. They start first, so that no core waits for one of them at the end.
_LONG = ("test_batch", "test_attacks", "test_loader", "test_plots", "test_solutions_wrong", "test_safe_outputs")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Runs the files of ``_LONG`` first, in this order, then the others."""
    places = {name: place for place, name in enumerate(_LONG)}
    items.sort(key=lambda item: places.get(item.path.stem, len(_LONG)))


@pytest.fixture(scope="session", autouse=True)
def _heard() -> None:
    """Restores default signal handling: a shell that runs the tests in the background ignores some signals."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def _alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps the user's cache, progress, course, language and terminal out of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("ATTNCHECK_")]:
            patch.delenv(name)
        for name in ("FORCE_COLOR", "COLUMNS", "LINES"):
            patch.delenv(name, raising=False)
        # One cache for all workers: the bundled course is read, and its references run, once.
        parts = tmp_path_factory.getbasetemp()
        patch.setenv("ATTNCHECK_CACHE", str((parts.parent if "PYTEST_XDIST_WORKER" in os.environ else parts) / "cache"))
        patch.setenv("ATTNCHECK_STATE", str(tmp_path_factory.mktemp("state") / "progress.jsonl"))
        patch.setenv("NO_COLOR", "1")
        yield


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One confined sandbox for all tests, ready to use: starting it takes longer than grading.

    It starts here and not in the first test that uses it. Its processes outlive that test, so a test that looks for
    processes left behind would take them for its own.
    """
    if find_spec("torch") is None:
        pytest.skip("needs torch, which is not installed")  # as for `make short`
    from grader.sandbox import ZygoteSettings, open_sandbox  # after the settings above

    with open_sandbox(mode="require", settings=ZygoteSettings(collapse=True)) as opened:
        opened.children()
        yield opened


@pytest.fixture(scope="session")
def course() -> Course:
    """The bundled course."""
    from grader.course import loader
    from grader.grading import courses

    return courses.load(loader.find(None))


@pytest.fixture(scope="session")
def bench(course: Course, sandbox: Sandbox) -> Bench:
    """The bundled course in the real sandbox; see ``tests.solving``."""
    from grader.sandbox.observation_cache import memoized
    from tests.solving import Bench

    memory: dict[str, bytes] = {}
    expect = memoized(sandbox.observe, memory.get, memory.__setitem__)
    return Bench(course, sandbox.observe, expect)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A table of what fuzzing has tried, where it has (see tests/fuzz)."""
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.getreports(outcome)]
    tried = {dict(report.user_properties).get("fuzzed"): report.failed for report in reports if report.when == "call"}
    rows = sorted((*found, failed) for found, failed in tried.items() if found is not None)
    if rows:
        terminalreporter.section("fuzzed")
        terminalreporter.write_line(f"{'reader':<28}{'examples':>10}{'seconds':>9}  findings")
    for reader, examples, seconds, failed in rows:
        terminalreporter.write_line(f"{reader:<28}{examples:>10}{seconds:>9}  {int(failed)}")
