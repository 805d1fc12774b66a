"""The ends of pipes, used as sockets; other people's descriptors, received through them.

tries: sendmsg and recvmsg with SCM_RIGHTS, getsockopt, socket objects on 0, 3 and 4, splice and tee between them
observe: raises
"""

import array
import ctypes
import os
import socket

libc = ctypes.CDLL(None, use_errno=True)


def scaled_dot_product_attention(q, k, v, mask=None):
    refused = None
    for fd in (0, 1, 2, 3, 4):
        for act in (
            lambda fd=fd: socket.socket(fileno=os.dup(fd)),
            lambda fd=fd: socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=os.dup(fd)).recvmsg(64, 64),
            lambda fd=fd: socket.fromfd(fd, socket.AF_UNIX, socket.SOCK_SEQPACKET).sendmsg(
                [b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
            ),
            lambda fd=fd: os.splice(4, 3, 64) if hasattr(os, "splice") else 1 / 0,
            lambda fd=fd: os.sendfile(3, fd, 0, 64),
        ):
            try:
                act()
            except (OSError, ZeroDivisionError) as error:
                refused = error
            else:
                raise RuntimeError(f"GOT a message through descriptor {fd}")
    if libc.tee(4, 3, 64, 0) >= 0 or libc.vmsplice(3, 0, 0, 0) >= 0:
        raise RuntimeError("GOT bytes from pipe to pipe")
    raise refused
