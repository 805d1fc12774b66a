"""Gives learner code what torch expects and a child does not have: a compiler and a temporary folder."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import torch


def install() -> None:
    """From now on, ``torch.compile`` returns what it is given, and the root is the temporary folder.

    ``torch.func``, checkpointing and other parts of torch make sure, when they are first used, that there is a folder
    for their files. They then write none, so any folder that exists will do.
    """
    tempfile.tempdir = os.environ["TORCHINDUCTOR_CACHE_DIR"] = "/"
    torch.compile = _uncompiled


def _uncompiled(model: Any = None, **options: object) -> Any:
    """``model`` itself, or, as ``torch.compile``, a decorator if only options are given."""
    return (lambda decorated: decorated) if model is None else model
