"""Text that a template would obey.

tries: braces in exceptions, in type names, in results
observe: raises
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    raise type("{said}", (Exception,), {})("{0} {text} {said.__class__.__mro__} %s %(x)s {{}} {")
