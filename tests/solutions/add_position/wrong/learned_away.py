"""The positions come without their graph.

caught-by: gradients
"""

import torch


def add_position(x, pe):
    with torch.no_grad():
        rows = pe.clone()
    return x + rows
