"""Ids as NumPy gives them."""

import numpy as np


def greedy_decode(step, bos_id, eos_id, max_len):
    tokens = [bos_id]
    while len(tokens) <= max_len:
        tokens.append(np.argmax(step(np.array(tokens))))
        if tokens[-1] == eos_id:
            break
    return tokens[1:]
