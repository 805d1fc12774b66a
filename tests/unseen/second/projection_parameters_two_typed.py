from __future__ import annotations

from typing import Literal

Mode = Literal["add", "concat"]


def projection_parameters(d_model: int, d_pos: int, mode: Mode) -> int:
    if mode == "add":
        return (d_model + d_pos) * d_model  #!
    if mode == "concat":
        return (d_model + d_pos) * (d_model + d_pos)  #!
    raise ValueError(f"unknown mode {mode!r}")
