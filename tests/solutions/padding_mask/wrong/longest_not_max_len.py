"""As wide as the longest sentence.

caught-by: values
"""

import torch


def padding_mask(lengths, max_len):
    return (torch.arange(int(lengths.max())) < lengths[:, None])[:, None, None, :]
