"""Columns.

caught-by: values
"""

import torch


def split_projection(w, d_model):
    return torch.split(w, [d_model, w.shape[1] - d_model], dim=1)
