"""Runs a submission with probes: records the values of its expressions, and its results with other values in place.

Nothing is decided here. The grader sends values of the reference on public cases, the *landmarks*; this module returns
the values of the probes, and the results of running the code again with a landmark in place of a probe's value.
A submission can falsify all of it, but that only affects the explanation of its own mistakes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from . import frames, programs
from .instrument import Probes

#: How many values of each probe are kept, entries of each value, and entries in all.
_MOST_TIMES = 8
_MOST_ENTRIES = 4096
_MOST_KEPT = 1 << 18
#: After this many expressions, a run is aborted.
_MOST_STEPS = 200_000
#: The most bytes of one result.
_RESULT = 1 << 15

#: Landmarks by number, each with its values in order of time.
Landmarks = Sequence[Sequence[Any]]
#: For each substituted probe, the number of the landmark whose values replace its own.
Substitutions = dict[int, int]


class TooLong(Exception):
    """More expressions were computed than an explanation needs."""


class ProbeRecorder:
    """Records or replaces the values of probes. Values that it cannot handle are left out; they raise nothing."""

    def __init__(self, probes: Probes) -> None:
        self.probes = probes
        self.begin({}, (), keep=False)

    def begin(self, puts: Substitutions, landmarks: Landmarks, *, keep: bool) -> None:
        """Starts a run with the substitutions ``puts``, which is recorded if ``keep``."""
        self._puts, self._landmarks, self._keep = puts, landmarks, keep
        self._times: dict[int, int] = {}
        self._steps = 0
        self._room = _MOST_KEPT
        self.seen: dict[int, list[Any]] = {}
        self.order: list[int] = []

    def probe(self, number: int, value: Any) -> Any:
        """The value, or the landmark that replaces it."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise TooLong
        time_ = self._times.get(number, 0)
        self._times[number] = time_ + 1
        if number in self._puts:
            value = self._replaced(number, time_, value)
        if self._keep and time_ < _MOST_TIMES and (plain := as_plain(value)) is not None:
            self._room -= plain.size if isinstance(plain, np.ndarray) else 1
            if self._room > 0:
                if number not in self.seen:
                    self.order.append(number)
                self.seen.setdefault(number, []).append(plain)
        return value

    def _replaced(self, number: int, time_: int, value: Any) -> Any:
        values = self._landmarks[self._puts[number]]
        at = 0 if len(values) == 1 else time_
        if at >= len(values):
            return value
        return substitute(value, values[at], in_place=number in self.probes.inner)


def as_plain(value: Any) -> Any:
    """A copy of an array or number as NumPy or Python value; None for anything else, or what is too large."""
    try:
        if type(value) in (bool, int, float):
            return value if not isinstance(value, int) or abs(value) < 1 << 62 else None
        if isinstance(value, torch.Tensor):
            if value.numel() > _MOST_ENTRIES or value.layout is not torch.strided:
                return None
            value = value.detach()
            value = (value.float() if value.dtype in (torch.bfloat16, torch.float16) else value).numpy()
        if isinstance(value, (np.ndarray, np.generic)):
            array = np.array(value)
            fits = array.dtype.kind in "biuf" and array.size <= _MOST_ENTRIES and array.ndim <= frames.MAX_NDIM
            return array if fits else None
    except Exception:  # a tensor without storage, as inside vmap; a subclass that does anything
        return None
    return None


def substitute(value: Any, landmark: Any, *, in_place: bool) -> Any:
    """``landmark`` as the same kind of value as ``value``; ``value`` itself, changed, if ``in_place``."""
    if isinstance(value, torch.Tensor):
        tensor = torch.as_tensor(np.array(landmark))
        tensor = tensor.to(value.dtype) if value.dtype.is_floating_point or tensor.dtype != value.dtype else tensor
        if in_place and value.shape == tensor.shape:
            with torch.no_grad():
                value.copy_(tensor)
            return value
        return tensor.clone()
    if isinstance(value, np.ndarray):
        array = np.array(landmark).astype(value.dtype)
        if in_place and value.shape == array.shape:
            value[...] = array
            return value
        return array
    if isinstance(value, np.generic):
        return value.dtype.type(np.asarray(landmark).item())
    plain = np.asarray(landmark).item()
    return type(value)(plain) if type(value) in (bool, int, float) else plain


def search(run: Callable[[], list[Any]], recorder: ProbeRecorder, asked: Sequence[Any]) -> dict[str, Any]:
    """Runs once and records, then once for each substitution that fits; fixed substitutions are made in every run.

    A substitution (probe, landmark) fits if shapes and kinds are equal and some entry differs. ``asked`` are the
    landmarks, the fixed substitutions, and when to stop: the number of runs and seconds of CPU time.
    """
    sent, pairs, reruns, seconds = asked
    landmarks = [[value.array if isinstance(value, frames.Block) else value for value in each] for each in sent]
    fixed: Substitutions = {probe: landmark for probe, landmark in pairs}
    until = time.process_time() + seconds
    first = _result(run, recorder, fixed, landmarks, keep=True)
    order, seen = list(recorder.order), dict(recorder.seen)
    tried: list[list[Any]] = []
    for probe in order if reruns else ():
        for number, values in enumerate(landmarks):
            if len(tried) >= reruns or time.process_time() > until:
                break
            if probe not in fixed and _fits(seen[probe], values):
                tried.append([probe, number, _result(run, recorder, {**fixed, probe: number}, landmarks, keep=False)])
    again = _result(run, recorder, fixed, landmarks, keep=False) if tried else first
    spans = [recorder.probes.places[probe] for probe in order]
    places = [[span.label, span.line, span.end_line, span.column, span.end_column] for span in spans]
    kept = [[_wire(value) for value in seen[probe]] for probe in order]
    return {"result": first, "again": again, "probes": order, "places": places, "values": kept, "tried": tried}


def _wire(value: Any) -> Any:
    return frames.Block(np.ascontiguousarray(value).reshape(value.shape)) if isinstance(value, np.ndarray) else value


def _result(
    run: Callable[[], list[Any]], recorder: ProbeRecorder, puts: Substitutions, landmarks: Landmarks, *, keep: bool
) -> list[Any]:
    """A list of the result; empty if the run raised an exception or returned something not allowed."""
    recorder.begin(puts, landmarks, keep=keep)
    try:
        return [programs.pack(run()[0], _RESULT)]
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        return []


def _fits(mine: list[Any], landmark: Sequence[Any]) -> bool:
    """Whether the landmark may replace these values, and changes one of them."""
    if len(landmark) not in (1, len(mine)):
        return False
    pairs = [(value, landmark[0 if len(landmark) == 1 else at]) for at, value in enumerate(mine)]
    if any((_kind(a), _kind(b)) not in _FITTING or np.shape(a) != np.shape(b) for a, b in pairs):
        return False
    with np.errstate(all="ignore"):
        return any(not np.allclose(a, b, rtol=1e-4, atol=1e-6, equal_nan=True) for a, b in pairs)


#: Pairs of kinds (value, landmark) that can be substituted: integers may also replace floats.
_FITTING = {("b", "b"), ("i", "i"), ("f", "f"), ("f", "i")}


def _kind(value: Any) -> str:
    """The kind of entries: booleans, integers or floats. An array without axes counts as a number."""
    kind = np.asarray(value).dtype.kind
    return "i" if kind in "iu" else kind
