"""`attncheck serve` as a process: it says where it is, lets only the holder of the token in, and ends with Ctrl-C."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

import grader
from grader.commands import run
from grader.commands.serve import _listen

ROOT = Path(grader.__file__).parents[1]


def test_a_server_from_start_to_end(tmp_path: Path) -> None:
    """The printed address signs in; the map is there; after Ctrl-C nothing listens."""
    command = [sys.executable, str(ROOT / "cli.py"), "serve", str(tmp_path / "work"), "--no-browser", "--lang", "en"]
    with subprocess.Popen(
        [*command, "--state", str(tmp_path / "log.jsonl")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None and server.stderr is not None
            said = server.stdout.readline() + server.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=\S+", said)
            assert found is not None, said
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(f"http://127.0.0.1:{found[1]}/")
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
            page = opener.open(found[0]).read().decode()
            assert "Attention in Transformers" in page and "token=" not in page
        finally:
            server.send_signal(signal.SIGINT)
        rest = server.stderr.read()
    assert server.returncode in (0, 130) and "Traceback" not in rest, rest


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
    for lang, said in (("en", "pip install 'attncheck[web]'"), ("zh", "请运行 pip install 'attncheck[web]'")):
        assert run(["serve", "--no-browser", "--lang", lang]) == 2
        assert said in capsys.readouterr().err


def test_answers_do_not_wait_for_acknowledgements() -> None:
    """The socket says that it is TCP: only then asyncio sends small parts at once, instead of 40 ms later."""
    with _listen(0) as listening:
        assert listening.proto == socket.IPPROTO_TCP
