"""All the disk there is.

tries: files in every folder that is usually writable
observe: raises
plain: succeeds
"""

import os
import tempfile


def scaled_dot_product_attention(q, k, v, mask=None):
    for folder in ("@folder@", "/tmp", "/var/tmp", "/dev/shm", ".", os.path.expanduser("~")):
        try:
            with open(f"{folder}/full-@mark@", "wb") as file:
                raise RuntimeError(f"GOT {file.write(bytes(100))} bytes in {folder}")
        except OSError:
            pass
    with tempfile.TemporaryFile() as file:
        raise RuntimeError(f"GOT {file.write(bytes(100))} bytes")
