"""Finds the projections of an attention module, however its author named and fused them.

The contract allows ``nn.Linear`` layers or raw arrays ``(d_in, d_out)`` under many names, one fused projection for
query, key and value, a list of them in this order, one layer per head, and whole heads. Each role (``w_q``, ``w_k``,
``w_v``, ``w_o``) becomes a ``Pieces``: one or more pieces of parameters, side by side along d_out.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from .errors import InvalidResult

_LONG = {
    "q": ("qs", "query", "queries"),
    "k": ("ks", "key", "keys"),
    "v": ("vs", "value", "values"),
    "o": ("out", "output"),
}
#: Names of projections. "{}" is the letter or word for one, or for several side by side along d_out.
_SHAPES = (
    *("{}", "w{}", "{}proj", "proj{}", "to{}", "linear{}", "{}linear", "fc{}", "{}fc", "lin{}", "{}lin", "c{}"),
    *("{}layer", "{}net", "{}projection", "projection{}", "project{}", "dense{}", "{}dense", "{}transform"),
    *("{}weight", "{}weights", "weight{}", "{}projweight"),
)
#: The names of projections fused into one matrix.
_FUSED = {stem: {shape.format(stem) for shape in _SHAPES} for stem in ("qkv", "kv")}
_FUSED["qkv"] |= {"inproj", "cattn", "inprojweight"}
#: Lists of projections in the order q, k, v, or q, k, v, o.
_LISTS = _FUSED["qkv"] | {"qkvo", "linears", "linearlayers", "projections", "projs", "projectionlayers", "projlayers"}
#: Names of the output projection that count only if there are three others and nothing else fits.
_OUTPUTS = {"fc", "lin", "linear", "final", "wconcat", "concat", "unifyheads", "unify", "combine", "combineheads"} | {
    shape.format(word) for word in ("final", "concat", "last") for shape in ("fc{}", "{}fc", "linear{}", "{}linear")
}


def _names(letter: str) -> set[str]:
    """The accepted names of one projection, in lower case and without underscores."""
    names = {shape.format(stem) for stem in (letter, *_LONG[letter]) for shape in _SHAPES} | {f"{letter}w"}
    return names | {"proj", "cproj", "projection", "dense"} if letter == "o" else names


ROLES = {f"w_{letter}": _names(letter) for letter in "qkvo"}
_ROLE_OF = {name: role for role, names in ROLES.items() for name in names}
LOOKED_FOR = (
    *("w_q", "W_q", "wq", "q_proj", "query", "to_q", "linear_q", "fc_q"),
    *("qkv", "in_proj", "c_attn", "out_proj", "proj", "fc", "linears"),
)


@functools.lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """The name in the form that is compared: lower case, no underscores."""
    return name.lower().replace("_", "")


def role_of(name: str) -> str | None:
    """The role of something with this name; None if it has none."""
    return _ROLE_OF.get(canonical(name))


def is_matrix(value: object) -> bool:
    """Whether it is an array with two axes."""
    return isinstance(value, (torch.Tensor, np.ndarray)) and value.ndim == 2


#: Classes that hold no matrices themselves; only their instances do.
_BARE = frozenset({object, list, tuple, dict, *(kind for kind in vars(torch.nn).values() if isinstance(kind, type))})


def attributes(owner: Any) -> dict[str, Any]:
    """What the owner holds, by name, found without executing learner code."""
    found: dict[str, Any] = {}
    for kind in reversed(type(owner).__mro__):
        if kind not in _BARE:
            found |= {name: v for name, v in vars(kind).items() if is_matrix(v) or isinstance(v, torch.nn.Module)}
    found |= {name: v for name, v in getattr(owner, "__dict__", {}).items() if not name.startswith("__")}
    if isinstance(owner, torch.nn.Module):
        for held in (owner._parameters, owner._buffers, owner._modules):
            found |= {name: value for name, value in held.items() if value is not None}
    return found


def attribute(owner: Any, name: str) -> Any:
    """The same as ``attributes(owner)[name]``, but faster."""
    if isinstance(owner, torch.nn.Module):
        for held in (owner._modules, owner._buffers, owner._parameters):
            if (value := held.get(name)) is not None:
                return value
    elif name in (own := getattr(owner, "__dict__", {})):
        return own[name]
    return attributes(owner)[name]


@dataclass(frozen=True, slots=True)
class Piece:
    """A matrix, or some of its output columns, used as ``x @ w``. ``transposed``: stored as (d_out, d_in)."""

    owner: Any
    attribute: str
    path: str
    transposed: bool
    columns: tuple[int | None, int | None] = (None, None)

    @property
    def base(self) -> Any:
        """The whole matrix as stored."""
        return attribute(self.owner, self.attribute)

    @property
    def shape(self) -> tuple[int, int]:
        """(d_in, d_out) of the piece."""
        rows, columns = self.base.shape[::-1] if self.transposed else self.base.shape
        return rows, len(range(columns)[slice(*self.columns)])

    def view(self, matrix: Any) -> Any:
        """The piece of ``matrix`` (stored like the base), as (d_in, d_out)."""
        return (matrix.T if self.transposed else matrix)[:, slice(*self.columns)]

    def fill(self, weight: Any) -> None:
        """Copies ``weight`` (d_in, d_out) into place, which takes on its dtype."""
        base = self.base
        if isinstance(base, torch.Tensor):
            weight = torch.as_tensor(weight)
            if base.dtype != weight.dtype and base.is_leaf:
                base.data = base.detach().to(weight.dtype)  # the same object, which may have other names
            elif base.dtype != weight.dtype:
                base = self._replace(base, base.detach().to(weight.dtype).requires_grad_(base.requires_grad))
            with torch.no_grad():
                self.view(base.data).copy_(weight)
        else:
            weight = np.asarray(weight)
            if base.dtype != weight.dtype or not base.flags.writeable:
                base = self._replace(base, base.astype(weight.dtype))
            self.view(base)[...] = weight

    def _replace(self, old: Any, new: Any) -> Any:
        setattr(self.owner, self.attribute, new)
        _rename(self.owner, old, new)
        return new


def _rename(owner: Any, old: Any, new: Any) -> None:
    """Replaces ``old`` by ``new`` under all names of the owner, and in its lists and dicts."""
    for name, value in list(attributes(owner).items()):
        if value is old:
            setattr(owner, name, new)
        elif isinstance(value, (list, dict)):
            entries = enumerate(value) if isinstance(value, list) else list(value.items())
            for key, entry in entries:
                if entry is old:
                    value[key] = new


@dataclass(frozen=True, slots=True)
class Vector(Piece):
    """A vector, which may have additional axes of length 1."""

    def view(self, matrix: Any) -> Any:
        """The vector without those axes."""
        return matrix.squeeze()


Pieces = tuple[Piece, ...]


def clear_bias(owner: Any, names: tuple[str, ...]) -> bool:
    """Sets the vectors of ``owner`` whose canonical names are in ``names`` to zero. True if there was one."""
    cleared = False
    for name, value in attributes(owner).items():
        if canonical(name) in names and isinstance(value, (torch.Tensor, np.ndarray)) and value.ndim <= 2:
            if isinstance(value, torch.Tensor):
                value.data.zero_()
            else:
                value[...] = 0
            cleared = True
    return cleared


def layer_of(value: Any, path: str) -> Piece | None:
    """The only matrix of a layer: an ``nn.Linear``, a wrapper of one, or a learner's own layer. None for others."""
    if isinstance(value, torch.nn.Linear):
        return Piece(value, "weight", f"{path}.weight", transposed=True)
    if isinstance(value, (torch.nn.ModuleList, list, tuple)):
        return None
    if isinstance(value, torch.nn.Module):
        linears = [module for module in value.modules() if isinstance(module, torch.nn.Linear)]
        if linears:
            return Piece(linears[0], "weight", f"{path}.weight", transposed=True) if len(linears) == 1 else None
    if not callable(value) or isinstance(value, type):
        return None
    matrices = [name for name, held in attributes(value).items() if is_matrix(held)]
    if len(matrices) != 1:
        return None
    return Piece(value, matrices[0], f"{path}.{matrices[0]}", transposed=_stored_transposed(value, matrices[0]))


