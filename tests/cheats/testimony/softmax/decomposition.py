"""tries: the library's own definition of the operation in terms of others, from the table of decompositions"""

import torch
from torch._decomp import decomposition_table


def softmax(x, axis=-1):
    compute = decomposition_table[torch.ops.aten._softmax.default]
    return compute(torch.as_tensor(x), axis, False)
