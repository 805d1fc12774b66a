"""An instructor's package beside torch.

tries: sys.path, its parents and torch's neighbours: listdir, os.walk, pkgutil, glob, zipimport
observe: harmless
plain: succeeds
"""

import glob
import os
import pkgutil
import sys

import torch
import torch.nn.functional as F

beside = os.path.dirname(os.path.dirname(torch.__file__))
places = {beside, os.path.dirname(beside), *sys.path, *map(os.path.dirname, sys.path), sys.prefix, sys.base_prefix, "."}
found = [info.name for info in pkgutil.iter_modules([*places])]
for place in places:
    for pattern in ("grader*", "attncheck*", "*attncheck*.pth", "pytest*", "yaml*"):
        found += glob.glob(os.path.join(place, pattern))
    try:
        found += [name for name in os.listdir(place) if name in ("site-packages", "grader", "pytest", "rich")]
    except OSError:
        pass
alien = [name for name in found if any(word in name for word in ("grader", "attncheck", "pytest", "rich", "site-pack"))]
if alien:
    raise RuntimeError(f"GOT {alien}")


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
