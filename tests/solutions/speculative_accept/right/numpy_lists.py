"""Plain Python on lists; NumPy arrays come in."""

from math import exp


def probabilities(row):
    top = max(row)
    e = [exp(each - top) for each in row]
    return [each / sum(e) for each in e]


def speculative_accept(drafts, target_logits, draft_logits, u):
    ids = []
    for token, target, draft, number in zip(drafts.tolist(), target_logits.tolist(), draft_logits.tolist(), u.tolist()):
        p, q = probabilities(target), probabilities(draft)
        if number >= p[token] / q[token]:
            weights = [max(0.0, a - b) for a, b in zip(p, q)]
            break
        ids.append(token)
    else:
        weights = probabilities(target_logits.tolist()[-1])
    left = u.tolist()[-1] * sum(weights)
    for token, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return ids + [token]
