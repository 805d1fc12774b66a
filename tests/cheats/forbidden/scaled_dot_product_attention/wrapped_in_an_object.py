"""An object whose attributes are those of the library, under their names backwards."""

import torch


class Own:
    def __getattr__(self, name):
        return getattr(torch.nn.functional, name[::-1])


def scaled_dot_product_attention(q, k, v, mask=None):
    return Own().noitnetta_tcudorp_tod_delacs(q, k, v, mask)
