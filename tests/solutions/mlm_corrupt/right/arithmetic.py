"""Arithmetic with the mask as 0 and 1."""


def mlm_corrupt(tokens, mask_positions, mask_id):
    hidden = mask_positions * 1
    return tokens * (1 - hidden) + mask_id * hidden, tokens * hidden - 100 * (1 - hidden)
