"""NumPy: the two scaled log-ratios compete in a softmax of two."""

import numpy as np


def dpo_loss(policy_chosen, policy_rejected, ref_chosen, ref_rejected, beta):
    chosen, rejected = beta * (policy_chosen - ref_chosen), beta * (policy_rejected - ref_rejected)
    return np.mean(np.logaddexp(chosen, rejected) - chosen)
