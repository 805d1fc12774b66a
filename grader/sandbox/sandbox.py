"""A sandbox that stays open: it starts and replaces its zygote, and detects changes of the libraries."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from grader.core.errors import LibrariesChanged, SandboxError, SandboxUnavailable
from grader.core.model import Job, Limits, Observed
from grader.sandbox import launch, policy
from grader.sandbox.children import ChildFactory, PlainChildFactory
from grader.sandbox.policy import CHANGED, OTHER_FILES, Snapshot
from grader.sandbox.wire import StepsPacker
from grader.sandbox.zygote import Zygote, ZygoteLost, ZygoteSettings

Mode = Literal["auto", "require", "plain"]


class Sandbox:
    """Where learner code runs: children of one zygote, or in plain mode a new interpreter for each job.

    It runs one job at a time: callers in other threads wait, because a zygote has one child at a time.
    """

    def __init__(self, mode: Mode, settings: ZygoteSettings) -> None:
        self._mode = mode
        self._settings = settings
        self._children: ChildFactory | None = None
        self._zygote: Zygote | None = None
        self._confined = False  # once code was confined, no code is run unconfined
        self._libraries: Snapshot | None = None
        self._packer = StepsPacker()
        self._alone = threading.RLock()

    def start(self) -> None:
        """Starts importing torch in the background; returns without waiting for it."""
        with contextlib.suppress(ZygoteLost):  # killed at once: started again when needed
            self._begin()

    def _begin(self) -> None:
        if self._zygote is not None or self._children is not None:
            return
        if self._mode == "plain":
            self._start_plain()
        else:
            try:
                self._zygote = Zygote.launch(self._settings)
                # This takes less time than importing torch, so the zygote has started with the files listed here.
                self._libraries = self._libraries or Snapshot.take(self._zygote.places)
            except SandboxUnavailable as error:
                self._fall_back(error)

    def _fall_back(self, error: SandboxUnavailable) -> None:
        if self._mode == "require" or self._confined:
            raise error
        self._start_plain()

    def _start_plain(self) -> None:
        self._libraries = self._libraries or Snapshot.take(policy.packages(self._settings.packages).values())
        self._children = PlainChildFactory(self._settings.preload)

    def children(self) -> ChildFactory:
        """The factory of children; waits until it is ready. In mode ``require``, may raise SandboxUnavailable."""
        with self._alone:
            self._begin()
            if self._children is None and self._zygote is not None:
                try:
                    self._zygote.wait_until_ready()
                    self._children = self._zygote
                    self._confined = True
                except SandboxUnavailable as error:
                    self._zygote.close()
                    self._zygote = None
                    self._fall_back(error)
            assert self._children is not None
            return self._children

    def allow_packages(self, packages: tuple[str, ...]) -> None:
        """Lets submissions import these packages as well. Raises CourseError if one is not installed or not allowed."""
        if packages == self._settings.packages:
            return
        policy.packages(packages)
        started = self._zygote is not None
        self.close()
        self._settings = replace(self._settings, packages=packages)
        self._libraries = None
        if started:
            self.start()

    @property
    def unsafe(self) -> bool:
        """Whether learner code runs unconfined."""
        return self.children().unsafe

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of the layers that confine learner code."""
        self.children()
        return self._zygote.layers if self._zygote is not None else ()

    def expect_libraries(self, digest: str) -> None:
        """Starts the sandbox. Raises LibrariesChanged if its libraries do not have this ``digest``."""
        self._begin()
        if self._libraries is not None and self._libraries.digest != digest:
            self.close()
            raise LibrariesChanged(CHANGED.fill(path=OTHER_FILES))

    def observe(self, job: Job, limits: Limits) -> Observed:
        """Runs ``job``. If the zygote dies, it is replaced once, and the job runs again within its remaining limits.

        Raises LibrariesChanged if the libraries have changed since the sandbox started, so that results are unreliable.
        """
        seen = self.observe_unverified(job, limits)
        self.verify()
        return seen

    def observe_unverified(self, job: Job, limits: Limits) -> Observed:
        """Like ``observe``, for callers that call ``verify`` themselves before they use a result that is not a success.

        Changed libraries can only make correct code fail, so a success need not be verified, which takes milliseconds.
        """
        try:
            with self._alone:
                return self._observe(job, limits)
        except SandboxError:
            self.verify()  # changed libraries would be the cause
            raise

    def verify(self) -> None:
        """Raises LibrariesChanged if the libraries have changed since the sandbox started."""
        if self._libraries is not None:
            self._libraries.verify()

    def _observe(self, job: Job, limits: Limits) -> Observed:
        try:
            return launch.observe(self.children(), job, limits, self._packer)
        except ZygoteLost as lost:
            self.close()
            job = replace(job, usage=lost.usage or job.usage)
        try:
            return launch.observe(self.children(), job, limits, self._packer)
        except ZygoteLost:
            self.close()
            raise

    def close(self) -> None:
        """Ends the zygote and everything in it."""
        if self._zygote is not None:
            self._zygote.close()
        self._zygote = self._children = None


@contextlib.contextmanager
def open_sandbox(*, mode: Mode = "auto", settings: ZygoteSettings | None = None) -> Iterator[Sandbox]:
    """A sandbox for a ``with`` statement. ``auto`` falls back to plain mode where code cannot be confined."""
    sandbox = Sandbox(mode, settings or ZygoteSettings())
    try:
        yield sandbox
    finally:
        sandbox.close()
