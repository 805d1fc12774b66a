"""`attncheck serve` as a process: it says where it is, lets only the holder of the token in, and ends with Ctrl-C."""

from __future__ import annotations

import csv
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

import grader
from grader.commands import run
from grader.commands.serve import _listen
from grader.web.class_data import ClassData
from tests.web.test_instructor import class_data, handed_in, in_process  # noqa: F401, fixtures

ROOT = Path(grader.__file__).parents[1]


@contextmanager
def running(folder: Path, *options: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A server, which is ended like with Ctrl-C."""
    command = [sys.executable, str(ROOT / "cli.py"), "serve", str(folder / "work"), "--lang", "en", *options]
    with subprocess.Popen(
        [*command, "--state", str(folder / "log.jsonl")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    ) as server:
        try:
            yield server
        finally:
            server.send_signal(signal.SIGINT)
            rest = server.stderr.read() if server.stderr else ""
    assert server.returncode in (0, 130) and "Traceback" not in rest, rest


def printed(server: subprocess.Popen[str]) -> str:
    """The next address that the server prints."""
    assert server.stdout is not None
    while True:
        said = server.stdout.readline()
        assert said, "the server has ended"
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", said)
        if found is not None:
            return found[0]


def opened(address: str) -> Any:
    """A browser that opens an address."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    assert opener.open(address).headers["Refresh"] == "0; url=/"
    return opener


def test_a_server_from_start_to_end(tmp_path: Path) -> None:
    """Each printed address works once and in one browser; then the next is printed. After Ctrl-C nothing listens."""
    with running(tmp_path, "--no-browser") as server:
        address = printed(server)
        home = address.partition("?")[0]
        for stranger in (home, f"{home}?token=guess"):
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(stranger)
        first = opened(address)
        page = first.open(home).read().decode()
        assert "Attention in Transformers" in page and "token=" not in page
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(address)
        following = printed(server)
        assert following != address
        assert opened(following).open(home).status == first.open(home).status == 200
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(home)


def test_marking_results_without_a_class(tmp_path: Path, class_data: ClassData) -> None:  # noqa: F811
    """A results folder opens for one person, who marks answers there; the points are exported as theirs."""
    with running(tmp_path, "--no-browser", "--results", str(class_data.folder), "--author", "grace") as server:
        address = printed(server)
        browser, home = opened(address), address.partition("/?")[0]
        assert "Cy" in browser.open(home).read().decode(), "the first page is the class"
        page = browser.open(f"{home}/class/marking/Q1.why?group=2").read().decode()
        wording = re.findall(r'name="wording" value="([^"]+)"', page)
        form = {"form": "group-2", "wording": wording, "point": ["a", "c"], "comment": "fine"}
        sent = urllib.parse.urlencode(form, doseq=True).encode()
        marking = urllib.request.Request(f"{home}/class/marking/Q1.why", sent, {"Origin": home})
        assert "Points given by hand for Q1.why to dee: 2" in browser.open(marking).read().decode()
    target = tmp_path / "class.csv"
    assert run(["export", "csv", "--checks", "--from", str(class_data.folder), "--to", str(target)]) == 0
    exported = csv.DictReader(target.read_text("utf-8").splitlines())
    assert ("dee", "Q1.why", "2") in [(row["learner"], row["part"], row["earned"]) for row in exported]
    with class_data.book() as book:
        assert [each.author for each in book.gradebook.overrides()] == ["grace"]


def test_two_servers_in_one_browser(tmp_path: Path) -> None:
    """Browsers send the cookies of one port to the others, too; opening the second server keeps the first one open."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    with running(tmp_path / "a", "--no-browser") as one, running(tmp_path / "b", "--no-browser") as other:
        addresses = [printed(one), printed(other)]
        for address in addresses:
            browser.open(address)
        assert all(browser.open(address.partition("?")[0]).status == 200 for address in addresses)


def test_no_secret_is_on_a_command_line(tmp_path: Path) -> None:
    """The browser gets the address of a file that only its owner can read; that leads to the pages, once."""
    browser, seen = tmp_path / "browser.sh", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {seen}.part\nmv {seen}.part {seen}\n')
    browser.chmod(0o700)
    with running(tmp_path, BROWSER=f"{browser} %s") as server:
        address = printed(server)
        while not seen.exists():
            assert server.poll() is None
            time.sleep(0.01)
        (given,) = seen.read_text().splitlines()
        file = Path(given.removeprefix("file://"))
        assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        found = re.search(r"url=(http://127\.0\.0\.1:\d+/\?token=([^\"]+))", file.read_text())
        assert found is not None
        secret, ticket = found[2], address.partition("token=")[2]
        assert secret != ticket, "the printed address works as well"
        arguments = Path(f"/proc/{server.pid}/cmdline")
        for shown in (given, arguments.read_text() if arguments.exists() else ""):
            assert secret not in shown and ticket not in shown
        home = address.partition("?")[0]
        assert opened(found[1]).open(home).status == 200
        assert not file.exists(), "it is of no use any more"
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(found[1])
        assert opened(address).open(home).status == 200
    assert not file.parent.exists()


def test_a_taken_port(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What to do is said."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert run(["serve", str(tmp_path), "--port", port, "--no-browser", "--lang", "en"]) == 2
    assert f"Port {port} of this machine is in use" in capsys.readouterr().err


def test_without_the_extra(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Which extra to install is said, in both languages."""
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for lang, said in (("en", "`pip install 'attncheck[web]'`"), ("zh", "请运行 `pip install 'attncheck[web]'`")):
        assert run(["serve", "--no-browser", "--lang", lang]) == 2
        assert said in capsys.readouterr().err


def test_answers_do_not_wait_for_acknowledgements() -> None:
    """The socket says that it is TCP: only then asyncio sends small parts at once, instead of 40 ms later."""
    with _listen(0) as listening:
        assert listening.proto == socket.IPPROTO_TCP
