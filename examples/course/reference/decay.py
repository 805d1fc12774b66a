"""Weight decay and a schedule for the learning rate: the references of Q3."""

from __future__ import annotations

import math

from torch import Tensor

from .adaptive import adam_step


def adamw_step(
    w: Tensor,
    gradient: Tensor,
    m: Tensor,
    v: Tensor,
    t: int,
    learning_rate: float = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    weight_decay: float = 0.01,
) -> tuple[Tensor, Tensor, Tensor]:
    """AdamW (Loshchilov and Hutter 2019, algorithm 2, here with η λ): w ← w − η m̂ / (√v̂ + ε) − η λ w."""
    stepped, m, v = adam_step(w, gradient, m, v, t, learning_rate, beta1, beta2, epsilon)  # 3 · (...)
    return stepped - learning_rate * weight_decay * w, m, v  # (...), (...), (...)


def warmup_cosine(step: int, peak: float, warmup_steps: int, total_steps: int) -> float:
    """The rate at step 1, 2, …: a line up to the peak, then half a cosine down to 0 (Loshchilov and Hutter 2017)."""
    if warmup_steps >= total_steps:
        raise ValueError(f"warmup_steps is {warmup_steps}, but must be below total_steps, which is {total_steps}")
    if step < warmup_steps:
        return peak * step / warmup_steps
    progress = min(1.0, (step - warmup_steps) / (total_steps - warmup_steps))  # from 0 to 1
    return peak * (1 + math.cos(math.pi * progress)) / 2
