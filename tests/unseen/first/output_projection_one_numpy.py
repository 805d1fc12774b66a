import numpy as np


def output_projection(heads, w_o):
    h = heads.shape[-3]
    cat = np.concatenate([heads[..., i, :, :] for i in range(h)], axis=-1)
    return np.tanh(cat) @ w_o  #!
