"""Sockets that nobody thinks of.

tries: netlink, packet, raw, vsock, kernel crypto, bluetooth, socketpair
observe: raises
"""

import socket


def scaled_dot_product_attention(q, k, v, mask=None):
    for family, kind, protocol in ((16, 3, 0), (17, 3, 768), (2, 3, 1), (40, 1, 0), (38, 5, 0), (31, 3, 1), (15, 3, 2)):
        try:
            socket.socket(family, kind, protocol)
        except OSError:
            continue
        raise RuntimeError(f"GOT a socket of family {family}")
    raise RuntimeError(f"GOT {socket.socketpair()}")
