"""A table of positions is found by its size, wherever it is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from grader.sandbox.inside.errors import InvalidResult
from grader.sandbox.inside.helpers import table

ROWS = np.arange(12, dtype=np.float32).reshape(4, 3)


def module(**held: Any) -> nn.Module:
    """A module with these attributes."""
    made = nn.Module()
    for name, value in held.items():
        if name.startswith("buffer"):
            made.register_buffer(name, value)
        else:
            setattr(made, name, value)
    return made


class Plain:
    """An object that is no module, with these attributes."""

    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)


#: What holds the table, where it is, whether parameters() lists it, whether it learns.
PLACES = [
    ("a Parameter", module(p=nn.Parameter(torch.zeros(4, 3))), "p", True, True),
    ("an Embedding", module(e=nn.Embedding(4, 3)), "e.weight", True, True),
    ("deep down", module(a=nn.Sequential(module(e=nn.Embedding(4, 3)))), "a.0.e.weight", True, True),
    ("axes in front", module(p=nn.Parameter(torch.zeros(1, 1, 4, 3))), "p", True, True),
    ("frozen", module(p=nn.Parameter(torch.zeros(4, 3), requires_grad=False)), "p", True, False),
    ("a buffer", module(buffer=torch.zeros(4, 3)), "buffer", False, False),
    ("a plain tensor", module(t=torch.zeros(4, 3, requires_grad=True)), "t", False, True),
    ("a tensor of a part", module(a=module(t=torch.zeros(4, 3))), "a.t", False, False),
    ("a plain class", Plain(t=torch.zeros(4, 3, requires_grad=True)), "t", False, True),
    ("a part of a plain class", Plain(e=nn.Embedding(4, 3)), "e.weight", False, True),
    ("the parameter first", module(t=torch.zeros(4, 3), p=nn.Parameter(torch.zeros(4, 3))), "p", True, True),
    ("among others", module(s=nn.Parameter(torch.ones(3)), e=nn.Embedding(4, 3)), "e.weight", True, True),
]


@pytest.mark.parametrize("place", PLACES, ids=[name for name, *_ in PLACES])
def test_a_table_is_found(place: tuple[str, Any, str, bool, bool]) -> None:
    """It gets the grader's numbers, and what is said about it is true."""
    _, instance, path, registered, learns = place
    filled = table(instance, {"table": torch.tensor(ROWS)})
    (leaf,) = filled.leaves()
    assert np.array_equal(leaf.detach().numpy().reshape(4, 3), ROWS)
    assert filled.describe() == {
        "attributes": {"table": path},
        "missing": [],
        "shared": [],
        "module": isinstance(instance, nn.Module),
        "registered": {"table": registered},
        "trainable": {"table": learns},
        "biased": False,
    }


def test_what_shares_the_memory_sees_the_numbers() -> None:
    """A view that was taken in the constructor stays a view."""
    made = module(p=nn.Parameter(torch.zeros(4, 3)))
    made.first = made.p.detach()[0]
    table(made, {"table": ROWS})
    assert made.first.tolist() == [0, 1, 2]


def test_another_precision_is_taken_over() -> None:
    """A plain tensor is not moved by module.to, so its precision follows the numbers."""
    made = Plain(t=torch.zeros(4, 3, requires_grad=True))
    (leaf,) = table(made, {"table": ROWS.astype(np.float64)}).leaves()
    assert leaf is made.__dict__["t"]
    assert (leaf.dtype, leaf.requires_grad) == (torch.float64, True)


def test_gradients_have_the_shape_of_the_table() -> None:
    """Without the axes in front; None where none arrived."""
    filled = table(module(p=nn.Parameter(torch.zeros(1, 4, 3))), {"table": ROWS})
    (leaf,) = filled.leaves()
    (gradient,) = filled.gradients({id(leaf): torch.ones(1, 4, 3)})
    assert gradient.shape == (4, 3)
    assert filled.gradients({}) == [None]


def test_no_numbers_ask_for_no_table() -> None:
    """Cases that only have to raise bring none along."""
    filled = table(object(), {})
    assert filled.leaves() == []


@pytest.mark.parametrize(
    ("instance", "held"),
    [
        (module(p=nn.Parameter(torch.zeros(3, 4)), buffer=torch.ones(2)), ("p (3, 4)", "buffer (2,)")),
        (module(p=nn.Parameter(torch.zeros(2, 4, 3))), ("p (2, 4, 3)",)),
        (Plain(rows=[torch.zeros(3)] * 4), ()),
        (object(), ()),
    ],
)
def test_a_table_that_is_not_there(instance: Any, held: tuple[str, ...]) -> None:
    """What is wanted and what is there are both said."""
    with pytest.raises(InvalidResult) as refused:
        table(instance, {"table": ROWS})
    assert (refused.value.reason, refused.value.detail) == ("table", ["(4, 3)", *held])
