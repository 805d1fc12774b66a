import torch
import torch.nn.functional as F


def beam_search(step, bos_id, eos_id, max_len, beam_width):
    sequences = [([bos_id], 0.0, False)]
    for _ in range(max_len):
        all_candidates = []
        for seq, score, done in sequences:
            if done:
                all_candidates.append((seq, score, True))
                continue
            logp = F.softmax(step(torch.tensor(seq)).double(), dim=-1)  #!
            for j, value in enumerate(logp.tolist()):
                all_candidates.append((seq + [j], score + value, j == eos_id))
        ordered = sorted(all_candidates, key=lambda tup: tup[1], reverse=True)
        sequences = ordered[:beam_width]
        if all(done for _, _, done in sequences):
            break
    best = max(sequences, key=lambda tup: tup[1])
    return best[0][1:]
