"""A name, which is a message to somebody's server.

tries: getaddrinfo and gethostbyname of a name that carries data
observe: raises
"""

import socket


def scaled_dot_product_attention(q, k, v, mask=None):
    raise RuntimeError(f"GOT {socket.getaddrinfo('localhost', 80)} {socket.gethostbyname('x.invalid')}")
