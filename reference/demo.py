"""``python -m reference.demo``: a small Transformer learns to reverse a sequence, and then writes.

The tour in README.md leads through the pieces; here they work together.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import sys
import time
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from reference.generation import NextLogits, beam_search, greedy_decode
from reference.masks import padding_mask
from reference.training import teacher_forcing_loss
from reference.transformer import CachedDecoder, Transformer

PAD, BOS, EOS, LETTERS = 0, 1, 2, "abcdefghijklmnop"
VOCABULARY = 3 + len(LETTERS)
SHORTEST, LONGEST = 4, 12


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains, then writes one word backwards in several ways."""
    parser = argparse.ArgumentParser(prog="python -m reference.demo", description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600, help="training steps (default: 600)")
    parser.add_argument("--seed", type=int, default=0, help="seed of weights and data (default: 0)")
    chosen = parser.parse_args(arguments)
    torch.manual_seed(chosen.seed)
    model = Transformer(VOCABULARY, d_model=64, num_heads=4, d_ff=256, num_layers=2, max_len=64)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {chosen.steps} steps")
    train(model, chosen.steps)
    write(model, torch.randint(3, VOCABULARY, (LONGEST,)))
    return 0


# ------------------------------------------------------------------------------------------------ training


def examples(batch: int) -> tuple[Tensor, Tensor, Tensor]:
    """Random words with their reversals: sources (batch, m), targets (batch, m + 1), lengths (batch,)."""
    lengths = torch.randint(SHORTEST, LONGEST + 1, (batch,))
    place = torch.arange(LONGEST)  # (m,)
    real = place < lengths[:, None]  # (batch, m)
    sources = torch.randint(3, VOCABULARY, (batch, LONGEST)).masked_fill(~real, PAD)
    mirrored = (lengths[:, None] - 1 - place).clamp(min=0)  # (batch, m): the place that comes to this one
    targets = torch.full((batch, LONGEST + 1), -100)  # what the loss skips
    targets[:, :-1][real] = sources.gather(1, mirrored)[real]
    targets[torch.arange(batch), lengths] = EOS
    return sources, targets, lengths


def loss_of(model: Transformer, batch: int) -> Tensor:
    """The loss on fresh examples, every position predicted in one pass."""
    sources, targets, lengths = examples(batch)
    mask = padding_mask(lengths, LONGEST)  # (batch, 1, 1, m)
    memory = model.encode(sources, mask)  # (batch, m, d_model)

    def step(inputs: Tensor) -> Tensor:
        """Logits for every position; what the loss skips is padding to the decoder."""
        return model.decode(inputs.masked_fill(inputs == -100, PAD), memory, mask)  # (batch, m + 1, vocabulary)

    return teacher_forcing_loss(step, targets, BOS)


def train(model: Transformer, steps: int) -> None:
    """Adam with a warm-up, then a decay to zero."""
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    warmup = max(1, steps // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda at: min((at + 1) / warmup, max(0.0, (steps - at) / (steps - warmup + 1)))
    )
    started = time.perf_counter()
    smooth = None
    for at in range(1, steps + 1):
        loss = loss_of(model, batch=64)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        smooth = loss.item() if smooth is None else 0.95 * smooth + 0.05 * loss.item()
        show(at, steps, smooth, time.perf_counter() - started)


def show(at: int, steps: int, loss: float, seconds: float) -> None:
    """A bar that moves in a terminal; ten lines where there is none."""
    terminal = sys.stdout.isatty()
    if terminal or at % max(1, steps // 10) == 0:
        filled = 30 * at // steps
        line = f"[{'█' * filled}{'·' * (30 - filled)}] {at:5}/{steps}  loss {loss:.4f}  {seconds:4.0f} s"
        print(f"\r{line}" if terminal else line, end="" if terminal and at < steps else "\n", flush=True)


# ----------------------------------------------------------------------------------------------- generating


def word(ids: Sequence[int]) -> str:
    """Ids as letters; the end as a full stop."""
    return "".join("." if token == EOS else LETTERS[token - 3] if token >= 3 else "?" for token in ids)


@torch.no_grad()
def write(model: Transformer, source: Tensor) -> None:
    """Reverses source (m,) greedily and by beam, without a cache and with one, and counts the work."""
    memory = model.encode(source[None])  # (1, m, d_model)

    def whole(ids: Sequence[int]) -> Tensor:
        """All that was written goes through the decoder again; the last row is what is new."""
        return model.decode(torch.tensor([list(ids)]), memory)[0, -1]  # (vocabulary,)

    def cached() -> NextLogits:
        """Only the newest token goes through the decoder; every beginning keeps its keys and values."""
        known: dict[tuple[int, ...], CachedDecoder] = {(): CachedDecoder(model, memory)}

        def step(ids: Sequence[int]) -> Tensor:
            decoder = known[tuple(ids)] = known[tuple(ids[:-1])].fork()
            return decoder.step(torch.tensor([ids[-1]]))[0]  # (vocabulary,)

        return step

    print(f"\n{'source':28} {word(source.tolist())}")
    steps: dict[str, Callable[[], NextLogits]] = {"without a cache": lambda: whole, "with a cache": cached}
    searches: dict[str, Callable[..., list[int]]] = {
        "greedily": greedy_decode,
        "beam of 4": functools.partial(beam_search, beam_width=4),
    }
    for (kind, fresh), (way, search) in itertools.product(steps.items(), searches.items()):
        with FlopCounterMode(display=False) as counter:
            ids = search(fresh(), BOS, EOS, LONGEST + 1)
        work = counter.get_total_flops() / 1e6
        print(f"{f'{way}, {kind}':28} {word(ids):{LONGEST + 2}} {work:7.2f} million operations")


if __name__ == "__main__":
    sys.exit(main())
