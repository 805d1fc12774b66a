"""The tour's Transformer: decoding with a cache is decoding without one, and the demo does what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from reference.demo import BOS, EOS, LONGEST, PAD, examples, main
from reference.generation import beam_search, greedy_decode
from reference.transformer import CachedDecoder, Transformer


@pytest.fixture(scope="module")
def model() -> Transformer:
    """A small one with random weights, in double precision."""
    torch.manual_seed(0)
    return Transformer(9, d_model=8, num_heads=2, d_ff=12, num_layers=2, max_len=16).double().eval()


@torch.no_grad()
def test_a_cache_changes_nothing_but_the_work(model: Transformer) -> None:
    """One token at a time gives the logits that all tokens at once give."""
    memory = model.encode(torch.randint(9, (3, 5)))
    inputs = torch.randint(9, (3, 6))
    decoder = CachedDecoder(model, memory)
    steps = torch.stack([decoder.step(inputs[:, at]) for at in range(6)], dim=1)
    torch.testing.assert_close(steps, model.decode(inputs, memory))


@torch.no_grad()
def test_beginnings_share_a_cache_without_harm(model: Transformer) -> None:
    """A fork goes its own way; what it was forked from stays where it was."""
    decoder = CachedDecoder(model, model.encode(torch.tensor([[3, 4]])))
    decoder.step(torch.tensor([1]))
    other = decoder.fork()
    expected = decoder.fork().step(torch.tensor([5]))
    other.step(torch.tensor([7]))
    other.step(torch.tensor([8]))
    torch.testing.assert_close(decoder.step(torch.tensor([5])), expected)


@torch.no_grad()
def test_padding_of_the_source_is_not_seen(model: Transformer) -> None:
    """With its mask a padded source gives the logits of the source alone."""
    alone, padded = torch.tensor([[3, 4, 5]]), torch.tensor([[3, 4, 5, 0, 0]])
    mask = torch.tensor([True, True, True, False, False])[None, None, None]
    inputs = torch.tensor([[1, 2]])
    expected = model.decode(inputs, model.encode(alone))
    torch.testing.assert_close(model.decode(inputs, model.encode(padded, mask), mask), expected)


def test_examples_are_reversals() -> None:
    """Each target is its source backwards with the end after it; nothing else counts."""
    torch.manual_seed(1)
    for source, target, length in zip(*examples(20), strict=True):
        n = int(length)
        assert target[:n].tolist() == source[:n].flip(0).tolist()
        assert target[n] == EOS
        assert set(target[n + 1 :].tolist()) <= {-100}
        assert set(source[n:].tolist()) <= {PAD}
        assert len(source) == LONGEST


def test_a_beam_finds_what_greed_misses() -> None:
    """The best first token need not begin the best sequence: 0.6 · 0.5 is less than 0.4 · 0.9."""
    probabilities = {(BOS,): [0.0, 0.0, 0.0, 0.6, 0.4], (BOS, 3): [0.0, 0.0, 0.5, 0.5, 0.0]}

    def step(ids: object) -> torch.Tensor:
        return torch.tensor(probabilities.get(tuple(ids), [0.0, 0.0, 0.9, 0.1, 0.0])).log()  # type: ignore[call-overload]

    assert greedy_decode(step, BOS, EOS, 2) == [3, EOS]
    assert beam_search(step, BOS, EOS, 2, beam_width=1) == [3, EOS]
    assert beam_search(step, BOS, EOS, 2, beam_width=2) == [4, EOS]


def test_the_demo_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """It trains, then writes in four ways; with a cache the same comes out for less."""
    assert main(["--steps", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    found = [re.fullmatch(r"(\S.*?)  +(\S*) +([\d.]+) million operations", line) for line in lines[-4:]]
    (greedy, beam, greedy_cached, beam_cached) = [(match[2], float(match[3])) for match in found if match]
    assert greedy_cached[0] == greedy[0]
    assert beam_cached[0] == beam[0]
    assert greedy_cached[1] < greedy[1]
    assert beam_cached[1] < beam[1]
    assert "loss" in "".join(lines)


def test_the_tour_can_be_followed() -> None:
    """The examples of reference/README.md run one after the other; their assertions hold."""
    text = (Path(__file__).parents[1] / "reference" / "README.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 9
    exec("\n".join(blocks), {"__name__": "tour"})


def test_the_tour_names_every_file() -> None:
    """Nothing of the folder is left out, but what others only use."""
    folder = Path(__file__).parents[1] / "reference"
    text = (folder / "README.md").read_text("utf-8")
    missing = [f.name for f in folder.glob("*.py") if f.stem not in text and f.stem != "__init__"]
    assert not missing
