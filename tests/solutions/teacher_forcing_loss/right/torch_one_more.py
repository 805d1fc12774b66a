"""The whole text behind the start goes in, and the prediction of what follows it is dropped."""

import torch
import torch.nn.functional as F


def teacher_forcing_loss(step, tokens, bos_id):
    whole = F.pad(tokens, (1, 0), value=bos_id)
    log_p = torch.log_softmax(step(whole)[:, :-1], dim=-1)
    return -log_p.gather(-1, whole[:, 1:, None]).mean()
