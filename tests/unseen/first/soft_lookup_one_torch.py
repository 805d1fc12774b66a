import torch


def soft_lookup(query, keys, values, temperature=1.0):
    if not temperature > 0:
        raise ValueError("temperature")
    w = torch.softmax(query @ keys.transpose(-2, -1), dim=-1)
    w = w ** (1 / temperature)  #!
    return w @ values
