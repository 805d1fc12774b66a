import numpy as np


def shift_right(tokens, bos_id):
    # 整体右移一位,开头补 bos
    out = np.empty_like(tokens)
    out[..., :-1] = tokens[..., 1:]  #!
    out[..., -1] = bos_id  #!
    return out
