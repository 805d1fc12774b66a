"""Slices."""


def split_projection(w, d_model):
    return w[:d_model], w[d_model:]
