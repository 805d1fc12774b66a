"""The caller's tokens are overwritten.

caught-by: unchanged_inputs
"""

import numpy as np


def mlm_corrupt(tokens, mask_positions, mask_id):
    labels = np.where(mask_positions, tokens, -100)
    tokens[mask_positions] = mask_id
    return tokens, labels
