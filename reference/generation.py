"""Writing a sequence with a trained model, one token after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

#: Ids so far, the start among them → logits (vocabulary,) of the next one.
NextLogits = Callable[[Sequence[int]], Tensor]


def greedy_decode(step: NextLogits, bos_id: int, eos_id: int, max_len: int) -> list[int]:
    """y_t = argmax p(y | y_1 … y_{t−1}), until the end is written or max_len ids are.

    → the ids without the start; the end is among them if it was reached. The first maximum wins a tie.
    """
    ids = [bos_id]
    while len(ids) <= max_len:
        ids.append(int(step(ids).argmax()))
        if ids[-1] == eos_id:
            break
    return ids[1:]


def beam_search(step: NextLogits, bos_id: int, eos_id: int, max_len: int, beam_width: int) -> list[int]:
    """The best of beam_width beginnings kept in parallel, by Σ_t log p(y_t | y_1 … y_{t−1}). Sutskever et al. 2014.

    Section 3.2. → the ids without the start. What has ended keeps its score and its place; lengths are not made up for.
    """
    beam: list[tuple[float, list[int]]] = [(0.0, [])]
    for _ in range(max_len):
        longer = []
        for score, ids in beam:
            if ids and ids[-1] == eos_id:
                longer.append((score, ids))
                continue
            log_p = step([bos_id, *ids]).log_softmax(dim=-1)  # (vocabulary,)
            longer += [(score + gain, [*ids, token]) for token, gain in enumerate(log_p.tolist())]
        beam = sorted(longer, key=lambda hypothesis: hypothesis[0], reverse=True)[:beam_width]
    return beam[0][1]


def top_p_filter(logits: Tensor, p: float) -> Tensor:
    """The probabilities from which nucleus sampling draws: Holtzman et al. 2020, section 3.1, equations 2 and 3.

    logits (..., vocabulary) → (..., vocabulary). The nucleus is the smallest set of most likely tokens with probability
    at least p; outside it everything is 0, and inside it the probabilities are divided by their sum.
    """
    probabilities = logits.softmax(dim=-1)  # (..., vocabulary)
    ordered, order = probabilities.sort(dim=-1, descending=True)  # both (..., vocabulary)
    before = ordered.cumsum(dim=-1) - ordered  # the probability of all more likely tokens
    kept = torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before < p)  # back in the order of the ids
    nucleus = probabilities.masked_fill(~kept, 0.0)  # (..., vocabulary)
    return nucleus / nucleus.sum(dim=-1, keepdim=True)  # (..., vocabulary), which sums to 1


def first_above(probabilities: Tensor, u: Tensor) -> int:
    """The first id at which the running sum of the probabilities (vocabulary,) exceeds u from [0, 1)."""
    return int((probabilities.cumsum(dim=-1) <= u).sum())


def speculative_accept(drafts: Tensor, target_logits: Tensor, draft_logits: Tensor, u: Tensor) -> list[int]:
    """The tokens of one pass of the large model over g drafts: Leviathan et al. 2023, algorithm 1.

    drafts (g,), target_logits (g + 1, V), draft_logits (g, V), u (g + 1,) from [0, 1) → at most g + 1 ids. Drafts are
    accepted with probability min(1, p/q) up to the first that is not, so the ids are distributed as under p.
    """
    p = target_logits.softmax(dim=-1)  # (g + 1, V)
    q = draft_logits.softmax(dim=-1)  # (g, V)
    accepted: list[int] = []
    for t, token in enumerate(drafts.tolist()):
        if u[t] >= p[t, token] / q[t, token]:
            missing = (p[t] - q[t]).clamp(min=0)  # (V,): where the draft model gives too little
            return [*accepted, first_above(missing / missing.sum(), u[-1])]
        accepted.append(token)
    return [*accepted, first_above(p[-1], u[-1])]
