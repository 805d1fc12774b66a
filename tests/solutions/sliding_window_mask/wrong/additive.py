"""Numbers to be added to the scores.

caught-by: values
"""

import torch


def sliding_window_mask(n, window):
    allowed = torch.ones(n, n).tril() - torch.ones(n, n).tril(-window)
    return torch.where(allowed > 0, 0.0, float("-inf"))
