"""As if each step kept a cache of its own.

caught-by: values
"""


def kv_cache_bytes(num_layers, batch, n, num_kv_heads, d_k, bytes_per_element=2):
    return num_layers * batch * n * (n + 1) * num_kv_heads * d_k * bytes_per_element
