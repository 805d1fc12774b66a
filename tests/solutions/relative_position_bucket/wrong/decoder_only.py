"""T5's rule for one direction.

caught-by: values
"""

import math

import torch


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    t = (-distance).clamp(min=0)
    exact = num_buckets // 2
    steps = torch.log(t.clamp(min=1) / exact) / math.log(max_distance / exact)
    far = (exact + (steps * (num_buckets - exact)).long()).clamp(max=num_buckets - 1)
    return torch.where(t < exact, t, far)
