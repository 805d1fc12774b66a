"""Every style of projection in the contract is found, and once filled computes ``x @ w``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from torch import nn

from grader.sandbox.inside.errors import InvalidResult
from grader.sandbox.inside.projections import LOOKED_FOR, Projections
from tests.sandbox.inside.test_layers import module, plain

D, HEADS = 6, 2
ROLES = ("w_q", "w_k", "w_v", "w_o")
Applied = dict[str, Any]


def weights(dtype: str = "float32", size: int = D) -> dict[str, Any]:
    """What the grader puts in, the same each time."""
    generator = torch.Generator().manual_seed(7)
    return {role: torch.randn(size, size, generator=generator).to(getattr(torch, dtype)) for role in ROLES}


# -------------------------------------------------------------------- layers, as learners write them


class Stored(nn.Module):
    """A learner's own Linear, its weight stored like torch's: (d_out, d_in)."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_out, d_in))
        self.bias = nn.Parameter(torch.ones(d_out))

    def forward(self, x: Any) -> Any:
        """As torch does it."""
        return x @ self.weight.T + self.bias


class Conv(nn.Module):
    """A learner's own Linear, stored as it is used: (d_in, d_out)."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(d_in, d_out))
        self.b = nn.Parameter(torch.ones(d_out))

    def forward(self, x: Any) -> Any:
        """The other way round."""
        return torch.einsum("...i,io->...o", x, self.w) + self.b


class PlainLayer:
    """A layer without torch, stored (d_out, d_in)."""

    def __init__(self, d_in: int, d_out: int) -> None:
        self.W = np.random.default_rng(0).standard_normal((d_out, d_in))
        self.b = np.ones(d_out)

    def __call__(self, x: Any) -> Any:
        """Without torch."""
        return np.einsum("oi,...i->...o", self.W, x) + self.b


def linear(d_in: int, d_out: int) -> Any:
    """With a bias that is not zero."""
    made = nn.Linear(d_in, d_out)
    nn.init.ones_(made.bias)
    return made


LAYERS: dict[str, Callable[[int, int], Any]] = {
    "Linear": linear,
    "Linear without bias": lambda i, o: nn.Linear(i, o, bias=False),
    "Sequential": lambda i, o: nn.Sequential(nn.Dropout(0.0), linear(i, o)),
    "nested Sequential": lambda i, o: nn.Sequential(nn.Sequential(linear(i, o)), nn.Identity()),
    "own layer (out, in)": Stored,
    "own layer (in, out)": Conv,
    "Parameter": lambda i, o: nn.Parameter(torch.randn(i, o)),
    "tensor": lambda i, o: torch.randn(i, o),
    "float64 Parameter": lambda i, o: nn.Parameter(torch.randn(i, o, dtype=torch.float64)),
    "transposed view": lambda i, o: torch.randn(o, i).T,
}
ARRAYS: dict[str, Callable[[int, int], Any]] = {
    "array": lambda i, o: np.random.default_rng(0).standard_normal((i, o)),
    "float32 array": lambda i, o: np.ones((i, o), "f4"),
    "transposed array": lambda i, o: np.ones((o, i), "f4").T,
    "read-only array": lambda i, o: np.broadcast_to(np.float32(0), (i, o)),
    "own layer": PlainLayer,
}


def use(layer: Any, x: Any) -> Any:
    """The layer as the contract says: called, or ``x @ w``."""
    return layer(x) if callable(layer) else x @ layer


def check(instance: Any, apply: Callable[[Any], Applied], given: dict[str, Any] | None = None) -> dict[str, Any]:
    """Fills ``instance``; each role then computes ``x @ w`` and no bias is left. Returns the description."""
    given = given or weights()
    filled = Projections.fill(instance, given)
    some = next(iter(given.values()))
    x = torch.randn(3, D, generator=torch.Generator().manual_seed(1)).to(torch.as_tensor(some).dtype)
    inputs = x.numpy() if isinstance(some, np.ndarray) else x
    with torch.no_grad():
        got = apply(inputs)
    assert set(got) == set(given)
    for role, values in got.items():
        assert np.allclose(np.asarray(values), np.asarray(x) @ np.asarray(given[role]), atol=1e-5), role
    return filled.describe()


def by_name(instance: Any, names: dict[str, str]) -> Callable[[Any], Applied]:
    """Each role applied by its attribute."""
    return lambda x: {role: use(getattr(instance, name), x) for role, name in names.items()}


# ---------------------------------------------------------------------------------------------- names

NAMES: list[list[str]] = yaml.safe_load(Path(__file__).with_name("projections.yaml").read_text("utf-8"))


@pytest.mark.parametrize("names", NAMES, ids="-".join)
@pytest.mark.parametrize("make", ["Linear", "Parameter"])
def test_every_name_is_found(names: list[str], make: str) -> None:
    """The names of the contract, and their relatives, as layers and as matrices."""
    instance = module(**{name: LAYERS[make](D, D) for name in names})
    table = dict(zip(ROLES, names, strict=True))
    said = check(instance, by_name(instance, table))
    suffix = ".weight" if make == "Linear" else ""
    assert said["attributes"] == {role: name + suffix for role, name in table.items()}


@pytest.mark.parametrize("name", ["fc", "linear", "combine_heads"])
def test_an_output_of_no_name_must_be_the_only_one_of_its_size(name: str) -> None:
    """Beside one with a name it is something else; beside another of its kind nobody knows which it is."""
    named = {role: linear(D, D) for role in ROLES[:3]}
    beside = module(**named, **{name: linear(D, D)}, out_proj=linear(D, D))
    assert check(beside, by_name(beside, {r: r for r in ROLES[:3]} | {"w_o": "out_proj"}))["attributes"]["w_o"] == (
        "out_proj.weight"
    )
    wide = module(**named, final=linear(D, D_FF := 4 * D), **{name: linear(D, D)}, last=linear(D_FF, D))
    assert (
        check(wide, by_name(wide, {r: r for r in ROLES[:3]} | {"w_o": name}))["attributes"]["w_o"] == f"{name}.weight"
    )
    with pytest.raises(InvalidResult) as caught:
        Projections.fill(module(**named, final=linear(D, D), **{name: linear(D, D)}), weights())
    assert caught.value.detail[0] == "w_o"
    assert {"final", name} <= set(caught.value.detail)
    with pytest.raises(InvalidResult):  # alone it says nothing
        Projections.fill(module(**{name: linear(D, D)}), weights())


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("holder", [module, plain])
def test_every_torch_style_is_filled(layer: str, dtype: str, holder: Callable[..., Any]) -> None:
    """Layers and matrices of every make, in a module or a plain class, in the precision of the case."""
    instance = holder(**{role: LAYERS[layer](D, D) for role in ROLES})
    if dtype == "float64":
        for value in vars(instance).values():
            if isinstance(value, nn.Module):
                value.to(torch.float64)
    if dtype == "float64" and isinstance(instance, nn.Module):
        instance.to(torch.float64)
    said = check(instance, by_name(instance, dict(zip(ROLES, ROLES, strict=True))), weights(dtype))
    assert said["module"] is (holder is module)
    assert said["shared"] == []
    assert said["biased"] is (
        layer not in ("Linear without bias", "Parameter", "tensor", "float64 Parameter", "transposed view")
    )


@pytest.mark.parametrize("layer", ARRAYS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_numpy_style_is_filled(layer: str, dtype: str) -> None:
    """A class without torch, given NumPy weights."""
    instance = plain(**{role: ARRAYS[layer](D, D) for role in ROLES})
    given = {role: weight.numpy() for role, weight in weights(dtype).items()}
    said = check(instance, by_name(instance, dict(zip(ROLES, ROLES, strict=True))), given)
    assert said["biased"] is (layer == "own layer")
    assert (said["module"], set(said["registered"].values()), set(said["trainable"].values())) == (
        False,
        {False},
        {False},
    )


def test_class_attributes_count() -> None:
    """Matrices that stand in the class body are found, and filled for this instance or for all."""

    class Attention:
        w_q, w_k, w_v, w_o = (np.zeros((D, D), "f4") for _ in range(4))

    instance = Attention()
    given = {role: weight.numpy() for role, weight in weights().items()}
    check(instance, by_name(instance, dict(zip(ROLES, ROLES, strict=True))), given)


# ----------------------------------------------------------------------------------- fused, per head

FUSED = ("qkv", "w_qkv", "in_proj", "c_attn", "qkv_proj", "to_qkv", "W_qkv", "in_proj_weight", "qkv_net", "c_qkv")


def thirds(instance: Any, name: str) -> Callable[[Any], Applied]:
    """A fused projection, cut in three in the order q, k, v."""

    def applied(x: Any) -> Applied:
        q, k, v = np.split(np.asarray(use(getattr(instance, name), x)), 3, axis=-1)
        return {"w_q": q, "w_k": k, "w_v": v, "w_o": use(instance.w_o, x)}

    return applied


@pytest.mark.parametrize("name", FUSED)
@pytest.mark.parametrize("layer", LAYERS)
def test_fused_projections_are_cut_in_three(name: str, layer: str) -> None:
    """One layer or matrix of width 3·d_model under each of its names."""
    instance = module(**{name: LAYERS[layer](D, 3 * D), "w_o": linear(D, D)})
    said = check(instance, thirds(instance, name))
    assert said["shared"] == []
    assert said["attributes"]["w_q"] == said["attributes"]["w_k"] == said["attributes"]["w_v"]


@pytest.mark.parametrize("layer", ARRAYS)
def test_fused_arrays_are_cut_in_three(layer: str) -> None:
    """The same without torch."""
    instance = plain(qkv=ARRAYS[layer](D, 3 * D), w_o=ARRAYS["array"](D, D))
    check(instance, thirds(instance, "qkv"), {role: weight.numpy() for role, weight in weights().items()})


@pytest.mark.parametrize("bias", [True, False])
def test_multihead_attention_of_torch(bias: bool) -> None:
    """``nn.MultiheadAttention`` itself, and inside a module: it then computes with the grader's weights."""
    for wrap in (False, True):
        library = nn.MultiheadAttention(D, HEADS, bias=bias, batch_first=True)
        for vector in (library.in_proj_bias, library.out_proj.bias):
            if vector is not None:
                nn.init.ones_(vector)
        said = Projections.fill(module(attention=library) if wrap else library, weights()).describe()
        assert said["registered"] == dict.fromkeys(ROLES, True)
        assert (said["biased"], said["shared"]) == (bias, [])
        x = torch.randn(2, 3, D, generator=torch.Generator().manual_seed(0))
        w = weights()
        q, k, v = ((x @ w[role]).unflatten(-1, (HEADS, -1)).transpose(1, 2) for role in ROLES[:3])
        heads = nn.functional.scaled_dot_product_attention(q, k, v)
        expected = heads.transpose(1, 2).flatten(-2) @ w["w_o"]
        assert torch.allclose(library(x, x, x)[0], expected, atol=1e-5)


