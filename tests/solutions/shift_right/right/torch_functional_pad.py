"""Padded in front by the library."""

import torch
import torch.nn.functional as F


def shift_right(tokens: torch.Tensor, bos_id: int) -> torch.Tensor:
    return F.pad(tokens, (1, 0), value=bos_id)[..., :-1]
