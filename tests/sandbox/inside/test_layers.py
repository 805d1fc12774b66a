"""Finding the parameters of whole layers: however they are structured, every weight lands in the right place."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from grader.sandbox.inside.errors import InvalidResult
from grader.sandbox.inside.layers import decoder_layer, encoder_layer
from grader.sandbox.inside.projections import Projections

D, HEADS, D_FF = 6, 2, 10
ENCODER = {
    **{f"w_{letter}": (D, D) for letter in "qkvo"},
    **{"w_1": (D, D_FF), "b_1": (D_FF,), "w_2": (D_FF, D), "b_2": (D,)},
    **{f"{name}_{number}": (D,) for number in (1, 2) for name in ("gamma", "beta")},
}
DECODER = {
    **{f"{which}_w_{letter}": (D, D) for which in ("self", "cross") for letter in "qkvo"},
    **{role: shape for role, shape in ENCODER.items() if role not in ("w_q", "w_k", "w_v", "w_o")},
    **{"gamma_3": (D,), "beta_3": (D,)},
}


def weights(shapes: dict[str, tuple[int, ...]], dtype: str = "float32") -> dict[str, Any]:
    """What the grader puts in, the same each time."""
    generator = torch.Generator().manual_seed(3)
    return {role: torch.randn(*shape, generator=generator).to(getattr(torch, dtype)) for role, shape in shapes.items()}


def landed(filled: Projections, given: dict[str, Any]) -> dict[str, str]:
    """Where each weight is, once it is checked to be there whole."""
    for role, place in ((role, place) for role, place in filled.places.items() if place):
        pieces = [torch.as_tensor(piece.view(piece.base)) for piece in place]
        assert torch.equal(torch.cat(pieces, dim=-1), torch.as_tensor(given[role])), role
    return filled.describe()["attributes"]  # type: ignore[no-any-return]


def module(**held: Any) -> nn.Module:
    """A module that holds these attributes, in this order."""
    made = nn.Module()
    for name, value in held.items():
        setattr(made, name, value)
    return made


def plain(**held: Any) -> Any:
    """A plain object that holds these attributes."""
    made = type("Part", (), {})()
    made.__dict__.update(held)
    return made


def vector(size: int = D, value: float = 1.0) -> nn.Parameter:
    """A parameter of one axis."""
    return nn.Parameter(torch.full((size,), value))


# ------------------------------------------------------------------------------------- attention


def own_attention(**names: str) -> nn.Module:
    """Four layers; names as given, else those of the contract."""
    return module(**{names.get(letter, f"w_{letter}"): nn.Linear(D, D, bias=False) for letter in "qkvo"})


def heads() -> nn.Module:
    """A list of whole heads, and an output projection beside it."""
    each = [module(**{name: nn.Linear(D, D // HEADS) for name in ("query", "key", "value")}) for _ in range(HEADS)]
    return module(heads=nn.ModuleList(each), proj=nn.Linear(D, D))


ATTENTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "a module": lambda: {"attention": own_attention()},
    "other names": lambda: {"sa": own_attention(q="to_q", k="to_k", v="to_v", o="out_proj")},
    "the library's": lambda: {"self_attn": nn.MultiheadAttention(D, HEADS)},
    "the library's without bias": lambda: {"self_attn": nn.MultiheadAttention(D, HEADS, bias=False)},
    "wrapped twice": lambda: {"block": module(fn=module(attn=own_attention()), drop=nn.Dropout())},
    "fused": lambda: {"attn": module(c_attn=nn.Linear(D, 3 * D), c_proj=nn.Linear(D, D))},
    "heads": lambda: {"attn": heads()},
    "heads, output outside": lambda: {"attn": module(heads=heads().heads), "w_o": nn.Linear(D, D)},
    "projections of the layer itself": lambda: {f"w_{letter}": nn.Linear(D, D) for letter in "qkvo"},
    "with a word in front": lambda: {f"attn_{letter}": nn.Linear(D, D) for letter in "qkvo"},
    "arrays of the layer itself": lambda: {f"w_{letter}": nn.Parameter(torch.zeros(D, D)) for letter in "qkvo"},
    "a plain object": lambda: {"attention": plain(**{f"w_{letter}": torch.zeros(D, D) for letter in "qkvo"})},
    "NumPy": lambda: {"attention": plain(**{f"w_{letter}": np.zeros((D, D)) for letter in "qkvo"})},
    "in a list": lambda: {"parts": [own_attention()]},
    "in a dict": lambda: {"parts": {"attention": own_attention()}},
}


class Stored(nn.Module):
    """A learner's own Linear, stored (d_out, d_in)."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(d_out, d_in)), nn.Parameter(torch.zeros(d_out))

    def forward(self, x: Any) -> Any:
        """As torch does it."""
        return x @ self.weight.T + self.bias


