"""Counted on an array."""

import numpy as np


def projection_parameters(d_model, d_pos, mode):
    if mode not in ("add", "concat"):
        raise ValueError(f"unknown mode {mode}")
    extra = d_pos if mode == "concat" else 0
    return np.empty((d_model + extra, d_model)).size
