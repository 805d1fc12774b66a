import torch


def feed_forward(x, w_1, b_1, w_2, b_2):
    h = torch.relu(x @ w_1 + b_1)
    h = torch.relu(h @ w_2 + b_2)  #!
    return h
