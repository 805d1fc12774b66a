"""A process that does not want to end.

tries: every signal blocked, ignored and handled; then a computation without end
observe: times-out
"""

import signal

for number in range(1, signal.NSIG):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))


def scaled_dot_product_attention(q, k, v, mask=None):
    while True:
        pass