def test_multihead_attention_of_torch_without_its_output() -> None:
    """Whose output projection is taken out has none, and it is this that is missing."""
    library = nn.MultiheadAttention(D, HEADS, batch_first=True)
    library.out_proj = nn.Identity()
    with pytest.raises(InvalidResult) as caught:
        Projections.fill(library, weights())
    assert (caught.value.reason, caught.value.detail[0]) == ("projections", "w_o")


LISTS = ("linears", "linear_layers", "projections", "projs", "qkv", "w_qkv", "to_qkv")


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("holder", [nn.ModuleList, list, tuple])
@pytest.mark.parametrize("count", [3, 4])
def test_a_list_is_in_the_order_q_k_v_o(name: str, holder: Callable[[list[Any]], Any], count: int) -> None:
    """Four equal projections, or three and an output with a name of its own."""
    layers = [linear(D, D) for _ in range(count)]
    own = {} if count == 4 else {"output_linear": linear(D, D)}
    instance = module(**{name: holder(layers)}, **own)
    said = check(instance, lambda x: {r: use(each, x) for r, each in zip(ROLES, (*layers, *own.values()), strict=True)})
    assert said["attributes"]["w_v"] == f"{name}[2].weight"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_list_of_matrices(dtype: str) -> None:
    """The same as raw parameters, and as arrays."""
    instance = module(linears=nn.ParameterList([torch.randn(D, D, dtype=torch.float64) for _ in ROLES]))
    check(instance, lambda x: {r: x @ w for r, w in zip(ROLES, instance.linears, strict=True)}, weights(dtype))
    arrays = plain(linears=[ARRAYS["array"](D, D) for _ in ROLES])
    given = {role: weight.numpy() for role, weight in weights(dtype).items()}
    check(arrays, lambda x: {r: x @ w for r, w in zip(ROLES, arrays.linears, strict=True)}, given)


