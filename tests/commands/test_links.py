"""`attncheck links`, and what `serve --class` says about a folder that is not ready."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from grader.web.links import signer
from grader.web.people import Role
from tests.commands.conftest import Ran

Attncheck = Callable[..., Ran]

CLASS = "address: https://quiz.example.edu\nroster: class.csv\ninstructors: {grace: Grace Hopper}\nlink_days: 3\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A class of two learners and an instructor."""
    (tmp_path / "class.yaml").write_text(CLASS)
    (tmp_path / "class.csv").write_text("id,name,email\nada,Ada,ada@example.edu\nbo,=Bo,\n")
    return tmp_path


def test_everybody_gets_a_link(attncheck: Attncheck, folder: Path) -> None:
    """One line each, good for the days of class.yaml; that links are secret is said once."""
    found = attncheck("links", str(folder))
    assert found.code == 0 and "send each to one address" in found.err
    links = dict(line.split("  ") for line in found.out.splitlines())
    assert [*links] == ["ada", "bo", "grace"]
    parts = urlsplit(links["grace"])
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "quiz.example.edu", "/sign-in")
    now = datetime.now(UTC)
    claim = signer(folder / ".attncheck-links").read("link", parse_qs(parts.query)["link"][0], now)
    assert claim is not None and (claim.id, claim.role) == ("grace", Role.INSTRUCTOR)
    assert timedelta(days=2, hours=23) < claim.until - now < timedelta(days=3, minutes=1)


def test_a_table_for_mail_merge(attncheck: Attncheck, folder: Path) -> None:
    """CSV without anything else; names are never formulas; only the people who were asked for."""
    found = attncheck("links", str(folder), "--csv", "--days", "1", "bo", "ada")
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert [(row["id"], row["email"], row["role"]) for row in rows] == [
        ("bo", "", "learner"),
        ("ada", "ada@example.edu", "learner"),
    ]
    assert rows[0]["name"] != "=Bo" and found.err == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("links", "{}", "adda"), "There is nobody “adda” in this class. Did you mean ada?"),
        (("links", "{}/none"), "class.yaml cannot be read"),
        (("serve", "--class", "{}/none"), "class.yaml cannot be read"),
        (("serve", "--class", "{}", "--trust-header", "X-User"), "--trusted-proxy belong together"),
        (("serve", "--class", "{}", "--trust-header", "X-User", "--trusted-proxy", "x"), "expected the address"),
    ],
)
def test_what_is_wrong(attncheck: Attncheck, folder: Path, words: tuple[str, ...], said: str) -> None:
    """Exit code 2, and what to do."""
    found = attncheck(*(word.format(folder) for word in words))
    assert found.code == 2 and said in found.err


def test_a_class_needs_a_roster(attncheck: Attncheck, folder: Path) -> None:
    """In class.yaml or in course.yaml."""
    (folder / "class.yaml").write_text("address: https://quiz.example.edu\n")
    found = attncheck("links", str(folder))
    assert found.code == 2 and "names no roster" in found.err


def test_links_need_no_extra(attncheck: Attncheck, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They can be made where the server does not run."""
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert attncheck("links", str(folder)).code == 0
