"""Runs learner code in a confined process and returns what it did.

``open_sandbox`` gives a ``Sandbox``; its ``observe`` runs a ``Job`` and returns one observation per program.
"""

from __future__ import annotations

from grader.sandbox.sandbox import Sandbox, open_sandbox
from grader.sandbox.zygote import ZygoteSettings

__all__ = ["Sandbox", "ZygoteSettings", "open_sandbox"]
