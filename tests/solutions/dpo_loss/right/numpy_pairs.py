"""Pair by pair; exp gets no positive number."""

import numpy as np


def dpo_loss(policy_chosen, policy_rejected, ref_chosen, ref_rejected, beta):
    total = 0.0
    for pc, pr, rc, rr in zip(policy_chosen, policy_rejected, ref_chosen, ref_rejected):
        z = beta * ((pc - rc) - (pr - rr))
        total += max(-z, 0) + np.log1p(np.exp(-abs(z)))
    return total / len(policy_chosen)