class Used:
    """A learner's own layer without torch's help, stored as it is used."""

    def __init__(self, d_in: int, d_out: int) -> None:
        self.W, self.b = torch.randn(d_in, d_out), torch.zeros(d_out)

    def __call__(self, x: Any) -> Any:
        """x @ W."""
        return x @ self.W + self.b


def raw_network() -> dict[str, Any]:
    """The network as four parameters."""
    return {
        "w_1": nn.Parameter(torch.zeros(D, D_FF)),
        "b_1": vector(D_FF),
        "w_2": nn.Parameter(torch.zeros(D_FF, D)),
        "b_2": vector(D),
    }


NETWORKS: dict[str, Callable[[], dict[str, Any]]] = {
    "two layers": lambda: {"linear1": nn.Linear(D, D_FF), "linear2": nn.Linear(D_FF, D)},
    "second first": lambda: {"down": nn.Linear(D_FF, D), "up": nn.Linear(D, D_FF)},
    "Sequential": lambda: {"ff": nn.Sequential(nn.Linear(D, D_FF), nn.ReLU(), nn.Dropout(), nn.Linear(D_FF, D))},
    "named like an output": lambda: {"mlp": module(fc=nn.Linear(D, D_FF), proj=nn.Linear(D_FF, D))},
    "of the layer itself, named like an output": lambda: {"fc": nn.Linear(D, D_FF), "dense": nn.Linear(D_FF, D)},
    "own layers (out, in)": lambda: {"ff": module(a=Stored(D, D_FF), b=Stored(D_FF, D))},
    "own layers (in, out)": lambda: {"a": Used(D, D_FF), "b": Used(D_FF, D)},
    "parameters": raw_network,
    "a module of parameters": lambda: {"ffn": module(**raw_network())},
    "weights and biases": lambda: {
        "ffn": module(
            weight1=nn.Parameter(torch.zeros(D, D_FF)),
            weight2=nn.Parameter(torch.zeros(D_FF, D)),
            bias1=vector(D_FF),
            bias2=vector(D),
        )
    },
    "in a list": lambda: {"layers": [nn.Linear(D, D_FF), nn.Linear(D_FF, D)]},
    "ModuleDict": lambda: {"ff": nn.ModuleDict({"in": nn.Linear(D, D_FF), "out": nn.Linear(D_FF, D)})},
}


def own_norm(gain: str, shift: str, *extra: int) -> nn.Module:
    """A learner's norm, with vectors by these names."""
    ones, zeros = torch.ones(*extra, D), torch.zeros(*extra, D)
    return module(**{gain: nn.Parameter(ones), shift: nn.Parameter(zeros)}, eps=1e-6)


NORMS: dict[str, Callable[[], dict[str, Any]]] = {
    "the library's": lambda: {"norm1": nn.LayerNorm(D), "norm2": nn.LayerNorm(D)},
    "in a ModuleList": lambda: {"norms": nn.ModuleList([nn.LayerNorm(D), nn.LayerNorm(D)])},
    "in a list": lambda: {"norms": [nn.LayerNorm(D), nn.LayerNorm(D)]},
    "inside connections": lambda: {
        "first": module(norm=nn.LayerNorm(D), dropout=nn.Dropout()),
        "second": module(norm=nn.LayerNorm(D)),
    },
    "gamma and beta": lambda: {"a": own_norm("gamma", "beta"), "b": own_norm("gamma", "beta")},
    "weight and bias": lambda: {"a": own_norm("weight", "bias"), "b": own_norm("weight", "bias")},
    "a_2 and b_2": lambda: {"a": own_norm("a_2", "b_2"), "b": own_norm("a_2", "b_2")},
    "g and b": lambda: {"a": own_norm("g", "b"), "b": own_norm("g", "b")},
    "with axes of length 1": lambda: {"a": own_norm("gamma", "beta", 1, 1), "b": own_norm("gamma", "beta", 1, 1)},
    "unknown names": lambda: {"a": own_norm("mul", "add"), "b": own_norm("mul", "add")},
    "unknown names, shift first": lambda: {
        "a": module(add=vector(value=0.0), mul=vector()),
        "b": module(add=vector(value=0.0), mul=vector()),
    },
    "plain objects": lambda: {
        "a": plain(gamma=torch.ones(D), beta=torch.zeros(D)),
        "b": plain(gamma=torch.ones(D), beta=torch.zeros(D)),
    },
    "vectors of the layer": lambda: {"gamma_1": vector(), "beta_1": vector(), "gamma_2": vector(), "beta_2": vector()},
    "vectors, gains first": lambda: {"gamma1": vector(), "gamma2": vector(), "beta1": vector(), "beta2": vector()},
    "vectors called norm": lambda: {
        "norm1_weight": vector(),
        "norm1_bias": vector(),
        "norm2_weight": vector(),
        "norm2_bias": vector(),
    },
}
FIRST = [(attention, "two layers", "the library's") for attention in ATTENTIONS]
SECOND = [("a module", network, "the library's") for network in NETWORKS]
THIRD = [("a module", "two layers", norms) for norms in NORMS]
ALL_RAW = [("arrays of the layer itself", "parameters", "vectors of the layer")]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("attention", "network", "norms"), [*FIRST, *SECOND, *THIRD, *ALL_RAW])
def test_every_weight_lands(attention: str, network: str, norms: str, dtype: str) -> None:
    """However attention, network and norms are written, and in either precision: each weight has a place of its own."""
    held = ATTENTIONS[attention]() | NETWORKS[network]() | NORMS[norms]()
    given = weights(ENCODER, dtype)
    filled = encoder_layer(module(**held), given)
    said = filled.describe()
    assert set(landed(filled, given)) == set(ENCODER)
    assert (said["missing"], said["shared"]) == ([], [])


