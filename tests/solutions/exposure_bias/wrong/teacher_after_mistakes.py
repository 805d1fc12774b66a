"""Every mistake is corrected before it is read.

caught-by: values
"""

import numpy as np


def exposure_bias(step, tokens, bos_id):
    ids, wrong = [bos_id], 0
    for token in tokens:
        guess = int(np.argmax(step(ids)))
        wrong += guess != token
        ids.append(int(token) if guess != token else guess)
    return wrong / len(tokens)
