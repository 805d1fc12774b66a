"""Tables of words and phrases, as YAML files beside the modules that use them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grader.core.marks import marked
from grader.core.model import Text


@functools.cache
def table(module: str, name: str) -> Any:
    """The file ``name`` in the folder of the module whose ``__file__`` is ``module``."""
    import yaml  # slow to import; most commands need no table

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(Path(module).with_name(name).read_text("utf-8"), Loader=loader)


def text_of(row: Mapping[str, str]) -> Text:
    """The text of a row with ``en`` and ``zh``, whose marks for code and formulas are read."""
    return Text(marked(row["en"]), marked(row["zh"]))


@functools.cache
def texts(module: str, name: str, part: str = "") -> Mapping[str, Text]:
    """The texts of a file like those of ``table``, or of its part, each of whose rows is one, by their names."""
    rows = table(module, name)
    return {key: text_of(row) for key, row in (rows[part] if part else rows).items()}


def patterns(module: str, name: str) -> Callable[[str], re.Pattern[str]]:
    """What returns the regular expression with a name in the file ``name`` beside ``module``; it is compiled once."""
    return functools.cache(lambda which: re.compile(table(module, name)[which]))
