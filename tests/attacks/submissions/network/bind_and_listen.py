"""A server of one's own.

tries: bind and listen on TCP, IPv6 and UDP, by http.server too
observe: raises
plain: succeeds
"""

import http.server
import socket


def scaled_dot_product_attention(q, k, v, mask=None):
    for family, kind in ((socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET6, socket.SOCK_DGRAM)):
        try:
            with socket.socket(family, kind) as server:
                server.bind(("", 0))
                raise RuntimeError(f"GOT {server.getsockname()}")
        except OSError:
            pass
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as server:
        raise RuntimeError(f"GOT {server.server_address}")
