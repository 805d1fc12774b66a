"""Elements of a page, in names: of exceptions, types and attributes.

tries: classes called like elements, with handlers and invisible characters in their names, raised and returned in turn
observe: no-credit
"""

NAMES = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\u202e<b onclick=alert(1)>\u2066",
    "x" * 5000 + "</title></head>",
    "{{ self }}\u200b\u200d\ufeff",
    "\x1b[31m\x9b2J\x07",
)
count = [0]


def scaled_dot_product_attention(q, k, v, mask=None):
    count[0] += 1
    name = NAMES[count[0] % len(NAMES)]
    if count[0] % 2:
        raise type(name.replace("\x00", ""), (Exception,), {})(name)
    return type(name, (), {})()
