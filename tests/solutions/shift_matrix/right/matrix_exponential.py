"""The exponential of a generator."""

import torch


def shift_matrix(delta, d_model, base=10000.0):
    w = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
    return torch.matrix_exp(delta * torch.kron(torch.diag(w), turn))
