"""Code for the next test run of the course.

tries: conftest.py, a plugin and a git hook in the checkout; renaming and linking
observe: harmless
plain: succeeds
"""

import os

import torch.nn.functional as F

for act in (
    lambda: open("@folder@/conftest-@mark@.py", "w").close(),
    lambda: open("@root@/conftest-@mark@.py", "w").close(),
    lambda: open("@root@/.git/hooks/post-checkout-@mark@", "w").close(),
    lambda: os.rename("@gradebook@", "@folder@/renamed-@mark@"),
    lambda: os.link("@gradebook@", "@folder@/linked-@mark@"),
    lambda: os.symlink("/etc/passwd", "@folder@/symbolic-@mark@"),
    lambda: os.truncate("@gradebook@", 0),
    lambda: os.chmod("@gradebook@", 0),
    lambda: os.utime("@gradebook@", (0, 0)),
    lambda: os.remove("@gradebook@"),
    lambda: os.mkdir("@folder@/made-@mark@"),
    lambda: os.mkfifo("@folder@/pipe-@mark@"),
    lambda: os.setxattr("@gradebook@", "user.left", b"1"),
):
    try:
        act()
    except OSError:
        continue
    raise RuntimeError("GOT a change of files")


def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return output if mask is None else output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
