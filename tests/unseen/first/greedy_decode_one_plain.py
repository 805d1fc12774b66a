def greedy_decode(step, bos_id, eos_id, max_len):
    import numpy as np

    out = [bos_id]
    while len(out) < max_len:  #!
        nxt = int(np.asarray(step(np.array(out))).argmax())
        out.append(nxt)
        if nxt == eos_id:
            break
    return np.array(out[1:])
