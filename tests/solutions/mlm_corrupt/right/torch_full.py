"""A new tensor of -100, and a list instead of a tuple."""

import torch


def mlm_corrupt(tokens, mask_positions, mask_id):
    labels = torch.full(tokens.shape, -100)
    labels[mask_positions] = tokens[mask_positions]
    return [tokens.masked_fill(mask_positions, mask_id), labels]
