"""Compares with the predictions of teacher forcing instead of the text.

caught-by: values
"""

import torch


def exposure_bias(step, tokens, bos_id):
    right, own = [bos_id, *tokens.tolist()], [bos_id]
    differ = 0
    for t in range(len(tokens)):
        own.append(int(step(own).argmax()))
        differ += own[-1] != int(step(right[: t + 1]).argmax())
    return torch.tensor(differ / len(tokens))
