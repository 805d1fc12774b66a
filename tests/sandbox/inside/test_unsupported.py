"""What torch expects of a machine and a child does not have."""

from __future__ import annotations

import os
import tempfile

import pytest
import torch

from grader.sandbox.inside import unsupported


def test_compiling_returns_the_function_and_the_temporary_folder_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a call and as a decorator; torch takes the folder for its cache."""
    monkeypatch.setattr(torch, "compile", torch.compile)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "")
    unsupported.install()
    layer = torch.nn.Linear(2, 3)
    assert torch.compile(layer, fullgraph=True) is layer
    assert torch.compile(dynamic=True)(len) is len
    assert os.path.isdir(tempfile.gettempdir()) and os.environ["TORCHINDUCTOR_CACHE_DIR"] == tempfile.gettempdir()