def test_a_plain_class_is_searched_as_well() -> None:
    """No module anywhere, and NumPy arrays."""
    given = {role: weight.numpy() for role, weight in weights(ENCODER).items()}
    instance = plain(
        **{f"w_{letter}": np.zeros((D, D)) for letter in "qkvo"},
        **{"w_1": np.zeros((D, D_FF)), "b_1": np.zeros(D_FF), "w_2": np.zeros((D_FF, D)), "b_2": np.zeros(D)},
        norms=[plain(gamma=np.ones(D), beta=np.zeros(D)) for _ in range(2)],
    )
    filled = encoder_layer(instance, given)
    assert set(landed(filled, given)) == set(ENCODER)
    assert np.array_equal(instance.norms[1].gamma, given["gamma_2"])
    assert filled.leaves() == []


def test_library_layers_are_found() -> None:
    """torch's own encoder and decoder layer, by their names inside."""
    given = weights(ENCODER)
    filled = encoder_layer(module(layer=nn.TransformerEncoderLayer(D, HEADS, D_FF)), given)
    assert landed(filled, given)["gamma_2"] == "layer.norm2.weight"
    given = weights(DECODER)
    filled = decoder_layer(nn.TransformerDecoderLayer(D, HEADS, D_FF), given)
    where = landed(filled, given)
    assert where["self_w_q"] == "self_attn.in_proj_weight"
    assert where["cross_w_q"] == "multihead_attn.in_proj_weight"
    assert where["beta_3"] == "norm3.bias"


def test_biases_of_the_attention_are_cleared() -> None:
    """Those of the network are the grader's; those of the projections are zero."""
    attention = nn.MultiheadAttention(D, HEADS)
    nn.init.ones_(attention.in_proj_bias)
    nn.init.ones_(attention.out_proj.bias)
    layer = module(attention=attention, **NETWORKS["two layers"](), **NORMS["the library's"]())
    given = weights(ENCODER)
    assert encoder_layer(layer, given).describe()["biased"]
    assert not attention.in_proj_bias.any()
    assert not attention.out_proj.bias.any()
    assert torch.equal(layer.linear1.bias, given["b_1"])


# -------------------------------------------------------------------------------- two attentions

NAMES = [
    ("self_attn", "cross_attn", 1),
    ("cross_attn", "self_attn", 0),
    ("src_attn", "attn", 0),
    ("encoder_attention", "attention", 0),
    ("attend_memory", "attend", 0),
    ("masked_multihead", "multihead", 1),
    ("multihead", "masked_multihead", 0),
    ("multihead_1", "multihead_2", 1),
    ("attn1", "attn2", 1),
    ("b", "a", 1),
    ("causal_cross", "other", 1),
    ("self_cross", "other", 1),
]


@pytest.mark.parametrize(("first", "second", "cross"), NAMES)
def test_the_cross_attention_is_told_by_its_name(first: str, second: str, cross: int) -> None:
    """The only name that says so, else the second; a name with self, mask or causal never does."""
    layer = module(
        **{first: own_attention(), second: own_attention()}, **NETWORKS["two layers"](), **NORMS["the library's"]()
    )
    layer.norm3 = nn.LayerNorm(D)
    given = weights(DECODER)
    where = landed(decoder_layer(layer, given), given)
    assert where["cross_w_q"] == f"{(first, second)[cross]}.w_q.weight"
    assert where["self_w_o"] == f"{(first, second)[1 - cross]}.w_o.weight"


