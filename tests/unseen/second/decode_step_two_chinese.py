import torch


class KVCache:
    def __init__(self):
        self.k = None
        self.v = None

    def append(self, k, v):
        # 第一次直接存,之后拼接在时间维
        if self.k is None:
            self.k, self.v = k, v
        else:
            self.k = torch.cat([self.k, k], dim=-2)
            self.v = torch.cat([self.v, v], dim=-2)
        return self.k, self.v

    def __len__(self):
        return 0 if self.k is None else self.k.shape[-2]


def decode_step(x_t, cache, w_q, w_k, w_v):
    # 当前词的 q、k、v
    q = x_t @ w_q
    v, k = cache.append(x_t @ w_k, x_t @ w_v)  #!
    # 打分并归一化
    scores = q @ k.transpose(-2, -1) / k.shape[-2] ** 0.5  #!
    w = torch.softmax(scores, dim=-1)
    return w @ v
