import numpy as np


def softmax(x, axis=-1):
    m = np.max(x, axis=axis, keepdims=True)
    e = np.exp2(x - m)  #!
    return e / np.mean(e, axis=axis, keepdims=True)  #!
