"""Finds the parameters of an encoder or decoder layer, however its author structured it.

Attention is found anywhere by the names of its projections. Of two, the cross-attention is the one whose name says so,
else the second. The two layers of the feed-forward network are found by their shapes. Norms are found by being like
``nn.LayerNorm``: a vector that multiplies and one that is added. Norms are numbered in the order of definition.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from .errors import InvalidResult
from .projections import (
    BIASES,
    LOOKED_FOR,
    Piece,
    Pieces,
    Projections,
    Vector,
    attributes,
    canonical,
    find,
    held_names,
    is_matrix,
    layer_of,
    place_of,
    role_of,
)

Component = tuple[str, Any]

_QKV = ("w_q", "w_k", "w_v")
_CROSS = ("cross", "memory", "enc", "src", "multihead")
_NEVER_CROSS = ("self", "mask", "causal")
_WORDS = re.compile("cross|memory|encoder|enc|src|self|masked|mask|causal|decoder|dec|attention|attn|mha|[12]")
_GAINS = ("gamma", "weight", "w", "g", "gain", "scale", "a", "a2", "alpha")
_SHIFTS = ("beta", "bias", "b", "b2", "shift", "offset")
_LEAVES = (torch.Tensor, np.ndarray, type, types.ModuleType, types.FunctionType, types.MethodType)
_OF_EVERY_MODULE = frozenset(vars(torch.nn.Module()))


def encoder_layer(instance: Any, weights: dict[str, Any]) -> Projections:
    """Copies ``weights`` (w_q … w_o, w_1, b_1, w_2, b_2, gamma_1, beta_1, …) to where the instance keeps them."""
    return _fill(instance, weights, ("",))


def decoder_layer(instance: Any, weights: dict[str, Any]) -> Projections:
    """As for the encoder, with two attentions: self_w_q … and cross_w_q …."""
    return _fill(instance, weights, ("self_", "cross_"))


def _fill(instance: Any, weights: dict[str, Any], prefixes: tuple[str, ...]) -> Projections:
    d_model, d_ff = weights["w_1"].shape
    initialize_lazy(instance, d_model, weights["w_1"], len(prefixes))
    parts = list(_parts(instance))
    places: dict[str, Pieces] = {}
    for prefix, attention in zip(prefixes, _attentions(instance, parts, d_model, len(prefixes)), strict=True):
        places |= {prefix + role: place for role, place in attention.items()}
    taken = {id(piece.base) for place in places.values() for piece in place}
    for number, shape in (("1", (d_model, d_ff)), ("2", (d_ff, d_model))):
        piece = next((p for p in _matrices(parts, shape) if id(p.base) not in taken), None)
        if piece is None:
            raise InvalidResult("layer", f"w_{number}", f"{shape[0]} → {shape[1]}", *held_names(instance))
        places[f"w_{number}"] = (piece,)
        places[f"b_{number}"] = _bias(piece, shape[1])
    norms = _norms(parts, d_model)
    for gain in sorted(name for name in weights if name.startswith("gamma_")):
        places[gain], places[gain.replace("gamma", "beta")] = next(norms, ((), ()))
    return Projections.put(instance, places, weights)


def _parts(owner: Any, path: str = "", seen: set[int] | None = None) -> Iterator[Component]:
    """The instance and all its parts, each once, in the order of definition."""
    seen = set() if seen is None else seen
    if id(owner) in seen:
        return
    seen.add(id(owner))
    yield path, owner
    for name, value in _inner(owner):
        yield from _parts(value, f"{path}.{name}" if path else name, seen)


def _inner(owner: Any) -> Iterator[Component]:
    held: dict[str, Any]
    if isinstance(owner, (list, tuple)):
        held = {str(at): value for at, value in enumerate(owner)}
    elif isinstance(owner, dict):
        held = owner
    else:
        held = attributes(owner)
    for name, value in held.items():
        if name in _OF_EVERY_MODULE or isinstance(value, _LEAVES):
            continue
        if isinstance(value, (list, tuple, dict)) or hasattr(value, "__dict__"):
            yield str(name), value


# ------------------------------------------------------------------------------------------ attention


def _attentions(instance: Any, parts: list[Component], d_model: int, wanted: int) -> list[dict[str, Pieces]]:
    """The places of q, k, v and o: of the only attention, or of self-attention and then cross-attention.

    ``wanted`` is 1 or 2. Raises InvalidResult if they are not found.
    """
    found: list[tuple[str, dict[str, Pieces]]] = []
    taken: set[int] = set()
    missing = ",".join(_QKV)
    for part, owner in parts:
        for path, places in ((part, find(owner, part)), *_side_by_side(owner, part)):
            if not _fits(places, d_model) or taken & _bases(places):
                continue
            output = _output(part, parts, d_model, taken) if path == part else places.get("w_o")
            if output is None:
                missing = "w_o"
                continue  # an attention in a list looks like a head; it will be found again, with its output
            places = {role: places[role] for role in _QKV} | {"w_o": output}
            taken |= _bases(places)
            found.append((path, places))
    if not found:
        raise InvalidResult("projections", missing, ",".join(LOOKED_FOR), *held_names(instance))
    if wanted == 1:
        return [found[0][1]]
    if len(found) == 1 and any(id(piece.base) not in taken for piece in _matrices(parts, (d_model, d_model))):
        # One attention may serve as both, but here something is left that looks like the other, under other names.
        named = "self_" if _says_cross(found[0][0].lower()) else "cross_"
        missing = ",".join(named + role for role in _QKV)
        raise InvalidResult("projections", missing, ",".join(LOOKED_FOR), *held_names(instance))
    # The cross-attention is the only one whose name says so, else the second.
    said = [at for at, (path, _) in enumerate(found) if _says_cross(path.lower())]
    cross = said[0] if len(said) == 1 else min(1, len(found) - 1)
    own = next((at for at in range(len(found)) if at != cross), cross)
    return [found[own][1], found[cross][1]]


def _side_by_side(owner: Any, path: str) -> list[tuple[str, dict[str, Pieces]]]:
    """Attentions among the attributes of one part, distinguished by words in their names: self_w_q, cross_w_q, …."""
    groups: dict[str, dict[str, Pieces]] = {}
    for name, value in attributes(owner).items():
        plain, words = _apart(name)
        role = role_of(plain)
        place = place_of(value, owner, name, f"{path}.{name}".lstrip(".")) if words and role else None
        if role and place:
            groups.setdefault(words, {}).setdefault(role, place)
    return [(f"{path}.{words}".lstrip("."), places) for words, places in groups.items()]


@functools.lru_cache(maxsize=4096)
def _apart(name: str) -> tuple[str, str]:
    """A name without the words that distinguish attentions, and these words."""
    return _WORDS.sub("", canonical(name)), "".join(_WORDS.findall(canonical(name)))


def _fits(places: dict[str, Pieces], d_model: int) -> bool:
    """Whether these are the projections of one attention. Two attentions in a list would look like wide heads."""
    return all(role in places and sum(piece.shape[1] for piece in places[role]) <= d_model for role in _QKV)


def _bases(places: dict[str, Pieces]) -> set[int]:
    return {id(piece.base) for place in places.values() for piece in place}


def _output(path: str, parts: list[Component], d_model: int, taken: set[int]) -> Pieces | None:
    """The output projection of the attention at ``path``: in the same part, or in one that contains it."""
    for at, owner in reversed(parts):
        if at == path or not at or path.startswith(f"{at}."):
            place = find(owner, at).get("w_o", ())
            square = sum(p.shape[1] for p in place) == d_model and all(p.shape[0] == d_model for p in place)
            if square and not taken & _bases({"w_o": place}):
                return place
    return None


def _says_cross(path: str) -> bool:
    return any(word in path for word in _CROSS) and not any(word in path for word in _NEVER_CROSS)


# ------------------------------------------------------------------------------- feed-forward network


def _matrices(parts: list[Component], shape: tuple[int, int]) -> Iterator[Piece]:
    """Everything that maps rows of ``shape[0]`` features to ``shape[1]``, as ``x @ w``."""
    known = _of_layers(parts)
    for path, owner in parts:
        if isinstance(owner, torch.nn.Linear):
            pieces = [Piece(owner, "weight", f"{path}.weight", transposed=True)]
        else:
            held = {name: value for name, value in attributes(owner).items() if id(value) not in known}
            names = [name for name, value in held.items() if is_matrix(value) and set(value.shape) == set(shape)]
            pieces = [Piece(owner, name, f"{path}.{name}".lstrip("."), transposed=False) for name in names]
            if len(names) == 1 and (alone := layer_of(owner, path)) and alone.owner is owner:
                pieces = [alone]  # the learner's own layer, which may store its weight transposed
        yield from (piece for piece in pieces if piece.shape == shape)


def matrices(instance: Any, shape: tuple[int, int]) -> Iterator[Piece]:
    """Every matrix of this shape anywhere in the instance: arrays used as ``x @ w``, and linear layers."""
    yield from _matrices(list(_parts(instance)), shape)


def _of_layers(parts: list[Component]) -> set[int]:
    """The ids of the parameters of the library's layers, which may have other names, too."""
    layers = (owner for _, owner in parts if isinstance(owner, (torch.nn.Linear, torch.nn.LayerNorm)))
    return {id(value) for layer in layers for value in layer.parameters(recurse=False)}


