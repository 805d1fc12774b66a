import numpy as np


def mlm_corrupt(tokens, mask_positions, mask_id):
    inputs = np.where(mask_positions, mask_id, tokens)
    labels = np.where(mask_positions, inputs, -100)  #!
    return inputs, labels
