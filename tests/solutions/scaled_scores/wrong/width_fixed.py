"""The width of the paper's heads is written down as a number.

caught-by: values, gradients
"""

import torch


def scaled_scores(q, k):
    return q @ k.transpose(-2, -1) / 8
