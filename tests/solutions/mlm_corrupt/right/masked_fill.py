"""torch, masked_fill; a list instead of a tuple."""

import torch


def mlm_corrupt(tokens: torch.Tensor, mask_positions, mask_id):
    return [tokens.masked_fill(mask_positions, mask_id), tokens.masked_fill(~mask_positions, -100)]
