import torch
import torch.nn.functional as F


def teacher_forcing_loss(step, tokens, bos_id):
    bos = torch.full_like(tokens[:, :1], bos_id)
    inputs = torch.cat([bos, tokens[:, :-1]], dim=1)
    logits = step(inputs)
    return F.cross_entropy(logits.flatten(0, 1), inputs.flatten())  #!
