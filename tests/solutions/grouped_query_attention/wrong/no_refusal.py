"""Whatever does not fit is cut off.

caught-by: raises
"""

import torch.nn.functional as F


def grouped_query_attention(q, k, v, mask=None):
    group = -(-q.shape[-3] // k.shape[-3])
    k = k.repeat_interleave(group, -3)[..., : q.shape[-3], :, :]
    v = v.repeat_interleave(group, -3)[..., : q.shape[-3], :, :]
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
