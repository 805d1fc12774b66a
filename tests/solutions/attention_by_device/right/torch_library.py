"""torch: a function for one device, called with its slices."""

import torch
from torch.nn.functional import scaled_dot_product_attention as attend


def on_one_device(x, q, k, v, rows, heads):
    q, k, v = (torch.stack((x @ w).chunk(heads, dim=-1), dim=1) for w in (q, k, v))
    return torch.cat(attend(q, k, v).unbind(1), dim=-1) @ rows


def attention_by_device(x, w_q, w_k, w_v, w_o, num_heads, num_devices):
    width = w_o.shape[0] // num_devices
    slices = zip(*(w.split(width, dim=1) for w in (w_q, w_k, w_v)), w_o.split(width))
    return torch.stack([on_one_device(x, *own, num_heads // num_devices) for own in slices])
