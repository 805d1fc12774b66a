"""torch, with an option of its own after the agreed ones."""

import torch


def softmax(x, axis=-1, temperature=1.0):
    shifted = (x - x.amax(axis, keepdim=True)) / temperature
    return shifted.exp() / shifted.exp().sum(axis, keepdim=True)
