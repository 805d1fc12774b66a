"""torch.split; a list is as good as a tuple."""

import torch


def split_projection(w, d_model):
    return list(torch.split(w, [d_model, w.shape[0] - d_model], dim=0))
