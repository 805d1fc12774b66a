"""A datagram to whoever listens.

tries: UDP to a bound port of this machine, and to the world
observe: raises
plain: succeeds
"""

import socket


def scaled_dot_product_attention(q, k, v, mask=None):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        raise RuntimeError(f"GOT {sender.sendto(b'@mark@', ('127.0.0.1', int('@udp_port@')))} bytes out")
