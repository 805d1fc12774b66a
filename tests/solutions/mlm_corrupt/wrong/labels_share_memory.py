"""inputs and labels are the same array.

caught-by: values
"""

import numpy as np


def mlm_corrupt(tokens, mask_positions, mask_id):
    inputs = labels = tokens.copy()
    inputs[mask_positions] = mask_id
    labels[~mask_positions] = -100
    return inputs, labels
