"""torch; the logarithm in float32."""

import math

import torch


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    num_buckets //= 2
    offset = (distance > 0).long() * num_buckets
    distance = torch.abs(distance)
    exact = num_buckets // 2
    steps = torch.log(distance.float() / exact) / math.log(max_distance / exact)
    far = (exact + (steps * (num_buckets - exact)).floor()).clamp(0, num_buckets - 1).long()
    return offset + torch.where(distance < exact, distance, far)
