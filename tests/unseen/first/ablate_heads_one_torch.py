import torch


def ablate_heads(x, w_q, w_k, w_v, w_o, num_heads, keep):
    def heads(t):
        return t.reshape(*t.shape[:-1], num_heads, -1).transpose(-2, -3)

    q, k, v = heads(x @ w_q), heads(x @ w_k), heads(x @ w_v)
    w = torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1)
    keep = torch.as_tensor(keep, dtype=x.dtype)
    out = (w @ v) * keep[:, None, None] * num_heads / keep.sum().clamp(min=1)  #!
    return out.transpose(-2, -3).flatten(-2) @ w_o
