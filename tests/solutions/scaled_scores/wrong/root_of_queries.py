"""The root of the number of queries.

caught-by: values, gradients
"""

import torch


def scaled_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-2] ** 0.5
