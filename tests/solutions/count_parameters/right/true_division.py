"""d_k by true division: a float that is a whole number."""


def count_parameters(d_model, num_heads, bias=False):
    d_k = d_model / num_heads
    return num_heads * 3 * d_model * d_k + d_model * d_model + bias * 4 * d_model
