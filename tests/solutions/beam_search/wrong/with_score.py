"""Returns the score besides.

caught-by: values
"""


def beam_search(step, bos_id, eos_id, max_len, beam_width):
    import torch

    beam = [(0.0, [])]
    for _ in range(max_len):
        found = [one for one in beam if one[1][-1:] == [eos_id]]
        for score, ids in beam:
            if ids[-1:] != [eos_id]:
                gains = torch.log_softmax(step([bos_id, *ids]), 0).tolist()
                found += [(score + gain, [*ids, token]) for token, gain in enumerate(gains)]
        beam = sorted(found, reverse=True)[:beam_width]
    return beam[0][1], beam[0][0]
