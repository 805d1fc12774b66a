import torch


def feed_forward(x, w_1, b_1, w_2, b_2):
    # 第一层:升维
    h = x @ w_1 + b_1
    # 激活函数 ReLU
    h = torch.clamp(h, min=0)
    # 第二层:降回 d_model
    return torch.relu(h @ w_2 + b_2)  #!
