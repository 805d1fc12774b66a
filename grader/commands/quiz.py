"""``attncheck quiz``: ask the quiz items, or grade a file of answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import click

from grader.commands import INTERRUPTED
from grader.commands._console import has_keys, page, print_lines, stdout, tell, width, write_json, write_output
from grader.commands._find import learner_name, started, work_folder
from grader.commands._options import PATH, Call, Documented, shared
from grader.core.errors import UsageError
from grader.core.files import create
from grader.core.layout import wrap
from grader.core.model import Course, Item, Lang, Message, Observed, Text
from grader.core.text import COMMA, clean
from grader.course.starter import counted
from grader.learning import answers_file, log, quiz_session, quiz_view
from grader.learning.drafts import SavedText
from grader.learning.quiz_session import Action, QuizCard, Session
from grader.report.json import to_json
from grader.submission import Unusable, read

LISTED = "Learners", 70

NO_ANSWERS = Message("there are no answers here; `attncheck start {question}` creates an answers.yaml to fill in.")

_DIFFERS = Message("{item}: {file_answer} in the file, {quiz_answer} in the quiz")
_ANSWERS_KEPT = Message("These were left as they are. To exchange them, edit the file, or run this in a terminal.")
_ASK_WRITE = Message("Write your answers to {items} to {file}, which counts for your grade?")
_HOW_TO_WRITE = Message("To write your answers to a file that you can submit: `attncheck quiz --to answers.yaml`")
_PROGRESS_KEPT = Message("interrupted; all your answers are saved in {file}")
_NO_TEXT = Message("{file} cannot be read as text in UTF-8; name another file.")
#: The most characters of an answers file.
_MOST_CHARACTERS = 2_000_000
#: Cells for “ [Y/n]: ” and what is typed after it.
_ROOM = 10

#: Why the card on the screen stays the one that is asked.
_STAYS = ("help", "first", "no key")

ALL_CORRECT, NOT_ALL_CORRECT = 0, 1


@click.command(cls=Documented)
@click.argument("name", required=False, metavar="[Q5|GROUP]")
@click.option("--answers", type=PATH, metavar="F", help="Grade the answers in F instead.")
@click.option("--again", is_flag=True, help="Ask answered items again.")
@click.option("--to", "target", type=PATH, metavar="F", help="Write your last answers to F, or add them to it.")
@click.option(
    "--learner", metavar="NAME", help="The name that numbers and option order depend on (default: the last one used)."
)
@shared("state", "json", "lang", "course")
def quiz(
    call: Call, *, name: str | None, answers: Path | None, again: bool, target: Path | None, learner: str | None
) -> None:
    """Ask the quiz items, one at a time.

    Asks all items, those of a question or a group, or a single one such as Q5.width. A wrong answer gets a question to
    think about and another try. Everything is saved at once, so you can stop at any time and continue later. Without a
    terminal, answers are read line by line.

    Points are for practice. At the end, you can write your answers to the answers.yaml that counts, or to F with --to.
    Answers that are already in F are replaced only if you agree. --answers F grades a file instead.

    Examples:
      quiz Q5                      the items of Q5
      quiz --answers answers.yaml  grade the answers in a file

    Exit codes:
      0  done; with --answers: everything is correct
      1  with --answers: not everything is correct
      3  the file with answers cannot be read
    """
    if call.as_json and answers is None:
        raise UsageError(Message("--json works only with --answers F; an interactive quiz has no JSON output."))
    course = call.course()
    if answers is not None:
        chosen = quiz_session.choose(course, name)
        click.get_current_context().exit(_grade(course, chosen, answers, learner, call))
    ask(call, course, name, again=again, target=target, learner=learner)


def ask(
    call: Call,
    course: Course,
    name: str | None,
    *,
    again: bool = False,
    target: Path | None = None,
    learner: str | None = None,
) -> Session:
    """Ask the items called ``name`` until the session is over, and offer to write the answers to a file."""
    chosen = quiz_session.choose(course, name)
    place = log.place(call.state_file)
    everything = log.read_all(place, course.public_id)
    lang = call.language(log.of_last(everything))
    who, named = learner_name(course, learner, everything, lang)
    saved = SavedText.of(course, place, who)
    front = front_end(saved)
    if target is not None and target.exists():
        answers_file.find(str(target), _text_of(target), who)  # refuse before the quiz, not after it
    call.save(*named)
    events = log.of_last((*everything, *named))
    session = quiz_session.begin(course, who, lang, chosen, events, again=again)
    if session.over and name is not None and [item.id.lower() for item in chosen] == [name.lower()]:
        session = quiz_session.begin(course, who, lang, chosen, events, again=True)  # one item by name: ask it
    session = replace(session, confirms=front.confirms)
    try:
        session = converse(session, front, call)
    except KeyboardInterrupt:
        click.echo(f"\nattncheck: {_PROGRESS_KEPT.fill(file=place).of(lang)}", err=True)
        click.get_current_context().exit(INTERRUPTED)
    quiz_view.summary(page(session.lang), quiz_session.summary(session))
    if session.left and saved.read(session.order[session.at]):
        tell(Message("What you typed is saved: it will be there when the item comes again."), session.lang)
    if target is not None:
        _write(target, session, quiz_session.graded_answers(session), front.confirms)
    else:
        _offer(session, front.confirms)
    return session


# ------------------------------------------------------------------------------------ the graded file


def _write(target: Path, session: Session, given: Mapping[str, str], asks: bool) -> None:
    """Write answers to ``target``. Those that a file there has already stay, unless the learner says otherwise."""
    if not target.exists():
        create(target, answers_file.new_answers_file(session.learner, given))
        tell(Message("Saved your last answers to the graded items in {file}.").fill(file=target), session.lang)
        return
    there = answers_file.find(str(target), _text_of(target), session.learner)
    different = there.different(given)
    replaced: tuple[str, ...] = ()
    if different:
        tell(Message("{file} has other answers to these items:").fill(file=target), session.lang)
        for answer in different:
            line = _DIFFERS.fill(item=answer.item, file_answer=answer.file, quiz_answer=answer.quiz)
            click.echo(f"  {line.of(session.lang)}")
        if asks and _confirmed(Message("Replace them with those of the quiz?"), session.lang, default=False):
            replaced = tuple(answer.item for answer in different)
        else:
            tell(_ANSWERS_KEPT, session.lang)
    added = (*there.new(given), *replaced)
    if added:
        write_output("--to", target, answers_file.merge(there, session.learner, given, replaced))
        names = COMMA.of(session.lang).join(added)
        tell(Message("Added to {file}: {items}").fill(file=target, items=names), session.lang)
    elif not different:
        tell(Message("{file} has all these answers already.").fill(file=target), session.lang)


def _offer(session: Session, asks: bool) -> None:
    """Offer to write what was settled to the answers.yaml of the folder that the learner works in."""
    given = quiz_session.graded_answers(session, settled=True)
    if not given:
        return
    target = work_folder() / "answers.yaml"
    if not (asks and started(target.parent)):
        tell(_HOW_TO_WRITE, session.lang)
        return
    if target.exists():
        try:
            there = answers_file.find(str(target), _text_of(target), session.learner)
        except UsageError as error:
            tell(error.message, session.lang)
            return
        if not there.new(given) and not there.different(given):
            return
    written = counted(item for item in session.course.items if item.id in given)
    if _confirmed(_ASK_WRITE.fill(items=written, file=target), session.lang, default=True):
        _write(target, session, given, asks)


def _confirmed(text: Text, lang: Lang, *, default: bool) -> bool:
    try:
        *lines, last = wrap(text.of(lang), width() - _ROOM)
        print_lines(lines)
        typed = click.prompt(f"{last} {'[Y/n]' if default else '[y/N]'}", default="", show_default=False)
        return default if not typed.strip() else typed.strip().lower() in ("y", "yes")  # q is a no, too
    except click.Abort:
        click.echo()
        return False


def _text_of(path: Path) -> str:
    """The text of an answers file. Raises UsageError if it cannot be read."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read(_MOST_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError):
        raise UsageError(_NO_TEXT.fill(file=path)) from None
    if len(text) > _MOST_CHARACTERS:  # never write back a part
        raise UsageError(_NO_TEXT.fill(file=path))
    return text


