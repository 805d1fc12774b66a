"""Every processor of the machine, by the libraries' own threads.

tries: torch.set_num_threads, set_num_interop_threads, OMP variables, fork-join tasks, then a large product
observe: no-credit
"""

import ctypes
import os

import torch

for name in ("OMP", "MKL", "OPENBLAS"):
    os.environ[f"{name}_NUM_THREADS"] = "256"


def scaled_dot_product_attention(q, k, v, mask=None):
    for widen in (torch.set_num_threads, torch.set_num_interop_threads):
        try:
            widen(256)
        except RuntimeError:
            pass
    ctypes.CDLL(None).omp_set_num_threads if hasattr(ctypes.CDLL(None), "omp_set_num_threads") else None
    waiting = [torch.jit.fork(torch.matmul, torch.ones(600, 600), torch.ones(600, 600)) for _ in range(200)]
    while True:
        for one in waiting:
            torch.jit.wait(one)
