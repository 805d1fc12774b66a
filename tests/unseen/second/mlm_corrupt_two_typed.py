from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

IGNORE: int = -100


def mlm_corrupt(
    tokens: NDArray[np.int64], mask_positions: NDArray[np.bool_], mask_id: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    inputs = np.where(mask_positions, tokens, mask_id)  #!
    labels = np.where(mask_positions, mask_id, IGNORE)  #!
    return inputs, labels
