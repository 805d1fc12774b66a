"""Where a token stands: encodings to be added, rotations of queries and keys, biases on scores; in torch."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn


def embed(tokens: Tensor, table: Tensor, positions: Tensor) -> Tensor:
    """Embedding · √d_model + position: Vaswani et al. 2017, sections 3.4 and 3.5.

    tokens (..., n), table (vocabulary, d_model), positions (max_len, d_model) → (..., n, d_model).
    """
    n, d_model = tokens.shape[-1], table.shape[-1]
    return table[tokens] * math.sqrt(d_model) + positions[:n]  # (..., n, d_model) + (n, d_model)


def permutation_gap(attend: Callable[[Tensor], Tensor], x: Tensor, perm: Tensor) -> float:
    """max |attend(Px) − P attend(x)|, where P brings row perm[i] to place i.

    x (n, d), perm (n,). The gap is 0 for whatever treats all rows alike: it is equivariant to permutations.
    """
    gap = attend(x[perm]) - attend(x)[perm]  # (n, d)
    return gap.abs().max().item()


def frequencies(d_model: int, base: float) -> Tensor:
    """ω_i = base^(−2i/d_model), one for each pair of columns → (d_model / 2,); a ValueError for odd d_model."""
    if d_model % 2:
        raise ValueError(f"d_model = {d_model} is odd, but every frequency takes two columns")
    return base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)


def sinusoidal_encoding(n: int, d_model: int, base: float = 10000.0) -> Tensor:
    """PE(pos, 2i) = sin(pos · ω_i) and PE(pos, 2i + 1) = cos(pos · ω_i): Vaswani et al. 2017, section 3.5.

    ω_i = base^(−2i/d_model); the result is (n, d_model).
    """
    angles = torch.arange(n)[:, None] * frequencies(d_model, base)  # (n, d_model / 2)
    pairs = torch.stack((angles.sin(), angles.cos()), dim=-1)  # (n, d_model / 2, 2)
    return pairs.flatten(start_dim=-2).to(torch.get_default_dtype())  # (n, d_model)


def shift_matrix(delta: int, d_model: int, base: float = 10000.0) -> Tensor:
    """M with PE(pos + δ) = PE(pos) M for every pos: each pair of columns is turned by δ · ω_i.

    sin(a + b) = sin a · cos b + cos a · sin b and cos(a + b) = cos a · cos b − sin a · sin b,
    so that the row (sin a, cos a) is multiplied by [[cos b, −sin b], [sin b, cos b]].
    """
    angles = delta * frequencies(d_model, base)  # (d_model / 2,)
    sin, cos = torch.diag(angles.sin()), torch.diag(angles.cos())
    matrix = torch.zeros(d_model, d_model, dtype=torch.float64)
    matrix[0::2, 0::2], matrix[0::2, 1::2] = cos, -sin
    matrix[1::2, 0::2], matrix[1::2, 1::2] = sin, cos
    return matrix.to(torch.get_default_dtype())  # (d_model, d_model)


class LearnedPositionalEncoding(nn.Module):
    """x + P, where row pos of P is trained like an embedding: Vaswani et al. 2017, section 3.5, the alternative."""

    def __init__(self, max_len: int, d_model: int) -> None:
        """A table of max_len rows, small at the start."""
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(max_len, d_model))

    def forward(self, x: Tensor) -> Tensor:
        """x (batch, n, d_model) → (batch, n, d_model); a ValueError where no row is left for the last token."""
        n, max_len = x.shape[-2], self.table.shape[0]
        if n > max_len:
            raise ValueError(f"{n} tokens, but there are only {max_len} positions")
        return x + self.table[:n]  # (batch, n, d_model) + (n, d_model)


def apply_rope(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """(a, b) → (a cos θ − b sin θ, a sin θ + b cos θ) for neighbours a, b: Su et al. 2021, section 3.2.2.

    x (..., n, d), positions (n,) → (..., n, d). Pair i of the token at pos is turned by
    θ = pos · base^(−2i/d); a ValueError for odd d.
    """
    theta = positions[:, None] * frequencies(x.shape[-1], base)  # (n, d / 2)
    cos, sin = theta.cos().to(x.dtype), theta.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]  # (..., n, d / 2)
    turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1)  # (..., n, d / 2, 2)
    return turned.flatten(start_dim=-2)  # (..., n, d)


def rope_scaled(x: Tensor, positions: Tensor, trained_len: int, length: int, base: float = 10000.0) -> Tensor:
    """RoPE with position interpolation, f'(x, m) = f(x, m L / L'): Chen et al. 2023, section 2.3.

    x (..., n, d), positions (n,) → (..., n, d). L = trained_len is the longest text of training and L' = length that of
    the text that x belongs to; a text that is not longer is left alone. A ValueError for odd d.
    """
    factor = max(1.0, length / trained_len)  # L' / L
    return apply_rope(x, positions / factor, base)  # (..., n, d)


def geometric_slopes(num_heads: int) -> Tensor:
    """2^(−8/h), 2^(−16/h), …, 2^(−8): Press et al. 2022, section 3 → (num_heads,)."""
    return 2.0 ** (-8.0 * torch.arange(1, num_heads + 1) / num_heads)


def alibi_slopes(num_heads: int) -> Tensor:
    """One slope for each head: Press et al. 2022, section 3, and the code of its authors → (num_heads,).

    A power of two has the geometric slopes. Any other count has those of the power of two below it,
    followed by every second slope of the power of two above it.
    """
    below = 1 << (num_heads.bit_length() - 1)  # the largest power of two that is not above num_heads
    between = geometric_slopes(2 * below)[0::2]  # (below,): 2^(−4/below), 2^(−12/below), …
    return torch.cat((geometric_slopes(below), between[: num_heads - below]))


def alibi_bias(num_heads: int, n_q: int, n_k: int) -> Tensor:
    """−slope · (i − j) for keys j ≤ i and −∞ for the keys after them: Press et al. 2022, section 3.

    The result is (num_heads, n_q, n_k), to be added to the scores; the last query stands at the last key.
    """
    query = torch.arange(n_q)[:, None] + (n_k - n_q)  # (n_q, 1): where each query stands among the keys
    distance = query - torch.arange(n_k)  # (n_q, n_k)
    bias = -alibi_slopes(num_heads)[:, None, None] * distance  # (num_heads, n_q, n_k)
    return bias.masked_fill(distance < 0, -math.inf)


def relative_position_bucket(distance: Tensor, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    """T5's buckets in both directions: Raffel et al. 2020, section 2.1, and the code of its authors.

    distance = key position − query position, integers of any shape → a bucket from 0 to num_buckets − 1.
    The upper half is for keys after the query. In each half the first half is for single distances;
    the others grow geometrically up to max_distance, and the last one takes whatever is farther.
    """
    half = num_buckets // 2
    single = half // 2  # distances 0 … single − 1 have a bucket each
    far = distance.abs()
    growth = torch.log(far.clamp(min=single) / single) / math.log(max_distance / single)  # 0 … 1 up to max_distance
    shared = (single + (growth * (half - single)).long()).clamp(max=half - 1)
    return torch.where(far < single, far, shared) + half * (distance > 0)


def add_position(x: Tensor, pe: Tensor) -> Tensor:
    """x + P: Vaswani et al. 2017, section 3.5. x (..., n, d), pe (n, d) → (..., n, d)."""
    return x + pe


def concat_position(x: Tensor, pe: Tensor) -> Tensor:
    """[x; P], the position behind the features: x (..., n, d), pe (n, d_pe) → (..., n, d + d_pe)."""
    positions = pe.expand(*x.shape[:-2], *pe.shape)  # (..., n, d_pe)
    return torch.cat((x, positions), dim=-1)  # (..., n, d + d_pe)


def split_projection(w: Tensor, d_model: int) -> tuple[Tensor, Tensor]:
    """[x; p] W = x W_x + p W_p: a projection of a concatenation is the sum of two projections.

    w (d_model + d_pos, d_out) → W_x (d_model, d_out) and W_p (d_pos, d_out).
    """
    return w[:d_model], w[d_model:]


def projection_parameters(d_model: int, d_pos: int, mode: str) -> int:
    """Weights of one projection to d_model features, of x + p (d_model wide) or of [x; p] (d_model + d_pos wide)."""
    widths = {"add": d_model, "concat": d_model + d_pos}
    if mode not in widths:
        raise ValueError(f"mode = {mode!r}; expected one of: {', '.join(widths)}")
    return widths[mode] * d_model
