"""The language of messages: what the command line asks for, else the environment.

This is not in the package itself, where the command ``next`` has the name of the function.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence

from grader.core.errors import UsageError
from grader.core.model import Lang, Message

#: The key in ``click.Context.meta`` for the language of a command.
LANG = "grader.lang"


def language(environ: Mapping[str, str]) -> Lang:
    """The language that the environment asks for: ATTNCHECK_LANG, else the locale, else English."""
    own = environ.get("ATTNCHECK_LANG")
    if own:
        if own[:2].lower() not in ("en", "zh"):
            raise UsageError(Message("`ATTNCHECK_LANG` is “{own}”; it can be `en` or `zh`.").fill(own=own))
        return "zh" if own[:2].lower() == "zh" else "en"
    locale = next((environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), "")
    return "zh" if locale[:2].lower() == "zh" else "en"


def language_of_call(args: Sequence[str]) -> Lang:
    """The language for a message about a command line that was not understood, or not parsed yet."""
    asked = [after for index, after in itertools.pairwise(args) if index == "--lang"]
    asked += [arg.removeprefix("--lang=") for arg in args if arg.startswith("--lang=")]
    if asked and asked[-1] in ("en", "zh"):
        return "zh" if asked[-1] == "zh" else "en"
    try:
        return language(os.environ)
    except UsageError:
        return "en"
