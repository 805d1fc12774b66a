"""Writes into the text.

caught-by: unchanged_inputs
"""

import numpy as np


def exposure_bias(step, tokens, bos_id):
    right = tokens.copy()
    for t in range(len(tokens)):
        tokens[t] = np.argmax(step([bos_id, *tokens[:t]]))
    return np.mean(tokens != right)