TWO: dict[str, Callable[[], dict[str, Any]]] = {
    "a ModuleList": lambda: {"attentions": nn.ModuleList([own_attention(), own_attention()])},
    "a list": lambda: {"attentions": [own_attention(), own_attention()]},
    "a ModuleDict": lambda: {"attn": nn.ModuleDict({"cross": own_attention(), "self": own_attention()})},
    "in blocks": lambda: {"one": module(attn=own_attention()), "two": module(attn=own_attention())},
    "side by side": lambda: {f"{part}_{x}": nn.Linear(D, D) for part in ("cross", "self") for x in "qkvo"},
    "side by side, numbered": lambda: {f"W{x}{n}": nn.Parameter(torch.zeros(D, D)) for n in (1, 2) for x in "qkvo"},
}


@pytest.mark.parametrize("style", TWO)
def test_two_attentions_are_found(style: str) -> None:
    """In lists and dicts, in blocks, or as eight projections of one class."""
    layer = module(**TWO[style](), **NETWORKS["two layers"](), **NORMS["the library's"](), norm3=nn.LayerNorm(D))
    given = weights(DECODER)
    filled = decoder_layer(layer, given)
    where = landed(filled, given)
    assert filled.describe()["shared"] == []
    if "cross" in str(where.values()):
        assert "cross" in where["cross_w_q"]
        assert "self" in where["self_w_q"]


# ------------------------------------------------------------------------- shared and missing


def standard(**other: Any) -> dict[str, Any]:
    """The parts of an ordinary encoder layer, some of them exchanged or (None) left out."""
    parts = ATTENTIONS["a module"]() | NETWORKS["two layers"]() | NORMS["the library's"]() | other
    return {name: part for name, part in parts.items() if part is not None}


