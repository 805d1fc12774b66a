"""Row by row, one token after the other until there is enough."""

import numpy as np


def top_p_filter(logits, p):
    result = np.zeros_like(logits)
    for row in np.ndindex(logits.shape[:-1]):
        e = np.exp(logits[row] - logits[row].max())
        probabilities = e / e.sum()
        kept, total = [], 0.0
        for token in sorted(range(len(probabilities)), key=lambda t: -probabilities[t]):
            kept.append(token)
            total += probabilities[token]
            if total >= p:
                break
        result[row][kept] = probabilities[kept] / probabilities[kept].sum()
    return result
