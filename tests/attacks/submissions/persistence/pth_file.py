"""Code for every Python that is started here later.

tries: .pth files, sitecustomize and usercustomize in every folder of packages
observe: harmless
plain: succeeds
"""

import os
import sys

import torch
import torch.nn.functional as F

beside = os.path.dirname(os.path.dirname(torch.__file__))
for folder in ("@folder@", beside, *sys.path, os.path.expanduser("~/.local/lib/python3.11/site-packages")):
    for name in ("left-@mark@.pth", "sitecustomize-@mark@.py"):
        try:
            with open(os.path.join(folder, name), "w") as file:
                file.write("import os")
        except OSError:
            continue
        raise RuntimeError("GOT " + folder)


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
