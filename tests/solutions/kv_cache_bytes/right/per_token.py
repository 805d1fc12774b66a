"""By the token."""


def kv_cache_bytes(num_layers, batch, n, num_kv_heads, d_k, bytes_per_element=2):
    width = num_kv_heads * d_k
    per_layer = (width + width) * bytes_per_element
    return batch * n * sum(per_layer for _ in range(num_layers))
