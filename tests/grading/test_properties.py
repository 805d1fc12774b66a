"""What the checks that know no right result make of what came back."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from grader.core.model import Array, Returned
from grader.grading import properties
from grader.grading.checks import Failed
from tests.helpers import case


@pytest.mark.parametrize("public", [True, False])
def test_small_numbers_do_not_become_large(public: bool) -> None:
    """A byte on the wire would take eight as a float: a result far above what is asked for is refused before that."""
    large = Array(np.zeros(properties.MOST_NUMBERS + 1, np.int8), "torch", dtype="int8")
    tracemalloc.start()
    try:
        with pytest.raises(Failed) as failed:
            properties.results((Returned((large,)),), case("some", public=public), 1)
        assert tracemalloc.get_traced_memory()[1] < properties.MOST_NUMBERS
    finally:
        tracemalloc.stop()
    assert (failed.value.text in properties.SHARED) is not public


def test_as_many_numbers_as_there_may_be() -> None:
    """The bound itself is still read."""
    fits = Array(np.zeros(properties.MOST_NUMBERS, np.int8), "torch", dtype="int8")
    assert isinstance(properties.results((Returned((fits,)),), case("some"), 1), tuple)
