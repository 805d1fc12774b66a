import numpy as np


def padding_mask(lengths, max_len):
    # 每个位置的编号
    位置 = np.arange(max_len)
    lengths = np.asarray(lengths)
    # 大于等于长度的是填充  #!
    mask = 位置[None, :] >= lengths[:, None]  #!
    # 变成可以广播的形状  #!
    return mask[:, None, :]  #!
