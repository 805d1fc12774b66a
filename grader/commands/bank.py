"""Verbs for authors of questions."""

from __future__ import annotations

import click

from grader.commands.options import write_json


@click.group()
def bank() -> None:
    """Tools for those who write questions."""


@bank.command()
def schema() -> None:
    """Writes the JSON Schema of question files, for editors."""
    from grader import course

    write_json(course.schema())
