"""The helpers that a bank may name under ``make``, ``through`` and ``else``.

They are functions of ``grader/sandbox/inside/helpers.py``, which is not imported here: it needs torch. A test compares
the names.
"""

from __future__ import annotations

HELPERS = (
    "adapted",
    "appends",
    "attend",
    "attention_output",
    "collect_gradients",
    "counted",
    "counter",
    "decoder_layer",
    "describe",
    "encoder_layer",
    "filled_cache",
    "forbid",
    "forward",
    "gradient_norms",
    "gradients",
    "kv_cache",
    "next_logits",
    "parameters",
    "projections",
    "ready",
    "require_grad",
    "row_by_row",
    "sublayer",
    "table",
    "taught",
    "token_by_token",
    "watch",
)
