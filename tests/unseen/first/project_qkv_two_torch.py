def project_qkv(x, w_q, w_k, w_v):
    scale = x.shape[-1] ** -0.5
    q = (x * scale) @ w_q  #!
    k = x @ w_v  #!
    return q, k, x @ w_v
