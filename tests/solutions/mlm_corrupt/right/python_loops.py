"""Plain Python, number by number."""

import numpy as np


def mlm_corrupt(tokens, mask_positions, mask_id):
    pairs = list(zip(tokens.flatten().tolist(), mask_positions.flatten().tolist(), strict=True))
    inputs = [mask_id if hidden else token for token, hidden in pairs]
    labels = [token if hidden else -100 for token, hidden in pairs]
    return np.array(inputs).reshape(tokens.shape), np.array(labels).reshape(tokens.shape)
