"""Labels of floats: cross-entropy refuses them, and nothing can be looked up with them.

caught-by: values
"""

import numpy as np


def mlm_corrupt(tokens, mask_positions, mask_id):
    inputs = np.where(mask_positions, mask_id, tokens)
    labels = np.where(mask_positions, tokens, -100.0)
    return inputs, labels
