"""What holds for attention is taken for granted.

caught-by: values
"""


def permutation_gap(attend, x, perm):
    return 0.0
