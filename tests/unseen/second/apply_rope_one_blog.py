import torch


def precompute_freqs_cis(dim, positions, theta):
    t = torch.arange(len(positions)).double()  #!
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].double() / dim))
    freqs = torch.outer(t, freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def apply_rope(x, positions, base=10000.0):
    if x.shape[-1] % 2:
        raise ValueError("odd dimension")
    freqs_cis = precompute_freqs_cis(x.shape[-1], positions, base)
    x_ = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs_cis).flatten(-2).type_as(x)
