def multi_head_flops(n, d_model, num_heads):
    d_k = d_model // num_heads
    per_head = 2 * n * n * d_k  #!
    return num_heads * num_heads * per_head  #!
