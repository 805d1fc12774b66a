"""By two places.

caught-by: values
"""

import numpy as np


def shift_right(tokens, bos_id):
    start = np.full(tokens.shape[:-1] + (2,), bos_id)
    return np.concatenate([start, tokens], axis=-1)[..., : tokens.shape[-1]]
