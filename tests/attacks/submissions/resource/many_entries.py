"""A result of very many very small things.

tries: lists of ten million entries, a deep list, a dict of a million keys
observe: no-credit
"""

calls = []


def scaled_dot_product_attention(q, k, v, mask=None):
    calls.append(1)
    deep = []
    for _ in range(5000):
        deep = [deep]
    return [[None] * 3_000_000, deep, {str(at): at for at in range(300_000)}][len(calls) % 3]
