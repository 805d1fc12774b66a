"""Exact, from all outcomes of one product of two-valued variables."""

from fractions import Fraction
from itertools import product


def score_variance(d_k, var_q=1.0, var_k=1.0):
    values = (-1, 1)
    squares = [Fraction(q * k) ** 2 for q, k in product(values, values)]
    return float(d_k * sum(squares) / len(squares)) * var_q * var_k
