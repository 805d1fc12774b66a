"""Runs a learner's low-rank adapter (LoRA): a layer that adds the product of two thin matrices to a given one."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch

from .errors import InvalidResult
from .layers import matrices
from .projections import Piece, attributes, held_names, is_matrix


def adapted(
    own: Callable[..., Any],
    weight: Any,
    r: int,
    alpha: float,
    x: Any,
    a: Any = None,
    b: Any = None,
    merges: int = 0,
    early: bool = False,
) -> Any:
    """The output for ``x`` of the layer ``own(weight, r, alpha)``, with ``a`` and ``b`` in place of its own matrices.

    Shapes: ``weight`` (d_in, d_out), ``a`` (d_in, r), ``b`` (r, d_out). With ``merges`` > 0, the result is the output,
    that many merged matrices, and the output again. Without ``a`` and ``b`` it is what the new layer gives: its output,
    its number of trainable parameters, and for each of its two matrices whether it is zero. ``early``: the layer is
    used and merged once before it gets ``a`` and ``b``, which must not leave anything behind.
    """
    layer = own(weight, r, alpha)
    if isinstance(layer, torch.nn.Module):
        layer.eval().to(weight.dtype)
    forward = layer if callable(layer) else layer.forward
    d_in, d_out = weight.shape
    pieces = [_piece(layer, name, shape) for name, shape in (("a", (d_in, r)), ("b", (r, d_out)))]
    if a is None:
        return [forward(x), _trained(layer), [not bool(piece.base.any()) for piece in pieces]]
    if early:
        forward(x)
        layer.merge()
    for piece, given in zip(pieces, (a, b), strict=True):
        _replace(piece, given)
    if not merges:
        return forward(x)
    return [forward(x), [layer.merge() for _ in range(merges)], forward(x)]


def _piece(layer: Any, name: str, shape: tuple[int, int]) -> Piece:
    """The matrix of this shape in the layer or one of its parts. Raises InvalidResult if there is none."""
    own = (key for key, value in attributes(layer).items() if is_matrix(value) and tuple(value.shape) == shape)
    pieces = (Piece(layer, key, key, transposed=False) for key in own)
    found = next(itertools.chain(pieces, matrices(layer, shape)), None)
    if found is None:
        raise InvalidResult("layer", name, f"{shape[0]} → {shape[1]}", *held_names(layer))
    return found


def _replace(piece: Piece, given: Any) -> None:
    """Replaces the piece with the tensor object ``given`` itself, so that gradients reach it."""
    if isinstance(piece.owner, torch.nn.Module):
        piece.owner._parameters.pop(piece.attribute, None)
        piece.owner._buffers.pop(piece.attribute, None)
    setattr(piece.owner, piece.attribute, given.T if piece.transposed else given)


def _trained(layer: Any) -> int:
    """The number of trainable parameters; in a plain class, of tensors that require gradients."""
    held = layer.parameters() if isinstance(layer, torch.nn.Module) else attributes(layer).values()
    return sum(one.numel() for one in held if isinstance(one, torch.Tensor) and one.requires_grad)
