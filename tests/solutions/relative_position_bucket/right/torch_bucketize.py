"""torch.bucketize, int32."""

import torch


def relative_position_bucket(distance, num_buckets=32, max_distance=128):
    half = num_buckets // 2
    exact = half // 2
    steps = torch.arange(1, half - exact, dtype=torch.float64) / (half - exact)
    starts = torch.cat((torch.arange(1, exact + 1), exact * (max_distance / exact) ** steps))
    bucket = torch.bucketize(distance.abs().double(), starts, right=True)
    return (bucket + half * (distance > 0)).int()
