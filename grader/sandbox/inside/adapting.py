"""Using a layer that adds two thin matrices to one that it was given: they are found by their shapes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch

from .layers import matrices
from .projections import Piece, attributes, held_names, is_matrix
from .refusals import Unfit


def adapted(
    own: Callable[..., Any],
    weight: Any,
    r: int,
    alpha: float,
    x: Any,
    a: Any = None,
    b: Any = None,
    merges: int = 0,
) -> Any:
    """The output for x of the layer ``own(weight, r, alpha)``, with ``a`` and ``b`` in the place of its own.

    ``merges``: it is asked so often for the merged matrix, and then for the output again. Without a and b the layer
    is taken as it begins: its output, how many numbers it trains, and which of its two matrices are zero.
    """
    layer = own(weight, r, alpha)
    if isinstance(layer, torch.nn.Module):
        layer.eval().to(weight.dtype)
    forward = layer if callable(layer) else layer.forward
    d_in, d_out = weight.shape
    pieces = [_piece(layer, name, shape) for name, shape in (("a", (d_in, r)), ("b", (r, d_out)))]
    if a is None:
        return [forward(x), _trained(layer), [not bool(piece.base.any()) for piece in pieces]]
    for piece, given in zip(pieces, (a, b), strict=True):
        _replace(piece, given)
    if not merges:
        return forward(x)
    return [forward(x), [layer.merge() for _ in range(merges)], forward(x)]


def _piece(layer: Any, name: str, shape: tuple[int, int]) -> Piece:
    """The matrix of this shape: the layer's own, or one of what it is made of."""
    own = (key for key, value in attributes(layer).items() if is_matrix(value) and tuple(value.shape) == shape)
    pieces = (Piece(layer, key, key, transposed=False) for key in own)
    found = next(itertools.chain(pieces, matrices(layer, shape)), None)
    if found is None:
        raise Unfit("layer", name, f"{shape[0]} → {shape[1]}", *held_names(layer))
    return found


def _replace(piece: Piece, given: Any) -> None:
    """Puts the very tensor there, so that gradients arrive at it."""
    if isinstance(piece.owner, torch.nn.Module):
        piece.owner._parameters.pop(piece.attribute, None)
        piece.owner._buffers.pop(piece.attribute, None)
    setattr(piece.owner, piece.attribute, given.T if piece.transposed else given)


def _trained(layer: Any) -> int:
    """How many numbers an optimiser would be given; of a plain class, those that collect gradients."""
    held = layer.parameters() if isinstance(layer, torch.nn.Module) else attributes(layer).values()
    return sum(one.numel() for one in held if isinstance(one, torch.Tensor) and one.requires_grad)
