"""Initializes modules that take their sizes from their first input (``nn.LazyLinear``) before weights are set."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch


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
