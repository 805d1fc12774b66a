import numpy as np

def softmax(x, axis=-1):
    biggest = np.max(x, axis=axis, keepdims=True)
    shifted = x - biggest
    top = np.exp(shifted)
    bottom = np.sum(top, axis=-1, keepdims=True)  #!
    result = top / bottom
    return result
