import numpy as np


def next_token(step, prefix):
    return int(np.argmin(step(np.array(prefix))))  #!


def roll_out(step, bos_id, n):
    seq = [bos_id]
    for _ in range(n):
        seq.append(next_token(step, seq))
    return seq[1:]


def exposure_bias(step, tokens, bos_id):
    own = roll_out(step, bos_id, len(tokens))
    return float(np.mean(np.array(own) == np.asarray(tokens)))  #!
