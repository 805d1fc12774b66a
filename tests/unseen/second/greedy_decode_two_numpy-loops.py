import numpy as np


def greedy_decode(step, bos_id, eos_id, max_len):
    seq = [bos_id]
    while len(seq) - 1 < max_len:
        logits = step(np.array(seq))
        best = 0
        for i in range(1, len(logits)):
            if logits[i] >= logits[best]:  #!
                best = i
        if best == eos_id:  #!
            break  #!
        seq.append(best)  #!
    return seq[1:]
