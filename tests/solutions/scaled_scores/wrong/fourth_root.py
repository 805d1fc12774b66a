"""The fourth root, on one side only.

caught-by: values, gradients
"""

import torch


def scaled_scores(q, k):
    return (q / q.shape[-1] ** 0.25) @ k.transpose(-2, -1)
