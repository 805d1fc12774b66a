"""Never writes more than 100 ids.

caught-by: values
"""

def greedy_decode(step, bos_id, eos_id, max_len):
    ids = [bos_id]
    for _ in range(min(max_len, 100)):
        ids.append(int(step(ids).argmax()))
        if ids[-1] == eos_id:
            break
    return ids[1:]
