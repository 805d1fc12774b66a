"""``attncheck links``: the personal links of a class."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from grader.classroom.class_folder import SECRET
from grader.commands._console import say
from grader.commands._options import FOLDER, Call, Documented, shared
from grader.commands.serve import read_class
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.core.text import clean, suggestion

LISTED = "Instructors", 20

_SECRET = Message("Until {until}, anyone who has a link can sign in as that person: send each link only to its owner.")


@click.command(cls=Documented)
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.argument("people", nargs=-1)
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV, for mail merge.")
@click.option(
    "--days",
    type=click.IntRange(1, 400),
    metavar="N",
    help="For how many days links work (default: link_days in class.yaml, which is 30 by default).",
)
@shared("lang", "course")
def links(call: Call, *, folder: Path, people: tuple[str, ...], as_csv: bool, days: int | None) -> None:
    """Create the personal links of a class.

    DIR is the folder of the class, with a class.yaml. Links are signed and expire; the key that signs them is in DIR,
    readable only by you. Without PEOPLE, everyone is included: learners, assistants and instructors.

    Examples:
      links attention-2026 --csv         everyone's links, for mail merge
      links attention-2026 ada --days 2  ada's link, good for two days

    Exit codes:
      0  done
    """
    from grader.web.people import ClassMembers  # as above
    from grader.web.sessions import Claim, links_csv, read_signer  # loads the roster

    settings, _, listed, _ = read_class(folder, call.course_folder)
    everybody = ClassMembers(listed, settings)
    chosen = []
    for name in people:
        member = everybody.find(name)
        if member is None:
            hint = suggestion(name, [member.id for member in everybody])
            said = Message("Nobody in this class is called “{name}”. {hint}")
            raise UsageError(said.fill(name=clean(name), hint=hint))
        chosen.append(member)
    now = datetime.now(UTC)
    until = now + timedelta(days=days or settings.link_days)
    key = read_signer(folder / SECRET)
    rows = [
        (member, f"{settings.address}/sign-in?link={key.sign('link', Claim(member.id, member.role, until, now))}")
        for member in chosen or everybody
    ]
    if as_csv:
        click.echo(links_csv(rows, everybody.learners, until), nl=False)
        return
    for member, link in rows:
        click.echo(f"{clean(member.id)}  {link}")
    say(_SECRET.fill(until=f"{until:%Y-%m-%d %H:%M} UTC"), err=True)
