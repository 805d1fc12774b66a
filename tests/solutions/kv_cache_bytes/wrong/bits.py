"""In bits.

caught-by: values
"""


def kv_cache_bytes(num_layers, batch, n, num_kv_heads, d_k, bytes_per_element=2):
    return 2 * num_layers * batch * n * num_kv_heads * d_k * 8 * bytes_per_element
