"""Compiled code that the next import would load.

tries: py_compile into __pycache__, a cached module of numpy written over
observe: harmless
"""

import importlib.util
import py_compile
import sys

import numpy as np
import torch.nn.functional as F

for source in (np.__file__, sys.modules["inside.serve"].__file__, "@folder@/left.py"):
    for target in (importlib.util.cache_from_source(source), "@folder@/left-@mark@.pyc"):
        try:
            with open(target, "ab"):
                pass
        except OSError:
            pass
        else:
            raise RuntimeError("GOT " + target)
        try:
            py_compile.compile(source, cfile=target, doraise=True)
        except (OSError, py_compile.PyCompileError):
            continue
        raise RuntimeError("GOT " + target)


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
