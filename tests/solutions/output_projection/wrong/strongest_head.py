"""The strongest head in each feature.

caught-by: values
"""

import torch


def output_projection(heads, w_o):
    h, d_k = heads.shape[-3], heads.shape[-1]
    return (heads @ w_o.reshape(h, d_k, -1)).amax(dim=-3)
