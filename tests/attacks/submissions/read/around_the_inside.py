"""The rest of the sandbox, from the part of it that runs here.

tries: files beside and above inside.__file__, by path and through its loader
observe: raises
plain: succeeds
"""

import os
import sys


def scaled_dot_product_attention(q, k, v, mask=None):
    here = os.path.dirname(sys.modules["inside"].__file__)
    loader = sys.modules["inside.serve"].__spec__.loader
    errors = []
    for path in ("serve.py", "../launch.py", "../policy.py", "../../grade.py", "../../../questions/course.yaml"):
        try:
            raise RuntimeError(f"GOT {loader.get_data(os.path.join(here, path))[:200]}")
        except OSError as error:
            errors.append(error)
    raise errors[0]
