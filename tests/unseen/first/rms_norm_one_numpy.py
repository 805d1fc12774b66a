import numpy as np


def rms_norm(x, gamma, eps=1e-5):
    rms = np.sqrt(np.mean(np.abs(x), axis=-1, keepdims=True) + eps)  #!
    return x / rms * gamma
