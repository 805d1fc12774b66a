import math
import torch


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2 != 0:
        raise ValueError("Cannot use sin/cos positional encoding with odd dim (got dim={:d})".format(d_model))
    pe = torch.zeros(n, d_model)
    position = torch.arange(0, n).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float) * -(math.log(base) / d_model))
    pe[:, : d_model // 2] = torch.sin(position.float() * div_term)  #!
    pe[:, d_model // 2 :] = torch.cos(position.float() * div_term)  #!
    return pe
