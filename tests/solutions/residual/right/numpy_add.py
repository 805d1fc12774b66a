"""np.add into an array of its own."""

import numpy as np


def residual(x, sublayer):
    out = np.array(sublayer(x))
    np.add(out, x, out=out)
    return out
