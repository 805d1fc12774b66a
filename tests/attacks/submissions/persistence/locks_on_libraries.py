"""Locks on files that everybody reads, which the next process would wait for.

tries: flock, lockf, leases and open-file-description locks on torch's and Python's own files
observe: raises
"""

import ctypes
import fcntl
import os
import struct

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    refused = None
    for path in (torch.__file__, os.__file__, "/dev/null", "/dev/urandom"):
        fd = os.open(path, os.O_RDONLY)
        lock = struct.pack("hhqqi", fcntl.F_RDLCK, 0, 0, 0, 0)
        for act in (
            lambda fd=fd: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB),
            lambda fd=fd: fcntl.lockf(fd, fcntl.LOCK_SH | fcntl.LOCK_NB),
            lambda fd=fd: fcntl.fcntl(fd, 1024, fcntl.F_RDLCK),  # F_SETLEASE
            lambda fd=fd, lock=lock: fcntl.fcntl(fd, 37, lock),  # F_OFD_SETLK
            lambda fd=fd: fcntl.fcntl(fd, 1026, 0x3F),  # F_NOTIFY
            lambda fd=fd: (
                os.posix_fadvise(fd, 0, 0, 4) or ctypes.CDLL(None).sync_file_range(fd, 0, 0, 7) + 1 or refuse()
            ),
        ):
            try:
                act()
            except OSError as error:
                refused = error
            else:
                raise RuntimeError(f"GOT a lock on {path}")
    raise refused


def refuse():
    raise PermissionError("sync_file_range")
