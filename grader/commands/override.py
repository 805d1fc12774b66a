"""``attncheck override``: points given by hand."""

from __future__ import annotations

import getpass
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.classroom import overrides_view
from grader.classroom.gradebook import open_gradebook
from grader.commands._options import (
    documented,
    graded_course_option,
    json_option,
    lang_option,
    results_argument,
    write_json,
)
from grader.core.errors import UsageError
from grader.core.model import Text

if TYPE_CHECKING:
    from grader.core.model import Lang


@documented(
    {
        "override results ada Q5.output --points 1 --reason 'oral exam'": "give points",
        "override results --list": "all points given by hand",
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
    listed: bool,
    as_json: bool,
    lang: Lang,
    course_folder: Path | None,
) -> None:
    """Give points by hand; they survive regrading.

    DIR is a folder that 'batch --out' has written, PART an item (Q5.output) or an exercise. The files in DIR are
    written again.
    """
    if listed:
        if learner or remove or points is not None:
            raise UsageError(
                Text(
                    "--list shows everything: give it with DIR alone.",
                    "--list 会列出全部：只和 DIR 一起用。",
                )
            )
        _list(folder, as_json, lang)
        return
    if not learner or not part:
        raise UsageError(
            Text(
                "override needs LEARNER and PART, with --points and --reason, or with --remove.",
                "override 需要 LEARNER 和 PART，再加 --points 和 --reason，或加 --remove。",
            )
        )
    if remove == (points is not None):
        raise UsageError(
            Text(
                "Give either --points P with --reason TEXT, or --remove.",
                "请给出 --points P 和 --reason TEXT，或只给 --remove。",
            )
        )
    from grader.classroom.overrides import OverrideRequest, give, take_back  # loads numpy

    if points is None:
        given = take_back(folder, learner, part, course_folder, lang)
    else:
        wish = OverrideRequest(learner, part, points, reason or "", author or _login(), beyond)
        given = give(folder, wish, datetime.now(UTC), course_folder, lang)
    if as_json:
        write_json(overrides_view.given_json(given))
    else:
        for line in overrides_view.given_lines(given, lang):
            click.echo(line)


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise UsageError(
            Text(
                "This system does not know your login name: give --author NAME.",
                "这个系统不知道你的登录名：请加 --author NAME。",
            )
        ) from error


def _list(folder: Path, as_json: bool, lang: Lang) -> None:
    with closing(open_gradebook(folder)) as book:
        found = book.overrides()
    if as_json:
        write_json({"format": 1, "overrides": list(map(overrides_view.override_json, found))})
    else:
        for line in overrides_view.list_lines(found, lang):
            click.echo(line)
