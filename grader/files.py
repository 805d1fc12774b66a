"""Writing files so that a crash leaves the old one or the new one, never half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write(path: Path, data: str | bytes) -> None:
    """Writes a file whole or not at all."""
    raw = data.encode() if isinstance(data, str) else data
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