def _bias(piece: Piece, size: int) -> Pieces:
    """The bias of a matrix: the vector next to it with a matching name, or with the name of a bias."""
    weight = canonical(piece.attribute)
    near = {weight.replace("weight", "bias"), weight.replace("w", "b"), weight.replace("kernel", "bias")}
    names = [name for name, value in attributes(piece.owner).items() if _is_vector(value, size)]
    names = [name for name in names if canonical(name) not in BIASES and not canonical(name).startswith("beta")]
    names.sort(key=lambda name: canonical(name) not in near)
    if not names or not canonical(names[0]).startswith(("b", *near)):
        return ()
    return (_vector(piece.owner, names[0], piece.path.rpartition(".")[0]),)


# ---------------------------------------------------------------------------------------------- norms


def _norms(parts: list[Component], d_model: int) -> Iterator[tuple[Pieces, Pieces]]:
    """The gain and shift of every norm, each once; an empty place for one that it does not have."""
    known = _of_layers(parts)
    for path, owner in parts:
        if isinstance(owner, (list, tuple, dict, torch.nn.Linear, torch.nn.ParameterList, torch.nn.ParameterDict)):
            continue
        held = attributes(owner)
        vectors = [name for name, value in held.items() if _is_vector(value, d_model)]
        bare = isinstance(owner, torch.nn.LayerNorm) and owner.normalized_shape[-1] == d_model
        if path and (bare or (vectors and not any(map(is_matrix, held.values())))):
            pair = _pair(vectors, held)
            if bare or any(pair):
                yield _places(owner, pair, path)
                continue
        own = {id(held[name]): name for name in reversed(vectors) if id(held[name]) not in known}
        vectors = list(own.values())[::-1]
        gains = [name for name in vectors if _belongs(name, _GAINS)]
        shifts = [name for name in vectors if _belongs(name, _SHIFTS)]
        for at, gain in enumerate(gains):
            yield _places(owner, (gain, shifts[at] if at < len(shifts) else None), path)


