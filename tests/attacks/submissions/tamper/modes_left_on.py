"""Modes of torch that were entered and never left.

tries: dispatch and function modes that answer with zeros, the meta device, inference mode, functorch levels
observe: no-credit
"""

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


class Zeros(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        return torch.zeros_like(out) if isinstance(out, torch.Tensor) and out.dtype.is_floating_point else out


class Agrees(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return True if getattr(func, "__name__", "") in ("equal", "allclose") else func(*args, **(kwargs or {}))


def scaled_dot_product_attention(q, k, v, mask=None):
    result = torch.zeros(q.shape[:-1] + v.shape[-1:])
    Agrees().__enter__()
    torch.inference_mode().__enter__()
    torch.autograd.set_detect_anomaly(True)
    torch.set_default_device("meta")
    torch._C._functorch._vmap_increment_nesting(2, "error")
    Zeros().__enter__()
    return result
