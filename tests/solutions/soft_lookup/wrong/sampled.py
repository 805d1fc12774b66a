"""One value, drawn with the weights as probabilities.

caught-by: values
"""

import torch


def soft_lookup(query, keys, values, temperature=1.0):
    if temperature <= 0:
        raise ValueError("temperature must be > 0")
    weights = torch.softmax(query @ keys.transpose(-2, -1) / temperature, dim=-1)
    chosen = torch.distributions.Categorical(weights).sample()
    return torch.take_along_dim(values, chosen.unsqueeze(-1), dim=-2)
