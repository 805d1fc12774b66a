"""Results for other masks."""

from __future__ import annotations

import numpy as np

from tests.explaining import BITS, ROWS, others


def test_masks() -> None:
    """A mask is ignored, inverted, that of the first sample, reversed, hiding everything, or causal besides."""
    found = others("other_mask", q=np.zeros((2, 4)), k=np.zeros((3, 4)), mask=BITS)
    masks = {text: each["mask"].tolist() for text, each in found.items()}
    assert (
        masks["Your result is exactly what you would get if `mask` hid nothing."]
        == np.ones((2, 3), dtype=bool).tolist()
    )
    assert (~BITS).tolist() in masks.values()
    assert BITS[[0, 0]].tolist() in masks.values()
    assert (BITS & np.tri(2, 3, 1, dtype=bool)).tolist() in masks.values()
    assert len(masks) == 6


def test_a_mask_that_is_not_given() -> None:
    """May have been added by the code: a causal one."""
    (found,) = others("other_mask", x=ROWS, optional=["mask"]).values()
    assert found["mask"].tolist() == np.tri(3, dtype=bool).tolist()


def test_no_mask() -> None:
    """Without a mask there is nothing to change."""
    assert not others("other_mask", x=ROWS)
