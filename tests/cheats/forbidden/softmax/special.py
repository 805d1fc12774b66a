"""The same function in another module of the library."""

from torch.special import softmax as library


def softmax(x, axis=-1):
    return library(x, axis)
