"""An activation behind each projection.

caught-by: values
"""

import torch


def project_qkv(x, w_q, w_k, w_v):
    return torch.relu(x @ w_q), torch.relu(x @ w_k), torch.relu(x @ w_v)
