"""The positions of the best keys.

caught-by: values
"""

import torch


def hard_lookup(query, keys, values):
    return (query @ keys.mT).argmax(dim=-1)
