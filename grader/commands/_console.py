"""Where styled text goes."""

from __future__ import annotations

import os
import shutil
import sys

from rich.console import Console


def stdout() -> Console:
    """Standard output: plain where it is not a terminal, or where NO_COLOR is set."""
    dumb = sys.stdout.isatty() and os.environ.get("TERM") in ("dumb", "unknown")  # rich takes these to have 80 columns
    width, height = shutil.get_terminal_size() if dumb else (None, None)
    return Console(
        file=sys.stdout,
        width=width,
        height=height,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        highlight=False,
        markup=False,
        emoji=False,
    )
