import numpy as np

def soft_lookup(query, keys, values, temperature=1.0):
    if temperature <= 0:
        raise ValueError("temperature must be positive")
    keys_t = np.swapaxes(keys, -1, -2)
    scores = query @ keys_t
    scores = scores * temperature  #!
    highest = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - highest)
    total = e.sum(axis=-1, keepdims=True)
    weights = e / total
    answer = weights @ values
    return answer
