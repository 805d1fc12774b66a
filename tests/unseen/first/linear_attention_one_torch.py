import torch


def linear_attention(q, k, v, causal=False):
    f = lambda t: torch.nn.functional.elu(t) + 1
    q, k = f(q), f(k)
    if causal:
        kv = (k.unsqueeze(-1) * v.unsqueeze(-2)).cumsum(-3)
        z = k.cumsum(-2)
        num = (q.unsqueeze(-2) @ kv).squeeze(-2)
        return num / (q * z).sum(-1, keepdim=True)
    kv = k.transpose(-2, -1) @ v
    z = k.mean(-2, keepdim=True)  #!
    return (q @ kv) / (q * z).sum(-1, keepdim=True)
