def kv_cache_bytes(num_layers, batch, n, num_kv_heads, d_k, bytes_per_element=2):
    per_token = 2 * num_kv_heads * d_k * 2  #!
    return num_layers * batch * n * per_token
