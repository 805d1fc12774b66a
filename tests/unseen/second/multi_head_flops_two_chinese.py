def multi_head_flops(n, d_model, num_heads):
    # 每个头的维度
    d_k = d_model // num_heads
    # QK^T:n×n 个点积,每个 d_k 次乘加
    qk = n * n * d_k  #!
    # 权重乘 V
    av = 2 * n * n * d_k
    # 所有头加起来
    return qk + av  #!
