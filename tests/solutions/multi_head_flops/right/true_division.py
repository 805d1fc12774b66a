"""NumPy, with a width that is a float."""

import numpy as np


def multi_head_flops(n, d_model, num_heads):
    return 4 * np.square(n) * (d_model / num_heads) * num_heads
