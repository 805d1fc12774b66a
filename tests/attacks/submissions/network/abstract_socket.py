"""A server of this machine that has no path.

tries: connect to an abstract UNIX socket, send a datagram to one
observe: raises
plain: succeeds
"""

import socket


def scaled_dot_product_attention(q, k, v, mask=None):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(chr(0) + "@abstract_socket@")
        client.send(b"@mark@")
        raise RuntimeError("GOT a connection")