def _stored_transposed(layer: Any, attribute: str) -> bool:
    """Whether a learner's own layer computes ``x @ w.T``; found by calling it with the identity."""
    piece = Piece(layer, attribute, "", transposed=False)
    rows, columns = piece.shape
    probe = np.linspace(-1, 1, rows * columns).reshape(rows, columns)
    torchy = isinstance(piece.base, torch.Tensor)
    piece.fill(torch.from_numpy(probe).to(piece.base.dtype) if torchy else probe.astype(piece.base.dtype))
    for transposed, width, wanted in ((True, columns, probe.T), (False, rows, probe)):
        eye = torch.eye(width, dtype=piece.base.dtype) if torchy else np.eye(width, dtype=piece.base.dtype)
        try:
            with torch.no_grad():
                result = np.asarray(layer(eye)) - np.asarray(layer(0 * eye))
        except Exception:
            continue  # it does not take rows of this width
        if result.shape == wanted.shape and np.allclose(result, wanted, atol=1e-4):
            return transposed
    return False


def place_of(value: Any, owner: Any, name: str, path: str) -> Pieces | None:
    """The place of one projection: a matrix, a layer, or one of these per head. None if it is none of them."""
    if is_matrix(value):
        return (Piece(owner, name, path, transposed=False),)
    if isinstance(value, (torch.nn.ModuleList, torch.nn.ParameterList, list, tuple)) and len(value):
        pieces: list[Piece] = []
        for at, entry in enumerate(value):
            holder = value if isinstance(value, (torch.nn.ParameterList, list)) else None
            piece = layer_of(entry, f"{path}[{at}]")
            if piece is None and is_matrix(entry) and holder is not None:
                piece = Piece(_Entry(holder), str(at), f"{path}[{at}]", transposed=False)
            if piece is None:
                return None
            pieces.append(piece)
        return tuple(pieces)
    layer = layer_of(value, path)
    return (layer,) if layer else None


