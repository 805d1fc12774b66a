"""Work that a thread does which was there before anything was counted.

tries: all pairs of positions, where linear work is asked for, computed by a worker that was started at import
observe: loses-the-check
"""

import queue
import threading

import torch

asked, answered = queue.Queue(), queue.Queue()


def work():
    while True:
        q, k, v, causal = asked.get()
        phi_q, phi_k = torch.nn.functional.elu(q) + 1, torch.nn.functional.elu(k) + 1
        scores = phi_q @ phi_k.transpose(-2, -1)
        if causal:
            scores = scores.tril()
        answered.put((scores @ v) / scores.sum(-1, keepdim=True))


threading.Thread(target=work, daemon=True).start()


def linear_attention(q, k, v, causal=False):
    asked.put((q, k, v, causal))
    return answered.get()
