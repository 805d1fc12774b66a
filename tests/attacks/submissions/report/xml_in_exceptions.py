"""Characters and marks that no XML can hold, for readers of JUnit files.

tries: ends of CDATA, entities, processing instructions, forbidden characters, lone surrogates, an element of success
observe: raises
"""

WORDS = (
    "]]></failure></testcase><testcase name='x'/><![CDATA[",
    "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>&a;",
    "<?xml-stylesheet href='//example.org'?>&#0;&#x1b;&amp;&unknown;",
    "\x00\x01\x0b\x0c\x1f\x7f\x85\ufffe\uffff\U0001ffff",
    "\ud800\udfff alone",
    '" type="passed" name="',
)
count = [0]


def scaled_dot_product_attention(q, k, v, mask=None):
    count[0] += 1
    raise RuntimeError(WORDS[count[0] % len(WORDS)])
