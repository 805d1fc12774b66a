"""Lists of booleans, an array at the end."""

import torch


def padding_mask(lengths, max_len):
    rows = [[[[position < int(length) for position in range(max_len)]]] for length in lengths]
    return torch.tensor(rows)
