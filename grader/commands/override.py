"""``attncheck override``: points given by hand."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.classroom.gradebook import open_gradebook
from grader.commands._console import print_lines, say
from grader.commands._find import signed_by
from grader.commands._options import Call, Documented, collected, results_argument, shared
from grader.core.errors import UsageError
from grader.core.model import Lang, Message
from grader.core.serialize import to_json
from grader.core.text import points as points_text

if TYPE_CHECKING:
    from grader.instructor.rubric import AnswerGroup, Decision

    Decide = Callable[[AnswerGroup, Decision, datetime], int]

LISTED = "Instructors", 60


@dataclass(frozen=True, slots=True)
class _Request:
    """The options of the command."""

    folder: Path
    learner: str | None
    part: str | None
    points: float | None
    reason: str | None
    author: str | None
    beyond: bool
    remove: bool
    key_points: str | None
    comment: str
    alike: bool
    pending: bool
    mark: bool
    listed: bool

    @property
    def which(self) -> tuple[str, str]:
        """The learner and the part."""
        return self.learner or "", self.part or ""


@click.command(cls=Documented)
@results_argument
@click.argument("learner", required=False)
@click.argument("part", required=False)
@click.option("--points", type=float, metavar="P", help="The points to give instead of those earned.")
@click.option("--reason", metavar="TEXT", help="Why; saved with the points.")
@click.option("--author", metavar="NAME", help="Who gives them (default: your login name).")
@click.option("--beyond", is_flag=True, help="Allow more than the maximum, or less than zero.")
@click.option("--remove", is_flag=True, help="Remove the override, so that the earned points count again.")
@click.option("--key-points", metavar="abc", help="Give points for these key points of the answer (0: none).")
@click.option("--comment", metavar="TEXT", default="", help="With --key-points: saved with the points, offered again.")
@click.option("--alike", is_flag=True, help="With --key-points: also for everyone whose answer is similar.")
@click.option("--pending", is_flag=True, help="List answers that wait for a person: to be marked, and unread ones.")
@click.option("--mark", is_flag=True, help="Ask for the key points of each group of such answers.")
@click.option("--list", "listed", is_flag=True, help="List all overrides in DIR.")
@shared("json", "lang", "graded-course")
@collected(_Request)
def override(call: Call, request: _Request) -> None:
    """Give points by hand; they survive regrading.

    DIR is a folder that 'batch --out' has written, PART an item (Q5.output) or an exercise. The files in DIR are
    written again.

    Free-text answers are marked by hand. Each key point of an item is worth the same share of its points. --pending
    lists the answers to mark, and --mark asks about each group of similar answers. It shows every wording, because
    similar words can mean opposite things.

    Examples:
      override results ada Q5.output --points 1 --reason 'oral exam'  give points
      override results --list                                         all points given by hand
      override results --pending                                      answers to mark by hand, similar ones together
      override results --mark                                         mark them by key points, one group at a time
      override results ada Q3.own-words --key-points ac --alike       give points for key points

    Exit codes:
      0  done

    With --json:
      override DIR LEARNER PART  grader.instructor.overrides:OverrideResult
      override DIR --list        grader.instructor.overrides:OverridesJson
      override DIR --pending     grader.instructor.rubric:WaitingJson
    """
    _action(request)(call, request)


def _action(request: _Request) -> Callable[[Call, _Request], None]:
    """What the options ask for. Raises UsageError for options that do not go together."""
    gives = request.points is not None
    whole_class = request.listed + request.pending + request.mark
    if whole_class:
        if request.learner or request.remove or gives or request.key_points or whole_class > 1:
            said = Message("--list, --pending and --mark are for the whole class: give one of them, with DIR only.")
            raise UsageError(said)
        if request.listed:
            return _list
        return _mark if request.mark else _pending
    if not request.learner or not request.part:
        raise UsageError(Message("override needs LEARNER and PART, with --points and --reason, or with --remove."))
    if request.key_points is not None:
        if request.remove or gives or request.reason:
            raise UsageError(Message("--key-points decides the points and the reason; say more with --comment TEXT."))
        return _by_key_points
    if request.comment or request.alike:
        raise UsageError(Message("--comment and --alike require --key-points."))
    if request.remove == gives:
        raise UsageError(Message("Give either --points P with --reason TEXT, or --remove."))
    return _give_or_remove


def _give_or_remove(call: Call, request: _Request) -> None:
    from grader.instructor import overrides  # loads numpy

    folder, now, author = request.folder, datetime.now(UTC), signed_by(request.author)
    if request.points is None:
        signed = overrides.Signed(author, now)
        given, _ = overrides.remove_override(folder, request.which, signed, call.course_folder, call.lang)
    else:
        points = overrides.OverrideRequest(*request.which, request.points, request.reason or "", author, request.beyond)
        given, _ = overrides.give_points(folder, points, now, call.course_folder, call.lang)
    call.show(lambda: to_json(given), lambda: overrides.given_lines(given, call.lang))


def _list(call: Call, request: _Request) -> None:
    from grader.instructor import overrides  # loads numpy

    with closing(open_gradebook(request.folder)) as book:
        given = book.overrides()
    call.show(lambda: to_json(overrides.OverridesJson(1, given)), lambda: overrides.list_lines(given, call.lang))


# --------------------------------------------------------------------------------- marking by key points


def _by_key_points(call: Call, request: _Request) -> None:
    from grader.instructor import rubric  # loads numpy

    decision = rubric.Decision(request.key_points or "", request.comment)
    with rubric.marking(request.folder, call.course_folder, signed_by(request.author), call.lang) as (waiting, decide):
        group = rubric.find_group(waiting, *request.which, alike=request.alike)
        decide(group, decision, datetime.now(UTC))
    _say_done(group, decision, call.lang)


def _say_done(group: AnswerGroup, decision: Decision, lang: Lang) -> None:
    from grader.instructor import rubric  # loads numpy

    earned, _ = rubric.score_decision(group.item, decision)
    names = {"item": group.item.id, "points": points_text(earned), "possible": points_text(group.item.points)}
    click.echo(rubric.DONE.fill(count=len(group.learners), **names).of(lang))


def _pending(call: Call, request: _Request) -> None:
    """Print the answers to mark."""
    from grader.classroom.results import Book  # loads numpy
    from grader.instructor import rubric  # loads numpy
    from grader.instructor.overrides import open_for_changes  # loads numpy

    with open_for_changes(request.folder, call.course_folder) as (gradebook, course):
        waiting = rubric.pending_answers(Book.of(gradebook, course))
    lang = call.lang
    call.show(lambda: to_json(rubric.waiting_json(waiting), lang), lambda: rubric.waiting_lines(waiting, lang))


def _mark(call: Call, request: _Request) -> None:
    """Ask for the key points of each group of answers."""
    from grader.instructor import rubric  # loads numpy

    author = signed_by(request.author)
    if call.as_json:
        raise UsageError(Message("--mark asks questions and has no JSON output; --pending has."))
    with rubric.marking(request.folder, call.course_folder, author, call.lang) as (waiting, decide):
        comments = {item: list(used) for item, used in waiting.comments.items()}
        todo = list(waiting.groups)
        if not todo and not waiting.unread:
            say(rubric.NOTHING_WAITS)
        while todo:
            group = todo.pop(0)
            used = comments.setdefault(group.item.id, [])
            print_lines(rubric.group_lines(group, used, call.lang))
            typed = _ask(rubric.WHICH.of(call.lang))
            if typed is None or typed.casefold() == "q":
                break
            if typed.casefold() == "x":
                todo[:0] = group.split()
            elif typed and typed.casefold() != "s" and not _decide(group, typed, used, decide, call.lang):
                todo.insert(0, group)
            click.echo()
        print_lines(rubric.unread_lines(waiting.unread, call.lang))


def _decide(group: AnswerGroup, typed: str, used: list[str], decide: Decide, lang: Lang) -> bool:
    """Save what was typed about ``group``, with a comment (one of those ``used``, or new). False if unreadable."""
    from grader.instructor import rubric  # loads numpy

    try:
        rubric.score_decision(group.item, rubric.Decision(typed))
    except UsageError as error:
        say(error.message, err=True)
        return False
    comment = _ask(rubric.COMMENT.of(lang)) or ""
    if comment.isdecimal() and 1 <= int(comment) <= len(used):
        comment = used[int(comment) - 1]
    decision = rubric.Decision(typed, comment)
    decide(group, decision, datetime.now(UTC))
    if comment and comment not in used:
        used.append(comment)
    _say_done(group, decision, lang)
    return True


def _ask(prompt: str) -> str | None:
    """A typed line; None at the end of the input."""
    click.echo(f"{prompt}> ", nl=False)
    line = sys.stdin.readline()
    return line.strip() if line else None
