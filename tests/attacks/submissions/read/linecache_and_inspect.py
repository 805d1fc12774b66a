"""Source text by way of tools that show source text.

tries: linecache, inspect, traceback, tokenize, pydoc, urllib on the reference's file
observe: raises
plain: succeeds
"""

import inspect
import linecache
import sys
import tokenize
import types
import urllib.request

PATH = "@content@/reference/attention.py"


def scaled_dot_product_attention(q, k, v, mask=None):
    fake = types.ModuleType("reference.attention")
    fake.__file__ = PATH
    sys.modules["reference.attention"] = fake
    seen = linecache.getlines(PATH)
    for look in (lambda: inspect.getsource(fake), lambda: tokenize.open(PATH).read()):
        try:
            seen.append(look())
        except (OSError, TypeError):
            pass
    if seen:
        raise RuntimeError(f"GOT {seen}")
    with urllib.request.urlopen("file://" + PATH) as reply:
        raise RuntimeError(f"GOT {reply.read()}")
