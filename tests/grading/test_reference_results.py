from __future__ import annotations

import resource
from pathlib import Path

import pytest

from grader.core.model import Call, Job, Limits, Observed, Program
from grader.grading.inputs import Seed
from grader.grading.reference_results import reference_observer
from tests.helpers import array, returned, source

JOB = Job(
    (source("reference/bank.py", "def double(x): return 2 * x"),),
    (Program("reference.bank", (Call("double", (3,)),), (0,)),),
)
SECRET = Seed("file:0", b"secret", secret=True)


class Counting:
    """A sandbox that counts how often it is asked."""

    times = 0

    def __call__(self, job: Job, limits: Limits) -> Observed:
        """The same for every program."""
        self.times += 1
        return Observed(tuple(returned(array([6.0])) for _ in job.programs), (), unsafe=False)


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that is empty."""
    monkeypatch.setenv("ATTNCHECK_CACHE", str(tmp_path / "cache"))


def asked_twice(seed: Seed, private: Path | None) -> int:
    """How often the sandbox is asked when the same is expected by two graders."""
    counting = Counting()
    for _ in range(2):
        seen = reference_observer(counting, seed, private)(JOB, Limits())
        assert seen.observations[0].values[0].values.tolist() == [6.0]  # type: ignore[union-attr]
    return counting.times


@pytest.mark.parametrize("seed", [Seed.public(), Seed.number(3)])
def test_what_is_no_secret_is_remembered_in_the_cache(seed: Seed, tmp_path: Path) -> None:
    """Whoever grades next on this machine need not run the references."""
    assert asked_twice(seed, tmp_path / "private") == 1
    assert not (tmp_path / "private").exists()


def test_what_is_secret_stays_beside_the_results(tmp_path: Path) -> None:
    """In a folder of the owner's; never in the cache. Without such a folder it is not remembered."""
    assert asked_twice(SECRET, tmp_path / "out" / ".expected") == 1
    assert (tmp_path / "out" / ".expected").stat().st_mode & 0o777 == 0o700
    assert asked_twice(SECRET, None) == 2
    assert not (tmp_path / "cache" / "expected").exists()


def test_no_room_for_a_secret(tmp_path: Path) -> None:
    """Where nothing can be kept beside the results, the references are run again, and that is all."""
    (tmp_path / "file").write_text("in the way")
    assert asked_twice(SECRET, tmp_path / "file" / ".expected") == 2
    private = tmp_path / "private"
    private.mkdir()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        assert asked_twice(SECRET, private) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(private.iterdir()) == []
