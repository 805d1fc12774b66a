"""The policy's ratio of the two answers, then the reference's; softplus."""

import torch.nn.functional as F


def dpo_loss(policy_chosen, policy_rejected, ref_chosen, ref_rejected, beta):
    margins = (policy_chosen - policy_rejected) - (ref_chosen - ref_rejected)
    return F.softplus(-beta * margins).mean()
