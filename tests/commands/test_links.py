"""`attncheck links`, and what `serve --class` says about a folder that is not ready."""

from __future__ import annotations

import csv
import io
import re
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import uvicorn

from grader.classroom import service
from grader.classroom.class_folder import ClassSettings, read_settings
from grader.classroom.service import ServicePlan
from grader.commands.serve import read_class
from grader.core.model import Text
from grader.grading import courses
from grader.web.gate import Gate, Proxy
from grader.web.people import Role
from grader.web.sessions import read_signer
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
    assert found.code == 0 and "send each link only to its owner" in found.err
    links = dict(line.split("  ") for line in found.out.splitlines())
    assert [*links] == ["ada", "bo", "grace"]
    parts = urlsplit(links["grace"])
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "quiz.example.edu", "/sign-in")
    now = datetime.now(UTC)
    claim = read_signer(folder / ".attncheck-links").read("link", parse_qs(parts.query)["link"][0], now)
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
        (("links", "{}", "adda"), "Nobody in this class is called “adda”. Did you mean ada?"),
        (("links", "{}/none"), "class.yaml cannot be read"),
        (("serve", "--class", "{}/none"), "class.yaml cannot be read"),
        (("serve", "--class", "{}", "--new"), "/class.csv already exists; a new class needs a new or an empty folder."),
        (("serve", "--new"), "--new needs --class DIR"),
        (("serve", "--class", "{}", "--results", "{}"), "--class and --results cannot be combined"),
        (("serve", "--results", "{}"), "has no gradebook.sqlite"),
        (("serve", "--class", "{}", "--trust-header", "X-User"), "--trusted-proxy must be used together"),
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


class Ready:
    """Stands for the workers of a class."""

    def __init__(self, plan: ServicePlan, report: Callable[[Text], None]) -> None:
        self.plan, self.report = plan, report
        self.course = self.edition = courses.load(plan.course_folder)

    def __enter__(self) -> Ready:
        """Are ready."""
        self.report(Text("something to know", "一件事"))
        return self

    def __exit__(self, *_: object) -> None:
        """Have ended."""


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """How a class was served, by a server that ends at once."""
    seen: dict[str, Any] = {}

    def run(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        seen.update(config=server.config, address=sockets[0].getsockname(), proto=sockets[0].proto)

    monkeypatch.setattr(uvicorn.Server, "run", run)
    monkeypatch.setattr(service, "Service", Ready)
    before = sys.getswitchinterval()
    yield seen
    sys.setswitchinterval(before)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_new_class(attncheck: Attncheck, tmp_path: Path, served: dict[str, Any], lang: str) -> None:
    """It is served as it was written; its file shows every setting, and none that could not be read."""
    folder = tmp_path / "new"
    found = attncheck("serve", "--class", str(folder), "--new", "--lang", lang)
    assert found.code == 0 and len(found.out.splitlines()) == 2 and f"attncheck serve --class {folder}" in found.out
    settings, _, listed, _ = read_class(folder, None)
    assert settings == ClassSettings(roster="roster.csv", instructors=settings.instructors)
    assert len(settings.instructors) == len(listed.learners) == 1 and folder.stat().st_mode & 0o077 == 0
    assert attncheck("serve", "--class", str(folder), "--port", "0").code == 0
    assert [person.id for person in served["config"].app.sessions.people] == ["example", "me"]
    file = folder / "class.yaml"
    file.write_text(re.sub(r"(?m)^#(?=\w+: )", "", file.read_text("utf-8")), "utf-8")
    default = asdict(ClassSettings())
    changed = {name for name, value in asdict(read_settings(folder)).items() if value != default[name]}
    assert changed == default.keys() - {"link_days"}


def test_a_class_is_served(attncheck: Attncheck, folder: Path, served: dict[str, Any]) -> None:
    """Where it is, how it listens, with which seed; what the instructor should know goes to stderr."""
    (folder / "seed").write_bytes(b"0123456789abcdef")
    (folder / "class.yaml").write_text(CLASS + "seed_file: seed\nquestions: [Q5]\n")
    found = attncheck("serve", "--class", str(folder), "--port", "0", "--lang", "en")
    assert found.code == 0, found.err
    assert f"at https://quiz.example.edu (listening on 127.0.0.1:{served['address'][1]})" in found.out
    assert "attncheck: something to know" in found.err and "not https" not in found.err
    gate: Gate = served["config"].app
    assert gate.folder == folder.resolve() and gate.proxy is None
    assert not served["config"].proxy_headers and served["proto"] == socket.IPPROTO_TCP
    (folder / "class.yaml").write_text(CLASS.replace("https", "http"))
    words = ("--port", "0", "--trust-header", "X-User", "--trusted-proxy", "10.0.0.1")
    found = attncheck("serve", "--class", str(folder), *words, "--lang", "en")
    assert "http://quiz.example.edu is not https" in found.err
    assert served["config"].app.proxy == Proxy("X-User", "10.0.0.1")
