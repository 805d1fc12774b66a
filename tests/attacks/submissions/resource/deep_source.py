"""Source text that is hard on parsers.

tries: brackets, unary operators and attributes, thousands deep, compiled in the call
observe: no-credit
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    longest = 200_000
    for text in (
        "(" * longest,
        "-" * longest + "1",
        "a" + ".a" * longest,
        "1" + "+1" * longest,
        "import a" + ".a" * longest,
    ):
        try:
            compile(text, "deep", "exec")
        except (SyntaxError, MemoryError, RecursionError):
            pass
