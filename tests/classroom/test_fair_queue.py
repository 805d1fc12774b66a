"""Who is next: everybody gets a turn, whatever others ask for."""

from __future__ import annotations

from grader.classroom.fair_queue import FairQueue, QueuedJob


def ran(queue: FairQueue, seconds: dict[str, float], turns: int) -> list[str]:
    """The keys of the jobs that run in ``turns`` turns of one worker; a job takes what its person's jobs take."""
    keys, now = [], 0.0
    for _ in range(turns):
        job = queue.take(now)
        if job is None:
            break
        keys.append(job.key)
        now += seconds.get(job.person, 1.0)
        queue.done(job, seconds.get(job.person, 1.0), now)
    return keys


def test_a_flood_waits_behind_everybody_else() -> None:
    """Ten jobs of one person come first; the others, who came later, are served after the first of these."""
    queue = FairQueue(1)
    for at in range(10):
        queue.put(QueuedJob("eve", "grading", f"eve {at}", at))
    for name in ("ada", "bo", "cy"):
        queue.put(QueuedJob(name, "grading", name, 1))
    assert ran(queue, {}, 4) == ["eve 9", "ada", "bo", "cy"]


def test_the_newest_attempt_comes_first_and_none_is_lost() -> None:
    """Older attempts run later."""
    queue = FairQueue(1)
    for at in (1, 3, 2):
        queue.put(QueuedJob("ada", "grading", f"a{at}", at))
    queue.put(QueuedJob("ada", "grading", "a3", 3))
    assert ran(queue, {}, 9) == ["a3", "a2", "a1"]


def test_work_counts_not_the_number_of_jobs() -> None:
    """One long job is worth several short ones; after a while it is forgotten."""
    queue = FairQueue(1)
    slow, quick = QueuedJob("eve", "check", "e0"), QueuedJob("ada", "check", "a0")
    queue.put(slow)
    assert queue.take(0.0) == slow
    queue.done(slow, 6.0, 6.0)
    for at in range(3):
        queue.put(QueuedJob("eve", "check", f"e{at}"))
        queue.put(QueuedJob("ada", "check", f"a{at}"))
    assert ran(queue, {"ada": 1.0}, 3) == ["a0", "a1", "a2"]
    assert queue.used("eve", 6.0 + 120) == 3.0 and quick.person == "ada"


def long_ago(queue: FairQueue, *names: str) -> None:
    """Each of these people had a job that took long."""
    for name in names:
        job = QueuedJob(name, "grading", f"{name} 0")
        queue.put(job)
        assert queue.take(0.0) == job
        queue.done(job, 20.0, 0.0)


def test_workers_are_kept_for_those_whose_jobs_are_quick() -> None:
    """Heavy jobs get the spare worker, and others only beyond what quick people who were there lately may need."""
    queue = FairQueue(2)
    long_ago(queue, "eve", "mallory", "trudy")
    for name in ("eve", "mallory", "trudy"):
        queue.put(QueuedJob(name, "grading", f"{name} 1"))
        queue.put(QueuedJob(name, "grading", f"{name} 2"))
    assert queue.take_heavy(0.0) == QueuedJob("eve", "grading", "eve 1")
    assert queue.take_heavy(0.0) is None, "there is one spare worker, and a person has one job at a time"
    other = queue.take(0.0)
    assert other == QueuedJob("mallory", "grading", "mallory 1") and queue.take(0.0) is None, "one worker stays free"
    ada = QueuedJob("ada", "grading", "ada")
    queue.put(ada)
    assert queue.take_heavy(0.0) is None and queue.take(0.0) == ada
    queue.done(ada, 0.1, 0.0)
    bo = QueuedJob("bo", "grading", "bo")
    queue.put(bo)
    assert queue.take(0.0) == bo
    queue.done(bo, 0.1, 0.0)
    queue.done(other, 20.0, 0.0)
    assert queue.take(30.0) is None, "both workers are kept for Ada and Bo"
    assert queue.take(90.0) is not None, "but not for long after they have gone"


def test_many_quick_jobs_are_not_heavy() -> None:
    """Somebody who checks again and again uses the same workers as others: only jobs that take long are put aside."""
    queue = FairQueue(2)
    for at in range(100):
        job = QueuedJob("ada", "check", f"ada {at}")
        queue.put(job)
        assert queue.take_heavy(float(at)) is None and queue.take(float(at)) == job
        queue.done(job, 0.5, float(at))
    assert queue.used("ada", 100.0) > 30


def test_gradings_go_on_with_the_spare_worker() -> None:
    """Checks of heavy people do not keep their submissions waiting for ever."""
    queue = FairQueue(1)
    names = [f"eve{at}" for at in range(8)]
    long_ago(queue, *names)
    for at, name in enumerate(names):
        queue.put(QueuedJob(name, "grading" if at == 7 else "check", f"{name} 1"))
    kinds = []
    for _ in range(4):
        job = queue.take_heavy(0.0)
        assert job is not None
        kinds.append(job.kind)
        queue.done(job, 20.0, 0.0)
    assert "grading" in kinds


def test_one_worker_besides_the_spare_one() -> None:
    """Heavy jobs run there alone."""
    queue = FairQueue(1)
    long_ago(queue, "eve")
    again = QueuedJob("eve", "grading", "eve 1")
    queue.put(again)
    assert queue.take(0.0) is None and queue.take_heavy(0.0) == again
    queue.done(again, 0.1, 0.1)
    queue.put(again)
    assert queue.take_heavy(0.1) == again


def test_first_checks_do_not_take_the_last_worker() -> None:
    """Of two people who check for the first time, one waits; somebody who is known to be quick does not."""
    queue = FairQueue(2)
    known = QueuedJob("ada", "check", "ada")
    queue.put(known)
    assert queue.take(0.0) == known
    queue.done(known, 0.1, 0.1)
    for name in ("eve", "mallory", "ada"):
        queue.put(QueuedJob(name, "check", name))
    assert queue.take(0.1) == QueuedJob("eve", "check", "eve")
    assert queue.take(0.1) == known
    queue.done(known, 0.1, 0.2)
    assert queue.take(0.2) is None
    queue.put(QueuedJob("cy", "grading", "cy"))
    assert queue.take(0.2) == QueuedJob("cy", "grading", "cy"), "gradings use all workers"


def test_checks_come_first_but_gradings_go_on() -> None:
    """Somebody sits and waits for a check; every fourth job is a grading nevertheless."""
    queue = FairQueue(1)
    for at in range(8):
        queue.put(QueuedJob(f"c{at}", "check", f"c{at}"))
        queue.put(QueuedJob(f"g{at}", "grading", f"g{at}"))
    assert "".join(key[0] for key in ran(queue, {}, 16)) == "cccgcccgccgggggg"
