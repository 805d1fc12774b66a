"""``attncheck name``: whose answers these are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands._console import tell
from grader.commands._options import (
    ChineseHelp,
    course_option,
    documented,
    lang_option,
    load_course,
    save_events,
    state_option,
)
from grader.core.errors import UsageError
from grader.core.model import Text
from grader.core.text import COMMA, clean_name
from grader.learning import log as state

if TYPE_CHECKING:
    from grader.core.model import Lang

_IS = Text("Your name is {name}.", "你的名字是 {name}。")
_NONE = Text(
    "You have no name yet; 'attncheck name NAME' sets it, or the quiz asks for it.",
    "你还没有名字：可以用 `attncheck name 名字` 设定，也可以等做小题时再填。",
)
_EMPTY = Text("NAME is empty; give a name with at least one letter or number.", "名字是空的；请至少写一个字母或数字。")
_NOW = Text("Your name is now {name}.", "你的名字现在是 {name}。")
_NUMBERS = Text(
    "Your progress stays. Items with personal numbers now have different numbers; earlier answers keep their points.\n"
    "For someone else to start from the beginning here, use 'attncheck quiz --learner NAME'.",
    "你的进度不变。数字因人而异的小题已换成新的数字；之前答过的，得分不变。\n"
    "如果是另一个人要从头开始，请用 `attncheck quiz --learner 名字`。",
)
_RETURNED = Text(
    "From now on you continue with the progress of {name}; 'attncheck name {before}' goes back.",
    "从现在起接着 {name} 的进度往下做；要换回去，请用 `attncheck name {before}`。",
)
_OTHERS = Text(
    "Other people with progress here: {names}. 'attncheck name NAME' continues with theirs.",
    "这里还有其他人的进度：{names}。用 `attncheck name 名字` 可以接着做。",
)


@documented(
    {
        "name": "the name that is used now",
        "name 'Ada Lovelace'": "use another name from now on",
    },
    {0: "done"},
    ChineseHelp(
        "显示或更改你的名字。\n\n小题里的数字和选项的顺序由名字决定。",
        {},
        (
            "现在用的名字",
            "从现在起改用另一个名字",
        ),
    ),
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
