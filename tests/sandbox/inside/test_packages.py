"""The finder allows exactly the packages in its table."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from grader.sandbox.inside import zygote


@pytest.fixture
def table(tmp_path: Path) -> dict[str, str]:
    """A package, a module, a folder of data, metadata, and a neighbour that is not in the table."""
    site = tmp_path / "site"
    for name in ("admitted/sub", "admitted_namespace", "admitted.libs", "admitted-1.0.dist-info", "neighbour"):
        (site / name).mkdir(parents=True)
    (site / "admitted/__init__.py").write_text("value = 1")
    (site / "admitted/sub/__init__.py").write_text("value = 2")
    (site / "admitted_namespace/inner.py").write_text("value = 3")
    (site / "admitted_single.py").write_text("value = 4")
    (site / "neighbour/__init__.py").write_text("")
    names = ["admitted", "admitted_namespace", "admitted_single.py", "admitted.libs", "admitted-1.0.dist-info"]
    return {name: str(site / name) for name in names}


@pytest.mark.parametrize(
    ("name", "value"), [("admitted", 1), ("admitted.sub", 2), ("admitted_namespace.inner", 3), ("admitted_single", 4)]
)
def test_what_is_in_the_table_can_be_imported(table: dict[str, str], name: str, value: int) -> None:
    """Packages, their sub-packages, folders without ``__init__.py``, and single files."""
    zygote.install(sys.path, table)
    try:
        assert importlib.import_module(name).value == value
    finally:
        for loaded in [loaded for loaded in sys.modules if loaded.startswith("admitted")]:
            del sys.modules[loaded]


@pytest.mark.parametrize("name", ["neighbour", "admitted.libs", "admitted_other", "libs"])
def test_what_is_not_in_the_table_does_not_exist(table: dict[str, str], name: str) -> None:
    """A neighbour in the same folder is not found, and neither is a folder of libraries."""
    assert zygote.PackageFinder(table).find_spec(name, None) is None


def test_the_path_is_the_standard_library_alone(table: dict[str, str]) -> None:
    """Nothing of the old ``sys.path`` is left; the finder comes after those of Python."""
    zygote.install(["/the/standard/library"], table)
    assert sys.path == ["/the/standard/library"]
    assert isinstance(sys.meta_path[-1], zygote.PackageFinder)
