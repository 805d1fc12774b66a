"""topk over all continuations; ended hypotheses leave the beam."""

import torch


def beam_search(step, bos_id, eos_id, max_len, beam_width):
    ids, scores, ended = [[bos_id]], torch.zeros(1), []
    for _ in range(max_len):
        total = scores[:, None] + torch.stack([step(one).log_softmax(-1) for one in ids])
        best = total.flatten().topk(min(beam_width, total.numel()))
        new, kept = [], []
        for score, place in zip(best.values, best.indices):
            row, token = divmod(int(place), total.shape[1])
            longer = [*ids[row], token]
            if token == eos_id:
                ended.append((float(score), longer))
            else:
                new.append(longer)
                kept.append(score)
        if not new:
            break
        ids, scores = new, torch.stack(kept)
    else:
        ended += zip(scores.tolist(), ids)
    return max(ended)[1][1:]
