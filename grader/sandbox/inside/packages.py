"""Imports an exact set of packages, whatever else is installed in the same folder.

``sys.path`` holds only the standard library. This finder knows the path of each allowed top-level name. Anything else
does not exist: it raises ``ImportError``, as libraries that look for optional packages expect.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import ModuleType


class PackageFinder(importlib.abc.MetaPathFinder):
    """A finder for a table of top-level names. Their submodules are found through their ``__path__``."""

    def __init__(self, paths: dict[str, str]) -> None:
        self._paths: dict[str, str] = {}
        for entry, path in paths.items():
            # "numpy.libs" and "torch-2.4.dist-info" are folders to read, not packages to import.
            name = entry if os.path.isdir(path) else entry.partition(".")[0]
            if name.isidentifier():
                self._paths[name] = path

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of an allowed top-level package or module; None for others."""
        place = self._paths.get(fullname)
        if place is None:
            return None
        if not os.path.isdir(place):
            return importlib.util.spec_from_file_location(fullname, place)
        init = os.path.join(place, "__init__.py")
        if os.path.exists(init):
            return importlib.util.spec_from_file_location(fullname, init, submodule_search_locations=[place])
        spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
        spec.submodule_search_locations = [place]
        return spec


def install(stdlib: list[str], paths: dict[str, str]) -> None:
    """From now on, only ``stdlib`` and the packages in ``paths`` can be imported."""
    sys.path[:] = stdlib
    sys.path_importer_cache.clear()
    sys.meta_path.append(PackageFinder(paths))