@pytest.mark.parametrize(
    "held",
    [
        {"stack": nn.ModuleList([linear(D, D) for _ in ROLES])},
        {"linears": nn.ModuleList([linear(D, D) for _ in range(5)])},
        {"linears": nn.ModuleList([linear(D, D), linear(D, D), linear(D, D), linear(D, 2 * D)])},
        {"linears": nn.ModuleList([linear(D, D) for _ in ROLES]), "out_proj": linear(D, D)},
        {"linears": nn.ModuleList([linear(D, D // HEADS) for _ in range(3)]), "out_proj": linear(D, D)},
    ],
)
def test_a_list_of_which_the_order_is_not_known(held: dict[str, Any]) -> None:
    """It is not filled by guessing; what was found is named."""
    with pytest.raises(InvalidResult) as caught:
        Projections.fill(module(**held), weights())
    assert caught.value.detail[0].startswith("w_q,w_k,w_v")
    assert next(iter(held)) in caught.value.detail[2:]


def test_keys_and_values_fused() -> None:
    """One projection for k and v beside that for q."""
    instance = module(to_q=linear(D, D), to_kv=linear(D, 2 * D), to_out=nn.Sequential(linear(D, D), nn.Dropout(0.0)))

    def applied(x: Any) -> Applied:
        k, v = use(instance.to_kv, x).chunk(2, -1)
        return {"w_q": use(instance.to_q, x), "w_k": k, "w_v": v, "w_o": use(instance.to_out, x)}

    check(instance, applied)


def test_a_fused_parameter_as_the_library_keeps_it() -> None:
    """(3·d_model, d_model), which can only be meant for ``F.linear``."""
    instance = module(in_proj_weight=nn.Parameter(torch.randn(3 * D, D)), out_proj=linear(D, D))

    def applied(x: Any) -> Applied:
        q, k, v = nn.functional.linear(x, instance.in_proj_weight).chunk(3, -1)
        return {"w_q": q, "w_k": k, "w_v": v, "w_o": use(instance.out_proj, x)}

    check(instance, applied)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("holder", [module, plain])
def test_a_parameter_under_two_names(dtype: str, holder: Callable[..., Any]) -> None:
    """Whichever name is used sees the grader's weights, and the other one, too."""
    made = {role: nn.Parameter(torch.randn(D, D, dtype=torch.float64)) for role in ROLES}
    instance = holder(**made, every=list(made.values()), again=made["w_q"], layers={"o": made["w_o"]})
    said = check(
        instance,
        lambda x: (
            {"w_q": x @ instance.again, "w_o": x @ instance.layers["o"]}
            | {role: x @ instance.every[at] for at, role in ((1, "w_k"), (2, "w_v"))}
        ),
        weights(dtype),
    )
    assert said["shared"] == []
    assert instance.w_q is instance.again is instance.every[0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_array_under_two_names(dtype: str) -> None:
    """The same without torch, where another precision needs another array."""
    made = {role: ARRAYS["array"](D, D) for role in ROLES}
    instance = plain(**made, every=list(made.values()), again=made["w_q"], layers={"o": made["w_o"]})
    given = {role: weight.numpy() for role, weight in weights(dtype).items()}
    check(
        instance,
        lambda x: (
            {"w_q": x @ instance.again, "w_o": x @ instance.layers["o"]}
            | {role: x @ instance.every[at] for at, role in ((1, "w_k"), (2, "w_v"))}
        ),
        given,
    )


@pytest.mark.parametrize("name", ["weight_q", "q", "query"])
def test_the_weight_of_a_layer_under_another_name(name: str) -> None:
    """It is what the layer makes of it, (d_out, d_in), whichever name is met first."""
    instance = module(**{role: linear(D, D) for role in ROLES})
    setattr(instance, name, instance.w_q.weight)
    assert check(instance, by_name(instance, dict(zip(ROLES, ROLES, strict=True))))["shared"] == []


def pieces(parts: list[Any], x: Any) -> Any:
    """What several layers give, side by side."""
    return np.concatenate([np.asarray(use(part, x)) for part in parts], axis=-1)


@pytest.mark.parametrize("holder", [nn.ModuleList, list, tuple])
@pytest.mark.parametrize("layer", ["Linear", "own layer (out, in)", "own layer (in, out)", "Sequential"])
def test_one_layer_per_head(holder: Callable[[list[Any]], Any], layer: str) -> None:
    """A list of ``Linear(d_model, d_k)`` under a q, k or v name is side by side along d_out."""
    names = {"w_q": "queries", "w_k": "k_proj", "w_v": "to_v"}
    lists = {name: holder([LAYERS[layer](D, D // HEADS) for _ in range(HEADS)]) for name in names.values()}
    instance = module(**lists, w_o=linear(D, D))
    said = check(
        instance,
        lambda x: {r: pieces(getattr(instance, n), x) for r, n in names.items()} | {"w_o": use(instance.w_o, x)},
    )
    assert said["attributes"]["w_q"].startswith("queries[0].")
    assert said["registered"]["w_q"] is (holder is nn.ModuleList)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_matrix_per_head(dtype: str) -> None:
    """Matrices in a ``ParameterList`` and in a Python list, whatever their precision."""
    wide = torch.float64 if dtype == "float32" else torch.float32
    instance = module(
        w_q=nn.ParameterList([torch.randn(D, D // HEADS, dtype=wide) for _ in range(HEADS)]),
        w_k=[torch.randn(D, D // HEADS) for _ in range(HEADS)],
        w_v=nn.ParameterList([torch.randn(D, D // HEADS) for _ in range(HEADS)]),
        w_o=nn.Parameter(torch.randn(D, D, dtype=wide)),
    )
    said = check(
        instance,
        lambda x: {role: pieces(list(getattr(instance, role)), x) for role in ROLES[:3]} | {"w_o": x @ instance.w_o},
        weights(dtype),
    )
    assert said["registered"] == {"w_q": True, "w_k": False, "w_v": True, "w_o": True}


class Head(nn.Module):
    """One whole head, with a bias of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key = linear(D, D // HEADS), linear(D, D // HEADS)
        self.w_v, self.b_v = nn.Parameter(torch.randn(D, D // HEADS)), nn.Parameter(torch.ones(D // HEADS))


class PlainHead:
    """The same without a module."""

    def __init__(self) -> None:
        self.query, self.key = linear(D, D // HEADS), linear(D, D // HEADS)
        self.w_v, self.b_v = torch.randn(D, D // HEADS), torch.ones(D // HEADS)


@pytest.mark.parametrize("name", ["heads", "attention_heads", "layers", "whatever"])
@pytest.mark.parametrize("head", [Head, PlainHead])
def test_whole_heads_in_a_list(name: str, head: Callable[[], Any]) -> None:
    """Modules that each have q, k and v, in a list under any name; biases that stand beside are cleared."""
    heads = [head() for _ in range(HEADS)]
    instance = module(**{name: nn.ModuleList(heads) if head is Head else heads, "proj": linear(D, D)})

    def applied(x: Any) -> Applied:
        return {
            "w_q": pieces([each.query for each in heads], x),
            "w_k": pieces([each.key for each in heads], x),
            "w_v": np.concatenate([np.asarray(x @ each.w_v + each.b_v) for each in heads], axis=-1),
            "w_o": use(instance.proj, x),
        }

    said = check(instance, applied)
    assert said["attributes"]["w_v"] == f"{name}[0].w_v"


def test_heads_may_hold_more_or_less_than_needed() -> None:
    """A list in which not every entry is a head is not taken for heads."""
    with pytest.raises(InvalidResult):
        Projections.fill(module(layers=nn.ModuleList([Head(), nn.ReLU()]), proj=linear(D, D)), weights())


# -------------------------------------------------------------------------------------------- nesting


def inner() -> dict[str, Any]:
    """Three projections with biases, for a part of a module."""
    return {f"{role}_proj": linear(D, D) for role in "qkv"}


def test_a_part_that_has_q_k_and_v() -> None:
    """The projections may live in a sub-module, the output in the module itself."""
    part = module(**inner())
    instance = module(norm=nn.LayerNorm(D), attention=part, w_o=linear(D, D))
    said = check(
        instance,
        lambda x: {f"w_{r}": use(getattr(part, f"{r}_proj"), x) for r in "qkv"} | {"w_o": use(instance.w_o, x)},
    )
    assert said["attributes"]["w_q"] == "attention.q_proj.weight"


def test_a_part_that_has_all_four() -> None:
    """Everything in a sub-module of a sub-module."""
    part = module(**inner(), out_proj=linear(D, D))
    instance = module(block=module(attention=part, feed_forward=linear(D, 4 * D)))
    table = {f"w_{r}": f"{r}_proj" for r in "qkv"} | {"w_o": "out_proj"}
    said = check(instance, by_name(part, table))
    assert said["attributes"]["w_o"] == "block.attention.out_proj.weight"


def test_a_part_of_a_plain_class() -> None:
    """The parts of a plain class are looked at, too."""
    part = plain(**{f"w_{r}": ARRAYS["array"](D, D) for r in "qkv"})
    instance = plain(attention=part, w_o=ARRAYS["array"](D, D))
    given = {role: weight.numpy() for role, weight in weights().items()}
    check(instance, lambda x: {r: x @ getattr(part, r) for r in ROLES[:3]} | {"w_o": x @ instance.w_o}, given)


def test_other_attributes_do_no_harm() -> None:
    """Numbers, functions, masks and caches that share a name with a projection are passed over."""
    instance = module(
        **{role: linear(D, D) for role in ROLES}, scale=0.5, q=None, k=3, value=lambda x: x, key=torch.ones(3)
    )
    instance.register_buffer("query", None)
    instance.register_buffer("v", torch.ones(2, 2, 2))
    check(instance, by_name(instance, dict(zip(ROLES, ROLES, strict=True))))


def test_only_the_roles_that_are_given_are_filled() -> None:
    """Weights for fewer roles leave the others as they are."""
    instance = module(**{role: linear(D, D) for role in ROLES})
    before = instance.w_o.weight.detach().clone()
    given = {role: weight for role, weight in weights().items() if role != "w_o"}
    filled = Projections.fill(instance, given)
    assert set(filled.places) == set(given)
    assert torch.equal(instance.w_o.weight, before)


# --------------------------------------------------------------------------------------------- biases

BIASES = (
    "b_q",
    "bq",
    "q_bias",
    "bias_q",
    "query_bias",
    "b_query",
    "b_qkv",
    "qkv_bias",
    "in_proj_bias",
    "b_o",
    "out_bias",
)


@pytest.mark.parametrize("name", BIASES)
@pytest.mark.parametrize("nested", [False, True])
def test_biases_beside_the_weights_are_cleared(name: str, nested: bool) -> None:
    """A bias vector of the module or of its parts becomes zero, and it is said that there was one."""
    held = {role: nn.Parameter(torch.zeros(D, D)) for role in ROLES} | {
        name: nn.Parameter(torch.ones(D)),
        "gain": torch.ones(D),
    }
    part = module(**held)
    instance = module(b_v=nn.Parameter(torch.ones(D)), part=part) if nested else part
    assert Projections.fill(instance, weights()).biased
    assert not getattr(part, name).any()
    assert not nested or not instance.b_v.any()
    assert part.gain.all()


def test_every_bias_of_every_part_is_cleared() -> None:
    """One bias found does not end the search."""
    part = module(**{f"w_{r}": torch.zeros(D, D) for r in "qkv"}, **{f"b_{r}": torch.ones(D) for r in "qkv"})
    instance = module(part=part, w_o=torch.zeros(D, D), b_o=torch.ones(D))
    Projections.fill(instance, weights())
    assert not any(value.any() for value in (part.b_q, part.b_k, part.b_v, instance.b_o))


def test_numpy_biases_are_cleared() -> None:
    """The same for arrays in a plain class."""
    instance = plain(**{role: np.zeros((D, D), "f4") for role in ROLES}, b_q=np.ones(D), b_o=np.ones((1, D)))
    assert Projections.fill(instance, {role: weight.numpy() for role, weight in weights().items()}).biased
    assert not instance.b_q.any() and not instance.b_o.any()


# ------------------------------------------------------------------------------------- what is reported


def views(holder: Callable[..., Any], wide: Any, cut: list[Any]) -> Any:
    """Three views into one matrix, held by name."""
    return holder(wide=wide, w_q=cut[0], w_k=cut[1], w_v=cut[2], w_o=wide[:, :D] * 1)


def shared_cases() -> Iterator[tuple[str, Any, list[list[str]]]]:
    """Name, instance, and the pairs that share."""
    one, other = linear(D, D), linear(D, D)
    yield "layer", module(w_q=one, w_k=one, w_v=linear(D, D), w_o=other), [["w_k", "w_q"]]
    tied = nn.Parameter(torch.zeros(D, D))
    yield "parameter", module(w_q=tied, w_k=tied, w_v=tied, w_o=other), [["w_k", "w_q"], ["w_k", "w_v"], ["w_q", "w_v"]]
    third = linear(D, D)
    third.weight = other.weight
    yield "weight of another layer", module(w_q=third, w_k=one, w_v=linear(D, D), w_o=other), [["w_o", "w_q"]]
    matrix = torch.zeros(D, D)
    yield "transposed", module(w_q=matrix, w_k=matrix.T, w_v=linear(D, D), w_o=other), [["w_k", "w_q"]]
    array = np.zeros((D, D))
    yield "array", plain(w_q=array, w_k=array, w_v=array.copy(), w_o=array.copy()), [["w_k", "w_q"]]
    wide = torch.zeros(D, 3 * D)
    yield "views side by side", views(module, wide, list(wide.chunk(3, dim=1))), []
    array = np.zeros((D, 3 * D))
    yield "array views", views(plain, array, np.split(array, 3, axis=1)), []


@pytest.mark.parametrize(("instance", "pairs"), [pytest.param(*rest, id=name) for name, *rest in shared_cases()])
def test_shared_projections_are_reported(instance: Any, pairs: list[list[str]]) -> None:
    """Two roles in one place are told, whatever the precision; neighbours in one matrix are not."""
    given = weights()
    if not isinstance(instance, nn.Module):
        given = {role: weight.numpy() for role, weight in given.items()}
    assert Projections.fill(instance, given).describe()["shared"] == pairs


def test_what_is_not_registered_or_does_not_learn_is_reported() -> None:
    """A plain tensor, a layer in a Python list and a frozen layer are each told apart."""
    frozen = linear(D, D).requires_grad_(False)
    instance = module(w_q=torch.zeros(D, D), w_k=[linear(D, D)], w_v=frozen, w_o=linear(D, D))
    said = Projections.fill(instance, weights()).describe()
    assert said["registered"] == {"w_q": False, "w_k": False, "w_v": True, "w_o": True}
    assert said["trainable"] == {"w_q": False, "w_k": True, "w_v": False, "w_o": True}


def test_parameters_stay_parameters() -> None:
    """Filling in another precision replaces a Parameter by a Parameter of the same standing."""
    instance = module(**{role: nn.Parameter(torch.zeros(D, D)) for role in ROLES})
    instance.w_k.requires_grad_(False)
    said = Projections.fill(instance, weights("float64")).describe()
    assert {name for name, _ in instance.named_parameters()} == set(ROLES)
    assert said["registered"] == dict.fromkeys(ROLES, True)
    assert said["trainable"] == {"w_q": True, "w_k": False, "w_v": True, "w_o": True}


# -------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("instance", "missing", "has"),
    [
        (module(), "w_q,w_k,w_v,w_o", []),
        (plain(), "w_q,w_k,w_v,w_o", []),
        (type("Slots", (), {"__slots__": ("w_q",)})(), "w_q,w_k,w_v,w_o", []),
        (
            module(alpha=linear(D, D), beta=nn.Parameter(torch.zeros(D, D))),
            "w_q,w_k,w_v,w_o",
            ["alpha", "alpha.bias", "alpha.weight", "beta"],
        ),
        (module(w_q=linear(D, D), w_k=linear(D, D), w_o=linear(D, D)), "w_v", ["w_k", "w_k.bias"]),
        (module(w_q=linear(D, D), w_k=linear(D, D), w_v=linear(D, D)), "w_o", ["w_k", "w_k.bias"]),
        (module(qkv=linear(D, 3 * D)), "w_o", ["qkv", "qkv.bias", "qkv.weight"]),
        (module(qkv=linear(D, 3 * D + 1), w_o=linear(D, D)), "w_q,w_k,w_v", ["qkv", "qkv.bias", "qkv.weight"]),
        (module(qkv=nn.Sequential(linear(D, D), linear(D, D)), w_o=linear(D, D)), "w_q,w_k,w_v", ["qkv", "qkv.0"]),
        (
            plain(w_q=np.zeros(D), w_k=[], w_v=lambda x: x, w_o=np.zeros((D, D)), _x=1),
            "w_q,w_k,w_v",
            ["w_k", "w_o", "w_q", "w_v"],
        ),
    ],
)
def test_what_is_missing_is_named(instance: Any, missing: str, has: list[str]) -> None:
    """The refusal says which roles are missing, what was looked for, and what the class has."""
    with pytest.raises(InvalidResult) as caught:
        Projections.fill(instance, weights())
    assert caught.value.reason == "projections"
    roles, looked, *held = caught.value.detail
    assert roles == missing
    assert looked.split(",") == list(LOOKED_FOR)
    assert held[: len(has)] == has


@pytest.mark.parametrize(
    ("held", "role", "path", "seen"),
    [
        ({"w_q": linear(D, D - 1)}, "w_q", "w_q.weight", f"({D}, {D - 1})"),
        ({"w_k": nn.Parameter(torch.zeros(D + 2, D))}, "w_k", "w_k", f"({D + 2}, {D})"),
        (
            {"w_v": nn.ModuleList([linear(D, D) for _ in range(2)])},
            "w_v",
            "w_v[0].weight, w_v[1].weight",
            f"({D}, {D}), ({D}, {D})",
        ),
        ({"w_o": linear(2 * D, D)}, "w_o", "w_o.weight", f"({2 * D}, {D})"),
    ],
)
def test_other_sizes_are_named(held: dict[str, Any], role: str, path: str, seen: str) -> None:
    """A projection of another shape is told with its role, its place, both shapes."""
    instance = module(**({name: linear(D, D) for name in ROLES} | held))
    with pytest.raises(InvalidResult) as caught:
        Projections.fill(instance, weights())
    assert caught.value.reason == "projection-shape"
    assert caught.value.detail == [role, path, seen, f"({D}, {D})"]


def test_a_layer_that_is_no_matrix_is_passed_over() -> None:
    """Two matrices in one layer, or a class in place of an instance, is not a projection."""
    two = Conv(D, D)
    two.extra = nn.Parameter(torch.zeros(D, D))
    for odd in (two, Conv):
        with pytest.raises(InvalidResult) as caught:
            Projections.fill(module(**{role: linear(D, D) for role in ROLES} | {"w_q": odd}), weights())
        assert caught.value.detail[0] == "w_q"
