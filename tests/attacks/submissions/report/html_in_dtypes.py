"""Elements of a page, in the fields of an array's type.

tries: structured types whose fields and titles are called like elements; datetime, void and nested types
observe: no-credit
"""

import numpy as np

TYPES = (
    [("<script>alert(1)</script>", "f8")],
    [(("<img src=x onerror=alert(1)>", "x"), "f4"), ("\x1b[31m", "i4")],
    "datetime64[ns]",
    "V16",
    [("\u202e", [("</pre>", "f8")])],
    "U64",
    "S64",
)
count = [0]


def scaled_dot_product_attention(q, k, v, mask=None):
    count[0] += 1
    return np.zeros((2, 2), dtype=TYPES[count[0] % len(TYPES)])
