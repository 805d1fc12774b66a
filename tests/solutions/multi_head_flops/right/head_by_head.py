"""Head by head."""


def multi_head_flops(n, d_model, num_heads):
    d_k = d_model // num_heads
    return sum(2 * n * d_k * n + 2 * n * n * d_k for _head in range(num_heads))
