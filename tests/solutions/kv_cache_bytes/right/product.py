"""One product."""


def kv_cache_bytes(num_layers, batch, n, num_kv_heads, d_k, bytes_per_element=2):
    return 2 * num_layers * batch * n * num_kv_heads * d_k * bytes_per_element
