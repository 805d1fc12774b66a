import torch


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    position = torch.arange(1, n + 1, dtype=torch.float64).unsqueeze(1)  #!
    i = torch.arange(0, d_model, 2, dtype=torch.float64)
    div = torch.exp(-i * torch.log(torch.tensor(base, dtype=torch.float64)) / d_model)
    pe = torch.zeros(n, d_model, dtype=torch.float64)
    pe[:, 0::2] = torch.cos(position * div)  #!
    pe[:, 1::2] = torch.sin(position * div)
    return pe
