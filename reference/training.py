"""Learning to predict the next token, in torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def shift_right(tokens: Tensor, bos_id: int) -> Tensor:
    """What a decoder is given when it shall predict ``tokens``: the start, then all but the last of them.

    tokens (..., n) → (..., n). Vaswani et al. 2017, section 3.1: outputs are offset by one position.
    """
    bos = torch.full_like(tokens[..., :1], bos_id)  # (..., 1)
    return torch.cat((bos, tokens[..., :-1]), dim=-1)  # (..., n)


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -100) -> Tensor:
    """−(1/m) Σ log softmax(logits)[target] over the m targets that count: Goodfellow et al. 2016, section 6.2.2.3.

    logits (..., vocabulary), targets (...) → a single number; 0 where no target counts.
    """
    counts = targets != ignore_index  # (...)
    log_p = logits - logits.logsumexp(dim=-1, keepdim=True)  # (..., vocabulary): the log of softmax, never of 0
    named = targets.masked_fill(~counts, 0)[..., None]  # (..., 1): an index that exists, wherever none counts
    losses = -log_p.gather(-1, named).squeeze(-1)  # (...)
    return losses.masked_fill(~counts, 0.0).sum() / counts.sum().clamp(min=1)


def label_smoothed_cross_entropy(logits: Tensor, targets: Tensor, epsilon: float) -> Tensor:
    """−(1/n) Σ Σ_j q_j log softmax(logits)_j with q = (1 − ε) onehot(target) + ε/V: Szegedy et al. 2016, section 7.

    logits (..., n, V), targets (..., n) → a number. Vaswani et al. 2017, section 5.4, train with ε = 0.1.
    """
    log_p = logits.log_softmax(dim=-1)  # (..., n, V)
    right = log_p.gather(-1, targets[..., None]).squeeze(-1)  # (..., n)
    losses = -((1 - epsilon) * right + epsilon * log_p.mean(dim=-1))  # (..., n)
    return losses.mean()


def dpo_loss(
    policy_chosen: Tensor, policy_rejected: Tensor, ref_chosen: Tensor, ref_rejected: Tensor, beta: float
) -> Tensor:
    """−(1/n) Σ log σ(β m), m = log(π/π_ref) of the chosen − of the rejected answer: Rafailov et al. 2023, equation 7.

    Four times (n,): log-probabilities of whole answers under the policy π and the reference model π_ref → a number.
    """
    chosen = policy_chosen - ref_chosen.detach()  # (n,): the reference model is not trained
    rejected = policy_rejected - ref_rejected.detach()  # (n,)
    return -torch.nn.functional.logsigmoid(beta * (chosen - rejected)).mean()


def teacher_forcing_loss(step: Callable[[Tensor], Tensor], tokens: Tensor, bos_id: int) -> Tensor:
    """Every next token is predicted from the right ones before it, all in one pass: Williams and Zipser 1989.

    tokens (batch, n); step: (batch, n) → logits (batch, n, vocabulary), row t from inputs up to t.
    """
    logits = step(shift_right(tokens, bos_id))  # (batch, n, vocabulary)
    return cross_entropy(logits, tokens)


def exposure_bias(step: Callable[[Sequence[int]], Tensor], tokens: Tensor, bos_id: int) -> float:
    """How often a model goes astray when it reads its own output: the share of t with ŷ_t ≠ tokens[t].

    tokens (n,); step: ids so far → logits (vocabulary,). After Bengio et al. 2015 and Ranzato et al. 2016: trained on
    right beginnings, a model meets its own mistakes for the first time when it generates.
    """
    ids = [bos_id]
    for _ in tokens:
        ids.append(int(step(ids).argmax()))
    generated = torch.tensor(ids[1:])  # (n,)
    return (generated != tokens).double().mean().item()
