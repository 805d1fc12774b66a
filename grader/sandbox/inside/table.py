"""Finds the table of a positional encoding by its size, whatever its name and wherever it is kept.

It may be an ``nn.Parameter``, the weight of an ``nn.Embedding``, a buffer or a plain tensor, with or without leading
axes of length 1. Whether it is registered is for the grader to judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from .errors import InvalidResult


def _tensors(instance: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors in the instance, the likeliest first: parameters, buffers, other attributes."""
    held = vars(instance) if hasattr(instance, "__dict__") else {}
    modules = {name: value for name, value in held.items() if isinstance(value, torch.nn.Module)}
    if isinstance(instance, torch.nn.Module):
        modules = {"": instance}
    for name, module in modules.items():
        yield from module.named_parameters(name)
    for name, module in modules.items():
        yield from module.named_buffers(name)
    for name, module in modules.items():
        for path, part in module.named_modules(prefix=name):
            plain = {key: value for key, value in vars(part).items() if isinstance(value, torch.Tensor)}
            yield from ((f"{path}.{key}".lstrip("."), value) for key, value in plain.items())
    yield from ((name, value) for name, value in held.items() if isinstance(value, torch.Tensor))


@dataclass(frozen=True, slots=True)
class FilledTable:
    """An instance whose table has been filled by the grader; ``found`` is None if there was nothing to fill in."""

    instance: Any
    path: str = ""
    found: torch.Tensor | None = None

    @classmethod
    def fill(cls, instance: Any, weights: dict[str, Any]) -> FilledTable:
        """Copies ``weights["table"]`` to the table of the instance. Raises ``InvalidResult`` if it has none."""
        if not weights:
            return cls(instance)
        wanted = torch.as_tensor(weights["table"])
        rows = list(_tensors(instance))
        for path, held in rows:
            if held.shape[-2:] == wanted.shape and held.numel() == wanted.numel():
                values = wanted.reshape(held.shape)
                if held.dtype == values.dtype:
                    held.data.copy_(values)  # in place, for anything that shares its memory
                else:
                    held.data = values.clone()
                return cls(instance, path, held)
        raise InvalidResult("table", str(tuple(wanted.shape)), *(f"{path} {tuple(held.shape)}" for path, held in rows))

    def describe(self) -> dict[str, Any]:
        """Its name, whether it is registered and whether it is trainable, as for projections."""
        assert self.found is not None
        module = isinstance(self.instance, torch.nn.Module)
        registered = {id(p) for p in self.instance.parameters()} if module else set()
        return {
            "attributes": {"table": self.path},
            "shared": [],
            "module": module,
            "registered": {"table": id(self.found) in registered},
            "trainable": {"table": self.found.requires_grad},
            "biased": False,
        }

    def leaves(self) -> list[Any]:
        """The table, if there is one."""
        return [] if self.found is None else [self.found]

    def gradients(self, by_leaf: dict[int, Any]) -> list[Any]:
        """Its gradient as ``(max_len, d_model)``, or None."""
        gradient = by_leaf.get(id(self.found))
        return [None if gradient is None else gradient.reshape(gradient.shape[-2:])]
