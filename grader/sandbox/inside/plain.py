"""The child without confinement, in a new process for each job, for machines that cannot confine code.

Used only if there are no secrets (``attncheck grade`` without a seed file). The job and its tasks arrive on descriptor
0, and frames are written to descriptor 1; learner code sees neither, because both are replaced by the null device.
"""

from __future__ import annotations

import importlib
import os


def main(preload: list[str], cpu_seconds: int, memory: int) -> None:
    """Serves one job; with rlimits if the system has them."""
    jobs, results = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    for name in preload:
        importlib.import_module(name)
    import torch  # only now, because the descriptors are redirected first

    from . import serve

    torch.set_num_threads(1)
    _limit(cpu_seconds, memory)
    serve.serve(jobs, results, [])
    os._exit(0)


def _limit(cpu_seconds: int, memory: int) -> None:
    try:
        import resource  # not on Windows

        from . import confine  # needs Linux

        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
        bound = confine.address_space() + memory
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    except (ImportError, OSError, ValueError, AttributeError):
        pass  # another system: only the grader's clock limits it
