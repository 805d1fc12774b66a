"""The size of an array that is never made."""

import numpy as np


def kv_cache_bytes(num_layers, batch, n, num_kv_heads, d_k, bytes_per_element=2):
    return int(np.prod([2, num_layers, batch, num_kv_heads, n, d_k], dtype=np.int64)) * bytes_per_element