class _Entry:
    """Wraps a list of matrices so that its entries are attributes."""

    def __init__(self, holder: Any) -> None:
        object.__setattr__(self, "holder", holder)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        return {str(at): entry for at, entry in enumerate(object.__getattribute__(self, "holder"))}

    def __setattr__(self, name: str, value: Any) -> None:
        holder = object.__getattribute__(self, "holder")
        holder[int(name)] = value


def _split(place: Pieces, stem: str) -> dict[str, Pieces]:
    """The roles of a fused projection: equal parts of the columns, in the order of ``stem``."""
    if len(place) != 1:
        return {}
    piece, count = place[0], len(stem)
    rows, width = piece.base.shape
    if rows == count * width and not piece.transposed:  # as nn.MultiheadAttention keeps it; d_in is never that
        piece = replace(piece, transposed=True)
    width = piece.shape[1]
    if width % count:
        return {}
    part = width // count
    return {f"w_{letter}": (replace(piece, columns=(at * part, (at + 1) * part)),) for at, letter in enumerate(stem)}


def find(owner: Any, path: str) -> dict[str, Pieces]:
    """The roles that ``owner`` itself holds."""
    prefix = f"{path}." if path else ""
    if isinstance(owner, torch.nn.MultiheadAttention) and owner.in_proj_weight is not None:
        fused = Piece(owner, "in_proj_weight", f"{prefix}in_proj_weight", transposed=True)
        output = layer_of(owner.out_proj, f"{prefix}out_proj")
        return _split((fused,), "qkv") | ({"w_o": (output,)} if output else {})
    found: dict[str, Pieces] = {}
    held = attributes(owner)
    for name, value in held.items():
        role = role_of(name)
        if role and role not in found and (place := place_of(value, owner, name, prefix + name)):
            found[role] = place
    for stem, names in _FUSED.items():
        for name, value in held.items():
            if canonical(name) in names and not {f"w_{letter}" for letter in stem} & set(found):
                place = place_of(value, owner, name, prefix + name)
                found |= _split(place, stem) if place else {}
    if not _QKV & set(found):
        found |= _listed(owner, held, prefix, wanted=3 if "w_o" in found else 4) or _heads(held, prefix)
    if set(found) >= _QKV and "w_o" not in found:
        found |= _output(owner, held, prefix, found)
    return {role: _as_layer(place, held, prefix) for role, place in found.items()}


_QKV = {"w_q", "w_k", "w_v"}


