"""Labels first.

caught-by: values
"""

import torch


def mlm_corrupt(tokens, mask_positions, mask_id):
    return torch.where(mask_positions, tokens, -100), torch.where(mask_positions, mask_id, tokens)
