"""The verb that asks the quiz items."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

import click

from grader.commands._options import (
    course_option,
    documented,
    json_option,
    keep,
    lang_option,
    load_course,
    state_option,
    write_json,
)
from grader.core.errors import UsageError
from grader.core.model import Text

if TYPE_CHECKING:
    from grader.core.model import Course, Item, Lang, Observed
    from grader.learning.log import Event
    from grader.learning.session import Action, QuizCard, Session

NO_ANSWERS = Text(
    "there are no answers here; 'attncheck start {question}' writes an answers.yaml to fill in.",
    "这里没有答案；`attncheck start {question}` 会生成一个 answers.yaml，填好即可。",
)

ALL_RIGHT, NOT_ALL_RIGHT, INTERRUPTED = 0, 1, 130


@documented(
    {
        "quiz Q5": "the items of Q5",
        "quiz --answers answers.yaml": "grade the answers in a file",
    },
    {
        0: "done; with --answers: everything is correct",
        1: "with --answers: not everything is correct",
        3: "the file with answers cannot be read",
    },
)
@click.command()
@click.argument("name", required=False, metavar="[Q5|GROUP]")
@click.option("--answers", type=click.Path(path_type=Path), metavar="F", help="Grade the answers in this file instead.")
@click.option("--again", is_flag=True, help="Ask answered items again.")
@click.option("--to", "target", type=click.Path(path_type=Path), metavar="F", help="Write your last answers to F.")
@click.option("--learner", metavar="NAME", help="Whose numbers and order of options (default: as last time).")
@state_option
@json_option
@lang_option
@course_option
@click.pass_context
def quiz(
    context: click.Context,
    name: str | None,
    answers: Path | None,
    again: bool,
    target: Path | None,
    learner: str | None,
    state_file: Path | None,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Asks the quiz items, one at a time.

    All of them, those of a question or a group, or a single one such as Q5.width. A wrong answer gets a
    question to think about and another try. Everything is kept at once, so that you can stop anywhere and go
    on later. Without a terminal, answers are read line by line.

    Points are for practice. --answers F grades a file instead.
    """
    if as_json and answers is None:
        raise UsageError("--json goes with --answers F; a conversation is no JSON.")
    from grader.learning import session as conversation

    course = load_course(course_folder)
    chosen = conversation.choose(course, name)
    if answers is not None:
        context.exit(_grade(course, chosen, answers, learner, lang, as_json))
    if target is not None and target.exists():
        raise UsageError(f"{target} exists already; move it away, or name another file.")
    from grader.learning import log as state

    place = state.place(state_file)
    log = state.read(place, course.public_id)
    if context.get_parameter_source("lang") is click.core.ParameterSource.DEFAULT:
        lang = next((event.lang for event in reversed(log) if isinstance(event, state.Spoke)), lang)
    front = front_end()
    who, named = learner_name(course, learner, log, lang)
    keep(state_file, *named)
    log = (*log, *named)
    session = conversation.begin(course, who, lang, chosen, log, again=again)
    if session.over and name is not None and [item.id.lower() for item in chosen] == [name.lower()]:
        session = conversation.begin(course, who, lang, chosen, log, again=True)  # who names one item wants it asked
    try:
        session = _converse(session, front, state_file)
    except KeyboardInterrupt:
        from grader.learning.quiz_view import PROGRESS_KEPT

        click.echo(f"\nattncheck: {PROGRESS_KEPT.fill(file=place).of(lang)}", err=True)
        context.exit(INTERRUPTED)
    _end(session, target)


# ------------------------------------------------------------------------------------------ a file


def _grade(course: Course, chosen: Sequence[Item], path: Path, learner: str | None, lang: Lang, as_json: bool) -> int:
    from grader.grading.grade import grade
    from grader.learning import session as conversation
    from grader.submission import Unusable, read

    submission = read(path, learner)
    if submission.lost is not None:
        raise Unusable(submission.lost.where, submission.lost.text)
    if submission.answers is None:
        raise Unusable(str(path), NO_ANSWERS.fill(question=chosen[0].id.partition(".")[0]))
    asked, stripped = conversation.answers_only(course, submission, chosen)
    report = grade(asked, stripped, _nothing_runs)
    if as_json:
        from grader.report.json import to_json

        write_json(to_json(report, lang))
    else:
        from grader.commands._console import stdout
        from grader.report.terminal import render

        render(report, course, lang, stdout())
    return ALL_RIGHT if report.passed else NOT_ALL_RIGHT


