"""The sign of the infinity.

caught-by: values
"""

import torch


def alibi_bias(num_heads, n_q, n_k):
    slopes = 2.0 ** (-8.0 * torch.arange(1, num_heads + 1) / num_heads)
    distance = torch.arange(n_k - n_q, n_k)[:, None] - torch.arange(n_k)
    return (-slopes[:, None, None] * distance).masked_fill(distance < 0, torch.inf)
