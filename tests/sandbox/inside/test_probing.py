"""Values are recorded and replaced as they are; whatever cannot be handled is left alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from grader.sandbox.inside import frames
from grader.sandbox.inside.instrument import Probes, ProbeSpan
from grader.sandbox.inside.probing import ProbeRecorder, as_plain, search, substitute


def probing(count: int) -> ProbeRecorder:
    """A recorder of so many probes."""
    return ProbeRecorder(Probes([ProbeSpan("a.py", at + 1, at + 1, 0, 1) for at in range(count)]))


@pytest.mark.parametrize(
    "value",
    [True, 3, 2.5, np.float32(1.5), np.arange(6).reshape(2, 3), torch.ones(2, 3), torch.tensor([True]), torch.ones(())],
)
def test_a_landmark_becomes_the_kind_of_value_it_replaces(value: Any) -> None:
    """Container, shape and dtype stay as they were."""
    landmark = np.ones_like(np.asarray(value), dtype=np.float64) if np.ndim(value) else 1.0
    found = substitute(value, landmark, in_place=False)
    assert type(found) is type(value)
    assert getattr(found, "dtype", None) == getattr(value, "dtype", None)
    assert np.shape(found) == np.shape(value)


def test_a_value_changed_in_place_stays_the_same_object() -> None:
    """So that other names for it, and views, see the change."""
    for value in (np.zeros(3), torch.zeros(3)):
        assert substitute(value, np.ones(3), in_place=True) is value
        assert float(value[0]) == 1


@pytest.mark.parametrize(
    "value", [None, "text", [1], np.array(["a"]), np.zeros(9999), torch.zeros(2).to_sparse(), 1 << 90, object()]
)
def test_other_values_are_left_alone(value: Any) -> None:
    """They are not recorded, and the probe returns the same object."""
    assert as_plain(value) is None
    recorder = probing(1)
    recorder.begin({}, (), keep=True)
    assert recorder.probe(0, value) is value
    assert not recorder.seen


def test_a_recorded_value_is_a_copy() -> None:
    """Later changes in place do not change what was recorded."""
    recorder, value = probing(1), torch.zeros(2)
    recorder.begin({}, (), keep=True)
    recorder.probe(0, value).add_(1)
    assert recorder.seen[0][0].tolist() == [0, 0]


def test_every_substitution_that_fits_is_tried_once() -> None:
    """Same shape and kind, another value; results come back as they are, and nothing else is tried."""
    recorder = probing(2)

    def run() -> list[Any]:
        return [recorder.probe(1, recorder.probe(0, np.array([1.0, 2.0])) * 2)]

    marks = [
        [frames.Block(np.array([3.0, 4.0]))],
        [frames.Block(np.array([1.0, 2.0]))],
        [7],
        [frames.Block(np.ones(3))],
    ]
    found = search(run, recorder, [marks, [], 100, 10.0])
    assert [(probe, mark, result[0].array.tolist()) for probe, mark, result in found["tried"]] == [
        (0, 0, [6, 8]),
        (1, 0, [3, 4]),
        (1, 1, [1, 2]),
    ]
    assert [tried[:2] for tried in search(run, recorder, [marks, [], 1, 10.0])["tried"]] == [[0, 0]]
    assert search(run, recorder, [marks, [[0, 0]], 0, 10.0])["result"][0].array.tolist() == [6, 8]


def test_an_endless_run_ends() -> None:
    """After so many expressions a run is given up, and its result is none."""
    recorder = probing(1)

    def run() -> list[Any]:
        while True:
            recorder.probe(0, 1)

    assert search(run, recorder, [[], [], 0, 1.0])["result"] == []
