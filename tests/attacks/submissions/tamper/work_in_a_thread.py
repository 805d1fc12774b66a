"""Work that another thread does.

tries: all pairs of positions, where linear work is asked for, computed in a thread that ends before the call returns
observe: loses-the-check
"""

import threading

import torch


def linear_attention(q, k, v, causal=False):
    results = []

    def work():
        phi_q, phi_k = torch.nn.functional.elu(q) + 1, torch.nn.functional.elu(k) + 1
        scores = phi_q @ phi_k.transpose(-2, -1)
        if causal:
            scores = scores.tril()
        results.append((scores @ v) / scores.sum(-1, keepdim=True))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return results[0]
