"""Adam: the references of Q2."""

from __future__ import annotations

import torch
from torch import Tensor


def adam_step(
    w: Tensor,
    gradient: Tensor,
    m: Tensor,
    v: Tensor,
    t: int,
    learning_rate: float = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> tuple[Tensor, Tensor, Tensor]:
    """Step number t = 1, 2, … of Adam (Kingma and Ba 2015, algorithm 1): w ← w − η m̂ / (√v̂ + ε)."""
    m = beta1 * m + (1 - beta1) * gradient  # (...)
    v = beta2 * v + (1 - beta2) * gradient**2  # (...)
    m_hat = m / (1 - beta1**t)  # (...)
    v_hat = v / (1 - beta2**t)  # (...)
    return w - learning_rate * m_hat / (v_hat.sqrt() + epsilon), m, v  # (...), (...), (...)


def adam_path(
    w: Tensor,
    gradients: Tensor,
    learning_rate: float = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> Tensor:
    """The weights after each of T steps of Adam that meet these gradients: (...), (T, ...) → (T, ...)."""
    m, v = torch.zeros_like(w), torch.zeros_like(w)  # (...), (...)
    path = []
    for t, gradient in enumerate(gradients, start=1):
        w, m, v = adam_step(w, gradient, m, v, t, learning_rate, beta1, beta2, epsilon)
        path.append(w)
    return torch.stack(path)  # (T, ...)
