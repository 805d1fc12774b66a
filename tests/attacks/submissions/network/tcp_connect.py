"""A connection to a server that waits for it.

tries: TCP to a listening port of this machine, by socket and by urllib
observe: raises
plain: succeeds
"""

import socket
import urllib.request


def scaled_dot_product_attention(q, k, v, mask=None):
    try:
        urllib.request.urlopen("http://127.0.0.1:@tcp_port@/@mark@", timeout=0.1)
    except TimeoutError:
        raise RuntimeError("GOT a connection") from None
    except OSError:
        pass
    with socket.create_connection(("127.0.0.1", int("@tcp_port@")), timeout=1):
        raise RuntimeError("GOT a connection")
