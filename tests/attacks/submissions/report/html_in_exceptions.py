"""Elements of a page, in the text of an exception.

tries: script, handlers, SVG, comments, entities, closing tags and template braces, in the words of exceptions
observe: raises
"""

WORDS = (
    "<script>alert(1)</script>",
    "</td></table></details></main></body><img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)><style>*{display:none}</style>",
    "--><!--<base href=//example.org><meta http-equiv=refresh content=0>",
    "&lt;script&gt; &#60;iframe srcdoc=x&#62; &quot; onmouseover=alert(1) x=&quot;",
    "' onfocus=alert(1) autofocus x='\" onclick=alert(1) x=\"",
    "{{ 7 * 7 }}{% include 'report.html' %}{# #}${7*7}#{7*7}<%= 7 %>",
    "javascript:alert(1) data:text/html,<b>x</b> //example.org",
)
count = [0]


def scaled_dot_product_attention(q, k, v, mask=None):
    count[0] += 1
    raise RuntimeError(WORDS[count[0] % len(WORDS)] * (1 + count[0] % 3))
