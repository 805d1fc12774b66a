"""A tensor that is filled."""

import torch


def exposure_bias(step, tokens, bos_id):
    ids = torch.full((len(tokens) + 1,), bos_id)
    for t in range(len(tokens)):
        ids[t + 1] = step(ids[: t + 1]).argmax()
    return (ids[1:] != tokens).float().mean()
