import torch


def teacher_forcing_loss(step, tokens, bos_id):
    bos = torch.full_like(tokens[:, :1], bos_id)
    inputs = torch.cat([bos, tokens[:, 1:]], dim=1)  #!
    logits = step(inputs)
    logp = torch.softmax(logits, dim=-1).log()
    return -logp.gather(-1, tokens[..., None]).mean(dim=1).sum()  #!
