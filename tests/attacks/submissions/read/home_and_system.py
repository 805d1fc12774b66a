"""What every account of a machine may read.

tries: /etc/passwd, /etc/hostname, home folders, ssh keys, /, /tmp
observe: raises
plain: succeeds
"""

import os
import pwd


def attempt():
    found = []
    for path in ("/", "/etc", "/home", "/root", "/tmp", "/dev", "/sys", "/proc", os.path.expanduser("~")):
        try:
            found.append(os.listdir(path))
        except OSError:
            pass
    for path in ("/etc/passwd", "/etc/hostname", "/root/.ssh/id_rsa", "/root/.bashrc", "/proc/version"):
        try:
            with open(path) as file:
                found.append(file.read())
        except OSError:
            pass
    return found or pwd.getpwall()


def scaled_dot_product_attention(q, k, v, mask=None):
    found = attempt()
    if not found:
        raise PermissionError("refused")
    raise RuntimeError(f"GOT {found}")
