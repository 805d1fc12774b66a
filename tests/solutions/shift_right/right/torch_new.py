"""An empty array, filled."""

import torch


def shift_right(tokens, bos_id):
    inputs = torch.empty_like(tokens)
    inputs[..., 0], inputs[..., 1:] = bos_id, tokens[..., :-1]
    return inputs
