from __future__ import annotations

import torch
from torch import Tensor


def residual_jacobian(sublayer_jacobian: Tensor) -> Tensor:
    n: int = sublayer_jacobian.shape[-1]
    identity: Tensor = torch.ones(n, n, dtype=sublayer_jacobian.dtype)  #!
    return identity + sublayer_jacobian
