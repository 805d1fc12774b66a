"""The library's linear layers, which take their weights the other way round."""

import torch.nn.functional as F


def feed_forward(x, w_1, b_1, w_2, b_2):
    return F.linear(F.relu(F.linear(x, w_1.T, b_1)), w_2.T, b_2)
