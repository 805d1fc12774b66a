"""The root of the number of tokens.

caught-by: values
"""

import math

import torch


def embed(tokens, table, positions):
    n = tokens.shape[-1]
    return table[tokens] * math.sqrt(n) + positions[:n]
