"""Results for other arguments."""

from __future__ import annotations

import numpy as np
import pytest

from tests.explaining import ROWS, others


@pytest.mark.parametrize(
    ("sentence", "argument", "value"),
    [
        ("`q` and `k` were swapped", "q", np.hstack([ROWS, ROWS])[:, :3] + 1),
        ("with `q` in place of `k`", "k", ROWS),
        ("`n` were one larger", "n", 4),
        ("`n` were 0", "n", 0),
        ("the first slice of `q` in place of all the others", "q", ROWS[[0, 0, 0]]),
        ("`q` reversed along its first axis", "q", ROWS[::-1]),
        ("`q` with 0 everywhere", "q", ROWS * 0),
        ("`q` with the opposite sign", "q", -ROWS),
        ("`q` divided by √n,", "q", ROWS / 2),
        ("`q` divided by √k.shape[-1] instead of √q.shape[-1]", "q", ROWS * np.sqrt(4 / 3)),
    ],
)
def test_other_inputs(sentence: str, argument: str, value: object) -> None:
    """The sentence stands for the argument with that value."""
    found = others("other_argument", q=ROWS, k=np.hstack([ROWS, ROWS])[:, :3] + 1, n=3)
    (text,) = [text for text in found if sentence in text]
    assert np.allclose(found[text][argument], np.asarray(value), atol=1e-6)


def test_an_optional_argument() -> None:
    """May have been ignored, so that its default was used."""
    found = others("other_argument", x=ROWS, eps=0.5, optional=["eps"])
    assert list(found["Your result is exactly what you would get without `eps`: it seems to be ignored."]) == ["x"]
