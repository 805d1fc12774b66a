import torch


def padding_mask(lengths, max_len):
    pos = torch.arange(1, max_len + 1)
    m = pos[None] < torch.as_tensor(lengths)[:, None]  #!
    return m[:, None, :, None]  #!
