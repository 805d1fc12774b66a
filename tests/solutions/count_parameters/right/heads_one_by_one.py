"""Head by head."""


def count_parameters(d_model, num_heads, bias=False):
    d_k = d_model // num_heads
    total = 0
    for _ in range(num_heads):
        for _projection in "qkv":
            total += d_model * d_k
            if bias:
                total += d_k
    total += (num_heads * d_k) * d_model
    return total + d_model if bias else total
