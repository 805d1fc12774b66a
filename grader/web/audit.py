"""Who did what when in a class: one line of JSON for each act, appended and never changed.

What somebody answered and wrote is in their own log and submissions; the audit log says that something was done.
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit log in the file ``path``, which only its owner can read."""

    path: Path
    _alone: threading.Lock = field(default_factory=threading.Lock)

    def note(self, act: str, person: str, role: str, **facts: object) -> None:
        """Add a line. One write, so that a line is there completely or not at all."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"at": now, "who": person, "role": role, "act": act, **facts}, ensure_ascii=False)
        data = line.encode(errors="backslashreplace") + b"\n"
        with self._alone:
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(file, data)
            finally:
                os.close(file)