# ------------------------------------------------------------------------------------------ a file


def _grade(course: Course, chosen: Sequence[Item], path: Path, learner: str | None, call: Call) -> int:
    from grader.grading.grade import grade  # loads numpy

    submission = read(path, learner)
    if submission.lost is not None:
        raise Unusable(submission.lost.where, submission.lost.text)
    if submission.answers is None:
        raise Unusable(str(path), NO_ANSWERS.fill(question=chosen[0].id.partition(".")[0]))
    asked, stripped = answers_file.answers_only(course, submission, chosen)
    report = grade(asked, stripped, _nothing_runs)
    if call.as_json:
        write_json(to_json(report, call.lang))
    else:
        from grader.report.terminal import render  # loads rich

        render(report, course, call.lang, stdout())
    return ALL_CORRECT if report.passed else NOT_ALL_CORRECT


def _nothing_runs(job: object, limits: object) -> Observed:
    raise AssertionError("answers are not code")


# -------------------------------------------------------------------------------------- a conversation


class FrontEnd(Protocol):
    """A source of answers.

    ``keys``: options are chosen with keys, so cards do not list them. ``confirms``: someone can confirm whether a
    formula was interpreted as they meant it.
    """

    keys: bool
    confirms: bool

    def ask(self, card: QuizCard, lang: Lang) -> Action:
        """An answer to ``card``, or a command."""

    def pause(self, lang: Lang, follow: bool) -> Action:
        """The next action after an item is settled."""


