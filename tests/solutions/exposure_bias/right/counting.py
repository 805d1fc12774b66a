"""Counts while it writes."""


def exposure_bias(step, tokens, bos_id):
    written, wrong = (bos_id,), 0
    for token in tokens:
        logits = step(written)
        guess = max(range(len(logits)), key=lambda i: float(logits[i]))
        wrong += guess != int(token)
        written = (*written, guess)
    return wrong / len(tokens)
