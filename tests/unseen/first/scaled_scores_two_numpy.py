import numpy as np


def scaled_scores(q, k):
    dot = np.einsum("...id,...jd->...ji", q, k)  #!
    return dot / np.sqrt(k.shape[-2])  #!
