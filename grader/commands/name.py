"""``attncheck name``: whose answers these are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._console import tell
from grader.commands._options import (
    course_option,
    documented,
    lang_option,
    load_course,
    save_events,
    state_option,
)
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.core.text import COMMA, clean_name
from grader.learning import log as state

if TYPE_CHECKING:
    from grader.core.model import Lang

_IS = Message("Your name is {name}.")
_NONE = Message("You have no name yet; 'attncheck name NAME' sets it, or the quiz asks for it.")
_EMPTY = Message("NAME is empty; give a name with at least one letter or number.")
_NOW = Message("Your name is now {name}.")
_NUMBERS = Message(
    "Your progress stays. Items with personal numbers now have different numbers; earlier answers keep their points.\n"
    "For someone else to start from the beginning here, use 'attncheck quiz --learner NAME'."
)
_RETURNED = Message("From now on you continue with the progress of {name}; 'attncheck name {before}' goes back.")
_OTHERS = Message("Other people with progress here: {names}. 'attncheck name NAME' continues with theirs.")


@documented(
    {
        "name": "the name that is used now",
        "name 'Ada Lovelace'": "use another name from now on",
    },
    {0: "done"},
)
@click.command()
@click.argument("new", required=False, metavar="[NAME]")
@state_option
@lang_option
@course_option
def name(new: str | None, state_file: Path | None, lang: Lang, course_folder: Path | None) -> None:
    """Show or change your name.

    The numbers in quiz items and the order of options depend on it.
    """
    course = load_course(course_folder)
    everything = state.read_all(state.place(state_file), course.public_id)
    known, others = state.last_name(everything), [name for name in state.by_learner(everything) if name]
    if new is None:
        tell(_IS.fill(name=known) if known else _NONE, lang)
        if len(others) > 1:
            names = COMMA.of(lang).join(name for name in others if name != known)
            tell(_OTHERS.fill(names=names), lang)
        return
    wanted = clean_name(new)
    if not wanted:
        raise UsageError(_EMPTY)
    returns = wanted in others
    save_events(state_file, state.Named(state.now(), course.public_id, wanted, separate=returns))
    tell(_NOW.fill(name=wanted), lang)
    if known is not None and known != wanted:
        tell(_RETURNED.fill(name=wanted, before=known) if returns else _NUMBERS, lang)