class LineFrontEnd:
    """Answers as lines of text, from a pipe or a plain terminal. Lines from a pipe are echoed as if typed."""

    keys = False

    def __init__(self, read: Callable[[], str], *, echo: bool) -> None:
        """``read`` gives the next line with its end; nothing at the end of the input."""
        self._read, self._echo, self.confirms = read, echo, not echo

    def ask(self, card: QuizCard, lang: Lang) -> Action:
        """One line, or several lines up to an empty one; the end of the input quits."""
        lines: list[str] = []
        while (line := typed_line(self._read, echo=self._echo)) is not None:
            if line.strip().lower() == "q" and card.asked.choices:  # no answer: options are chosen by number
                return "quit"
            action = quiz_session.read(line, card.asked)
            if not isinstance(action, quiz_session.TypedAnswer) or (card.asked.choices and line.strip()):
                return action
            if line.strip():
                lines.append(line)
            if lines and (card.asked.form != "lines" or not line.strip()):
                return quiz_session.TypedAnswer("\n".join(lines))
        click.echo()
        return quiz_session.TypedAnswer("\n".join(lines)) if lines else "quit"

    def pause(self, lang: Lang, follow: bool) -> Action:
        """Continue: the next line is for the next item."""
        return "next"


def typed_line(read: Callable[[], str], *, echo: bool) -> str | None:
    """A line after a prompt; None at the end of the input. With ``echo``, it is shown as if typed."""
    if not echo:
        click.echo("> ", nl=False)
    line = read()
    if echo and line:
        click.echo(f"> {clean(line, 400)}")
    return line.rstrip("\r\n") if line else None


def front_end(saved: SavedText | None = None) -> FrontEnd:
    """The keyboard of a terminal; lines of stdin without a capable one, or for a screen reader."""
    if has_keys():
        from grader.learning.keyboard import Keyboard  # loads asyncio, prompt_toolkit

        return Keyboard(saved=saved)
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    return LineFrontEnd(sys.stdin.readline, echo=not sys.stdin.isatty())


def converse(session: Session, front: FrontEnd, call: Call) -> Session:
    """Ask until the session is over. Events are saved before feedback is shown."""
    quiz_view.opening(page(session.lang), session)
    fresh = True
    while (card := quiz_session.current(session)) is not None:
        if fresh:
            quiz_view.card(page(session.lang), card, keys=front.keys)
            if card.record.settled:
                quiz_view.feedback(page(session.lang), quiz_session.settled(session), card)
        if card.record.settled:
            action = front.pause(session.lang, session.offer is not None)
        else:
            action = front.ask(card, session.lang)
        turn = quiz_session.step(session, action, log.now())
        call.save(*turn.events)
        session = turn.session
        quiz_view.feedback(page(session.lang), turn.feedback, card)
        moved = isinstance(turn.feedback, quiz_session.Navigation) and turn.feedback.why not in _STAYS
        fresh = moved or (session.comparing and not card.compares)
    return session