def _places(owner: Any, pair: tuple[str | None, str | None], path: str) -> tuple[Pieces, Pieces]:
    gain, shift = ((_vector(owner, name, path),) if name is not None else () for name in pair)
    return gain, shift


def _pair(vectors: list[str], held: dict[str, Any]) -> tuple[str | None, str | None]:
    """The names of gain and shift in a part that is one norm."""
    gain = next((name for name in vectors if canonical(name) in _GAINS), None)
    shift = next((name for name in vectors if canonical(name) in _SHIFTS), None)
    if gain is None and shift is None and len(vectors) == 2:
        # Unknown names: a gain starts at one.
        gain, shift = sorted(vectors, key=lambda name: not bool((held[name] == 1).all()))
    return gain, shift


def _belongs(name: str, kinds: tuple[str, ...]) -> bool:
    """Whether a vector of the layer itself is a gain (or a shift): ``gamma_1``, ``norm1_weight``, ``ln_2_b``."""
    plain = canonical(name).strip("0123456789")
    if plain in ("gamma", "beta"):
        return plain in kinds
    return any(mark in plain for mark in ("norm", "ln")) and plain.endswith(tuple(kind.strip("2") for kind in kinds))


def _is_vector(value: object, size: int) -> bool:
    return isinstance(value, (torch.Tensor, np.ndarray)) and size in value.shape and math.prod(value.shape) == size


def _vector(owner: Any, name: str, path: str) -> Vector:
    return Vector(owner, name, f"{path}.{name}".lstrip("."), transposed=False)


# -------------------------------------------------------------------- sizes that the first input gives
# Initializes modules that take their sizes from their first input (``nn.LazyLinear``) before weights are set.


def forward(instance: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls the instance, or its ``forward`` if it cannot be called."""
    return instance(*args, **kwargs) if callable(instance) else instance.forward(*args, **kwargs)


def initialize_lazy(instance: Any, d_model: int, like: Any, inputs: int) -> None:
    """Calls the instance with ``inputs`` tensors of zeros, (1, 2, d_model), if any parameter has no shape yet.

    They have the dtype of ``like``. Random generators and buffers (running statistics) are restored afterwards.
    """
    modules = list(_modules(instance))
    held = [value for module in modules for value in (*module.parameters(False), *module.buffers(False))]
    if not any(map(torch.nn.parameter.is_lazy, held)):
        return
    buffers = [b for module in modules for b in module.buffers(False) if not torch.nn.parameter.is_lazy(b)]
    before = [buffer.clone() for buffer in buffers]
    states = random.getstate(), np.random.get_state()
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        forward(instance, *(torch.zeros(1, 2, d_model, dtype=torch.as_tensor(like).dtype) for _ in range(inputs)))
        for buffer, value in zip(buffers, before, strict=True):
            buffer.copy_(value)
    random.setstate(states[0])
    np.random.set_state(states[1])


def _modules(instance: Any) -> Iterator[torch.nn.Module]:
    """The modules of the instance, or those that an instance of a plain class holds."""
    if isinstance(instance, torch.nn.Module):
        yield from instance.modules()
    else:
        for value in getattr(instance, "__dict__", {}).values():
            if isinstance(value, torch.nn.Module):
                yield from value.modules()


# ----------------------------------------------------------------------------------- low-rank adapters
# Runs a learner's low-rank adapter (LoRA): a layer that adds the product of two thin matrices to a given one.


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
