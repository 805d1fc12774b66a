"""The sizes of the results, with torch."""

import torch


def encoder_decoder_attention_flops(n, m, d_model):
    total = 0
    for queries, keys in ((n, n), (m, m), (m, n)):
        x, memory = torch.empty(queries, d_model, device="meta"), torch.empty(keys, d_model, device="meta")
        scores = x @ memory.T
        total += 2 * d_model * scores.numel() + 2 * keys * (scores @ memory).numel()
    return total