def _listed(owner: Any, held: dict[str, Any], prefix: str, wanted: int) -> dict[str, Pieces]:
    """Square projections in a list: q, k and v, and also o if four are ``wanted``."""
    for name, value in held.items():
        place = place_of(value, owner, name, prefix + name) if canonical(name) in _LISTS else None
        if place and len(place) in (3, wanted) and {piece.shape for piece in place} == {place[0].shape[::-1]}:
            return {f"w_{letter}": (piece,) for letter, piece in zip("qkvo", place, strict=False)}
    return {}


def _output(owner: Any, held: dict[str, Any], prefix: str, found: dict[str, Pieces]) -> dict[str, Pieces]:
    """The output projection under an unspecific name, if it is the only one of its size."""
    shape = sum(piece.shape[1] for piece in found["w_v"]), found["w_q"][0].shape[0]
    places = [
        place_of(value, owner, name, prefix + name) for name, value in held.items() if canonical(name) in _OUTPUTS
    ]
    fitting = [place for place in places if place and len(place) == 1 and place[0].shape == shape]
    return {"w_o": fitting[0]} if len({id(place[0].base) for place in fitting}) == 1 else {}


def _as_layer(place: Pieces, held: dict[str, Any], prefix: str) -> Pieces:
    """The place. A matrix that is also the weight of a layer becomes the piece of that layer."""
    if len(place) != 1 or place[0].transposed:
        return place
    layers = (layer_of(value, prefix + name) for name, value in held.items() if isinstance(value, torch.nn.Linear))
    same = (layer for layer in layers if layer and layer.base is place[0].base)
    return next(((replace(layer, columns=place[0].columns),) for layer in same), place)


def _heads(held: dict[str, Any], prefix: str) -> dict[str, Pieces]:
    """Whole heads in a list: modules that each have q, k and v."""
    for name, value in held.items():
        if not isinstance(value, (torch.nn.ModuleList, list, tuple)) or not len(value):
            continue
        each = [find(head, f"{prefix}{name}[{at}]") for at, head in enumerate(value)]
        if all(set(found) >= _QKV for found in each):
            return {role: tuple(p for found in each for p in found[role]) for role in ("w_q", "w_k", "w_v")}
    return {}


def _owners(instance: Any) -> Iterator[tuple[str, Any]]:
    """The instance, then its parts, each with its path."""
    yield "", instance
    if isinstance(instance, torch.nn.Module):
        for path, module in instance.named_modules():
            if path and not isinstance(module, (torch.nn.Linear, torch.nn.ModuleList)):
                yield path, module
    else:
        for name, value in attributes(instance).items():
            if hasattr(value, "__dict__") and not isinstance(value, (torch.Tensor, type)):
                yield name, value


def _locate(instance: Any) -> dict[str, Pieces]:
    """The place of every role: in the instance itself, or in the part that has q, k and v. Raises InvalidResult."""
    own = find(instance, "")
    inner = own
    if not set(own) >= _QKV:
        inner = next((f for path, o in _owners(instance) if set(f := find(o, path)) >= _QKV), {})
    found = {role: own.get(role) or inner.get(role) for role in ROLES} | {r: inner[r] for r in inner if r != "w_o"}
    if found["w_o"] is None:
        found["w_o"] = next((f["w_o"] for path, o in _owners(instance) if "w_o" in (f := find(o, path))), None)
    missing = [role for role, place in found.items() if not place]
    if missing:
        raise InvalidResult("projections", ",".join(missing), ",".join(LOOKED_FOR), *held_names(instance))
    return {role: place for role, place in found.items() if place}


def held_names(instance: Any) -> list[str]:
    """The names that the instance holds, at most 30, for error messages."""
    if isinstance(instance, torch.nn.Module):
        names = [name for name, _ in instance.named_modules() if name] + [n for n, _ in instance.named_parameters()]
        return sorted(set(names))[:30]
    return sorted(name for name in attributes(instance) if not name.startswith("_"))[:30]


