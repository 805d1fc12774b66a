"""BERT's random choices, which are left out here.

caught-by: values
"""

import torch


def mlm_corrupt(tokens, mask_positions, mask_id):
    chance = torch.rand(tokens.shape)
    inputs = torch.where(mask_positions & (chance < 0.8), mask_id, tokens)
    inputs = torch.where(mask_positions & (chance >= 0.9), 0, inputs)
    return inputs, torch.where(mask_positions, tokens, -100)
