import numpy as np


def sliding_window_mask(n, window):
    i = np.arange(n)[:, None]
    j = np.arange(n)[None]
    return (j <= i) & (i - j <= window)  #!
