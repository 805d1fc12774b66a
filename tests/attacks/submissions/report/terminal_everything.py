"""Everything that a terminal may obey, and text that no terminal can lay out.

tries: OSC, DCS, links, C1 controls, tags, variation selectors, ten thousand marks on one letter, lines without an end
observe: raises
"""

WORDS = (
    "\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\",
    "\x1bP0;1|17/17\x1b\\\x1b]52;c;cm0gLXJm\x07\x1b[?1049h\x1b[6n\x1bc",
    "\x84\x85\x8d\x90\x9b31m\x9c\x9d\x9e\x9f",
    "a" + "\u0301" * 10000,
    "x" * 100000,
    "字" * 100000,
    "\t" * 5000 + "\r" * 50 + "\n" * 5000 + "7 of 7 points",
    "\U000e0001\U000e0041\ufe0f\ufe0e\u2060\u2061\u061c\u115f\u3164\ue000",
    "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    "[bold red on white]markup[/] [link=http://example.org]x[/link] :warning:",
)
count = [0]


def scaled_dot_product_attention(q, k, v, mask=None):
    count[0] += 1
    raise RuntimeError(WORDS[count[0] % len(WORDS)])