def _nothing_runs(job: object, limits: object) -> Observed:
    raise AssertionError("answers are not code")


# -------------------------------------------------------------------------------------- a conversation


class Front(Protocol):
    """Where answers come from. ``keys``: options are chosen with keys, so that a card need not list them."""

    keys: bool

    def ask(self, card: QuizCard, lang: Lang) -> Action:
        """An answer to ``card``, or a command."""

    def pause(self, lang: Lang, follow: bool) -> Action:
        """What to do once everything about an item has been said."""


class Lines:
    """Answers as lines of text, from a pipe or a plain terminal. What a pipe brings is shown, as if typed."""

    keys = False

    def __init__(self, source: TextIO, *, echo: bool) -> None:
        self._source, self._echo = source, echo

    def ask(self, card: QuizCard, lang: Lang) -> Action:
        """One line, or several up to an empty one; the end of the input quits."""
        from grader.learning.session import Answer, read

        lines: list[str] = []
        while (line := self._line()) is not None:
            action = read(line)
            if not isinstance(action, Answer):
                return action
            if line.strip():
                lines.append(line)
            if lines and (card.asked.form != "lines" or not line.strip()):
                return Answer("\n".join(lines))
        return Answer("\n".join(lines)) if lines else "quit"

    def pause(self, lang: Lang, follow: bool) -> Action:
        """Goes on: a line is an answer or a command to the next item."""
        return "next"

    def _line(self) -> str | None:
        if not self._echo:
            click.echo("> ", nl=False)
        line = self._source.readline()
        if self._echo and line:
            from grader.core.text import clean

            click.echo(f"> {clean(line, 400)}")
        elif not line:
            click.echo()
        return line.rstrip("\r\n") if line else None


def front_end() -> Front:
    """The terminal with keys where there is one, else lines."""
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if terminal and os.environ.get("TERM", "dumb") != "dumb":
        from grader.learning.keyboard import Keyboard

        return Keyboard()
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    return Lines(sys.stdin, echo=not sys.stdin.isatty())


def learner_name(course: Course, given: str | None, log: Sequence[Event], lang: Lang) -> tuple[str, tuple[Event, ...]]:
    """Who it is, and what of that has to be kept: ``given``, else as last time, else asked for, else the login."""
    from grader.core.text import clean, clean_name
    from grader.learning import log as state
    from grader.learning.quiz_view import ASK_NAME

    known = next((event.learner for event in reversed(log) if isinstance(event, state.Named)), None)
    name = clean_name(given) or known
    if name is None:
        name = _login()
        if sys.stdin.isatty() and sys.stdout.isatty():
            typed = clean(click.prompt(ASK_NAME.of(lang), default=name), 1000)  # keys such as arrows leave sequences
            name = clean_name(typed) or name
    return name, () if known is not None else (state.Named(state.now(), course.public_id, name),)


def _login() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # nobody, as in some containers
        return "learner"


def _converse(session: Session, front: Front, state_file: Path | None) -> Session:
    """Asks until it is over. What was answered is kept before anything is said about it."""
    from grader.commands._console import stdout
    from grader.core.page import Page
    from grader.learning import log as state
    from grader.learning import quiz_view
    from grader.learning import session as conversation

    console = stdout()
    quiz_view.opening(Page(console, session.lang), session)
    fresh = True
    while (card := conversation.current(session)) is not None:
        if fresh:
            quiz_view.card(Page(console, session.lang), card, keys=front.keys)
            if card.record.settled:
                quiz_view.feedback(Page(console, session.lang), conversation.settled(session), card)
        if card.record.settled:
            action = front.pause(session.lang, session.offer is not None)
        else:
            action = front.ask(card, session.lang)
        turn = conversation.step(session, action, state.now())
        keep(state_file, *turn.events)
        session = turn.session
        quiz_view.feedback(Page(console, session.lang), turn.feedback, card)
        fresh = isinstance(turn.feedback, conversation.Navigation) and turn.feedback.why not in (
            "help",
            "first",
            "no key",
        )
    return session


def _end(session: Session, target: Path | None) -> None:
    """The summary, and the file with the answers where one was asked for."""
    from grader.commands._console import stdout
    from grader.core.files import create
    from grader.core.page import Page
    from grader.learning import quiz_view
    from grader.learning import session as conversation

    quiz_view.summary(Page(stdout(), session.lang), conversation.summary(session))
    if target is not None:
        create(target, conversation.answers_file(session))
        click.echo(quiz_view.ANSWERS_WRITTEN.fill(file=target).of(session.lang))
