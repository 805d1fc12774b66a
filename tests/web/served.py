"""A class server in a process of its own, for people with a browser each."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode

import grader
from grader.classroom.class_folder import SECRET
from grader.web.people import Role
from grader.web.sessions import Claim, read_signer

CLI = Path(grader.__file__).parents[1] / "cli.py"


class ServedClass:
    """The server of a class, which listens; everybody in ``names`` is signed in."""

    def __init__(self, folder: Path, names: Sequence[str], workers: int) -> None:
        self.folder = folder
        self.address = re.findall(r"address: (\S+)", (folder / "class.yaml").read_text())[0]
        command = [sys.executable, str(CLI), "serve", "--class", str(folder), "--workers", str(workers), "--lang", "en"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout is not None
        said = ""
        while "listening" not in said:
            line = self.process.stdout.readline()
            assert line, said
            said += line
        self.people = {name: self._signed_in(name) for name in names}

    def _signed_in(self, name: str) -> urllib.request.OpenerDirector:
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        claim = Claim(name, Role.LEARNER, datetime.now(UTC) + timedelta(days=1))
        link = {"link": read_signer(self.folder / SECRET).sign("link", claim)}
        opener.open(self.form("/sign-in", link))
        return opener

    def form(self, path: str, fields: dict[str, str]) -> urllib.request.Request:
        """What a browser sends for a form."""
        data = urlencode(fields).encode()
        return urllib.request.Request(f"{self.address}{path}", data, {"Origin": self.address}, method="POST")

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Ends the process at once."""
        self.process.send_signal(number)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
