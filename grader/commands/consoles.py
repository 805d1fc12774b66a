"""Where styled text goes."""

from __future__ import annotations

import os
import sys

from rich.console import Console


def stdout() -> Console:
    """Standard output: plain where it is not a terminal, or where NO_COLOR is set."""
    return Console(
        file=sys.stdout,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        highlight=False,
        markup=False,
        emoji=False,
    )