MISSING: list[tuple[str, dict[str, Any], list[str]]] = [
    ("one norm", {"norm2": None}, ["gamma_2", "beta_2"]),
    ("no norm", {"norm1": None, "norm2": None}, ["gamma_1", "beta_1", "gamma_2", "beta_2"]),
    ("no shift", {"norm1": nn.LayerNorm(D, bias=False)}, ["beta_1"]),
    ("RMSNorm", {"norm1": nn.RMSNorm(D), "norm2": nn.RMSNorm(D)}, ["beta_1", "beta_2"]),
    ("no vectors", {"norm1": nn.LayerNorm(D, elementwise_affine=False)}, ["gamma_1", "beta_1"]),
    ("norms of a head", {"norm2": nn.LayerNorm(D // HEADS)}, ["gamma_2", "beta_2"]),
    ("no bias", {"linear1": nn.Linear(D, D_FF, bias=False)}, ["b_1"]),
    (
        "no biases",
        {"linear1": nn.Linear(D, D_FF, bias=False), "linear2": nn.Linear(D_FF, D, bias=False)},
        ["b_1", "b_2"],
    ),
]


@pytest.mark.parametrize(("parts", "roles"), [row[1:] for row in MISSING], ids=[row[0] for row in MISSING])
def test_what_is_missing_is_said_and_the_rest_is_filled(parts: dict[str, Any], roles: list[str]) -> None:
    """A norm or a bias that is not there is a finding, not a failure to find."""
    given = weights(ENCODER)
    filled = encoder_layer(module(**standard(**parts)), given)
    said = filled.describe()
    assert sorted(said["missing"]) == sorted(roles)
    assert set(said["registered"]) == set(said["trainable"]) == set(said["attributes"])
    assert set(landed(filled, given)) == set(ENCODER) - set(roles)


def test_shared_parameters_are_told() -> None:
    """One parameter in two norms, one layer for two projections."""
    norm = nn.LayerNorm(D)
    norm.weight = (first := nn.LayerNorm(D)).weight
    layer = module(**standard(norm1=first, norm2=norm))
    layer.attention.w_k = layer.attention.w_q
    said = encoder_layer(layer, weights(ENCODER)).describe()
    assert said["shared"] == [["gamma_1", "gamma_2"], ["w_k", "w_q"]]


def test_one_attention_for_both_is_shared() -> None:
    """A decoder layer with one attention module has it in both places."""
    layer = module(**standard(), norm3=nn.LayerNorm(D))
    shared = decoder_layer(layer, weights(DECODER)).describe()["shared"]
    assert shared == [[f"cross_w_{letter}", f"self_w_{letter}"] for letter in "koqv"]


@pytest.mark.parametrize(("name", "missing"), [("attn", "cross_w_q"), ("cross_attn", "self_w_q")])
def test_an_attention_under_unknown_names_is_not_taken_for_the_other(name: str, missing: str) -> None:
    """With projections left over, the one attention that was found does not stand for both."""
    unknown = module(**{f"rotor_{letter}": nn.Linear(D, D) for letter in "abcd"})
    parts = standard(norm3=nn.LayerNorm(D))
    layer = module(**{name: parts.pop("attention")}, other=unknown, **parts)
    with pytest.raises(InvalidResult) as caught:
        decoder_layer(layer, weights(DECODER))
    assert (caught.value.reason, caught.value.detail[0].split(",")[0]) == ("projections", missing)


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("no attention", {"attention": None}, "projections", "w_q,w_k,w_v"),
    ("no output projection", {"attention": module(**{n: nn.Linear(D, D) for n in "qkv"})}, "projections", "w_o"),
    ("no first layer", {"linear1": nn.Linear(D, D)}, "layer", "w_1"),
    ("no second layer", {"linear2": None}, "layer", "w_2"),
    ("a convolution", {"linear1": nn.Conv1d(D, D_FF, 1)}, "layer", "w_1"),
    (
        "narrow keys",
        {"attention": module(w_q=nn.Linear(D, D), w_k=nn.Linear(D, 2), w_v=nn.Linear(D, D), w_o=nn.Linear(D, D))},
        "projection-shape",
        "w_k",
    ),
]


@pytest.mark.parametrize(("parts", "reason", "role"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_cannot_be_graded_is_refused(parts: dict[str, Any], reason: str, role: str) -> None:
    """Without a projection or a layer of the right size nothing can be filled; the class's names come along."""
    with pytest.raises(InvalidResult) as refused:
        encoder_layer(module(**standard(**parts)), weights(ENCODER))
    assert (refused.value.reason, refused.value.detail[0]) == (reason, role)


def test_gradients_come_for_every_role() -> None:
    """In alphabetical order, in the shape of the weights, None for what is missing."""
    filled = encoder_layer(module(**standard(norm2=None)), weights(ENCODER))
    by_leaf = {id(leaf): torch.ones_like(leaf) for leaf in filled.leaves()}
    got = filled.gradients(by_leaf)
    wanted = [None if role in ("gamma_2", "beta_2") else ENCODER[role] for role in sorted(ENCODER)]
    assert [None if gradient is None else tuple(gradient.shape) for gradient in got] == wanted


def test_parts_that_hold_each_other_are_walked_once() -> None:
    """A cycle, a long list and things that are no parts do not matter."""
    layer = module(**standard())
    layer.__dict__["itself"] = {"again": layer}
    layer.__dict__["many"] = list(itertools.repeat(layer.attention, 50))
    layer.__dict__["activation"] = torch.relu
    layer.__dict__["library"] = torch
    given = weights(ENCODER)
    assert landed(encoder_layer(layer, given), given)["w_q"].startswith(("attention", "many"))


def test_parameters_under_two_names_count_once() -> None:
    """The norms and matrices of the layer are those of its parts, whatever else they are called."""
    norms = [nn.LayerNorm(D) for _ in range(2)]
    ff = [nn.Linear(D, D_FF), nn.Linear(D_FF, D)]
    instance = module(
        gamma_1=norms[0].weight,
        w1=ff[0].weight,
        w2=ff[1].weight,
        every=nn.ModuleList([*ff, *norms]),
        attention=own_attention(),
        linear1=ff[0],
        linear2=ff[1],
        norm1=norms[0],
        norm2=norms[1],
    )
    encoder_layer(instance, given := weights(ENCODER))
    assert torch.equal(ff[0].weight, given["w_1"].T)
    assert torch.equal(ff[1].weight, given["w_2"].T)
    assert [torch.equal(norm.weight, given[f"gamma_{at}"]) for at, norm in enumerate(norms, 1)] == [True, True]
    assert [torch.equal(norm.bias, given[f"beta_{at}"]) for at, norm in enumerate(norms, 1)] == [True, True]


def test_raw_gains_under_two_names_count_once() -> None:
    """Vectors of the layer itself, too."""
    held = {name: vector() for name in ("gamma_1", "beta_1", "gamma_2", "beta_2")}
    instance = module(attention=own_attention(), **raw_network(), norm_1_weight=held["gamma_1"], **held)
    encoder_layer(instance, given := weights(ENCODER))
    for name, value in held.items():
        assert torch.equal(value, given[name]), name
