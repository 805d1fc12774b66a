"""Text that a terminal would obey.

tries: escape sequences, bidirectional overrides, carriage returns and markup in an exception
observe: raises
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    raise RuntimeError("\x1b[2J\x1b]0;owned\x07\x9b31m\r7 of 7 points\u202e\u2066[bold red]markup[/]\x00\x08\x7f\ud800")
