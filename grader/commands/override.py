"""``attncheck override``: points given by hand."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.classroom.gradebook import open_gradebook
from grader.commands._options import (
    documented,
    graded_course_option,
    json_option,
    lang_option,
    results_argument,
    say,
    write_json,
)
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.core.text import points as points_text
from grader.instructor import overrides_view

if TYPE_CHECKING:
    from grader.core.model import Lang
    from grader.instructor.rubric import AnswerGroup, Decision

    Decide = Callable[[AnswerGroup, Decision, datetime], int]


@documented(
    {
        "override results ada Q5.output --points 1 --reason 'oral exam'": "give points",
        "override results --list": "all points given by hand",
        "override results --pending": "answers to mark by hand, similar ones together",
        "override results --mark": "mark them by key points, one group at a time",
        "override results ada Q3.own-words --key-points ac --alike": "give points for key points",
    },
    {0: "done"},
)
@click.command()
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
@json_option
@lang_option
@graded_course_option
def override(
    *,
    folder: Path,
    learner: str | None,
    part: str | None,
    points: float | None,
    reason: str | None,
    author: str | None,
    beyond: bool,
    remove: bool,
    key_points: str | None,
    comment: str,
    alike: bool,
    pending: bool,
    mark: bool,
    listed: bool,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Give points by hand; they survive regrading.

    DIR is a folder that 'batch --out' has written, PART an item (Q5.output) or an exercise. The files in DIR are
    written again.

    Free-text answers are marked by hand. Each key point of an item is worth the same share of its points. --pending
    lists the answers to mark, and --mark asks about each group of similar answers. It shows every wording, because
    similar words can mean opposite things.
    """
    if listed or pending or mark:
        if learner or remove or points is not None or key_points or listed + pending + mark > 1:
            raise UsageError(
                Message("--list, --pending and --mark are for the whole class: give one of them, with DIR only.")
            )
        if listed:
            _list(folder, as_json, lang)
        else:
            _pending(folder, course_folder, author or _login() if mark else None, as_json, lang)
        return
    if not learner or not part:
        raise UsageError(Message("override needs LEARNER and PART, with --points and --reason, or with --remove."))
    if key_points is not None:
        if remove or points is not None or reason:
            raise UsageError(Message("--key-points decides the points and the reason; say more with --comment TEXT."))
        _by_key_points(folder, course_folder, (learner, part), (key_points, comment, alike), author or _login(), lang)
        return
    if comment or alike:
        raise UsageError(Message("--comment and --alike require --key-points."))
    if remove == (points is not None):
        raise UsageError(Message("Give either --points P with --reason TEXT, or --remove."))
    from grader.instructor.overrides import OverrideRequest, Signed, give_points, remove_override  # loads numpy

    if points is None:
        by = Signed(author or _login(), datetime.now(UTC))
        given = remove_override(folder, (learner, part), by, course_folder, lang)
    else:
        request = OverrideRequest(learner, part, points, reason or "", author or _login(), beyond)
        given = give_points(folder, request, datetime.now(UTC), course_folder, lang)
    if as_json:
        write_json(overrides_view.given_json(given))
    else:
        for line in overrides_view.given_lines(given, lang):
            click.echo(line)


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise UsageError(Message("This system does not know your login name: give --author NAME.")) from error


def _by_key_points(
    folder: Path,
    course_folder: Path | None,
    which: tuple[str, str],
    said: tuple[str, str, bool],
    author: str,
    lang: Lang,
) -> None:
    from grader.instructor import rubric  # loads numpy

    key_points, comment, alike = said
    with rubric.marking(folder, course_folder, author, lang) as (found, decide):
        group = rubric.find_group(found, *which, alike=alike)
        decision = rubric.Decision(key_points, comment)
        decide(group, decision, datetime.now(UTC))
    click.echo(_done(group, decision, lang))


def _done(group: AnswerGroup, decision: Decision, lang: Lang) -> str:
    from grader.instructor import rubric, rubric_view  # loads numpy

    earned, _ = rubric.score_decision(group.item, decision)
    names = {"item": group.item.id, "points": points_text(earned), "possible": points_text(group.item.points)}
    return rubric_view.DONE.fill(count=len(group.learners), **names).of(lang)


def _pending(folder: Path, course_folder: Path | None, author: str | None, as_json: bool, lang: Lang) -> None:
    """Print the answers to mark; with an ``author``, ask for the key points of each group."""
    from grader.classroom.results import Book  # loads numpy
    from grader.instructor import rubric, rubric_view  # loads numpy
    from grader.instructor.overrides import open_for_changes  # loads numpy

    if author is None or as_json:
        if author is not None:
            raise UsageError(Message("--mark asks questions and has no JSON output; --pending has."))
        with open_for_changes(folder, course_folder) as (gradebook, course):
            found = rubric.pending_answers(Book.of(gradebook, course))
        if as_json:
            write_json(rubric_view.waiting_json(found, lang))
        else:
            click.echo("\n".join(rubric_view.waiting_lines(found, lang)))
        return
    with rubric.marking(folder, course_folder, author, lang) as (found, decide):
        comments = {name: list(known) for name, known in found.comments.items()}
        todo = list(found.groups)
        if not todo and not found.unread:
            click.echo(rubric_view.NOTHING_WAITS.of(lang))
        while todo:
            group = todo.pop(0)
            known = comments.setdefault(group.item.id, [])
            click.echo("\n".join(rubric_view.group_lines(group, known, lang)))
            typed = _ask(rubric_view.WHICH.of(lang))
            if typed is None or typed.casefold() == "q":
                break
            if typed.casefold() == "x":
                todo[:0] = group.split()
            elif typed and typed.casefold() != "s" and not _decide(group, typed, known, decide, lang):
                todo.insert(0, group)
            click.echo()
        for line in rubric_view.unread_lines(found.unread, lang):
            click.echo(line)


def _decide(group: AnswerGroup, typed: str, known: list[str], decide: Decide, lang: Lang) -> bool:
    """Save what was typed about ``group``, with a comment (one of those ``known``, or new). False if unreadable."""
    from grader.instructor import rubric, rubric_view  # loads numpy

    try:
        rubric.score_decision(group.item, rubric.Decision(typed))
    except UsageError as error:
        say(error.message, err=True)
        return False
    comment = _ask(rubric_view.COMMENT.of(lang)) or ""
    if comment.isdecimal() and 1 <= int(comment) <= len(known):
        comment = known[int(comment) - 1]
    decision = rubric.Decision(typed, comment)
    decide(group, decision, datetime.now(UTC))
    if comment and comment not in known:
        known.append(comment)
    click.echo(_done(group, decision, lang))
    return True


def _ask(prompt: str) -> str | None:
    """A typed line; None at the end of the input."""
    click.echo(f"{prompt}> ", nl=False)
    line = sys.stdin.readline()
    return line.strip() if line else None


def _list(folder: Path, as_json: bool, lang: Lang) -> None:
    with closing(open_gradebook(folder)) as book:
        found = book.overrides()
    if as_json:
        write_json({"format": 1, "overrides": list(map(overrides_view.override_json, found))})
    else:
        for line in overrides_view.list_lines(found, lang):
            click.echo(line)