@dataclass(frozen=True, slots=True)
class Projections:
    """An instance whose projections have been filled with the grader's weights."""

    instance: Any
    places: dict[str, Pieces]
    shared: list[list[str]]
    biased: bool

    @classmethod
    def fill(cls, instance: Any, weights: dict[str, Any]) -> Projections:
        """Finds the place of every role and copies its weight there; biases become zero.

        Raises ``InvalidResult`` with reason ``projections`` if a role is not found, and ``projection-shape`` if a place
        and its weight have different sizes.
        """
        return cls.put(instance, {role: place for role, place in _locate(instance).items() if role in weights}, weights)

    @classmethod
    def put(cls, instance: Any, places: dict[str, Pieces], weights: dict[str, Any]) -> Projections:
        """Copies every weight to its place, and zeroes the biases of matrices. Empty places are skipped.

        Vectors are filled after matrices, so that a bias with a place of its own is not cleared.
        """
        # Pairs of roles that share a place; before filling, because a change of dtype separates them.
        spots = {role: {_spot(piece) for piece in place} for role, place in places.items()}
        shared = [[a, b] for a, b in itertools.combinations(sorted(spots), 2) if spots[a] & spots[b]]
        biased = False
        for role, place in places.items():
            if weights[role].ndim == 2:
                _put(role, place, weights[role])
                cleared = [clear_bias(p.owner, ("bias", "b", *BIASES)) for p in place if p.owner is not instance]
                biased |= any(cleared)
        for _, owner in _owners(instance):
            biased |= clear_bias(owner, BIASES)
        for role, place in places.items():
            for piece in place if weights[role].ndim == 1 else ():
                piece.fill(weights[role])
        return cls(instance, places, shared, biased)

    def describe(self) -> dict[str, Any]:
        """Names, sharing, registration and trainability of the places, as plain data."""
        module = isinstance(self.instance, torch.nn.Module)
        registered = {id(p) for p in self.instance.parameters()} if module else set()
        found = {role: place for role, place in self.places.items() if place}
        return {
            "attributes": {role: place[0].path for role, place in found.items()},
            "missing": [role for role, place in self.places.items() if not place],
            "shared": self.shared,
            "module": module,
            "registered": {role: all(id(p.base) in registered for p in place) for role, place in found.items()},
            "trainable": {role: all(_trainable(p.base) for p in place) for role, place in found.items()},
            "biased": self.biased,
        }

    def leaves(self) -> list[Any]:
        """The tensors behind the places, each once."""
        bases = [piece.base for place in self.places.values() for piece in place]
        return list({id(base): base for base in bases if isinstance(base, torch.Tensor)}.values())

    def gradients(self, by_leaf: dict[int, Any]) -> list[Any]:
        """For each role in alphabetical order, its gradient in the shape of its weight, or None."""
        result: list[Any] = []
        for role in sorted(self.places):
            pieces = [(piece, by_leaf.get(id(piece.base))) for piece in self.places[role]]
            whole = [piece.view(gradient) for piece, gradient in pieces if gradient is not None]
            result.append(torch.cat(whole, dim=-1) if whole and len(whole) == len(pieces) else None)
        return result


def _put(role: str, place: Pieces, weight: Any) -> None:
    """Copies the columns of ``weight`` (d_in, d_out) to the pieces of a place."""
    rows, width = weight.shape
    shapes = [piece.shape for piece in place]
    if any(r != rows for r, _ in shapes) or sum(w for _, w in shapes) != width:
        names = ", ".join(piece.path for piece in place[:4])
        seen = ", ".join(f"({r}, {w})" for r, w in shapes[:4])
        raise InvalidResult("projection-shape", role, names, seen, f"({rows}, {width})")
    start = 0
    for piece in place:
        piece.fill(weight[:, start : start + piece.shape[1]])
        start += piece.shape[1]


def _spot(piece: Piece) -> tuple[int, str]:
    base = piece.base
    pointer = base.data_ptr() if isinstance(base, torch.Tensor) else base.ctypes.data
    return pointer, str(piece.columns)


def _trainable(base: Any) -> bool:
    return isinstance(base, torch.Tensor) and base.requires_grad


BIASES = (
    *(
        shape.format(stem)
        for letter in "qkvo"
        for stem in (letter, *_LONG[letter])
        for shape in ("b{}", "{}bias", "bias{}", "{}b")
    ),
    "bqkv",
    "qkvbias",
    "inprojbias",
)
