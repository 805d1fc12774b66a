"""Token 0 is taken for padding and never asked about.

caught-by: values
"""

import numpy as np


def mlm_corrupt(tokens, mask_positions, mask_id):
    asked = mask_positions & (tokens != 0)
    return np.where(mask_positions, mask_id, tokens), np.where(asked, tokens, -100)
