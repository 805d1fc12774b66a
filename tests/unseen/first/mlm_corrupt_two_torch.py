def mlm_corrupt(tokens, mask_positions, mask_id):
    inputs = tokens.clone()
    inputs[~mask_positions] = mask_id  #!
    labels = tokens.clone()
    labels[~mask_positions] = 0  #!
    return inputs, labels
