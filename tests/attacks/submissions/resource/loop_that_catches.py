"""A loop that catches whatever is thrown at it.

tries: except BaseException around an endless loop, every signal handled or ignored
observe: times-out
"""

import signal

for number in range(1, signal.NSIG):
    try:
        signal.signal(number, lambda *_: None)
    except (OSError, ValueError):
        pass


def scaled_dot_product_attention(q, k, v, mask=None):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
