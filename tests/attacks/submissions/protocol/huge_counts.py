"""Numbers of four hundred digits, in the place of counts.

tries: the work and the memory of calls as integers that no float can hold, for checks that divide them
observe: no-credit
"""

import torch
from inside.counting import OperationCounter

count = [0]


def stop(self):
    count[0] += 1
    number = 10**299 if count[0] % 2 else 1000
    counts = dict.fromkeys(("work", "largest", "elsewhere", "peak"), number)
    return {**counts, "exits": False, "unseen": False}


OperationCounter.stop = stop


def linear_attention(q, k, v, causal=False):
    return torch.zeros(q.shape[:-1] + v.shape[-1:])
