"""Memory that no limit on private memory counts.

tries: shared anonymous mappings, memfd_create, /dev/shm, shared tensors
observe: raises or times-out
"""

import mmap

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    kept = []
    for _ in range(1 << 10):
        kept.append(mmap.mmap(-1, 1 << 26, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
        kept[-1][:: 1 << 12] = bytes(1 << 14)
    return torch.zeros(1).share_memory_()
