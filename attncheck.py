"""Checks course exercises from a notebook: ``from attncheck import check``, then ``check("softmax")``.

``%load_ext attncheck`` adds the cell magic ``%%check softmax``.
"""

from grader.notebook import CheckResult, NotebookError, check, load_ipython_extension, quiz, submit

__all__ = ["CheckResult", "NotebookError", "check", "load_ipython_extension", "quiz", "submit"]
