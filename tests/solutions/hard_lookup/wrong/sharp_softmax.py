"""A sharp softmax, which averages ties and leaves a little of the others.

caught-by: values
"""

import torch


def hard_lookup(query, keys, values):
    return torch.softmax(1e4 * (query @ keys.mT), dim=-1) @ values
