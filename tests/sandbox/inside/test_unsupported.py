"""What torch expects of a machine and a child does not have."""

from __future__ import annotations

import os
import tempfile

import pytest
import torch

from grader.sandbox.inside import unsupported


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a child; undone afterwards."""
    monkeypatch.setattr(torch, "compile", torch.compile)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "")
    unsupported.install()


def test_compiling_returns_the_function_itself() -> None:
    """As a call, as a decorator with and without options, and for a module."""

    def double(x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    layer = torch.nn.Linear(2, 3)
    assert torch.compile(double, fullgraph=True) is double
    assert torch.compile(dynamic=True, mode="max-autotune")(double) is double
    assert torch.compile(layer) is layer
    layer.compile(backend="eager")
    assert layer(torch.ones(2)).shape == (3,)


def test_the_temporary_folder_exists() -> None:
    """Asking for it looks for none, and torch takes it for its cache."""
    assert os.path.isdir(tempfile.gettempdir())
    assert os.environ["TORCHINDUCTOR_CACHE_DIR"] == tempfile.gettempdir()
