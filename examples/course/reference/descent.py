"""Gradient descent with and without momentum: the references of Q1."""

from __future__ import annotations

from torch import Tensor


def sgd_step(w: Tensor, gradient: Tensor, learning_rate: float = 0.1) -> Tensor:
    """One step of gradient descent: w − η g, entry by entry."""
    return w - learning_rate * gradient  # (...)


def momentum_step(
    w: Tensor, gradient: Tensor, velocity: Tensor, learning_rate: float = 0.1, momentum: float = 0.9
) -> tuple[Tensor, Tensor]:
    """One step with momentum (Sutskever et al. 2013, eq. 1 and 2): v ← μ v − η g, then w ← w + v."""
    velocity = momentum * velocity - learning_rate * gradient  # (...)
    return w + velocity, velocity  # (...), (...)
