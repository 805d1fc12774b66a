"""Processes by the way of the standard library.

tries: multiprocessing.Pool, subprocess.run, os.posix_spawn, os.system, os.popen
observe: raises
plain: succeeds
"""

import os
import subprocess


def scaled_dot_product_attention(q, k, v, mask=None):
    for start in (
        lambda: os.popen("echo GOT").read(),
        lambda: os.posix_spawn("/bin/true", ["true"], {}),
        lambda: subprocess.run(["/bin/echo", "GOT"], capture_output=True).stdout,
    ):
        try:
            raise RuntimeError(f"GOT {start()}")
        except OSError as error:
            refused = error
    import multiprocessing

    with multiprocessing.Pool(2) as pool:
        raise RuntimeError(f"GOT {pool.map(len, ['a'])}") from refused
