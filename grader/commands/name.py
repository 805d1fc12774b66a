"""``attncheck name``: whose answers these are."""

from __future__ import annotations

import click

from grader.commands._console import tell
from grader.commands._options import Call, Documented, shared
from grader.core.model import Message
from grader.core.text import COMMA
from grader.learning import log

LISTED = "Learners", 150

_NONE = Message("You have no name yet; `attncheck name NAME` sets it, or the quiz asks for it.")
_OTHERS = Message("Other people with progress here: {names}. `attncheck name NAME` continues with theirs.")


@click.command(cls=Documented)
@click.argument("new", required=False, metavar="[NAME]")
@shared("state", "lang", "course")
def name(call: Call, new: str | None) -> None:
    """Show or change your name.

    The numbers in quiz items and the order of options depend on it.

    Examples:
      name                 the name that is used now
      name 'Ada Lovelace'  use another name from now on

    Exit codes:
      0  done
    """
    course = call.course()
    everything = log.read_all(log.place(call.state_file), course.public_id)
    current, others = log.last_name(everything), [name for name in log.by_learner(everything) if name]
    if new is None:
        tell(Message("Your name is {name}.").fill(name=current) if current else _NONE, call.lang)
        if len(others) > 1:
            names = COMMA.of(call.lang).join(name for name in others if name != current)
            tell(_OTHERS.fill(names=names), call.lang)
        return
    named, said = log.rename(everything, course.public_id, current, new)
    call.save(named)
    for text in said:
        tell(text, call.lang)
