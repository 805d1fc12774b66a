"""torch, where."""

import torch


def mlm_corrupt(tokens, mask_positions, mask_id):
    return torch.where(mask_positions, mask_id, tokens), torch.where(mask_positions, tokens, -100)
