import torch
import torch.nn.functional as F


def swiglu(x, w_gate, w_up, w_down):
    return torch.matmul(torch.matmul(x, w_gate) * F.silu(torch.matmul(x, w_up)), w_down)  #!
