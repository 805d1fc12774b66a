"""Filled arrays of the tokens' own type."""

import numpy as np


def mlm_corrupt(tokens, mask_positions, mask_id):
    inputs, labels = tokens.copy(), np.full_like(tokens, -100)
    inputs[mask_positions] = mask_id
    labels[mask_positions] = tokens[mask_positions]
    return inputs, labels
