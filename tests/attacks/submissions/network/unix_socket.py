"""A server of this machine that has a path.

tries: connect to a UNIX socket that everybody may use
observe: raises
plain: succeeds
"""

import socket


def scaled_dot_product_attention(q, k, v, mask=None):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("@unix_socket@")
        client.send(b"@mark@")
        raise RuntimeError("GOT a connection")
