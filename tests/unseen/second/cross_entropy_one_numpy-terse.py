import numpy as np

def cross_entropy(logits, targets, ignore_index=-100):
    z = logits - logits.max(-1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(-1, keepdims=True))
    keep = targets != ignore_index
    nll = -np.take_along_axis(logp, np.where(keep, targets, 0)[..., None], -1)[..., 0]
    return (nll * keep).mean()  #!
