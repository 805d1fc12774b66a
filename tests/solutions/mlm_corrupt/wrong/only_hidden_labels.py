"""Only the labels that count, without their places.

caught-by: values
"""

import torch


def mlm_corrupt(tokens, mask_positions, mask_id):
    return tokens.masked_fill(mask_positions, mask_id), tokens[mask_positions]
