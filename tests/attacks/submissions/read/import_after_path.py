"""The reference after sys.path has been widened.

tries: sys.path.insert of the checkout and the installed package, importlib.invalidate_caches, then import
observe: raises
"""

import importlib
import sys

sys.path[:0] = ["@root@", "@content@", "@content@/reference"]
importlib.invalidate_caches()
sys.path_importer_cache.clear()


def scaled_dot_product_attention(q, k, v, mask=None):
    try:
        import reference.attention as solution
    except ImportError:
        import attention as solution
    return solution.scaled_dot_product_attention(q, k, v, mask)
