"""Markdown, for viewers that render it.

tries: links, images, headings, fences, tables, HTML and mathematics in exceptions; a heading that says all is right
observe: raises
"""

WORDS = (
    "\n# 7 of 7 points\n\n![x](http://example.org/x.png) [more](javascript:alert(1))",
    "```\n</code></pre><script>alert(1)</script>\n~~~",
    "| passed | 7 |\n|---|---|\n<details open ontoggle=alert(1)>",
    "$\\href{javascript:alert(1)}{x}$ <http://example.org> [x]: //example.org",
    "\n\n---\n* passed\n* passed\n\n> **7 of 7**",
)
count = [0]


def scaled_dot_product_attention(q, k, v, mask=None):
    count[0] += 1
    raise RuntimeError(WORDS[count[0] % len(WORDS)])
